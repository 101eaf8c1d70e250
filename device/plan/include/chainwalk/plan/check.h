// SPDX-License-Identifier: Apache-2.0
// One value per check of a plan and of a step, in the order in which they run (PLN, LCH, QNT-9,
// GEO-8). The hundreds are the rule; the numbers are those of the C interface's refusals.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace chainwalk::plan {

// QNT-9 and GEO-8 run after PLN-7: whether a member of the family serves a request is asked once
// the request itself is sound.
enum class Check : std::int32_t {
  pln1_bank_rank = 100,
  pln1_bank_type,
  pln1_bank_contiguous,
  pln1_portable,
  pln1_shared_cap,
  pln1_chunk_size,
  pln1_head_dim,
  pln1_slots,
  pln1_num_parallel,
  pln1_blocks,
  pln1_warps,
  pln1_positions,
  pln2_delta_v_type = 200,
  pln2_delta_v_contiguous,
  pln2_delta_v_rows,
  pln2_step_rows,
  pln2_records_type,
  pln2_records_shape,
  pln2_bounds_type,
  pln2_bounds_shape,
  pln2_prefix_shape,
  pln2_snapshot_type,
  pln2_snapshot_shape,
  pln2_snapshot_unused,
  pln2_snapshot_step,
  pln2_alignment,
  pln2_device,
  pln3_two_slices = 300,
  pln3_rows_step,
  pln3_quantized_step,
  pln3_quantized_and_raw,
  pln3_bf16_rows_bank,
  pln3_all_slices,
  pln3_portable_form,
  pln4_snapshot_rows = 400,
  pln4_payload,
  pln4_scale,
  pln4_tensor_map_rows,
  pln5_snapshot_bank = 500,
  pln5_snapshot_delta_v,
  pln5_payload_bank,
  pln5_payload_delta_v,
  pln5_scale_bank,
  pln5_scale_delta_v,
  pln5_payload_scale,
  pln6_shared = 600,
  pln6_cluster_size,
  pln6_cluster_capacity,
  pln6_grid,
  pln6_image,
  pln6_device_class,
  pln7_overflow = 700,
  pln10_version = 1000,
  lch1_step = 1100,
  lch1_flag,
  lch2_dependent,
  qnt9_head = 1300,
  geo8_form = 1400
};

// Every check, in the order in which they run.
std::span<const Check> all_checks();

// The enumerator's name ("pln1_bank_rank"), or "unknown" for a number that is none.
std::string_view to_string(Check check);

// The rule that a check carries ("PLN-1", "QNT-9").
std::string rule_of(Check check);

struct Refusal {
  Check check;
  std::string message;  // a sentence that begins with the rule: value found, value needed
};

}  // namespace chainwalk::plan
