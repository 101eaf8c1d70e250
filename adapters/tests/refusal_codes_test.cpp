// SPDX-License-Identifier: Apache-2.0
// The numbers of the plan's checks are those of the C interface's refusals (PLN, LCH, QNT-9,
// GEO-8).
#include <gtest/gtest.h>

#include <string>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/implementation.h"
#include "chainwalk/plan/check.h"

namespace chainwalk::plan {
namespace {

#define CW_SAME(check, code) \
  static_assert(static_cast<std::int32_t>(Check::check) == static_cast<std::int32_t>(code))
CW_SAME(pln1_bank_rank, CW_PLN1_BANK_RANK);
CW_SAME(pln1_bank_type, CW_PLN1_BANK_TYPE);
CW_SAME(pln1_bank_contiguous, CW_PLN1_BANK_CONTIGUOUS);
CW_SAME(pln1_portable, CW_PLN1_PORTABLE);
CW_SAME(pln1_shared_cap, CW_PLN1_SHARED_CAP);
CW_SAME(pln1_chunk_size, CW_PLN1_CHUNK_SIZE);
CW_SAME(pln1_head_dim, CW_PLN1_HEAD_DIM);
CW_SAME(pln1_slots, CW_PLN1_SLOTS);
CW_SAME(pln1_num_parallel, CW_PLN1_NUM_PARALLEL);
CW_SAME(pln1_blocks, CW_PLN1_BLOCKS);
CW_SAME(pln1_warps, CW_PLN1_WARPS);
CW_SAME(pln1_positions, CW_PLN1_POSITIONS);
CW_SAME(pln2_delta_v_type, CW_PLN2_DELTA_V_TYPE);
CW_SAME(pln2_delta_v_contiguous, CW_PLN2_DELTA_V_CONTIGUOUS);
CW_SAME(pln2_delta_v_rows, CW_PLN2_DELTA_V_ROWS);
CW_SAME(pln2_step_rows, CW_PLN2_STEP_ROWS);
CW_SAME(pln2_records_type, CW_PLN2_RECORDS_TYPE);
CW_SAME(pln2_records_shape, CW_PLN2_RECORDS_SHAPE);
CW_SAME(pln2_bounds_type, CW_PLN2_BOUNDS_TYPE);
CW_SAME(pln2_bounds_shape, CW_PLN2_BOUNDS_SHAPE);
CW_SAME(pln2_prefix_shape, CW_PLN2_PREFIX_SHAPE);
CW_SAME(pln2_snapshot_type, CW_PLN2_SNAPSHOT_TYPE);
CW_SAME(pln2_snapshot_shape, CW_PLN2_SNAPSHOT_SHAPE);
CW_SAME(pln2_snapshot_unused, CW_PLN2_SNAPSHOT_UNUSED);
CW_SAME(pln2_snapshot_step, CW_PLN2_SNAPSHOT_STEP);
CW_SAME(pln2_alignment, CW_PLN2_ALIGNMENT);
CW_SAME(pln2_device, CW_PLN2_DEVICE);
CW_SAME(pln3_two_slices, CW_PLN3_TWO_SLICES);
CW_SAME(pln3_rows_step, CW_PLN3_ROWS_STEP);
CW_SAME(pln3_quantized_step, CW_PLN3_QUANTIZED_STEP);
CW_SAME(pln3_quantized_and_raw, CW_PLN3_QUANTIZED_AND_RAW);
CW_SAME(pln3_bf16_rows_bank, CW_PLN3_BF16_ROWS_BANK);
CW_SAME(pln3_all_slices, CW_PLN3_ALL_SLICES);
CW_SAME(pln3_portable_form, CW_PLN3_PORTABLE_FORM);
CW_SAME(pln4_snapshot_rows, CW_PLN4_SNAPSHOT_ROWS);
CW_SAME(pln4_payload, CW_PLN4_PAYLOAD);
CW_SAME(pln4_scale, CW_PLN4_SCALE);
CW_SAME(pln4_tensor_map_rows, CW_PLN4_TENSOR_MAP_ROWS);
CW_SAME(pln5_snapshot_bank, CW_PLN5_SNAPSHOT_BANK);
CW_SAME(pln5_snapshot_delta_v, CW_PLN5_SNAPSHOT_DELTA_V);
CW_SAME(pln5_payload_bank, CW_PLN5_PAYLOAD_BANK);
CW_SAME(pln5_payload_delta_v, CW_PLN5_PAYLOAD_DELTA_V);
CW_SAME(pln5_scale_bank, CW_PLN5_SCALE_BANK);
CW_SAME(pln5_scale_delta_v, CW_PLN5_SCALE_DELTA_V);
CW_SAME(pln5_payload_scale, CW_PLN5_PAYLOAD_SCALE);
CW_SAME(pln6_shared, CW_PLN6_SHARED);
CW_SAME(pln6_cluster_size, CW_PLN6_CLUSTER_SIZE);
CW_SAME(pln6_cluster_capacity, CW_PLN6_CLUSTER_CAPACITY);
CW_SAME(pln6_grid, CW_PLN6_GRID);
CW_SAME(pln6_image, CW_PLN6_IMAGE);
CW_SAME(pln6_device_class, CW_PLN6_DEVICE_CLASS);
CW_SAME(pln7_overflow, CW_PLN7_OVERFLOW);
CW_SAME(pln10_version, CW_PLN10_VERSION);
CW_SAME(lch1_step, CW_LCH1_STEP);
CW_SAME(lch1_flag, CW_LCH1_FLAG);
CW_SAME(lch2_dependent, CW_LCH2_DEPENDENT);
CW_SAME(qnt9_head, CW_QNT9_HEAD);
CW_SAME(geo8_form, CW_GEO8_FORM);
#undef CW_SAME

TEST(RefusalCodes, EveryCheckHasOne) { EXPECT_EQ(all_checks().size(), 58U); }

// Options of a machine of kernels are checked before any device is asked for.
TEST(CudaAdapter, BadOptionsAreNamed) {
  const cw_implementation* cuda = adapters::cuda_implementation();
  for (const auto& [option, part] : {std::pair{"kernel=no_such", "no_such"},
                                     {"device=-1", "-1"},
                                     {"dependent=2", "2"},
                                     {"source=there", "there"},
                                     {"colour=red", "colour=red"},
                                     {"", "key=value"}}) {
    cw_session* session = nullptr;
    const char* options[] = {option};
    const cw_result result = cuda->open(options, 1, &session);
    EXPECT_EQ(result.status, CW_ERROR);
    EXPECT_EQ(session, nullptr);
    EXPECT_NE(std::string(result.text).find(part), std::string::npos) << result.text;
  }
}

}  // namespace
}  // namespace chainwalk::plan
