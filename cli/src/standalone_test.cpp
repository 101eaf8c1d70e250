// SPDX-License-Identifier: Apache-2.0
// Fills the templates of stand-alone tests: data as bytes, shapes as lists, expected outputs from
// the reference.
#include "standalone_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "chainwalk/conformance/shrink.h"
#include "chainwalk/implementation.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/rules.h"

namespace chainwalk::cli {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::string_view host_memory = R"(// ---- Memory of the host ----
constexpr std::int32_t memory_kind = CW_MEMORY_HOST;

void* allocate(std::size_t bytes) { return std::aligned_alloc(256, (bytes + 255) / 256 * 256); }
void upload(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void download(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
)";

constexpr std::string_view cuda_memory = R"(// ---- Memory of the device ----
constexpr std::int32_t memory_kind = CW_MEMORY_CUDA;

void must(cudaError_t error, const char* what) {
  if (error != cudaSuccess) give_up(what, cudaGetErrorString(error));
}
void* allocate(std::size_t bytes) {
  void* place = nullptr;
  must(cudaMalloc(&place, bytes), "cudaMalloc");
  return place;
}
void upload(void* to, const void* from, std::size_t bytes) {
  must(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "copy to the device");
}
void download(void* to, const void* from, std::size_t bytes) {
  must(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copy from the device");
}
)";

struct Tensor {
  std::string name;
  cw_type type;
  std::int64_t element;  // bytes
  Bytes before, after;
  std::vector<std::int64_t> shape;
};

std::int64_t bytes_of(cw_type type) { return type == CW_U8 ? 1 : type == CW_BF16 ? 2 : 4; }

// Every tensor of the request that the form has, with its bytes before and after the walk.
std::vector<Tensor> tensors_of(const Problem& problem, const OutputBuffers& before,
                               const OutputBuffers& after) {
  const ProblemShape& shape = problem.shape;
  const cw_type bank_type = shape.bank_type == BankType::bf16 ? CW_BF16 : CW_F32;
  const std::int64_t bounds = shape.tiles_per_chunk() + 1;
  const std::int64_t rows = shape.snapshot_rows();
  std::vector<Tensor> tensors;
  const auto add = [&](const char* name, cw_type type, Bytes was, Bytes is,
                       std::vector<std::int64_t> extents) {
    tensors.push_back({name, type, bytes_of(type), was, is, std::move(extents)});
  };
  const auto input = [&](const char* name, cw_type type, Bytes bytes,
                         std::vector<std::int64_t> extents) {
    add(name, type, bytes, bytes, std::move(extents));
  };
  const ConstOutputs was = before.views();
  const ConstOutputs is = after.views();
  add("bank", bank_type, problem.bank_before, is.bank, {shape.slots, shape.head_dim});
  input("delta_v", CW_F32, std::as_bytes(problem.delta_v), {shape.delta_v_rows, shape.head_dim});
  input("records", CW_I32, std::as_bytes(problem.records), {shape.num_chunks, shape.positions, 4});
  input("tile_bounds", CW_I32, std::as_bytes(problem.tile_bounds), {shape.num_chunks, bounds});
  input("group_prefix", CW_I32, std::as_bytes(problem.group_prefix), {shape.num_chunks, bounds});
  if (is_dense(shape.snapshot)) {
    add("snapshot", shape.snapshot == SnapshotForm::bf16 ? CW_BF16 : bank_type, was.snapshot,
        is.snapshot, {rows, shape.head_dim});
  } else if (is_quantized(shape.snapshot)) {
    add("payload", CW_U8, was.payload, is.payload, {rows, shape.snapshot_row_bytes()});
    add("scale", CW_F32, std::as_bytes(was.scale), std::as_bytes(is.scale), {rows});
  }
  return tensors;
}

bool is_output(const Tensor& tensor) { return tensor.before.data() != tensor.after.data(); }

std::string list_of(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

// ---- C++ and CUDA ----

std::string cpp_bytes(const std::string& name, Bytes bytes) {
  constexpr std::size_t a_line = 16;
  std::string text = fmt::format("alignas(16) const unsigned char {}[] = {{", name);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    text += at % a_line == 0 ? "\n    " : " ";
    text += fmt::format("0x{:02X},", static_cast<unsigned>(bytes[at]));
  }
  return text + (bytes.empty() ? "0};  // empty\n" : "\n};\n");
}

std::string cpp_data(const std::vector<Tensor>& tensors) {
  std::string text;
  for (const Tensor& tensor : tensors) {
    text += cpp_bytes(tensor.name + "_before", tensor.before);
    if (is_output(tensor)) text += cpp_bytes(tensor.name + "_after", tensor.after);
  }
  return text;
}

std::string cpp_buffers(const std::vector<Tensor>& tensors) {
  std::string text;
  std::string all;
  for (const Tensor& tensor : tensors) {
    text += fmt::format("  const Buffer {0}(\"{0}\", {1}, {2}, {0}_before, {0}_{3}, {{{4}}});\n",
                        tensor.name, static_cast<int>(tensor.type), tensor.element,
                        is_output(tensor) ? "after" : "before", list_of(tensor.shape));
    all += (all.empty() ? "&" : ", &") + tensor.name;
  }
  return text + fmt::format("  const Buffer* const buffers[] = {{{}}};", all);
}

// Name and value of every number of the request.
std::vector<std::pair<const char*, std::int64_t>> numbers_of(const ProblemShape& shape) {
  return {{"snapshot_form", static_cast<std::int64_t>(shape.snapshot)},
          {"num_parallel", shape.num_parallel},
          {"chunk_size", shape.chunk_size},
          {"delta_v_step_rows", shape.delta_v_step_rows},
          {"snapshot_step", shape.num_parallel},
          {"warps_per_block", shape.warps_per_block},
          {"blocks_per_chunk", shape.blocks_per_chunk}};
}

std::string cpp_request(const std::vector<Tensor>& tensors, const ProblemShape& shape) {
  std::string text = "  request.geometry.portable = -1;\n";
  for (const auto& [name, value] : numbers_of(shape))
    text += fmt::format("  request.{} = {};\n", name, value);
  for (const Tensor& tensor : tensors)
    text += fmt::format("  request.{0} = {0}.tensor;\n", tensor.name);
  text.pop_back();
  return text;
}

// ---- Python ----

std::string python_bytes(const std::string& name, Bytes bytes) {
  constexpr std::size_t a_line = 32;
  std::string text = fmt::format("{} = bytes.fromhex(\"\"\"", name);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (at % a_line == 0) text += "\n   ";
    if (at % 4 == 0) text += ' ';
    text += fmt::format("{:02X}", static_cast<unsigned>(bytes[at]));
  }
  return text + "\n\"\"\")\n";
}

std::string python_data(const std::vector<Tensor>& tensors) {
  std::string text;
  for (const Tensor& tensor : tensors) {
    text += python_bytes(tensor.name + "_before", tensor.before);
    if (is_output(tensor)) text += python_bytes(tensor.name + "_after", tensor.after);
  }
  return text;
}

std::string python_buffers(const std::vector<Tensor>& tensors) {
  std::string text = "    buffers = [\n";
  for (const Tensor& tensor : tensors) {
    text += fmt::format("        Buffer(\"{0}\", {1}, {2}, {0}_before, {0}_{3}, {4}),\n",
                        tensor.name, static_cast<int>(tensor.type), tensor.element,
                        is_output(tensor) ? "after" : "before", list_of(tensor.shape));
  }
  return text + "    ]";
}

std::string python_request(const ProblemShape& shape) {
  std::string text;
  for (const auto& [name, value] : numbers_of(shape))
    text += fmt::format("{}{}={}", text.empty() ? "                      " : ", ", name, value);
  return text + ")";
}

using Values = std::vector<std::pair<std::string_view, std::string>>;

std::string filled(std::string_view pattern, const Values& values) {
  std::string text;
  while (!pattern.empty()) {
    const std::size_t start = pattern.find('@');
    const std::size_t stop = start == std::string_view::npos ? start : pattern.find('@', start + 1);
    if (stop == std::string_view::npos) break;
    text += pattern.substr(0, start);
    const std::string_view key = pattern.substr(start + 1, stop - start - 1);
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const auto& value) { return value.first == key; });
    if (found == values.end()) throw std::logic_error(fmt::format("@{}@ has no value", key));
    text += found->second;
    pattern.remove_prefix(stop + 1);
  }
  return text + std::string(pattern);
}

