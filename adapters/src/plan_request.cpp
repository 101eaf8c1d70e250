// SPDX-License-Identifier: Apache-2.0
// Requests of the C interface as requests of a plan.
#include "plan_request.h"

#include <algorithm>

#include "chainwalk/spec/head.h"

namespace chainwalk::adapters {
namespace {

plan::Tensor tensor_of(const cw_tensor& given, std::int32_t device) {
  plan::Tensor tensor;
  tensor.data = given.data;
  tensor.type = static_cast<plan::ElementType>(given.type);
  tensor.rank = given.rank;
  std::copy(std::begin(given.shape), std::end(given.shape), tensor.shape.begin());
  std::copy(std::begin(given.stride), std::end(given.stride), tensor.stride.begin());
  tensor.device = device;
  return tensor;
}

// Column slices of a row, 0 where head_dim is not a head's (PLN-1 refuses it).
std::int64_t slices_of(const cw_request& request) {
  const std::int64_t head_dim = request.bank.shape[1];
  return head_dim < 1 ? 0 : (head_dim - 1) / slice_columns_max + 1;
}

std::optional<device::Quantizing> quantizing_of(const cw_request& request,
                                                const cw_geometry& geometry) {
  const bool one_warp = slices_of(request) == 1 && geometry.slices_per_warp != 2;
  switch (geometry.quantizing_form) {
    case 0: return std::nullopt;
    case 1: return one_warp ? device::Quantizing::in_walk : device::Quantizing::cluster;
    case 2: return device::Quantizing::all_slices;
    case 3: return device::Quantizing::whole_row;
    default: return static_cast<device::Quantizing>(0xFF);
  }
}

// The request's fields, and the session's where it leaves them open.
cw_geometry merged(cw_geometry geometry, const cw_geometry& session) {
  if (geometry.slices_per_warp == 0) geometry.slices_per_warp = session.slices_per_warp;
  if (geometry.offset_bits == 0) geometry.offset_bits = session.offset_bits;
  if (geometry.portable == -1) geometry.portable = session.portable;
  if (geometry.quantizing_form == 0) geometry.quantizing_form = session.quantizing_form;
  if (geometry.shared_cap == 0) geometry.shared_cap = session.shared_cap;
  return geometry;
}

plan::GeometryWish wish_of(const cw_request& request, const SessionWish& session) {
  const cw_geometry geometry = merged(request.geometry, session.geometry);
  plan::GeometryWish wish;
  wish.kernel = session.kernel;
  wish.source = session.source;
  wish.override_device_class = session.override_device_class;
  wish.quantizing = quantizing_of(request, geometry);
  if (geometry.slices_per_warp != 0) wish.slices_per_warp = geometry.slices_per_warp;
  if (geometry.offset_bits != 0) wish.offset_bits = geometry.offset_bits;
  if (geometry.portable != -1) wish.portable = geometry.portable;
  if (geometry.shared_cap != 0) wish.shared_cap = geometry.shared_cap;
  return wish;
}

}  // namespace

plan::Request plan_request(const cw_request& request, const SessionWish& session) {
  plan::Request result;
  result.form = static_cast<SnapshotForm>(request.snapshot_form);
  const auto take = [&](const cw_tensor& tensor) { return tensor_of(tensor, request.device); };
  result.bank = take(request.bank);
  result.delta_v = take(request.delta_v);
  result.records = take(request.records);
  result.tile_bounds = take(request.tile_bounds);
  result.group_prefix = take(request.group_prefix);
  result.snapshot = take(request.snapshot);
  result.payload = take(request.payload);
  result.scale = take(request.scale);
  result.num_parallel = request.num_parallel;
  result.chunk_size = request.chunk_size;
  result.delta_v_step_rows = request.delta_v_step_rows;
  result.snapshot_step = request.snapshot_step;
  result.warps_per_block = request.warps_per_block;
  result.blocks_per_chunk = request.blocks_per_chunk;
  result.wish = wish_of(request, session);
  return result;
}

cw_refusal refusal_of(plan::Check check) {
  return static_cast<cw_refusal>(static_cast<std::int32_t>(check));
}

}  // namespace chainwalk::adapters
