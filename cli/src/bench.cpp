// SPDX-License-Identifier: Apache-2.0
// chainwalk bench: how fast the reference is on the machine at hand, the kernels on a GPU, the
// emulator, and campaigns.
#include "chainwalk/reference/bench.h"

#include <memory>

#include "bench_cuda.h"
#include "bench_emulator.h"
#include "bench_fuzz.h"
#include "chainwalk/spec/fault.h"
#include "command.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

constexpr const char* bank_types = "bf16 or f32";
constexpr const char* snapshots = "none, raw, bf16, fp8 or int4";

struct BenchCommand {
  std::string implementation;
  std::string bank_type = "bf16", snapshot = "none", isa = "best";
  reference::BenchSettings settings;
  CudaBench cuda;
  FuzzBench fuzz;
  CLI::Option* head_dim = nullptr;
  CLI::Option* repetitions = nullptr;
  bool no_oracle = false, no_numpy = false, no_numba = false, json = false;
};

template <typename Value>
Value known(const char* option, const std::string& text, std::optional<Value> parsed,
            const char* needed) {
  if (parsed) return *parsed;
  throw InputError({"", std::nullopt, std::nullopt,
                    fmt::format("option {} is '{}'; {} is needed", option, text, needed)});
}

void in_range(const char* option, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  throw InputError({"", std::nullopt, std::nullopt,
                    fmt::format("option {} is {}; {}..{} is needed", option, value, low, high)});
}

// The emulator's sizes; where nothing is said, those that its goals are given for.
EmulatorBench emulator_bench(const BenchCommand& command, const reference::BenchSettings& given) {
  EmulatorBench bench;
  bench.bank_type = given.bank_type;
  bench.snapshot = given.snapshot;
  if (command.head_dim->count() != 0) bench.head_dim = given.head_dim;
  if (command.repetitions->count() != 0) bench.repetitions = given.repetitions;
  bench.num_parallel = given.num_parallel;
  bench.chunk_size = given.chunk_size;
  bench.writes_per_token = given.writes_per_token;
  bench.threads = given.threads;
  bench.kernel = command.cuda.kernel;
  if (!command.no_numba) bench.python = given.python;
  in_range("--head-dim", bench.head_dim, 1, 1 << 20);
  in_range("--num-parallel", bench.num_parallel, 1, 64);
  in_range("--chunk-size", bench.chunk_size, 1, 256);
  in_range("--writes-per-token", bench.writes_per_token, 1, 1024);
  in_range("--repetitions", bench.repetitions, 1, 1000);
  return bench;
}

int run_bench(const BenchCommand& command) {
  if (command.implementation == "cuda") return run_cuda_bench(command.cuda, command.json);
  if (command.implementation == "fuzz") return run_fuzz_bench(command.fuzz, command.json);
  reference::BenchSettings settings = command.settings;
  settings.bank_type =
      known("--bank-type", command.bank_type, parse_bank_type(command.bank_type), bank_types);
  settings.snapshot =
      known("--snapshot", command.snapshot, parse_snapshot_form(command.snapshot), snapshots);
  if (command.implementation == "emulator") {
    return run_emulator_bench(emulator_bench(command, settings), command.json);
  }
  settings.instruction_set =
      known("--isa", command.isa, reference::parse_instruction_set(command.isa),
            reference::instruction_set_names);
  settings.oracle = !command.no_oracle;
  if (command.no_numpy) settings.python.clear();
  Progress progress(!command.json);
  std::int64_t phase = 0;
  const reference::BenchResult result = reference::run_bench(
      settings, [&](const std::string& name) { progress.note(++phase, name); });
  progress.clear();
  if (command.json) {
    print_json({{"command", "bench"},
                {"implementation", command.implementation},
                {"result", Json::parse(reference::to_json(result))}});
  } else {
    print_text(reference::to_text(result));
  }
  return status_ok;
}

