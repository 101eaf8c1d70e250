// SPDX-License-Identifier: Apache-2.0
// Capture files as arguments of subcommands.
#include "capture_files.h"

#include <algorithm>

#include "chainwalk/spec/head.h"
#include "chainwalk/spec/validate.h"

namespace chainwalk::cli {

namespace fs = std::filesystem;

std::vector<fs::path> expand_files(const std::vector<std::string>& arguments) {
  std::vector<fs::path> files;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (!fs::is_directory(argument, error)) {
      files.emplace_back(argument);
      continue;
    }
    std::vector<fs::path> inside;
    for (const auto& entry : fs::directory_iterator(argument)) {
      if (entry.path().extension() == ".safetensors") inside.push_back(entry.path());
    }
    if (inside.empty()) {
      throw InputError({"", std::nullopt, std::nullopt,
                        fmt::format("folder {} holds no file *.safetensors", argument)});
    }
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

Capture read_valid_capture(const fs::path& path) {
  Capture capture = read_capture(path);
  const auto faults = validate(capture.problem, {.max_faults = 1});
  if (!faults.empty()) {
    InputFault fault = faults.front();
    fault.message = fmt::format("{}: {}", path.string(), fault.message);
    throw InputError(fault);
  }
  return capture;
}

std::string describe(const ProblemShape& shape) {
  return fmt::format("{} [{}, {}], {} rows, {} chunks of {} positions, P {}, C {}, tiles {} x {}",
                     to_string(shape.bank_type), shape.slots, shape.head_dim,
                     shape.snapshot == SnapshotForm::none ? "no" : to_string(shape.snapshot),
                     shape.num_chunks, shape.positions, shape.num_parallel, shape.chunk_size,
                     shape.blocks_per_chunk, shape.warps_per_block);
}

Json to_json(const ProblemShape& shape) {
  return {{"bank_type", to_string(shape.bank_type)},
          {"snapshot", to_string(shape.snapshot)},
          {"slots", shape.slots},
          {"head_dim", shape.head_dim},
          {"head_class", to_string(make_head(shape.head_dim, shape.bank_type).head_class)},
          {"num_chunks", shape.num_chunks},
          {"positions", shape.positions},
          {"num_parallel", shape.num_parallel},
          {"steps", shape.steps()},
          {"chunk_size", shape.chunk_size},
          {"delta_v_rows", shape.delta_v_rows},
          {"delta_v_step_rows", shape.delta_v_step_rows},
          {"warps_per_block", shape.warps_per_block},
          {"blocks_per_chunk", shape.blocks_per_chunk}};
}

Json to_json(const InputFault& fault) {
  Json json{{"rule", fault.rule}, {"message", fault.message}};
  json["chunk"] = fault.chunk ? Json(*fault.chunk) : Json(nullptr);
  json["position"] = fault.position ? Json(*fault.position) : Json(nullptr);
  return json;
}

}  // namespace chainwalk::cli
