// SPDX-License-Identifier: Apache-2.0
// Writing of capture files (CAP-10).
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "capture_layout.h"
#include "chainwalk/platform/atomic_file.h"
#include "chainwalk/spec/capture.h"
#include "safetensors_header.h"

namespace chainwalk {
namespace {

using nlohmann::json;

std::span<const std::byte> bytes_of(const Capture& capture, std::string_view name) {
  const Problem& problem = capture.problem;
  if (name == "records") return std::as_bytes(problem.records);
  if (name == "bank_before") return problem.bank_before;
  if (name == "bank_after") return capture.expected.bank;
  if (name == "snapshot") return capture.expected.snapshot;
  if (name == "payload") return capture.expected.payload;
  if (name == "scale") return std::as_bytes(capture.expected.scale);
  if (name == "delta_v") return std::as_bytes(problem.delta_v);
  if (name == "tile_bounds") return std::as_bytes(problem.tile_bounds);
  return std::as_bytes(problem.group_prefix);
}

json metadata_of(const Capture& capture) {
  json metadata = json::object();
  for (const auto& [key, text] : capture.metadata) metadata[key] = text;
  metadata["format"] = capture::format_name;
  metadata["version"] = capture::format_version;
  metadata["snapshot"] = to_string(capture.problem.shape.snapshot);
  metadata["device"] = capture.device;
  metadata["source"] = capture.source;
  for (const capture::IntegerKey& one : capture::integer_keys) {
    metadata[one.key] = std::to_string(capture.problem.shape.*one.field);
  }
  return metadata;
}

// The sizes of the shape that a file carries as sizes or metadata, none of them negative.
void require_sizes(const std::string& file_name, const ProblemShape& shape) {
  const std::pair<const char*, std::int64_t> sizes[] = {
      {"slots", shape.slots},
      {"head_dim", shape.head_dim},
      {"num_chunks", shape.num_chunks},
      {"positions", shape.positions},
      {"num_parallel", shape.num_parallel},
      {"chunk_size", shape.chunk_size},
      {"delta_v_rows", shape.delta_v_rows},
      {"delta_v_step_rows", shape.delta_v_step_rows},
      {"warps_per_block", shape.warps_per_block},
      {"blocks_per_chunk", shape.blocks_per_chunk}};
  for (const auto& [name, value] : sizes) {
    if (value < 0) {
      safetensors::fail(file_name, "CAP-10",
                        fmt::format("{} is {}; at least 0 is needed", name, value));
    }
  }
}

}  // namespace

void write_capture(const std::filesystem::path& path, const Capture& capture) {
  const std::string file_name = path.string();
  require_sizes(file_name, capture.problem.shape);
  json header = json::object();
  header["__metadata__"] = metadata_of(capture);
  std::vector<std::span<const std::byte>> pieces;
  std::uint64_t offset = 0;
  for (const capture::Tensor& tensor : capture::tensors_of(capture.problem.shape)) {
    if (tensor.output && !capture.has_expected) continue;
    const auto data = bytes_of(capture, tensor.name);
    const bool overflow =
        std::find(tensor.shape.begin(), tensor.shape.end(), -1) != tensor.shape.end();
    const std::int64_t needed =
        overflow ? -1
                 : safetensors::tensor_bytes(tensor.shape, safetensors::element_bytes(tensor.type));
    if (needed < 0 || static_cast<std::uint64_t>(needed) != data.size()) {
      safetensors::fail(
          file_name, "CAP-10",
          fmt::format("tensor \"{}\" has {} bytes; its shape needs {}", tensor.name, data.size(),
                      needed < 0 ? "more than 63 bits hold" : std::to_string(needed)));
    }
    header[tensor.name] = {{"dtype", tensor.type},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + data.size()}}};
    pieces.push_back(data);
    offset += data.size();
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const json::exception&) {
    safetensors::fail(file_name, "CAP-10", "device, source or metadata is not UTF-8");
  }
  constexpr std::size_t alignment = 64;
  const std::size_t unpadded = safetensors::length_bytes + text.size();
  text.append((alignment - unpadded % alignment) % alignment, ' ');
  if (text.size() > safetensors::header_bytes_max) {
    safetensors::fail(file_name, "CAP-10",
                      fmt::format("the header would have {} bytes; at most {} are allowed",
                                  text.size(), safetensors::header_bytes_max));
  }
  std::string length(safetensors::length_bytes, '\0');
  for (unsigned i = 0; i < safetensors::length_bytes; ++i) {
    length[i] = static_cast<char>((text.size() >> (8U * i)) & 255U);
  }
  platform::AtomicFile file(path);
  file.write(length);
  file.write(text);
  for (const auto piece : pieces) file.write(piece);
  file.commit();
}

}  // namespace chainwalk
