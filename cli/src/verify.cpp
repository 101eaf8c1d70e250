// SPDX-License-Identifier: Apache-2.0
// chainwalk verify: an implementation against recorded outputs, bit for bit.
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <system_error>

#include "capture_files.h"
#include "chainwalk/conformance/compare.h"
#include "chainwalk/conformance/harness.h"
#include "chainwalk/plan/geometry_text.h"
#include "chainwalk/spec/tiles.h"
#include "command.h"
#include "implementation_choice.h"
#include "output.h"
#include "shell_word.h"

namespace chainwalk::cli {
namespace {

using conformance::Comparison;
using conformance::Difference;

struct VerifyOptions {
  std::vector<std::string> files;
  ImplementationChoice choice;
  std::string geometry;
  plan::ForcedGeometry forced;
  bool json = false;
};

// More tiles than any device runs; a tile set of as many is refused before it is made.
constexpr std::int64_t most_tiles = std::int64_t{1} << 24U;

// The problem with the tiles that a forced geometry cuts (TIL-5).
Problem cut_anew(const Problem& problem, const plan::ForcedGeometry& forced) {
  if (!forced.cuts_tiles()) return problem;
  const plan::Cut cut = plan::cut_of(forced, problem.shape);
  const std::int64_t chunks = std::max<std::int64_t>(problem.shape.num_chunks, 1);
  if (cut.warps_per_block * cut.blocks_per_chunk > most_tiles / chunks) {
    throw InputError({"", std::nullopt, std::nullopt,
                      fmt::format("geometry: {} blocks of {} warps for {} chunks; at most {} tiles "
                                  "are cut",
                                  cut.blocks_per_chunk, cut.warps_per_block, chunks, most_tiles)});
  }
  return with_standard_tiles(problem, cut.warps_per_block, cut.blocks_per_chunk);
}

conformance::RunOptions run_options(const plan::ForcedGeometry& forced) {
  conformance::RunOptions options;
  options.geometry = {forced.slices_per_warp.value_or(0), forced.offset_bits.value_or(0),
                      forced.portable.value_or(-1), forced.quantizing_form.value_or(0),
                      forced.shared_cap.value_or(0)};
  return options;
}

enum class FileStatus { equal, different, failed, malformed };

const char* name_of(FileStatus status) {
  switch (status) {
    case FileStatus::equal: return "equal";
    case FileStatus::different: return "different";
    case FileStatus::failed: return "failed";
    case FileStatus::malformed: return "malformed";
  }
  return "unknown";
}

struct FileReport {
  std::string file;
  FileStatus status = FileStatus::malformed;
  std::optional<ProblemShape> shape;
  Comparison comparison;
  std::vector<std::vector<std::string>> rules;  // of each difference
  std::string reproduce;
  std::string explain;
  std::optional<InputFault> fault;
  std::string text;  // why it failed or could not be read
};

// The last valid group that wrote what differs, as arguments of `explain`.
std::string explain_arguments(const Problem& problem, const Difference& difference) {
  const ProblemShape& shape = problem.shape;
  const std::int64_t last_chunk = shape.steps() * shape.num_parallel - 1;
  const bool in_bank = difference.tensor == "bank";
  for (std::int64_t chunk = last_chunk; chunk >= 0; --chunk) {
    if (!in_bank && chunk != difference.row / shape.positions) continue;
    const auto records = problem.chunk_records(chunk);
    const auto groups = groups_of(records);
    for (std::size_t group = 0; group < groups.size(); ++group) {
      if (groups[group].ordinal < 0) continue;
      const Record& last = records[static_cast<std::size_t>(groups[group].end - 1)];
      const bool wrote = in_bank ? last.slot == difference.row
                                 : groups[group].ordinal == difference.row % shape.positions;
      if (!wrote) continue;
      const std::int64_t column = difference.tensor == "scale" ? 0 : difference.column;
      if (column >= shape.head_dim) return "";
      return fmt::format("--chunk {} --group {} --column {}", chunk, group, column);
    }
  }
  return "";
}

void compare_outcome(const Capture& capture, const conformance::Outcome& outcome,
                     FileReport& report) {
  if (outcome.status != CW_OK) {
    report.status = FileStatus::failed;
    report.text = outcome.text;
    return;
  }
  report.comparison =
      conformance::compare(capture.problem, capture.expected, outcome.outputs->views(),
                           {.poison = outcome.outputs->poison()});
  for (const Difference& difference : report.comparison.differences) {
    report.rules.push_back(conformance::concerned_rules(capture.problem, difference));
  }
  report.status = report.comparison.equal() ? FileStatus::equal : FileStatus::different;
  if (!report.comparison.equal()) {
    const std::string arguments =
        explain_arguments(capture.problem, report.comparison.differences.front());
    if (!arguments.empty()) {
      report.explain = fmt::format("chainwalk explain {} {}", shell_word(report.file), arguments);
    }
  }
  if (outcome.stray) {
    report.status = FileStatus::different;
    report.comparison.differences.push_back(*outcome.stray);
    report.rules.push_back({"BIG-2"});
  }
}

FileReport verify_file(const std::filesystem::path& path, conformance::Harness& harness,
                       const VerifyOptions& options) {
  FileReport report;
  report.file = path.string();
  report.reproduce =
      fmt::format("chainwalk verify {} {}", shell_word(report.file), options.choice.command_line());
  if (!options.geometry.empty()) report.reproduce += " --geometry " + shell_word(options.geometry);
  try {
    const Capture capture = read_valid_capture(path);
    report.shape = capture.problem.shape;
    if (!capture.has_expected) {
      throw InputError({"", std::nullopt, std::nullopt,
                        fmt::format("{}: the file holds no outputs to compare with; 'chainwalk "
                                    "run' makes them",
                                    report.file)});
    }
    const Problem problem = cut_anew(capture.problem, options.forced);
    report.shape = problem.shape;
    compare_outcome(capture, harness.run(problem, run_options(options.forced)), report);
  } catch (const InputError& error) {
    report.fault = error.fault();
    report.text = error.what();
  } catch (const std::bad_alloc&) {
    report.text = fmt::format("{}: there is not enough memory for this problem", report.file);
  } catch (const std::system_error& error) {
    report.text = error.what();
  }
  return report;
}

void print_report(const FileReport& report) {
  if (report.status == FileStatus::malformed) return print_error(report.text);
  say("{:<9}  {}  {}", name_of(report.status), report.file, describe(*report.shape));
  if (report.status == FileStatus::failed) return say("\n  {}\n", report.text);
  for (const auto& tensor : report.comparison.tensors) {
    say("; {} {}", tensor.tensor, tensor.compared);
  }
  say(" elements compared\n");
  for (std::size_t i = 0; i < report.comparison.differences.size(); ++i) {
    const Difference& difference = report.comparison.differences[i];
    say("  {} row {} column {}: expected {}, got {}; {} element{} of it differ{}; rules {}\n",
        difference.tensor, difference.row, difference.column, difference.expected,
        difference.actual, difference.count, difference.count == 1 ? "" : "s",
        difference.count == 1 ? "s" : "", fmt::join(report.rules[i], ", "));
  }
  if (report.status == FileStatus::different) {
    say("  reproduce: {}\n", report.reproduce);
    if (!report.explain.empty()) say("  explain:   {}\n", report.explain);
  }
}

Json report_json(const FileReport& report) {
  Json json{{"file", report.file}, {"status", name_of(report.status)}};
  if (report.shape) json["shape"] = to_json(*report.shape);
  if (!report.text.empty()) json["error"] = report.text;
  if (report.fault) json["fault"] = to_json(*report.fault);
  json["tensors"] = Json::array();
  for (const auto& tensor : report.comparison.tensors) {
    json["tensors"].push_back({{"tensor", tensor.tensor},
                               {"compared", tensor.compared},
                               {"differing", tensor.differing}});
  }
  json["differences"] = Json::array();
  for (std::size_t i = 0; i < report.comparison.differences.size(); ++i) {
    const Difference& difference = report.comparison.differences[i];
    json["differences"].push_back({{"tensor", difference.tensor},
                                   {"row", difference.row},
                                   {"column", difference.column},
                                   {"expected", difference.expected},
                                   {"actual", difference.actual},
                                   {"count", difference.count},
                                   {"rules", report.rules[i]}});
  }
  json["reproduce"] = report.reproduce;
  if (!report.explain.empty()) json["explain"] = report.explain;
  return json;
}

struct Counts {
  std::int64_t equal = 0, different = 0, failed = 0, malformed = 0;

