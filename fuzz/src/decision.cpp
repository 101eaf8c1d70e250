// SPDX-License-Identifier: Apache-2.0
// The plan checks as the specification words them, each by itself and in exact numbers: no check
// relies on another to have passed but for what has no meaning else (PLN-1 to PLN-5, PLN-7).
#include "chainwalk/fuzz/decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>

#include "chainwalk/spec/head.h"

namespace chainwalk::fuzz {
namespace {

using Request = cw_request;
__extension__ typedef __int128 Wide;

constexpr Wide past_64_bits = Wide{1} << 64U;

// Exact up to 2^64, and 2^64 from there on. Factors are not negative.
Wide product(std::initializer_list<std::int64_t> factors) {
  Wide result = 1;
  for (const std::int64_t factor : factors) {
    if (factor == 0) return 0;
    result = std::min(result * factor, past_64_bits);
  }
  return result;
}

bool is_given(const cw_tensor& t) { return t.rank != 0; }
bool has_extents(const cw_tensor& t) {
  return t.rank >= 0 && t.rank <= 3 &&
         std::all_of(t.shape, t.shape + t.rank, [](std::int64_t extent) { return extent >= 0; });
}
Wide elements_of(const cw_tensor& t) {
  switch (t.rank) {
    case 0: return 0;
    case 1: return product({t.shape[0]});
    case 2: return product({t.shape[0], t.shape[1]});
    default: return product({t.shape[0], t.shape[1], t.shape[2]});
  }
}
std::int64_t bytes_of_element(const cw_tensor& t) {
  return t.type == CW_U8 ? 1 : t.type == CW_BF16 ? 2 : 4;
}
Wide bytes_of(const cw_tensor& t) {
  return std::min(elements_of(t) * bytes_of_element(t), past_64_bits);
}
Wide address_of(const cw_tensor& t) { return reinterpret_cast<std::uintptr_t>(t.data); }

// Element (i, j, ...) lies where row-major order has it. An extent of 1 is never stepped over.
bool is_contiguous(const cw_tensor& t) {
  if (!has_extents(t)) return false;
  if (is_given(t) && elements_of(t) == 0) return true;
  Wide step = 1;
  for (std::int32_t i = t.rank; i-- > 0;) {
    if (t.shape[i] != 1 && Wide{t.stride[i]} != step) return false;
    step = std::min(step * t.shape[i], past_64_bits);
  }
  return true;
}
bool is_matrix(const cw_tensor& t, std::int64_t columns) {
  return t.rank == 2 && t.shape[1] == columns && is_contiguous(t);
}

bool is_dense_form(const Request& r) {
  return r.snapshot_form == CW_RAW || r.snapshot_form == CW_BF16_ROWS;
}
bool is_quantized_form(const Request& r) {
  return r.snapshot_form == CW_FP8 || r.snapshot_form == CW_INT4;
}
Head head_of(const Request& r) {
  return make_head(r.bank.shape[1], r.bank.type == CW_BF16 ? BankType::bf16 : BankType::f32);
}
bool is_tail(const Request& r) { return head_of(r).head_class != HeadClass::regular; }
Wide token_rows(const Request& r) { return elements_of(r.delta_v) / r.bank.shape[1]; }
Wide positions_of(const Request& r) { return product({r.records.shape[0], r.records.shape[1]}); }
bool is_tile_index(const Request& r, const cw_tensor& t) {
  return t.rank == 2 && is_contiguous(t) && t.shape[0] == r.records.shape[0] &&
         Wide{t.shape[1]} == product({r.blocks_per_chunk, r.warps_per_block}) + 1;
}
bool is_misplaced(const cw_tensor& t) { return is_given(t) && address_of(t) % 16 != 0; }
// A cluster carries the row's maximum where one warp has not the whole row.
bool is_by_cluster(const Request& r) {
  return r.geometry.quantizing_form == 1 &&
         (head_of(r).slices != 1 || r.geometry.slices_per_warp == 2);
}
bool do_overlap(const cw_tensor& a, const cw_tensor& b) {
  const bool counted = bytes_of(a) < past_64_bits / 2 && bytes_of(b) < past_64_bits / 2;
  return is_given(a) && is_given(b) && counted && bytes_of(a) != 0 && bytes_of(b) != 0 &&
         address_of(a) < address_of(b) + bytes_of(b) && address_of(b) < address_of(a) + bytes_of(a);
}
// PLN-7: bytes within 63 bits, and an end within the address space.
bool is_too_large(const cw_tensor& t) {
  return is_given(t) &&
         (bytes_of(t) >= past_64_bits / 2 || address_of(t) + bytes_of(t) > past_64_bits - 1);
}

struct Check {
  cw_refusal refusal;
  bool (*is_broken)(const Request& r);
};

// In the order of the chapter. A request of another version cannot be read at all.
const Check checks[] = {
    {CW_PLN10_VERSION, [](const Request& r) { return r.size < sizeof(cw_request); }},
    {CW_PLN1_BANK_RANK, [](const Request& r) { return r.bank.rank != 2; }},
    {CW_PLN1_BANK_TYPE,
     [](const Request& r) { return r.bank.type != CW_BF16 && r.bank.type != CW_F32; }},
    {CW_PLN1_BANK_CONTIGUOUS,
     [](const Request& r) { return has_extents(r.bank) && !is_contiguous(r.bank); }},
    {CW_PLN1_PORTABLE,
     [](const Request& r) { return r.geometry.portable < -1 || r.geometry.portable > 1; }},
    {CW_PLN1_SHARED_CAP,
     [](const Request& r) { return r.geometry.shared_cap < 0 || r.geometry.shared_cap > 232448; }},
    {CW_PLN1_CHUNK_SIZE, [](const Request& r) { return r.chunk_size < 1 || r.chunk_size > 256; }},
    {CW_PLN1_HEAD_DIM,
     [](const Request& r) { return r.bank.shape[1] < 1 || r.bank.shape[1] > (1 << 20); }},
    {CW_PLN1_SLOTS,
     [](const Request& r) { return r.bank.shape[0] < 0 || r.bank.shape[0] > 0x7FFF'FFFF; }},
    {CW_PLN1_NUM_PARALLEL,
     [](const Request& r) { return r.num_parallel < (r.snapshot_form == CW_NONE ? 0 : 1); }},
    {CW_PLN1_BLOCKS, [](const Request& r) { return r.blocks_per_chunk < 0; }},
    {CW_PLN1_WARPS,
     [](const Request& r) {
       if (r.warps_per_block != 4) return r.warps_per_block != 8 && r.warps_per_block != 16;
       return r.bank.type == CW_F32 || is_quantized_form(r) || is_tail(r) ||
              r.geometry.slices_per_warp == 2;
     }},
    {CW_PLN1_POSITIONS,
     [](const Request& r) {
       return r.records.rank == 3 && (r.records.shape[1] < 0 || r.records.shape[1] > (1 << 30));
     }},
    {CW_PLN2_DELTA_V_TYPE,
     [](const Request& r) { return is_given(r.delta_v) && r.delta_v.type != CW_F32; }},
    {CW_PLN2_DELTA_V_CONTIGUOUS, [](const Request& r) { return !is_contiguous(r.delta_v); }},
    {CW_PLN2_DELTA_V_ROWS,
     [](const Request& r) {
       return token_rows(r) < product({r.num_parallel, r.chunk_size});
     }},
    {CW_PLN2_STEP_ROWS,
     [](const Request& r) {
       return r.delta_v_step_rows < 0 || Wide{r.delta_v_step_rows} > elements_of(r.delta_v);
     }},
    {CW_PLN2_RECORDS_TYPE,
     [](const Request& r) { return is_given(r.records) && r.records.type != CW_I32; }},
    {CW_PLN2_RECORDS_SHAPE,
     [](const Request& r) {
       return r.records.rank != 3 || r.records.shape[2] != 4 || !is_contiguous(r.records);
     }},
    {CW_PLN2_BOUNDS_TYPE,
     [](const Request& r) { return is_given(r.tile_bounds) && r.tile_bounds.type != CW_I32; }},
    {CW_PLN2_BOUNDS_SHAPE, [](const Request& r) { return !is_tile_index(r, r.tile_bounds); }},
    {CW_PLN2_PREFIX_SHAPE,
     [](const Request& r) {
       return r.group_prefix.type != CW_I32 || !is_tile_index(r, r.group_prefix);
     }},
    {CW_PLN2_SNAPSHOT_TYPE,
     [](const Request& r) {
       const std::int32_t rows = r.snapshot_form == CW_BF16_ROWS ? +CW_BF16 : r.bank.type;
       return is_dense_form(r) && is_given(r.snapshot) && r.snapshot.type != rows;
     }},
    {CW_PLN2_SNAPSHOT_SHAPE,
     [](const Request& r) { return is_dense_form(r) && !is_matrix(r.snapshot, r.bank.shape[1]); }},
    {CW_PLN2_SNAPSHOT_UNUSED,
     [](const Request& r) { return r.snapshot_form == CW_NONE && is_given(r.snapshot); }},
    {CW_PLN2_SNAPSHOT_STEP,
     [](const Request& r) { return r.snapshot_step != 0 && r.snapshot_step != r.num_parallel; }},
    {CW_PLN2_ALIGNMENT,
     [](const Request& r) {
       return is_misplaced(r.bank) || is_misplaced(r.delta_v) || is_misplaced(r.records) ||
              is_misplaced(r.snapshot) || is_misplaced(r.payload);
     }},
    {CW_PLN3_TWO_SLICES,
     [](const Request& r) {
       const std::int32_t slices = r.geometry.slices_per_warp;
       if (slices != 2) return slices != 0 && slices != 1;
       return head_of(r).slices % 2 != 0 || r.bank.type != CW_BF16 || is_tail(r);
     }},
    {CW_PLN3_ROWS_STEP,
     [](const Request& r) { return is_dense_form(r) && r.snapshot_step != r.num_parallel; }},
    {CW_PLN3_QUANTIZED_STEP,
     [](const Request& r) { return is_quantized_form(r) && r.snapshot_step != r.num_parallel; }},
    {CW_PLN3_QUANTIZED_AND_RAW,
     [](const Request& r) {
       const bool quantized = is_given(r.payload) || is_given(r.scale);
       return is_quantized_form(r) ? is_given(r.snapshot) : is_dense_form(r) && quantized;
     }},
    {CW_PLN3_BF16_ROWS_BANK,
     [](const Request& r) { return r.snapshot_form == CW_BF16_ROWS && r.bank.type != CW_F32; }},
    {CW_PLN3_ALL_SLICES,
     [](const Request& r) { return r.geometry.quantizing_form == 2 && head_of(r).slices == 1; }},
    {CW_PLN3_PORTABLE_FORM,
     [](const Request& r) { return r.geometry.portable == 1 && is_by_cluster(r); }},
    // A dense form has snapshot_step == P by now.
    {CW_PLN4_SNAPSHOT_ROWS,
     [](const Request& r) {
       return is_dense_form(r) && Wide{r.snapshot.shape[0]} < positions_of(r);
     }},
    {CW_PLN4_PAYLOAD,
     [](const Request& r) {
       if (!is_quantized_form(r)) return is_given(r.payload);
       const std::int64_t columns =
           r.snapshot_form == CW_FP8 ? r.bank.shape[1] : (r.bank.shape[1] + 1) / 2;
       return r.payload.type != CW_U8 || !is_matrix(r.payload, columns) ||
              Wide{r.payload.shape[0]} < positions_of(r);
     }},
    {CW_PLN4_SCALE,
     [](const Request& r) {
       if (!is_quantized_form(r)) return is_given(r.scale);
       return !is_given(r.scale) || r.scale.type != CW_F32 || !is_contiguous(r.scale) ||
              elements_of(r.scale) < positions_of(r);
     }},
    {CW_PLN5_SNAPSHOT_BANK, [](const Request& r) { return do_overlap(r.snapshot, r.bank); }},
    {CW_PLN5_SNAPSHOT_DELTA_V, [](const Request& r) { return do_overlap(r.snapshot, r.delta_v); }},
    {CW_PLN5_PAYLOAD_BANK, [](const Request& r) { return do_overlap(r.payload, r.bank); }},
    {CW_PLN5_PAYLOAD_DELTA_V, [](const Request& r) { return do_overlap(r.payload, r.delta_v); }},
    {CW_PLN5_SCALE_BANK, [](const Request& r) { return do_overlap(r.scale, r.bank); }},
    {CW_PLN5_SCALE_DELTA_V, [](const Request& r) { return do_overlap(r.scale, r.delta_v); }},
    {CW_PLN5_PAYLOAD_SCALE, [](const Request& r) { return do_overlap(r.payload, r.scale); }},
    {CW_PLN7_OVERFLOW,
     [](const Request& r) {
       return is_too_large(r.bank) || is_too_large(r.delta_v) || is_too_large(r.records) ||
              is_too_large(r.tile_bounds) || is_too_large(r.group_prefix) ||
              is_too_large(r.snapshot) || is_too_large(r.payload) || is_too_large(r.scale);
     }},
};

struct Decided {
  std::int32_t refusal;
  Feature feature;
};
constexpr Decided decided[] = {
#define CW_DECIDED(code, feature) {code, Feature::feature},
#include "decided.def"
#undef CW_DECIDED
};

}  // namespace

cw_refusal refusal_asked_for(const cw_request& request) {
  const auto* broken = std::find_if(std::begin(checks), std::end(checks),
                                    [&](const Check& check) { return check.is_broken(request); });
  return broken == std::end(checks) ? CW_REFUSAL_NONE : broken->refusal;
}

bool is_limit(std::int32_t refusal) {
  return refusal == CW_PLN4_TENSOR_MAP_ROWS || refusal == CW_QNT9_HEAD || refusal == CW_GEO8_FORM ||
         refusal / 100 == CW_PLN6_SHARED / 100;
}

bool may_decide(const cw_request& request, std::int32_t refusal) {
  const cw_refusal asked = refusal_asked_for(request);
  if (refusal == asked) return true;
  if (!is_limit(refusal) || asked == CW_PLN10_VERSION) return false;
  if (asked != CW_REFUSAL_NONE && asked < refusal) return false;
  // Token rows, or the snapshot rows that a walk reads its bank rows from.
  return refusal != CW_PLN4_TENSOR_MAP_ROWS ||
         std::max(token_rows(request), positions_of(request)) >= (Wide{1} << 31U);
}

std::optional<Feature> feature_of_decision(std::int32_t refusal) {
  const auto* found = std::find_if(std::begin(decided), std::end(decided),
                                   [&](const Decided& one) { return one.refusal == refusal; });
  if (found == std::end(decided)) return std::nullopt;
  return found->feature;
}

std::string decision_name(std::int32_t refusal) {
  if (refusal == CW_REFUSAL_NONE) return "accepted";
  const auto feature = feature_of_decision(refusal);
  if (!feature) return fmt::format("code-{}", refusal);
  std::string name(info(*feature).id.substr(std::string_view("refused_").size()));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

}  // namespace chainwalk::fuzz
