// SPDX-License-Identifier: Apache-2.0
// The plan checks of an implementation that has no device (PLN-1 to PLN-5, PLN-7).
#include <fmt/format.h>

#include <array>
#include <limits>

#include "bind_request.h"
#include "chainwalk/spec/head.h"

namespace chainwalk::adapters {
namespace {

constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t slots_max = (std::int64_t{1} << 31U) - 1;
constexpr std::int64_t positions_max = std::int64_t{1} << 30U;
constexpr std::int64_t shared_cap_max = 232448;

using Result = std::optional<Refusal>;

template <typename... Values>
Result refuse(cw_refusal code, fmt::format_string<const Values&...> text, const Values&... values) {
  return Refusal{code, fmt::format(text, values...)};
}

bool multiply(std::int64_t a, std::int64_t b, std::int64_t& product) {
  if (a < 0 || b < 0 || (b != 0 && a > int64_max / b)) return false;
  product = a * b;
  return true;
}

// Number of elements, or -1 where it does not fit in 63 bits or an extent is negative.
std::int64_t numel(const cw_tensor& tensor) {
  std::int64_t count = 1;
  for (std::int32_t i = 0; i < tensor.rank; ++i) {
    if (!multiply(count, tensor.shape[i], count)) return -1;
  }
  return count;
}

bool is_contiguous(const cw_tensor& tensor) {
  std::int64_t stride = 1;
  for (std::int32_t i = tensor.rank; i-- > 0;) {
    if (tensor.shape[i] != 1 && tensor.stride[i] != stride) return false;
    if (!multiply(stride, tensor.shape[i], stride)) return false;
  }
  return true;
}

bool is_f32_or_bf16(std::int32_t type) { return type == CW_BF16 || type == CW_F32; }
std::int64_t element_bytes(std::int32_t type) {
  return type == CW_BF16 ? 2 : type == CW_U8 ? 1 : 4;
}
bool writes_dense_rows(const cw_request& request) {
  return request.snapshot_form == CW_RAW || request.snapshot_form == CW_BF16_ROWS;
}
bool writes_quantized_rows(const cw_request& request) {
  return request.snapshot_form == CW_FP8 || request.snapshot_form == CW_INT4;
}

// PLN-1: classes and flags.
Result check_classes(const cw_request& r) {
  if (r.bank.rank != 2)
    return refuse(CW_PLN1_BANK_RANK, "PLN-1: bank has {} dimensions; 2 are needed", r.bank.rank);
  if (!is_f32_or_bf16(r.bank.type)) {
    return refuse(CW_PLN1_BANK_TYPE, "PLN-1: bank has type {}; bf16 (0) or f32 (1) is needed",
                  r.bank.type);
  }
  if (!is_contiguous(r.bank)) {
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
  const std::int64_t n = r.records.rank == 3 ? r.records.shape[1] : 0;
  if (n > positions_max) {
    return refuse(CW_PLN1_POSITIONS, "PLN-1: positions is {}; at most {} is needed", n,
                  positions_max);
  }
  return std::nullopt;
}

// PLN-2, the token rows.
Result check_delta_v(const cw_request& r) {
  if (r.delta_v.type != CW_F32) {
    return refuse(CW_PLN2_DELTA_V_TYPE, "PLN-2: delta_v has type {}; f32 (1) is needed",
                  r.delta_v.type);
  }
  if (!is_contiguous(r.delta_v)) {
    return refuse(CW_PLN2_DELTA_V_CONTIGUOUS,
                  "PLN-2: delta_v is not contiguous: its last stride is {}; 1 is needed",
                  r.delta_v.stride[r.delta_v.rank > 0 ? r.delta_v.rank - 1 : 0]);
  }
  const std::int64_t elements = numel(r.delta_v);
  const std::int64_t rows = elements / r.bank.shape[1];
  std::int64_t needed = 0;
  if (!multiply(r.num_parallel, r.chunk_size, needed)) {
    return refuse(CW_PLN7_OVERFLOW,
                  "PLN-7: num_parallel {} times chunk_size {} does not fit in 63 bits",
                  r.num_parallel, r.chunk_size);
  }
  if (elements < 0 || rows < needed) {
    return refuse(CW_PLN2_DELTA_V_ROWS, "PLN-2: delta_v has {} rows; at least {} are needed", rows,
                  needed);
  }
  if (r.delta_v_step_rows < 0 || r.delta_v_step_rows > elements) {
    return refuse(CW_PLN2_STEP_ROWS, "PLN-2: delta_v_step_rows is {}; 0..{} is needed",
                  r.delta_v_step_rows, elements);
  }
  return std::nullopt;
}

// PLN-2: records, bounds and prefix.
Result check_indices(const cw_request& r) {
  if (r.records.type != CW_I32)
    return refuse(CW_PLN2_RECORDS_TYPE, "PLN-2: records has type {}; int32 (2) is needed",
                  r.records.type);
  if (r.records.rank != 3 || r.records.shape[2] != 4 || numel(r.records) < 0 ||
      !is_contiguous(r.records)) {
    return refuse(
        CW_PLN2_RECORDS_SHAPE,
        "PLN-2: records has {} dimensions, the last of {}; contiguous [N, n, 4] is needed",
        r.records.rank, r.records.rank == 3 ? r.records.shape[2] : 0);
  }
  if (r.tile_bounds.type != CW_I32)
    return refuse(CW_PLN2_BOUNDS_TYPE, "PLN-2: tile_bounds has type {}; int32 (2) is needed",
                  r.tile_bounds.type);
  std::int64_t tiles = 0;
  if (!multiply(r.blocks_per_chunk, r.warps_per_block, tiles) || tiles == int64_max) {
    return refuse(CW_PLN7_OVERFLOW,
                  "PLN-7: blocks_per_chunk {} times warps_per_block {} does not fit in 63 bits",
                  r.blocks_per_chunk, r.warps_per_block);
  }
  const std::array<std::int64_t, 2> needed{r.records.shape[0], tiles + 1};
  const auto fits = [&](const cw_tensor& tensor) {
    return tensor.rank == 2 && tensor.shape[0] == needed[0] && tensor.shape[1] == needed[1] &&
           numel(tensor) >= 0 && is_contiguous(tensor);
  };
  if (!fits(r.tile_bounds)) {
    return refuse(CW_PLN2_BOUNDS_SHAPE,
                  "PLN-2: tile_bounds is [{}, {}]; contiguous [{}, {}] is needed",
                  r.tile_bounds.shape[0], r.tile_bounds.shape[1], needed[0], needed[1]);
  }
  if (r.group_prefix.type != CW_I32 || !fits(r.group_prefix)) {
    return refuse(CW_PLN2_PREFIX_SHAPE,
                  "PLN-2: group_prefix is [{}, {}] of type {}; contiguous int32 [{}, {}] is needed",
                  r.group_prefix.shape[0], r.group_prefix.shape[1], r.group_prefix.type, needed[0],
                  needed[1]);
  }
  return std::nullopt;
}

// PLN-2: the snapshot buffer and alignment.
Result check_snapshot(const cw_request& r) {
  if (writes_dense_rows(r)) {
    const std::int32_t type =
        r.snapshot_form == CW_BF16_ROWS ? static_cast<std::int32_t>(CW_BF16) : r.bank.type;
    if (r.snapshot.type != type)
      return refuse(CW_PLN2_SNAPSHOT_TYPE, "PLN-2: snapshot has type {}; {} is needed",
                    r.snapshot.type, type);
    if (r.snapshot.rank != 2 || r.snapshot.shape[1] != r.bank.shape[1] || numel(r.snapshot) < 0 ||
        !is_contiguous(r.snapshot)) {
      return refuse(
          CW_PLN2_SNAPSHOT_SHAPE,
          "PLN-2: snapshot has {} dimensions, rows of {}; contiguous [rows, {}] is needed",
          r.snapshot.rank, r.snapshot.shape[1], r.bank.shape[1]);
    }
  } else if (r.snapshot.rank != 0) {
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
    if (address % 16 != 0) {
      return refuse(CW_PLN2_ALIGNMENT, "PLN-2: {} is at {:#x}; a multiple of 16 is needed", name,
                    address);
    }
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
  if (r.snapshot_form == CW_BF16_ROWS && r.bank.type != CW_F32) {
    return refuse(CW_PLN3_BF16_ROWS_BANK,
                  "PLN-3: bf16 rows of a bank of type {}; f32 (1) is needed", r.bank.type);
  }
  return std::nullopt;
}

// PLN-4: rows that fit.
Result check_sizes(const cw_request& r) {
  std::int64_t rows = 0;
  std::int64_t bytes = 0;
  if (!multiply(r.records.shape[0], r.records.shape[1], rows) ||
      !multiply(rows, r.bank.shape[1] * 4, bytes)) {
    return refuse(CW_PLN7_OVERFLOW, "PLN-7: {} chunks of {} positions do not fit in 63 bits",
                  r.records.shape[0], r.records.shape[1]);
  }
  if (writes_dense_rows(r) && r.snapshot.shape[0] < rows) {
    return refuse(CW_PLN4_SNAPSHOT_ROWS, "PLN-4: snapshot has {} rows; at least {} are needed",
                  r.snapshot.shape[0], rows);
  }
  if (!writes_quantized_rows(r)) return std::nullopt;
  const std::int64_t width =
      r.snapshot_form == CW_FP8 ? r.bank.shape[1] : (r.bank.shape[1] + 1) / 2;
  if (r.payload.rank != 2 || element_bytes(r.payload.type) != 1 || r.payload.shape[0] < rows ||
      r.payload.shape[1] != width || numel(r.payload) < 0 || !is_contiguous(r.payload)) {
    return refuse(
        CW_PLN4_PAYLOAD,
        "PLN-4: payload is [{}, {}] of type {}; contiguous one-byte [>= {}, {}] is needed",
        r.payload.shape[0], r.payload.shape[1], r.payload.type, rows, width);
  }
  if (r.scale.type != CW_F32 || r.scale.rank == 0 || numel(r.scale) < rows ||
      !is_contiguous(r.scale)) {
    return refuse(CW_PLN4_SCALE,
                  "PLN-4: scale has {} elements of type {}; at least {} of f32 (1) are needed",
                  r.scale.rank == 0 ? 0 : numel(r.scale), r.scale.type, rows);
  }
  return std::nullopt;
}

bool overlap(const cw_tensor& a, const cw_tensor& b) {
  if (a.rank == 0 || b.rank == 0) return false;
  const auto bytes = [](const cw_tensor& tensor) {
    return static_cast<std::uintptr_t>(numel(tensor) * element_bytes(tensor.type));
  };
  const auto first_a = reinterpret_cast<std::uintptr_t>(a.data);
  const auto first_b = reinterpret_cast<std::uintptr_t>(b.data);
  if (bytes(a) == 0 || bytes(b) == 0) return false;
  return first_a < first_b + bytes(b) && first_b < first_a + bytes(a);
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

}  // namespace

std::optional<Refusal> check_request(const cw_request& request) {
  for (const auto& check : {check_classes, check_delta_v, check_indices, check_snapshot,
                            check_forms, check_sizes, check_overlap}) {
    if (auto refusal = check(request)) return refusal;
  }
  return std::nullopt;
}

}  // namespace chainwalk::adapters
