// SPDX-License-Identifier: Apache-2.0
// The plan checks of an implementation that has no device (PLN-1 to PLN-5, PLN-7).
#include <fmt/format.h>

#include <cstdint>
#include <tuple>

#include "bind_request.h"
#include "chainwalk/spec/head.h"
#include "request_tensor.h"

namespace chainwalk::adapters {
namespace {

constexpr std::int64_t slots_max = (std::int64_t{1} << 31U) - 1;
constexpr std::int64_t positions_max = std::int64_t{1} << 30U;
constexpr std::int64_t shared_cap_max = 232448;

using Result = std::optional<Refusal>;

template <typename... Values>
Result refuse(cw_refusal code, fmt::format_string<const Values&...> text, const Values&... values) {
  return Refusal{code, fmt::format(text, values...)};
}

bool is_f32_or_bf16(std::int32_t type) { return type == CW_BF16 || type == CW_F32; }
bool writes_dense_rows(const cw_request& request) {
  return request.snapshot_form == CW_RAW || request.snapshot_form == CW_BF16_ROWS;
}
bool writes_quantized_rows(const cw_request& request) {
  return request.snapshot_form == CW_FP8 || request.snapshot_form == CW_INT4;
}

Head head_of(const cw_request& r) {
  return make_head(r.bank.shape[1], r.bank.type == CW_F32 ? BankType::f32 : BankType::bf16);
}

// PLN-1, where 4 warps a block do not do.
bool needs_eight_warps(const cw_request& r) {
  return r.bank.type == CW_F32 || writes_quantized_rows(r) || r.geometry.slices_per_warp == 2 ||
         head_of(r).head_class != HeadClass::regular;
}

// PLN-1: classes and flags.
Result check_classes(const cw_request& r) {
  if (r.bank.rank != 2)
    return refuse(CW_PLN1_BANK_RANK, "PLN-1: bank has {} dimensions; 2 are needed", r.bank.rank);
  if (!is_f32_or_bf16(r.bank.type)) {
    return refuse(CW_PLN1_BANK_TYPE, "PLN-1: bank has type {}; bf16 (0) or f32 (1) is needed",
                  r.bank.type);
  }
  if (is_sane(r.bank) && !is_contiguous(r.bank)) {
    return refuse(CW_PLN1_BANK_CONTIGUOUS, "PLN-1: bank has strides {}, {}; {}, 1 are needed",
                  r.bank.stride[0], r.bank.stride[1], r.bank.shape[1]);
  }
  if (r.geometry.portable < -1 || r.geometry.portable > 1) {
    return refuse(CW_PLN1_PORTABLE, "PLN-1: portable is {}; 0 or 1 is needed", r.geometry.portable);
  }
  if (r.geometry.shared_cap < 0 || r.geometry.shared_cap > shared_cap_max) {
    return refuse(CW_PLN1_SHARED_CAP, "PLN-1: shared_cap is {}; 1..{} is needed",
                  r.geometry.shared_cap, shared_cap_max);
  }
  if (r.chunk_size < 1 || r.chunk_size > 256) {
    return refuse(CW_PLN1_CHUNK_SIZE, "PLN-1: chunk_size is {}; 1..256 is needed", r.chunk_size);
  }
  if (r.bank.shape[1] < 1 || r.bank.shape[1] > max_head_dim) {
    return refuse(CW_PLN1_HEAD_DIM, "PLN-1: head_dim is {}; 1..{} is needed", r.bank.shape[1],
                  max_head_dim);
  }
  if (r.bank.shape[0] < 0 || r.bank.shape[0] > slots_max) {
    return refuse(CW_PLN1_SLOTS, "PLN-1: slots is {}; 0..{} is needed", r.bank.shape[0], slots_max);
  }
  const std::int64_t least_parallel = r.snapshot_form == CW_NONE ? 0 : 1;
  if (r.num_parallel < least_parallel) {
    return refuse(CW_PLN1_NUM_PARALLEL, "PLN-1: num_parallel is {}; at least {} is needed",
                  r.num_parallel, least_parallel);
  }
  if (r.blocks_per_chunk < 0) {
    return refuse(CW_PLN1_BLOCKS, "PLN-1: blocks_per_chunk is {}; at least 0 is needed",
                  r.blocks_per_chunk);
  }
  if (r.warps_per_block != 4 && r.warps_per_block != 8 && r.warps_per_block != 16) {
    return refuse(CW_PLN1_WARPS, "PLN-1: warps_per_block is {}; 4, 8 or 16 is needed",
                  r.warps_per_block);
  }
  if (r.warps_per_block == 4 && needs_eight_warps(r)) {
    return refuse(
        CW_PLN1_WARPS,
        "PLN-1: warps_per_block is 4; a tail, an f32 bank, quantized rows or two slices a "
        "warp need 8 or 16");
  }
  const std::int64_t n = r.records.rank == 3 ? r.records.shape[1] : 0;
  if (n < 0 || n > positions_max) {
    return refuse(CW_PLN1_POSITIONS, "PLN-1: positions is {}; 0..{} is needed", n, positions_max);
  }
  return std::nullopt;
}

// PLN-2, the token rows.
Result check_delta_v(const cw_request& r) {
  if (is_given(r.delta_v) && r.delta_v.type != CW_F32) {
    return refuse(CW_PLN2_DELTA_V_TYPE, "PLN-2: delta_v has type {}; f32 (1) is needed",
                  r.delta_v.type);
  }
  if (!is_contiguous(r.delta_v)) {
    return refuse(
        CW_PLN2_DELTA_V_CONTIGUOUS,
        "PLN-2: delta_v has {} dimensions and is not contiguous; contiguous rows of {} are "
        "needed",
        r.delta_v.rank, r.bank.shape[1]);
  }
  const std::int64_t elements = numel(r.delta_v);
  const std::int64_t rows = elements / r.bank.shape[1];
  if (!product_within(r.num_parallel, r.chunk_size, rows)) {
    return refuse(CW_PLN2_DELTA_V_ROWS, "PLN-2: delta_v has {} rows; at least {} * {} are needed",
                  rows, r.num_parallel, r.chunk_size);
  }
  if (r.delta_v_step_rows < 0 || r.delta_v_step_rows > elements) {
    return refuse(CW_PLN2_STEP_ROWS, "PLN-2: delta_v_step_rows is {}; 0..{} is needed",
                  r.delta_v_step_rows, elements);
  }
  return std::nullopt;
}

// PLN-2: records, bounds and prefix.
Result check_indices(const cw_request& r) {
  if (is_given(r.records) && r.records.type != CW_I32)
    return refuse(CW_PLN2_RECORDS_TYPE, "PLN-2: records has type {}; int32 (2) is needed",
                  r.records.type);
  if (r.records.rank != 3 || r.records.shape[2] != 4 || !is_contiguous(r.records)) {
    return refuse(
        CW_PLN2_RECORDS_SHAPE,
        "PLN-2: records has {} dimensions, the last of {}; contiguous [N, n, 4] is needed",
        r.records.rank, r.records.rank == 3 ? r.records.shape[2] : 0);
  }
  if (is_given(r.tile_bounds) && r.tile_bounds.type != CW_I32)
    return refuse(CW_PLN2_BOUNDS_TYPE, "PLN-2: tile_bounds has type {}; int32 (2) is needed",
                  r.tile_bounds.type);
  const auto fits = [&](const cw_tensor& tensor) {
    const std::int64_t tiles = tensor.shape[1] - 1;
    return tensor.rank == 2 && is_contiguous(tensor) && tensor.shape[0] == r.records.shape[0] &&
           tiles >= 0 && tiles % r.warps_per_block == 0 &&
           tiles / r.warps_per_block == r.blocks_per_chunk;
  };
  if (!fits(r.tile_bounds)) {
    return refuse(CW_PLN2_BOUNDS_SHAPE,
                  "PLN-2: tile_bounds is [{}, {}]; contiguous [{}, {} * {} + 1] is needed",
                  r.tile_bounds.shape[0], r.tile_bounds.shape[1], r.records.shape[0],
                  r.blocks_per_chunk, r.warps_per_block);
  }
  if (r.group_prefix.type != CW_I32 || !fits(r.group_prefix)) {
    return refuse(
        CW_PLN2_PREFIX_SHAPE,
        "PLN-2: group_prefix is [{}, {}] of type {}; contiguous int32 [{}, {} * {} + 1] is needed",
        r.group_prefix.shape[0], r.group_prefix.shape[1], r.group_prefix.type, r.records.shape[0],
        r.blocks_per_chunk, r.warps_per_block);
  }
  return std::nullopt;
}

// PLN-2: the snapshot buffer and alignment.
Result check_snapshot(const cw_request& r) {
  if (writes_dense_rows(r)) {
    const std::int32_t type =
        r.snapshot_form == CW_BF16_ROWS ? static_cast<std::int32_t>(CW_BF16) : r.bank.type;
    if (is_given(r.snapshot) && r.snapshot.type != type)
      return refuse(CW_PLN2_SNAPSHOT_TYPE, "PLN-2: snapshot has type {}; {} is needed",
                    r.snapshot.type, type);
    if (r.snapshot.rank != 2 || r.snapshot.shape[1] != r.bank.shape[1] ||
        !is_contiguous(r.snapshot)) {
      return refuse(
          CW_PLN2_SNAPSHOT_SHAPE,
          "PLN-2: snapshot has {} dimensions, rows of {}; contiguous [rows, {}] is needed",
          r.snapshot.rank, r.snapshot.shape[1], r.bank.shape[1]);
    }
  } else if (is_given(r.snapshot) && r.snapshot_form == CW_NONE) {
    return refuse(CW_PLN2_SNAPSHOT_UNUSED,
                  "PLN-2: a snapshot of {} dimensions is given; none is written", r.snapshot.rank);
  }
  if (r.snapshot_step != 0 && r.snapshot_step != r.num_parallel) {
    return refuse(CW_PLN2_SNAPSHOT_STEP, "PLN-2: snapshot_step is {}; 0 or {} is needed",
                  r.snapshot_step, r.num_parallel);
  }
  const std::pair<const char*, const cw_tensor*> aligned[] = {{"bank", &r.bank},
                                                              {"delta_v", &r.delta_v},
                                                              {"records", &r.records},
                                                              {"snapshot", &r.snapshot},
                                                              {"payload", &r.payload}};
  for (const auto& [name, tensor] : aligned) {
    const auto address = reinterpret_cast<std::uintptr_t>(tensor->data);
    if (is_given(*tensor) && address % 16 != 0) {
      return refuse(CW_PLN2_ALIGNMENT, "PLN-2: {} is at {:#x}; a multiple of 16 is needed", name,
                    address);
    }
  }
  return std::nullopt;
}

// PLN-3: two slices a warp.
Result check_slices(const cw_request& r) {
  const std::int32_t wished = r.geometry.slices_per_warp;
  if (wished < 0 || wished > 2)
    return refuse(CW_PLN3_TWO_SLICES, "PLN-3: slices_per_warp is {}; 1 or 2 is needed", wished);
  const Head head = head_of(r);
  if (wished == 2 &&
      (head.slices % 2 != 0 || r.bank.type != CW_BF16 || head.head_class != HeadClass::regular)) {
    return refuse(
        CW_PLN3_TWO_SLICES,
        "PLN-3: slices_per_warp is 2 for a {} head of {} slices of type {}; an even number "
        "of slices of a regular head of bf16 (0) is needed",
        to_string(head.head_class), head.slices, r.bank.type);
  }
  return std::nullopt;
}

// PLN-3: forms.
Result check_forms(const cw_request& r) {
  if (writes_dense_rows(r) && r.snapshot_step != r.num_parallel) {
    return refuse(CW_PLN3_ROWS_STEP, "PLN-3: snapshot_step is {}; written rows need {}",
                  r.snapshot_step, r.num_parallel);
  }
  if (writes_quantized_rows(r) && r.snapshot_step != r.num_parallel) {
    return refuse(CW_PLN3_QUANTIZED_STEP, "PLN-3: snapshot_step is {}; quantized rows need {}",
                  r.snapshot_step, r.num_parallel);
  }
  const bool has_quantized = is_given(r.payload) || is_given(r.scale);
  if (writes_quantized_rows(r) ? is_given(r.snapshot) : writes_dense_rows(r) && has_quantized) {
    return refuse(CW_PLN3_QUANTIZED_AND_RAW,
                  "PLN-3: quantized rows and a snapshot are given; one of them is needed");
  }
  if (r.snapshot_form == CW_BF16_ROWS && r.bank.type != CW_F32) {
    return refuse(CW_PLN3_BF16_ROWS_BANK,
                  "PLN-3: bf16 rows of a bank of type {}; f32 (1) is needed", r.bank.type);
  }
  const std::int64_t slices = head_of(r).slices;
  if (r.geometry.quantizing_form == 2 && slices == 1) {
    return refuse(CW_PLN3_ALL_SLICES,
                  "PLN-3: a block is to walk all slices of a head of {}; 2 or more are needed",
                  slices);
  }
  const bool by_cluster =
      r.geometry.quantizing_form == 1 && (slices != 1 || r.geometry.slices_per_warp == 2);
  if (r.geometry.portable == 1 && by_cluster) {
    return refuse(
        CW_PLN3_PORTABLE_FORM,
        "PLN-3: portable is 1 and rows are to be quantized by clusters; the portable image "
        "has none");
  }
  return std::nullopt;
}

// PLN-4: rows that fit.
Result check_sizes(const cw_request& r) {
  const std::int64_t chunks = r.records.shape[0];
  const std::int64_t positions = r.records.shape[1];
  if (writes_dense_rows(r) && !product_within(chunks, positions, r.snapshot.shape[0])) {
    return refuse(CW_PLN4_SNAPSHOT_ROWS, "PLN-4: snapshot has {} rows; at least {} * {} are needed",
                  r.snapshot.shape[0], chunks, positions);
  }
  const bool quantized = writes_quantized_rows(r);
  for (const auto& [code, name, tensor] : {std::tuple{CW_PLN4_PAYLOAD, "payload", &r.payload},
                                           std::tuple{CW_PLN4_SCALE, "scale", &r.scale}}) {
    if (!quantized && is_given(*tensor))
      return refuse(code, "PLN-4: a {} is given; the form has none", name);
  }
  if (!quantized) return std::nullopt;
  const std::int64_t width =
      r.snapshot_form == CW_FP8 ? r.bank.shape[1] : (r.bank.shape[1] + 1) / 2;
  if (r.payload.rank != 2 || element_bytes(r.payload.type) != 1 || r.payload.shape[1] != width ||
      !is_contiguous(r.payload) || !product_within(chunks, positions, r.payload.shape[0])) {
    return refuse(
        CW_PLN4_PAYLOAD,
        "PLN-4: payload is [{}, {}] of type {}; contiguous one-byte [>= {} * {}, {}] is needed",
        r.payload.shape[0], r.payload.shape[1], r.payload.type, chunks, positions, width);
  }
  if (!is_given(r.scale) || r.scale.type != CW_F32 || !is_contiguous(r.scale) ||
      !product_within(chunks, positions, numel(r.scale))) {
    return refuse(
        CW_PLN4_SCALE,
        "PLN-4: scale has {} dimensions, the first of {}, and type {}; contiguous f32 (1) of at "
        "least {} * {} elements is needed",
        r.scale.rank, r.scale.shape[0], r.scale.type, chunks, positions);
  }
  return std::nullopt;
}

// Sizes that do not fit are left to PLN-7. Differences, since an end may lie past the last address.
bool overlap(const cw_tensor& a, const cw_tensor& b) {
  const auto bytes_a = static_cast<std::uint64_t>(bytes_of(a).value_or(0));
  const auto bytes_b = static_cast<std::uint64_t>(bytes_of(b).value_or(0));
  if (bytes_a == 0 || bytes_b == 0) return false;
  const auto first_a = reinterpret_cast<std::uintptr_t>(a.data);
  const auto first_b = reinterpret_cast<std::uintptr_t>(b.data);
  return first_a <= first_b ? first_b - first_a < bytes_a : first_a - first_b < bytes_b;
}

// PLN-5: only these pairs.
Result check_overlap(const cw_request& r) {
  struct Pair {
    cw_refusal code;
    const char *name_a, *name_b;
    const cw_tensor *a, *b;
  };
  const Pair pairs[] = {{CW_PLN5_SNAPSHOT_BANK, "snapshot", "bank", &r.snapshot, &r.bank},
                        {CW_PLN5_SNAPSHOT_DELTA_V, "snapshot", "delta_v", &r.snapshot, &r.delta_v},
                        {CW_PLN5_PAYLOAD_BANK, "payload", "bank", &r.payload, &r.bank},
                        {CW_PLN5_PAYLOAD_DELTA_V, "payload", "delta_v", &r.payload, &r.delta_v},
                        {CW_PLN5_SCALE_BANK, "scale", "bank", &r.scale, &r.bank},
                        {CW_PLN5_SCALE_DELTA_V, "scale", "delta_v", &r.scale, &r.delta_v},
                        {CW_PLN5_PAYLOAD_SCALE, "payload", "scale", &r.payload, &r.scale}};
  for (const Pair& pair : pairs) {
    const bool written = pair.a == &r.snapshot ? writes_dense_rows(r) : writes_quantized_rows(r);
    if (written && overlap(*pair.a, *pair.b)) {
      return refuse(pair.code, "PLN-5: {} at {:#x} overlaps {} at {:#x}", pair.name_a,
                    reinterpret_cast<std::uintptr_t>(pair.a->data), pair.name_b,
                    reinterpret_cast<std::uintptr_t>(pair.b->data));
    }
  }
  return std::nullopt;
}

// PLN-7: every tensor ends within 63 bits and within the address space.
Result check_overflow(const cw_request& r) {
  for (const cw_tensor* tensor : {&r.bank, &r.delta_v, &r.records, &r.tile_bounds, &r.group_prefix,
                                  &r.snapshot, &r.payload, &r.scale}) {
    const auto bytes = bytes_of(*tensor);
    const auto address = reinterpret_cast<std::uintptr_t>(tensor->data);
    if (bytes && static_cast<std::uint64_t>(*bytes) <= UINTPTR_MAX - address) continue;
    return refuse(CW_PLN7_OVERFLOW,
                  "PLN-7: a tensor of {} dimensions, the first of {}, at {:#x} does not end within "
                  "63 bits and the address space",
                  tensor->rank, tensor->shape[0], address);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> check_request(const cw_request& request) {
  for (const auto& check :
       {check_classes, check_delta_v, check_indices, check_snapshot, check_slices, check_forms,
        check_sizes, check_overlap, check_overflow}) {
    if (auto refusal = check(request)) return refusal;
  }
  return std::nullopt;
}

}  // namespace chainwalk::adapters
