// SPDX-License-Identifier: Apache-2.0
// chainwalk info: what a capture holds.
#include <algorithm>
#include <memory>

#include "capture_files.h"
#include "chainwalk/spec/head.h"
#include "chainwalk/spec/tiles.h"
#include "chainwalk/spec/validate.h"
#include "command.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

struct InfoCommand {
  std::string file;
  bool json = false;
};

// Groups of all chunks that run.
struct GroupCounts {
  std::int64_t groups = 0, valid = 0, longest = 0;
};

GroupCounts count_groups(const Problem& problem) {
  GroupCounts counts;
  const std::int64_t chunks = problem.shape.steps() * problem.shape.num_parallel;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    for (const Group& group : groups_of(problem.chunk_records(chunk))) {
      ++counts.groups;
      if (group.ordinal >= 0) ++counts.valid;
      counts.longest = std::max(counts.longest, group.end - group.begin);
    }
  }
  return counts;
}

void print_info(const std::string& file, const Capture& capture, const GroupCounts& groups) {
  const ProblemShape& shape = capture.problem.shape;
  const Head head = make_head(shape.head_dim, shape.bank_type);
  say("{}\n", file);
  say("  bank        {} [{}, {}], {} head of {} slice{}\n", to_string(shape.bank_type), shape.slots,
      shape.head_dim, to_string(head.head_class), head.slices, head.slices == 1 ? "" : "s");
  say("  snapshot    {}, {} rows\n", to_string(shape.snapshot),
      shape.snapshot == SnapshotForm::none ? 0 : shape.snapshot_rows());
  say("  steps       {} of {} streams, {} chunks\n", shape.steps(), shape.num_parallel,
      shape.num_chunks);
  say("  chunk       {} positions, {} tokens\n", shape.positions, shape.chunk_size);
  say("  delta_v     [{}, {}], {} rows a step\n", shape.delta_v_rows, shape.head_dim,
      shape.delta_v_step_rows);
  say("  tiles       {} blocks of {} warps a chunk\n", shape.blocks_per_chunk,
      shape.warps_per_block);
  say("  groups      {}, {} of them valid, the longest of {} members\n", groups.groups,
      groups.valid, groups.longest);
  say("  outputs     {}\n", capture.has_expected ? "recorded" : "none");
  if (!capture.device.empty()) say("  device      {}\n", capture.device);
  if (!capture.source.empty()) say("  source      {}\n", capture.source);
  for (const auto& [key, value] : capture.metadata) say("  {:<10}  {}\n", key, value);
}

int run_info(const InfoCommand& command) {
  const Capture capture = read_valid_capture(command.file);
  const GroupCounts groups = count_groups(capture.problem);
  if (!command.json) {
    print_info(command.file, capture, groups);
    return status_ok;
  }
  print_json({{"command", "info"},
              {"file", command.file},
              {"shape", to_json(capture.problem.shape)},
              {"groups", groups.groups},
              {"valid_groups", groups.valid},
              {"longest_group", groups.longest},
              {"has_outputs", capture.has_expected},
              {"device", capture.device},
              {"source", capture.source},
              {"metadata", capture.metadata}});
  return status_ok;
}

}  // namespace

std::function<int()> set_up_info(CLI::App& app) {
  auto command = std::make_shared<InfoCommand>();
  app.add_option("FILE", command->file, "Capture file")->required();
  app.add_flag("--json", command->json,
               "One JSON document: command, file, shape, groups, valid_groups, longest_group, "
               "has_outputs, device, source, metadata");
  app.footer("Example:\n  chainwalk info spec/vectors/bf16_raw_hd128.safetensors");
  return [command] { return run_info(*command); };
}

}  // namespace chainwalk::cli
