// SPDX-License-Identifier: Apache-2.0
// PLN-1: classes and flags.
#include <algorithm>

#include "arithmetic.h"
#include "checks.h"
#include "tensor.h"

namespace chainwalk::plan {
namespace {

constexpr std::int64_t greatest_shared_cap = 232448;

Outcome check_bank(const Tensor& bank) {
  if (bank.rank != 2) {
    return refuse(Check::pln1_bank_rank, "bank has rank {}; it must have rank 2, [slots, head_dim]",
                  bank.rank);
  }
  if (bank.type != ElementType::bf16 && bank.type != ElementType::f32) {
    return refuse(Check::pln1_bank_type, "bank elements are {}; they must be bf16 or f32",
                  type_name(bank.type));
  }
  // Negative dimensions are named below, by what they mean.
  if (has_sane_shape(bank) && !is_contiguous(bank)) {
    return refuse(Check::pln1_bank_contiguous,
                  "bank of shape {} has strides [{}, {}]; it must be contiguous, strides [{}, 1]",
                  shape_text(bank), bank.stride[0], bank.stride[1], bank.shape[1]);
  }
  return std::nullopt;
}

Outcome check_limits(const Request& request) {
  const GeometryWish& wish = request.wish;
  if (wish.portable && *wish.portable != 0 && *wish.portable != 1) {
    return refuse(Check::pln1_portable, "portable is {}; it must be 0 or 1", *wish.portable);
  }
  if (wish.shared_cap && (*wish.shared_cap < 1 || *wish.shared_cap > greatest_shared_cap)) {
    return refuse(Check::pln1_shared_cap, "shared_cap is {} bytes; it must be in 1..{}",
                  *wish.shared_cap, greatest_shared_cap);
  }
  if (request.chunk_size < 1 || request.chunk_size > 256) {
    return refuse(Check::pln1_chunk_size, "chunk_size is {}; it must be in 1..256",
                  request.chunk_size);
  }
  if (request.bank.shape[1] < 1 || request.bank.shape[1] > max_head_dim) {
    return refuse(Check::pln1_head_dim, "head_dim is {}; it must be in 1..{}",
                  request.bank.shape[1], max_head_dim);
  }
  if (request.bank.shape[0] < 0 || request.bank.shape[0] > int32_greatest) {
    return refuse(Check::pln1_slots, "slots is {}; it must be in 0..{}", request.bank.shape[0],
                  int32_greatest);
  }
  const std::int64_t least_streams = request.form == SnapshotForm::none ? 0 : 1;
  if (request.num_parallel < least_streams) {
    return refuse(Check::pln1_num_parallel, "num_parallel is {}; it must be at least {}{}",
                  request.num_parallel, least_streams,
                  least_streams == 1 ? " where rows are written" : "");
  }
  if (request.blocks_per_chunk < 0) {
    return refuse(Check::pln1_blocks, "blocks_per_chunk is {}; it must be at least 0",
                  request.blocks_per_chunk);
  }
  return std::nullopt;
}

// Why a walk takes 8 or 16 warps only; nullptr where 4 will do too.
const char* wide_block_reason(const Request& request, Kernel forced) {
  const BankType type = request.bank.type == ElementType::bf16 ? BankType::bf16 : BankType::f32;
  if (type == BankType::f32) {
    return "f32 banks";
  }
  if (is_quantized(request.form)) {
    return "quantized rows";
  }
  if (make_head(request.bank.shape[1], type).head_class != HeadClass::regular) {
    return "tails";
  }
  if (request.wish.slices_per_warp.value_or(1) == 2 ||
      (forced != nullptr && forced->form == device::Form::two_slices)) {
    return "two slices per warp";
  }
  return nullptr;
}

Outcome check_warps(const Request& request, Kernel forced) {
  const std::int64_t warps = request.warps_per_block;
  if (warps != 4 && warps != 8 && warps != 16) {
    return refuse(Check::pln1_warps, "warps_per_block is {}; it must be 4, 8 or 16", warps);
  }
  const char* reason = wide_block_reason(request, forced);
  if (warps == 4 && reason != nullptr) {
    return refuse(Check::pln1_warps, "warps_per_block is 4; {} need 8 or 16", reason);
  }
  return std::nullopt;
}

Outcome check_positions(const Tensor& records) {
  if (records.rank == 3 && (records.shape[1] < 0 || records.shape[1] > greatest_positions)) {
    return refuse(Check::pln1_positions, "records name {} positions a chunk; they must be in 0..{}",
                  records.shape[1], greatest_positions);
  }
  return std::nullopt;
}

}  // namespace

Outcome check_classes(const Request& request, Kernel forced) {
  if (auto refusal = check_bank(request.bank)) {
    return refusal;
  }
  if (auto refusal = check_limits(request)) {
    return refusal;
  }
  if (auto refusal = check_warps(request, forced)) {
    return refusal;
  }
  return check_positions(request.records);
}

}  // namespace chainwalk::plan
