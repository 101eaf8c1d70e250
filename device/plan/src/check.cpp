// SPDX-License-Identifier: Apache-2.0
// Names and rules of the checks (PLN, LCH, QNT-9, GEO-8).
#include "chainwalk/plan/check.h"

#include <algorithm>
#include <array>
#include <utility>

namespace chainwalk::plan {
namespace {

#define CW_CHECK(name)                      \
  std::pair {                               \
    Check::name, std::string_view { #name } \
  }
constexpr std::array names{
    CW_CHECK(pln1_bank_rank),
    CW_CHECK(pln1_bank_type),
    CW_CHECK(pln1_bank_contiguous),
    CW_CHECK(pln1_portable),
    CW_CHECK(pln1_shared_cap),
    CW_CHECK(pln1_chunk_size),
    CW_CHECK(pln1_head_dim),
    CW_CHECK(pln1_slots),
    CW_CHECK(pln1_num_parallel),
    CW_CHECK(pln1_blocks),
    CW_CHECK(pln1_warps),
    CW_CHECK(pln1_positions),
    CW_CHECK(pln2_delta_v_type),
    CW_CHECK(pln2_delta_v_contiguous),
    CW_CHECK(pln2_delta_v_rows),
    CW_CHECK(pln2_step_rows),
    CW_CHECK(pln2_records_type),
    CW_CHECK(pln2_records_shape),
    CW_CHECK(pln2_bounds_type),
    CW_CHECK(pln2_bounds_shape),
    CW_CHECK(pln2_prefix_shape),
    CW_CHECK(pln2_snapshot_type),
    CW_CHECK(pln2_snapshot_shape),
    CW_CHECK(pln2_snapshot_unused),
    CW_CHECK(pln2_snapshot_step),
    CW_CHECK(pln2_alignment),
    CW_CHECK(pln2_device),
    CW_CHECK(pln3_two_slices),
    CW_CHECK(pln3_rows_step),
    CW_CHECK(pln3_quantized_step),
    CW_CHECK(pln3_quantized_and_raw),
    CW_CHECK(pln3_bf16_rows_bank),
    CW_CHECK(pln3_all_slices),
    CW_CHECK(pln3_portable_form),
    CW_CHECK(pln4_snapshot_rows),
    CW_CHECK(pln4_payload),
    CW_CHECK(pln4_scale),
    CW_CHECK(pln4_tensor_map_rows),
    CW_CHECK(pln5_snapshot_bank),
    CW_CHECK(pln5_snapshot_delta_v),
    CW_CHECK(pln5_payload_bank),
    CW_CHECK(pln5_payload_delta_v),
    CW_CHECK(pln5_scale_bank),
    CW_CHECK(pln5_scale_delta_v),
    CW_CHECK(pln5_payload_scale),
    CW_CHECK(pln6_shared),
    CW_CHECK(pln6_cluster_size),
    CW_CHECK(pln6_cluster_capacity),
    CW_CHECK(pln6_grid),
    CW_CHECK(pln6_image),
    CW_CHECK(pln6_device_class),
    CW_CHECK(pln7_overflow),
    CW_CHECK(pln10_version),
    CW_CHECK(lch1_step),
    CW_CHECK(lch1_flag),
    CW_CHECK(lch2_dependent),
    CW_CHECK(qnt9_head),
    CW_CHECK(geo8_form),
};
#undef CW_CHECK

constexpr std::array order = [] {
  std::array<Check, names.size()> result{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    result[i] = names[i].first;
  }
  return result;
}();

}  // namespace

std::span<const Check> all_checks() { return order; }

std::string_view to_string(Check check) {
  for (const auto& [value, name] : names) {
    if (value == check) {
      return name;
    }
  }
  return "unknown";
}

std::string rule_of(Check check) {
  const int hundreds = static_cast<int>(check) / 100;
  if (hundreds <= 10) {
    return "PLN-" + std::to_string(hundreds);
  }
  switch (hundreds) {
    case 11: return check == Check::lch2_dependent ? "LCH-2" : "LCH-1";
    case 13: return "QNT-9";
    default: return "GEO-8";
  }
}

}  // namespace chainwalk::plan
