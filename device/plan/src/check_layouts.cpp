// SPDX-License-Identifier: Apache-2.0
// PLN-2: layouts of the tensors.
#include <array>

#include "arithmetic.h"
#include "checks.h"
#include "tensor.h"

namespace chainwalk::plan {
namespace {

std::string text_of(const Tensor& tensor) {
  return fmt::format("{} {}", type_name(tensor.type), shape_text(tensor));
}

// Elements of a sane shape, or the greatest number where PLN-7 will refuse.
std::int64_t elements_or_greatest(const Tensor& tensor) {
  return element_count(tensor).value_or(int64_greatest);
}

Outcome check_delta_v(const Request& request) {
  const Tensor& delta_v = request.delta_v;
  if (is_given(delta_v) && delta_v.type != ElementType::f32) {
    return refuse(Check::pln2_delta_v_type, "delta_v elements are {}; they must be f32",
                  type_name(delta_v.type));
  }
  if (!has_sane_shape(delta_v) || !is_contiguous(delta_v)) {
    return refuse(Check::pln2_delta_v_contiguous,
                  "delta_v is {} of rank {} and not contiguous; it must be contiguous rows of {}",
                  text_of(delta_v), delta_v.rank, request.bank.shape[1]);
  }
  const std::int64_t elements = elements_or_greatest(delta_v);
  const std::int64_t rows = elements / request.bank.shape[1];
  if (!product_within(request.num_parallel, request.chunk_size, rows)) {
    return refuse(Check::pln2_delta_v_rows,
                  "delta_v holds {} rows of {}; it must hold num_parallel * chunk_size = {} * {}",
                  rows, request.bank.shape[1], request.num_parallel, request.chunk_size);
  }
  if (request.delta_v_step_rows < 0 || request.delta_v_step_rows > elements) {
    return refuse(Check::pln2_step_rows,
                  "delta_v_step_rows is {}; it must be in 0..{}, the elements of delta_v",
                  request.delta_v_step_rows, elements);
  }
  return std::nullopt;
}

Outcome check_records(const Tensor& records) {
  if (is_given(records) && records.type != ElementType::i32) {
    return refuse(Check::pln2_records_type, "records elements are {}; they must be int32",
                  type_name(records.type));
  }
  if (records.rank != 3 || !has_sane_shape(records) || records.shape[2] != 4 ||
      !is_contiguous(records)) {
    return refuse(Check::pln2_records_shape,
                  "records have rank {} and shape {}; they must be contiguous [N, n, 4]",
                  records.rank, shape_text(records));
  }
  return std::nullopt;
}

// [N, TU + 1] with TU == K * nw, by division.
bool has_tile_shape(const Tensor& tensor, const Request& request) {
  return tensor.rank == 2 && has_sane_shape(tensor) && is_contiguous(tensor) &&
         tensor.shape[0] == request.records.shape[0] && tensor.shape[1] >= 1 &&
         (tensor.shape[1] - 1) % request.warps_per_block == 0 &&
         (tensor.shape[1] - 1) / request.warps_per_block == request.blocks_per_chunk;
}

Outcome check_tiles(const Request& request) {
  const Tensor& bounds = request.tile_bounds;
  const Tensor& prefix = request.group_prefix;
  if (is_given(bounds) && bounds.type != ElementType::i32) {
    return refuse(Check::pln2_bounds_type, "tile_bounds elements are {}; they must be int32",
                  type_name(bounds.type));
  }
  if (!has_tile_shape(bounds, request)) {
    return refuse(Check::pln2_bounds_shape,
                  "tile_bounds have rank {} and shape {}; they must be contiguous [{}, K * nw + 1] "
                  "with K = {} and nw = {}",
                  bounds.rank, shape_text(bounds), request.records.shape[0],
                  request.blocks_per_chunk, request.warps_per_block);
  }
  if (prefix.type != ElementType::i32 || !has_tile_shape(prefix, request)) {
    return refuse(Check::pln2_prefix_shape,
                  "group_prefix is {} of rank {}; it must be int32 {}, as tile_bounds",
                  text_of(prefix), prefix.rank, shape_text(bounds));
  }
  return std::nullopt;
}

// The rows that the form writes, or that a dense-row walk reads.
bool uses_snapshot(const Request& request, Kernel forced) {
  return is_dense(request.form) ||
         (request.form == SnapshotForm::none && wants_dense_rows(request.wish, forced));
}

Outcome check_snapshot(const Request& request, Kernel forced) {
  const Tensor& snapshot = request.snapshot;
  if (uses_snapshot(request, forced)) {
    const ElementType needed =
        request.form == SnapshotForm::bf16 ? ElementType::bf16 : request.bank.type;
    if (is_given(snapshot) && snapshot.type != needed) {
      return refuse(Check::pln2_snapshot_type,
                    "snapshot elements are {}; {} rows of a bank of {} need {}",
                    type_name(snapshot.type), to_string(request.form), type_name(request.bank.type),
                    type_name(needed));
    }
    if (snapshot.rank != 2 || !has_sane_shape(snapshot) ||
        snapshot.shape[1] != request.bank.shape[1] || !is_contiguous(snapshot)) {
      return refuse(Check::pln2_snapshot_shape,
                    "snapshot has rank {} and shape {}; it must be contiguous [rows, {}]",
                    snapshot.rank, shape_text(snapshot), request.bank.shape[1]);
    }
  } else if (is_given(snapshot) && request.form == SnapshotForm::none) {
    return refuse(Check::pln2_snapshot_unused,
                  "a snapshot of {} is given; none is written or read by form none, so none may be",
                  text_of(snapshot));
  }
  if (request.snapshot_step != 0 && request.snapshot_step != request.num_parallel) {
    return refuse(Check::pln2_snapshot_step,
                  "snapshot_step is {}; it must be 0 or num_parallel, {}", request.snapshot_step,
                  request.num_parallel);
  }
  return std::nullopt;
}

struct Placed {
  const char* name;
  const Tensor* tensor;
  std::uintptr_t alignment;
};

std::array<Placed, 8> placed_tensors(const Request& request) {
  return {{{"bank", &request.bank, 16},
           {"delta_v", &request.delta_v, 16},
           {"records", &request.records, 16},
           {"snapshot", &request.snapshot, 16},
           {"payload", &request.payload, 16},
           {"tile_bounds", &request.tile_bounds, 4},
           {"group_prefix", &request.group_prefix, 4},
           {"scale", &request.scale, 4}}};
}

Outcome check_places(const Request& request) {
  for (const auto& [name, tensor, alignment] : placed_tensors(request)) {
    if (!is_given(*tensor)) {
      continue;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(tensor->data);
    const bool empty = has_sane_shape(*tensor) && elements_or_greatest(*tensor) == 0;
    if (address == 0 && !empty) {
      return refuse(Check::pln2_alignment, "{} of shape {} is at a null address; it must have one",
                    name, shape_text(*tensor));
    }
    if (address % alignment != 0) {
      return refuse(Check::pln2_alignment, "{} is at address {:#x}; it must be a multiple of {}",
                    name, address, alignment);
    }
  }
  for (const auto& [name, tensor, alignment] : placed_tensors(request)) {
    if (is_given(*tensor) && tensor->device != request.bank.device) {
      return refuse(Check::pln2_device, "{} is on device {}; it must be on the bank's, {}", name,
                    tensor->device, request.bank.device);
    }
  }
  return std::nullopt;
}

}  // namespace

Outcome check_layouts(const Request& request, Kernel forced) {
  if (auto refusal = check_delta_v(request)) {
    return refusal;
  }
  if (auto refusal = check_records(request.records)) {
    return refusal;
  }
  if (auto refusal = check_tiles(request)) {
    return refusal;
  }
  if (auto refusal = check_snapshot(request, forced)) {
    return refusal;
  }
  return check_places(request);
}

}  // namespace chainwalk::plan
