// SPDX-License-Identifier: Apache-2.0
// PLN-4, PLN-5, PLN-7, QNT-1: sizes, overlap and overflow.
#include <array>

#include "arithmetic.h"
#include "checks.h"
#include "tensor.h"

namespace chainwalk::plan {
namespace {

Outcome check_snapshot_rows(const Request& request) {
  const std::int64_t positions = request.records.shape[1];
  if (!is_given(request.snapshot) || is_quantized(request.form) || positions == 0) {
    return std::nullopt;
  }
  const bool every_step =
      request.snapshot_step == request.num_parallel && request.num_parallel != 0;
  const std::int64_t chunks = every_step ? request.records.shape[0] : request.num_parallel;
  if (!product_within(chunks, positions, request.snapshot.shape[0])) {
    return refuse(Check::pln4_snapshot_rows,
                  "snapshot holds {} rows; it must hold {} * n = {} * {}",
                  request.snapshot.shape[0], every_step ? "N" : "num_parallel", chunks, positions);
  }
  return std::nullopt;
}

Outcome check_payload(const Request& request) {
  const Tensor& payload = request.payload;
  const std::int64_t chunks = request.records.shape[0];
  const std::int64_t positions = request.records.shape[1];
  if (!is_quantized(request.form)) {
    if (is_given(payload)) {
      return refuse(Check::pln4_payload, "a payload of shape {} is given; form {} has none",
                    shape_text(payload), to_string(request.form));
    }
    return std::nullopt;
  }
  const std::int64_t columns = request.form == SnapshotForm::fp8
                                   ? request.bank.shape[1]
                                   : ceil_divide(request.bank.shape[1], 2);
  if (payload.rank != 2 || payload.type != ElementType::u8 || !has_sane_shape(payload) ||
      payload.shape[1] != columns || !is_contiguous(payload) ||
      !product_within(chunks, positions, payload.shape[0])) {
    return refuse(
        Check::pln4_payload,
        "payload is {} of rank {} and shape {}; it must be contiguous uint8 [>= N * n, {}] "
        "with N * n = {} * {}",
        type_name(payload.type), payload.rank, shape_text(payload), columns, chunks, positions);
  }
  return std::nullopt;
}

Outcome check_scale(const Request& request) {
  const Tensor& scale = request.scale;
  const std::int64_t chunks = request.records.shape[0];
  const std::int64_t positions = request.records.shape[1];
  if (!is_quantized(request.form)) {
    if (is_given(scale)) {
      return refuse(Check::pln4_scale, "a scale of shape {} is given; form {} has none",
                    shape_text(scale), to_string(request.form));
    }
    return std::nullopt;
  }
  if (!is_given(scale) || scale.type != ElementType::f32 || !has_sane_shape(scale) ||
      !is_contiguous(scale) ||
      !product_within(chunks, positions, element_count(scale).value_or(int64_greatest))) {
    return refuse(
        Check::pln4_scale,
        "scale is {} of rank {} and shape {}; it must be contiguous f32 of at least N * n "
        "= {} * {} elements",
        type_name(scale.type), scale.rank, shape_text(scale), chunks, positions);
  }
  return std::nullopt;
}

struct Pair {
  Check check;
  const char* written;
  const Tensor* first;
  const char* other;
  const Tensor* second;
};

}  // namespace

Outcome check_sizes(const Request& request) {
  if (auto refusal = check_snapshot_rows(request)) {
    return refusal;
  }
  if (auto refusal = check_payload(request)) {
    return refusal;
  }
  return check_scale(request);
}

Outcome check_overlap(const Request& request) {
  // A snapshot that is only read may lie anywhere.
  const Tensor none;
  const Tensor* snapshot = is_dense(request.form) ? &request.snapshot : &none;
  const Tensor* payload = &request.payload;
  const Tensor* scale = &request.scale;
  const Tensor* bank = &request.bank;
  const Tensor* delta_v = &request.delta_v;
  const std::array<Pair, 7> pairs{{
      {Check::pln5_snapshot_bank, "snapshot", snapshot, "bank", bank},
      {Check::pln5_snapshot_delta_v, "snapshot", snapshot, "delta_v", delta_v},
      {Check::pln5_payload_bank, "payload", payload, "bank", bank},
      {Check::pln5_payload_delta_v, "payload", payload, "delta_v", delta_v},
      {Check::pln5_scale_bank, "scale", scale, "bank", bank},
      {Check::pln5_scale_delta_v, "scale", scale, "delta_v", delta_v},
      {Check::pln5_payload_scale, "payload", payload, "scale", scale},
  }};
  for (const Pair& pair : pairs) {
    if (overlaps(*pair.first, *pair.second)) {
      return refuse(pair.check,
                    "{} ({} bytes at {:#x}) overlaps {} ({} bytes at {:#x}); they must be disjoint",
                    pair.written, *byte_count(*pair.first),
                    reinterpret_cast<std::uintptr_t>(pair.first->data), pair.other,
                    *byte_count(*pair.second), reinterpret_cast<std::uintptr_t>(pair.second->data));
    }
  }
  return std::nullopt;
}

Outcome check_overflow(const Request& request) {
  struct Named {
    const char* name;
    const Tensor* tensor;
  };
  const std::array<Named, 8> tensors{{{"bank", &request.bank},
                                      {"delta_v", &request.delta_v},
                                      {"records", &request.records},
                                      {"tile_bounds", &request.tile_bounds},
                                      {"group_prefix", &request.group_prefix},
                                      {"snapshot", &request.snapshot},
                                      {"payload", &request.payload},
                                      {"scale", &request.scale}}};
  for (const auto& [name, tensor] : tensors) {
    if (!is_given(*tensor)) {
      continue;
    }
    const auto bytes = byte_count(*tensor);
    if (!bytes) {
      return refuse(Check::pln7_overflow,
                    "{} of shape {} has more bytes than 64 bits count; it must have at most {}",
                    name, shape_text(*tensor), int64_greatest);
    }
    const auto address = reinterpret_cast<std::uintptr_t>(tensor->data);
    if (static_cast<std::uint64_t>(*bytes) > UINTPTR_MAX - address) {
      return refuse(Check::pln7_overflow,
                    "{} has {} bytes at {:#x}; they must end at or before the last address", name,
                    *bytes, address);
    }
  }
  return std::nullopt;
}

}  // namespace chainwalk::plan
