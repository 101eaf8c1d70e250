// SPDX-License-Identifier: Apache-2.0
// Validation of a problem and of its outputs: tensor lengths, alignment and overlap (REC-1, TIL-1,
// TIL-4, QNT-1, PLN-1, PLN-2, PLN-4, PLN-5), then the chunks.
#include "chainwalk/spec/validate.h"

#include "fault_list.h"
#include "validate_chunks.h"

namespace chainwalk {
namespace {

using validation::FaultList;

struct Tensor {
  const char* name;
  const char* rule;
  std::span<const std::byte> data;
  std::int64_t needed;       // bytes
  std::uintptr_t alignment;  // bytes
};

void check_tensor(FaultList& faults, const Tensor& tensor) {
  if (tensor.data.size() != static_cast<std::uint64_t>(tensor.needed)) {
    faults.add(tensor.rule, fmt::format("{} has {} bytes; {} are needed", tensor.name,
                                        tensor.data.size(), tensor.needed));
  }
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.data.data());
  if (!tensor.data.empty() && address % tensor.alignment != 0) {
    faults.add(
        tensor.rule,
        fmt::format("{} is at an address {} bytes past a multiple of {}; {}-byte "
                    "alignment is needed",
                    tensor.name, address % tensor.alignment, tensor.alignment, tensor.alignment));
  }
}

// PLN-5: half-open byte ranges; an empty one overlaps nothing.
void check_overlap(FaultList& faults, const Tensor& a, const Tensor& b) {
  if (a.data.empty() || b.data.empty()) return;
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a.data.data());
  const auto b_begin = reinterpret_cast<std::uintptr_t>(b.data.data());
  if (a_begin >= b_begin + b.data.size() || b_begin >= a_begin + a.data.size()) return;
  const std::uintptr_t common = std::max(a_begin, b_begin);
  faults.add("PLN-5", fmt::format("{} and {} overlap from byte {} of the one and byte {} of the "
                                  "other; they may share no byte",
                                  a.name, b.name, common - a_begin, common - b_begin));
}

constexpr std::uintptr_t wide = 16;
constexpr std::uintptr_t word = 4;

std::vector<Tensor> inputs_of(const Problem& problem) {
  const ProblemShape& shape = problem.shape;
  const std::int64_t bounds_bytes = shape.num_chunks * (shape.tiles_per_chunk() + 1) * 4;
  return {{"bank_before", "PLN-2", problem.bank_before, shape.slots * shape.bank_row_bytes(), wide},
          {"delta_v", "PLN-2", std::as_bytes(problem.delta_v),
           shape.delta_v_rows * shape.head_dim * 4, wide},
          {"records", "REC-1", std::as_bytes(problem.records), shape.snapshot_rows() * 16, wide},
          {"tile_bounds", "TIL-1", std::as_bytes(problem.tile_bounds), bounds_bytes, word},
          {"group_prefix", "TIL-4", std::as_bytes(problem.group_prefix), bounds_bytes, word}};
}

std::vector<Tensor> outputs_of(const ProblemShape& shape, const ConstOutputs& outputs) {
  const std::int64_t row_bytes = shape.snapshot_rows() * shape.snapshot_row_bytes();
  const bool quantized = is_quantized(shape.snapshot);
  return {{"bank", "PLN-2", outputs.bank, shape.slots * shape.bank_row_bytes(), wide},
          {"snapshot", "PLN-4", outputs.snapshot, is_dense(shape.snapshot) ? row_bytes : 0, wide},
          {"payload", "QNT-1", outputs.payload, quantized ? row_bytes : 0, wide},
          {"scale", "QNT-1", std::as_bytes(outputs.scale),
           quantized ? shape.snapshot_rows() * 4 : 0, word}};
}

}  // namespace

std::vector<InputFault> validate(const Problem& problem, const ValidateOptions& options) {
  FaultList faults(options.max_faults);
  for (const InputFault& fault : validate_shape(problem.shape)) faults.add(fault);
  if (!faults.empty()) return faults.take();
  const auto inputs = inputs_of(problem);
  for (const Tensor& tensor : inputs) check_tensor(faults, tensor);
  if (!faults.empty()) return faults.take();
  // The walk rewrites the bank in place while it reads the others.
  for (std::size_t i = 1; i < inputs.size(); ++i) check_overlap(faults, inputs[0], inputs[i]);
  validation::check_chunks(faults, problem, options);
  return faults.take();
}

std::vector<InputFault> validate_outputs(const Problem& problem, const ConstOutputs& outputs) {
  FaultList faults(ValidateOptions{}.max_faults);
  const auto tensors = outputs_of(problem.shape, outputs);
  for (const Tensor& tensor : tensors) check_tensor(faults, tensor);
  const auto inputs = inputs_of(problem);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    for (const Tensor& input : inputs) check_overlap(faults, tensors[i], input);
    for (std::size_t j = i + 1; j < tensors.size(); ++j) {
      check_overlap(faults, tensors[i], tensors[j]);
    }
  }
  return faults.take();
}

void require_valid(const Problem& problem, const ValidateOptions& options) {
  ValidateOptions first = options;
  first.max_faults = 1;
  auto faults = validate(problem, first);
  if (!faults.empty()) throw InputError(std::move(faults.front()));
}

}  // namespace chainwalk