void add_cuda_options(CLI::App& app, CudaBench& cuda) {
  app.add_option("--device", cuda.settings.device, "cuda: ordinal of the GPU")
      ->capture_default_str();
  app.add_option("--kernel", cuda.kernel,
                 "cuda, emulator: a kernel of 'chainwalk kernels' instead of the plan's");
  app.add_option("--tile", cuda.settings.tile_positions,
                 "cuda: positions of a tile instead of the plan's")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--case", cuda.filter,
                 "cuda: only problems with this in their name, bank or form");
  app.add_option("--steps", cuda.settings.steps, "cuda: steps of a graph")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--replays", cuda.settings.repetitions, "cuda: replays of a graph")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_flag("--scaling", cuda.scaling,
               "cuda: the scaling series instead of the published table");
}

}  // namespace

std::function<int()> set_up_bench(CLI::App& app) {
  auto command = std::make_shared<BenchCommand>();
  reference::BenchSettings& settings = command->settings;
  app.add_option("IMPLEMENTATION", command->implementation,
                 "What to measure: 'reference', 'emulator', 'cuda' or 'fuzz'")
      ->required()
      ->check(CLI::IsMember({"reference", "emulator", "cuda", "fuzz"}));
  app.add_option("--bank-type", command->bank_type, bank_types)->capture_default_str();
  app.add_option("--snapshot", command->snapshot, snapshots)->capture_default_str();
  command->head_dim = app.add_option("--head-dim", settings.head_dim, "Columns (emulator: 1024)")
                          ->capture_default_str();
  app.add_option("--num-parallel", settings.num_parallel, "Streams")->capture_default_str();
  app.add_option("--chunk-size", settings.chunk_size, "Tokens of a chunk")->capture_default_str();
  app.add_option("--writes-per-token", settings.writes_per_token, "Rows that a token writes")
      ->capture_default_str();
  app.add_option("--slots-per-stream", settings.slots_per_stream, "Rows of a stream")
      ->capture_default_str();
  app.add_option("--threads", settings.threads, "Threads (0: every available one)")
      ->capture_default_str();
  app.add_option("--isa", command->isa, reference::instruction_set_names)->capture_default_str();
  command->repetitions =
      app.add_option("--repetitions", settings.repetitions,
                     "Pairs of walk and floor (emulator: 7 of the plain and the checked build)")
          ->capture_default_str();
  app.add_option("--python", settings.python,
                 "Interpreter for the NumPy version (emulator: with numba)")
      ->capture_default_str();
  app.add_flag("--no-oracle", command->no_oracle, "Leave the oracle out");
  app.add_flag("--no-numpy", command->no_numpy, "Leave the NumPy version out");
  app.add_flag("--no-numba", command->no_numba, "emulator: leave numba's CUDA simulator out");
  add_cuda_options(app, command->cuda);
  app.add_option("--jobs", command->fuzz.jobs, "fuzz: worker processes side by side")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--seconds", command->fuzz.seconds, "fuzz: seconds for each campaign")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--json", command->json,
               "One JSON document: command, implementation, result (cuda, emulator, fuzz: rows)");
  app.footer(
      "Measured in one run: time of a step, bytes, share of a floor (the same bank rows read and\n"
      "rewritten and the same token rows read by as many threads, in interleaved pairs), and the\n"
      "ratios to the oracle and to a straightforward NumPy version. On a GPU: microseconds a step\n"
      "from graph replay, bytes, and shares of a row-touch floor and of a device copy; the bits "
      "of\n"
      "each problem's first step are compared with the reference's before it is timed. Under the\n"
      "emulator: milliseconds a step of each form, plain and checked in pairs, lane operations a\n"
      "second (fused multiply-adds of a lane on a column), and the ratio to numba's CUDA "
      "simulator\n"
      "on one kernel that both run, where the interpreter has numba. 'fuzz' says\n"
      "how many cases a second campaigns run.\n\n"
      "Examples:\n"
      "  chainwalk bench reference\n"
      "  chainwalk bench reference --head-dim 1024 --json\n"
      "  chainwalk bench emulator --python build/venv/bin/python\n"
      "  chainwalk bench cuda --case flagship\n"
      "  chainwalk bench fuzz --jobs 2");
  return [command] { return run_bench(*command); };
}

}  // namespace chainwalk::cli