// One line of a comment: nothing of it may end the comment or begin a new line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char letter) {
        return static_cast<unsigned char>(letter) < 0x20 || letter == '"' || letter == '\\';
      },
      ' ');
  return text;
}

}  // namespace

std::string standalone_test(const Problem& problem, const StandaloneTest& test) {
  const OutputBuffers before(problem);
  const OutputBuffers after(problem);
  reference::run(problem, after.views());
  const std::vector<Tensor> tensors = tensors_of(problem, before, after);
  std::size_t bytes = 0;
  for (const Tensor& tensor : tensors) bytes += tensor.before.size();
  if (bytes > standalone_bytes_max) {
    throw InputError(
        {"EXPORT", std::nullopt, std::nullopt,
         fmt::format("the problem holds {} bytes; a test that stands alone holds up to {}: "
                     "shrink it first",
                     bytes, standalone_bytes_max)});
  }
  const bool cuda = test.language == TestLanguage::cuda;
  const bool python = test.language == TestLanguage::python;
  const std::string build =
      cuda ? "nvcc -std=c++17 -I PREFIX/include walk_test.cu -o walk_test"
           : "c++ -std=c++17 -I PREFIX/include walk_test.cpp -o walk_test -ldl";
  return filled(
      python ? python_template : cpp_template,
      {{"CASE", one_line(test.title)},
       {"NOTE", one_line(test.note)},
       {"BUILD", build},
       {"SIZE", conformance::size_phrase(problem.shape)},
       {"SPECIFICATION", std::string(specification_version())},
       {"MEMORY_INCLUDE", cuda ? "\n#include <cuda_runtime.h>\n" : ""},
       {"MEMORY", std::string(cuda ? cuda_memory : host_memory)},
       {"DATA", python ? python_data(tensors) : cpp_data(tensors)},
       {"BUFFERS", python ? python_buffers(tensors) : cpp_buffers(tensors)},
       {"REQUEST", python ? python_request(problem.shape) : cpp_request(tensors, problem.shape)},
       {"STEPS", std::to_string(problem.shape.steps())}});
}

}  // namespace chainwalk::cli
