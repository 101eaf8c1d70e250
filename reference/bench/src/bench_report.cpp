// SPDX-License-Identifier: Apache-2.0
// Results of the benchmark as JSON and as text.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "chainwalk/reference/bench.h"

namespace chainwalk::reference {
namespace {

template <typename T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

std::string ratio_line(const char* name, const std::optional<double>& seconds,
                       const std::string& absent, double walk_seconds) {
  if (!seconds) return fmt::format("{:<18} absent: {}\n", name, absent);
  return fmt::format("{:<18} {:.3f} ms a step, {:.1f} times the walk's\n", name, *seconds * 1e3,
                     *seconds / walk_seconds);
}

// `best` says nothing about what ran.
const char* set_that_ran(InstructionSet set) { return to_string(resolve(set)); }

}  // namespace

std::string to_json(const BenchResult& result) {
  const BenchSettings& settings = result.settings;
  nlohmann::ordered_json json;
  json["bank_type"] = to_string(settings.bank_type);
  json["snapshot"] = to_string(settings.snapshot);
  json["head_dim"] = settings.head_dim;
  json["num_parallel"] = settings.num_parallel;
  json["chunk_size"] = settings.chunk_size;
  json["writes_per_token"] = settings.writes_per_token;
  json["slots_per_stream"] = settings.slots_per_stream;
  json["threads"] = settings.threads;
  json["instruction_set"] = set_that_ran(settings.instruction_set);
  json["repetitions"] = settings.repetitions;
  json["steps"] = result.steps;
  json["bytes_per_step"] = result.bytes_per_step;
  json["seconds_per_step"] = result.seconds_per_step;
  json["floor_seconds_per_step"] = result.floor_seconds_per_step;
  json["floor_prefetch_rows"] = result.floor_prefetch_rows;
  json["floor_pages_first"] = result.floor_pages_first;
  json["share_of_floor"] = result.share_of_floor;
  json["share_of_floor_quartiles"] = {result.share_of_floor_low, result.share_of_floor_high};
  json["oracle_seconds_per_step"] = or_null(result.oracle_seconds_per_step);
  json["numpy_seconds_per_step"] = or_null(result.numpy_seconds_per_step);
  json["numpy_absent"] = result.numpy_absent;
  json["problem_bytes"] = result.problem_bytes;
  json["extra_bytes"] = or_null(result.extra_bytes);
  return json.dump(2);
}

std::string to_text(const BenchResult& result) {
  const BenchSettings& settings = result.settings;
  constexpr double mebibyte = 1024.0 * 1024.0;
  std::string text = fmt::format(
      "{} bank, snapshot {}, hd {}, P {}, C {}, W {}, {} slots a stream, {} threads, {}\n",
      to_string(settings.bank_type), to_string(settings.snapshot), settings.head_dim,
      settings.num_parallel, settings.chunk_size, settings.writes_per_token,
      settings.slots_per_stream, settings.threads, set_that_ran(settings.instruction_set));
  text += fmt::format("{:<18} {:.3f} ms a step, {:.2f} MiB, {:.2f} GB/s\n", "walk",
                      result.seconds_per_step * 1e3,
                      static_cast<double>(result.bytes_per_step) / mebibyte,
                      static_cast<double>(result.bytes_per_step) / result.seconds_per_step / 1e9);
  text += fmt::format("{:<18} {:.3f} ms a step, prefetch {} rows ahead{}\n", "floor",
                      result.floor_seconds_per_step * 1e3, result.floor_prefetch_rows,
                      result.floor_pages_first ? ", pages first" : "");
  text += fmt::format("{:<18} {:.3f} (median of {} pairs; middle half {:.3f} to {:.3f})\n",
                      "share of the floor", result.share_of_floor, settings.repetitions,
                      result.share_of_floor_low, result.share_of_floor_high);
  text += ratio_line("oracle, 1 thread", result.oracle_seconds_per_step, "left out",
                     result.seconds_per_step);
  text += ratio_line("NumPy", result.numpy_seconds_per_step, result.numpy_absent,
                     result.seconds_per_step);
  text += fmt::format("{:<18} problem {:.2f} MiB", "memory",
                      static_cast<double>(result.problem_bytes) / mebibyte);
  if (result.extra_bytes) {
    text += fmt::format(", peak beyond it {:.2f} MiB, {:.2f} MiB a thread\n",
                        static_cast<double>(*result.extra_bytes) / mebibyte,
                        static_cast<double>(*result.extra_bytes) / mebibyte / settings.threads);
  } else {
    text += ", peak beyond it not known\n";
  }
  return text;
}

}  // namespace chainwalk::reference