  void add(FileStatus status) {
    switch (status) {
      case FileStatus::equal: ++equal; break;
      case FileStatus::different: ++different; break;
      case FileStatus::failed: ++failed; break;
      case FileStatus::malformed: ++malformed; break;
    }
  }
  int exit_status() const {
    if (malformed > 0) return status_malformed;
    return different + failed > 0 ? status_different : status_ok;
  }
};

// What a forced geometry asks of the session, beside the fields that a request has.
void add_session_options(const VerifyOptions& options, conformance::Implementation& chosen) {
  plan::ForcedGeometry session;
  session.kernel = options.forced.kernel;
  session.source = options.forced.source;
  if (session.kernel && !options.choice.kernel.empty() &&
      *session.kernel != options.choice.kernel) {
    throw InputError({"", std::nullopt, std::nullopt,
                      fmt::format("option --kernel is {} and --geometry says {}",
                                  options.choice.kernel, *session.kernel)});
  }
  if (session.kernel) chosen.options.push_back("kernel=" + *session.kernel);
  session.kernel.reset();
  if (session.source) chosen.options.push_back(plan::to_string(session));
}

int verify(VerifyOptions& options) {
  const auto files = expand_files(options.files);
  options.forced = plan::parse_geometry(options.geometry);
  conformance::Implementation implementation = options.choice.open();
  add_session_options(options, implementation);
  conformance::Harness harness(implementation);
  Progress progress(!options.json);
  Counts counts;
  Json reports = Json::array();
  for (std::size_t i = 0; i < files.size(); ++i) {
    progress.show(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(files.size()),
                  files[i].string());
    const FileReport report = verify_file(files[i], harness, options);
    progress.clear();
    counts.add(report.status);
    if (options.json) {
      reports.push_back(report_json(report));
    } else {
      print_report(report);
      flush_output();
    }
  }
  if (options.json) {
    print_json({{"command", "verify"},
                {"implementation", implementation.table->name},
                {"files", std::move(reports)},
                {"equal", counts.equal},
                {"different", counts.different},
                {"failed", counts.failed},
                {"malformed", counts.malformed}});
  } else if (files.size() > 1) {
    say("{} of {} files equal on {}; {} different, {} failed, {} malformed\n", counts.equal,
        files.size(), implementation.table->name, counts.different, counts.failed,
        counts.malformed);
  }
  return counts.exit_status();
}

}  // namespace

std::function<int()> set_up_verify(CLI::App& app) {
  auto options = std::make_shared<VerifyOptions>();
  app.add_option("FILE", options->files, "Capture files, or folders of *.safetensors")->required();
  options->choice.add_to(app);
  app.add_option(
         "--geometry", options->geometry,
         "Force tiles and launch: what 'chainwalk geometry' prints, or any of warps=4|8|16, "
         "blocks=K or tile=POSITIONS, slices=1|2, offsets=32|64, portable=0|1, "
         "quantizing=1|2|3, source=NAME, shared=BYTES, kernel=NAME, with ':' between")
      ->type_name("GEOMETRY");
  app.add_flag("--json", options->json,
               "One JSON document: command, implementation, files (file, status, shape, tensors, "
               "differences, reproduce, explain, error, fault), equal, different, failed, "
               "malformed");
  app.footer(
      "Runs the implementation on the inputs of each file and compares what it leaves with the\n"
      "recorded outputs: the whole bank, and the rows of valid groups. A difference is shown by\n"
      "tensor, row and column with both values in hex, the rules concerned, and the line that\n"
      "reproduces it. One malformed file does not stop the others.\n\n"
      "Examples:\n"
      "  chainwalk verify spec/vectors\n"
      "  chainwalk verify a.safetensors b.safetensors --on reference --threads 1 --isa portable\n"
      "  chainwalk verify a.safetensors --on ./libmine.so\n"
      "  chainwalk verify a.safetensors --on emulator --geometry tile=16:warps=4:portable=1\n\n"
      "Exit status: 0 all equal, 1 something differs or the implementation failed, 2 a file is\n"
      "malformed or cannot be read.");
  return [options] { return verify(*options); };
}

}  // namespace chainwalk::cli
