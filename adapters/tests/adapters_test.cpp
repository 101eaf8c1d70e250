// SPDX-License-Identifier: Apache-2.0
// The built-in implementations through the C interface: outputs, refusals with their codes,
// options.
#include "chainwalk/adapters/adapters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "chainwalk/conformance/compare.h"
#include "chainwalk/conformance/harness.h"
#include "chainwalk/generate/generate.h"
#include "chainwalk/oracle/oracle.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::adapters {
namespace {

using conformance::Harness;
using conformance::Outcome;

conformance::Implementation implementation(const char* name,
                                           std::vector<std::string> options = {}) {
  conformance::Implementation chosen;
  chosen.table = find_implementation(name);
  chosen.memory = conformance::host_memory();
  chosen.options = std::move(options);
  return chosen;
}

Problem make(SnapshotForm snapshot, BankType bank_type = BankType::f32) {
  generate::Parameters parameters;
  parameters.bank_type = bank_type;
  parameters.snapshot = snapshot;
  parameters.head_dim = 12;
  parameters.positions = 40;
  return generate::make_problem(parameters, 4, 5);
}

TEST(Adapters, EveryImplementationIsFoundByItsName) {
  ASSERT_GE(implementations().size(), 2U);
  for (const cw_implementation* one : implementations()) {
    EXPECT_EQ(find_implementation(one->name), one);
    EXPECT_EQ(one->size, sizeof(cw_implementation));
    EXPECT_EQ(one->interface_version, CW_INTERFACE_VERSION);
  }
  EXPECT_EQ(find_implementation("nothing"), nullptr);
}

TEST(Adapters, ReferenceAndOracleLeaveWhatTheOracleLeaves) {
  for (const char* name : {"reference", "oracle"}) {
    Harness harness(implementation(name));
    for (const SnapshotForm form : {SnapshotForm::none, SnapshotForm::raw, SnapshotForm::bf16,
                                    SnapshotForm::fp8, SnapshotForm::int4}) {
      const Problem problem = make(form);
      OutputBuffers expected(problem);
      oracle::run(problem, expected.views());
      const Outcome outcome = harness.run(problem);
      ASSERT_EQ(outcome.status, CW_OK) << outcome.text;
      EXPECT_FALSE(outcome.stray);
      EXPECT_EQ(outcome.greatest_step, 1);
      EXPECT_TRUE(conformance::compare(problem, expected.views(), outcome.outputs->views(),
                                       {.poison = outcome.outputs->poison()})
                      .equal())
          << name << ' ' << to_string(form);
    }
  }
}

TEST(Adapters, UnknownOptionsAreRefusedByName) {
  for (const char* option : {"speed=2", "threads=x", "threads=-1", "isa=mmx", "threads"}) {
    try {
      const Harness harness(implementation("reference", {option}));
      ADD_FAILURE() << option;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("option"), std::string::npos) << error.what();
    }
  }
  EXPECT_NO_THROW(Harness(implementation("reference", {"threads=2", "isa=portable"})));
  EXPECT_THROW(Harness(implementation("oracle", {"threads=2"})), InputError);
}

struct Spoiled {
  SnapshotForm snapshot;
  cw_refusal refusal;
  std::function<void(cw_request&)> spoil;
};

TEST(Adapters, EveryCheckHasItsCode) {
  constexpr auto none = SnapshotForm::none;
  constexpr auto raw = SnapshotForm::raw;
  constexpr auto fp8 = SnapshotForm::fp8;
  const auto move = [](cw_tensor& tensor, const cw_tensor& onto, std::int64_t bytes) {
    tensor.data = static_cast<std::byte*>(onto.data) + bytes;
  };
  const Spoiled cases[] = {
      {none, CW_PLN1_BANK_RANK, [](cw_request& r) { r.bank.rank = 1; }},
      {none, CW_PLN1_BANK_TYPE, [](cw_request& r) { r.bank.type = CW_I32; }},
      {none, CW_PLN1_BANK_CONTIGUOUS, [](cw_request& r) { r.bank.stride[0] += 4; }},
      {none, CW_PLN1_PORTABLE, [](cw_request& r) { r.geometry.portable = 2; }},
      {none, CW_PLN1_SHARED_CAP, [](cw_request& r) { r.geometry.shared_cap = 232449; }},
      {none, CW_PLN1_CHUNK_SIZE, [](cw_request& r) { r.chunk_size = 257; }},
      {none, CW_PLN1_NUM_PARALLEL, [](cw_request& r) { r.num_parallel = -1; }},
      {raw, CW_PLN1_NUM_PARALLEL, [](cw_request& r) { r.num_parallel = 0; }},
      {none, CW_PLN1_BLOCKS, [](cw_request& r) { r.blocks_per_chunk = -1; }},
      {none, CW_PLN1_WARPS, [](cw_request& r) { r.warps_per_block = 12; }},
      {none, CW_PLN1_POSITIONS, [](cw_request& r) { r.records.shape[1] = (1LL << 30) + 1; }},
      {none, CW_PLN2_DELTA_V_TYPE, [](cw_request& r) { r.delta_v.type = CW_BF16; }},
      {none, CW_PLN2_DELTA_V_CONTIGUOUS, [](cw_request& r) { r.delta_v.stride[1] = 2; }},
      {none, CW_PLN2_DELTA_V_ROWS, [](cw_request& r) { r.delta_v.shape[0] = 31; }},
      {none, CW_PLN2_STEP_ROWS, [](cw_request& r) { r.delta_v_step_rows = 64 * 12 + 1; }},
      {none, CW_PLN2_RECORDS_TYPE, [](cw_request& r) { r.records.type = CW_F32; }},
      {none, CW_PLN2_RECORDS_SHAPE, [](cw_request& r) { r.records.shape[2] = 3; }},
      {none, CW_PLN2_BOUNDS_TYPE, [](cw_request& r) { r.tile_bounds.type = CW_F32; }},
      {none, CW_PLN2_BOUNDS_SHAPE, [](cw_request& r) { r.blocks_per_chunk = 3; }},
      {none, CW_PLN2_PREFIX_SHAPE, [](cw_request& r) { r.group_prefix.shape[1] -= 1; }},
      {raw, CW_PLN2_SNAPSHOT_TYPE, [](cw_request& r) { r.snapshot.type = CW_BF16; }},
      {raw, CW_PLN2_SNAPSHOT_SHAPE, [](cw_request& r) { r.snapshot.shape[1] = 11; }},
      {none, CW_PLN2_SNAPSHOT_UNUSED, [](cw_request& r) { r.snapshot = r.bank; }},
      {none, CW_PLN2_SNAPSHOT_STEP, [](cw_request& r) { r.snapshot_step = 1; }},
      {none, CW_PLN2_ALIGNMENT, [&](cw_request& r) { move(r.records, r.records, 8); }},
      {raw, CW_PLN3_ROWS_STEP, [](cw_request& r) { r.snapshot_step = 0; }},
      {fp8, CW_PLN3_QUANTIZED_STEP, [](cw_request& r) { r.snapshot_step = 0; }},
      {raw, CW_PLN4_SNAPSHOT_ROWS, [](cw_request& r) { r.snapshot.shape[0] -= 1; }},
      {fp8, CW_PLN4_PAYLOAD, [](cw_request& r) { r.payload.shape[0] -= 1; }},
      {fp8, CW_PLN4_SCALE, [](cw_request& r) { r.scale.shape[0] -= 1; }},
      {raw, CW_PLN5_SNAPSHOT_BANK, [&](cw_request& r) { move(r.snapshot, r.bank, 16); }},
      {raw, CW_PLN5_SNAPSHOT_DELTA_V, [&](cw_request& r) { move(r.snapshot, r.delta_v, 0); }},
      {fp8, CW_PLN5_PAYLOAD_BANK, [&](cw_request& r) { move(r.payload, r.bank, 16); }},
      {fp8, CW_PLN5_SCALE_BANK, [&](cw_request& r) { move(r.scale, r.bank, 4); }},
      {fp8, CW_PLN5_SCALE_DELTA_V, [&](cw_request& r) { move(r.scale, r.delta_v, 4); }},
      {fp8, CW_PLN5_PAYLOAD_SCALE, [&](cw_request& r) { move(r.scale, r.payload, 4); }},
      {none, CW_PLN7_OVERFLOW,
       [](cw_request& r) { r.delta_v.shape[0] = (1LL << 61) / r.delta_v.shape[1] + 1; }},
      {none, CW_PLN10_VERSION, [](cw_request& r) { r.size = 8; }}};
  for (const char* name : {"reference", "oracle"}) {
    Harness harness(implementation(name));
    for (const Spoiled& one : cases) {
      cw_request& request = harness.request_for(make(one.snapshot));
      EXPECT_EQ(harness.plan_only(request).status, CW_OK);
      one.spoil(request);
      const Outcome outcome = harness.plan_only(request);
      EXPECT_EQ(outcome.status, CW_REFUSED) << one.refusal;
      EXPECT_EQ(outcome.refusal, one.refusal) << outcome.text;
      EXPECT_EQ(outcome.text.rfind("PLN-", 0), 0U) << outcome.text;
    }
  }
}

TEST(Adapters, StepsOutsideTheLegalOnesAreRefusedAndWriteNothing) {
  for (const char* name : {"reference", "oracle"}) {
    Harness harness(implementation(name));
    for (const std::int64_t step : {std::int64_t{-1}, std::int64_t{2}, std::int64_t{1} << 40}) {
      const Outcome outcome = harness.step_only(make(SnapshotForm::none), step);
      EXPECT_EQ(outcome.status, CW_REFUSED);
      EXPECT_EQ(outcome.refusal, CW_LCH1_STEP) << outcome.text;
    }
  }
}

TEST(Adapters, MalformedRecordsAreAnErrorThatNamesThePlace) {
  Problem problem = make(SnapshotForm::none);
  std::vector<Record> records(problem.records.begin(), problem.records.end());
  const auto stored = std::find_if(records.begin(), records.end(), [](const Record& record) {
    return is_last(record) && !is_invalid(record);
  });
  ASSERT_NE(stored, records.end());
  stored->slot = 0x7FFF'FFFEU;
  problem.records = records;
  Harness harness(implementation("reference"));
  const Outcome outcome = harness.run(problem);
  EXPECT_EQ(outcome.status, CW_ERROR);
  EXPECT_NE(outcome.text.find("REC-5"), std::string::npos) << outcome.text;
}

// Walked as REC-6 says where no rows are written; with rows, ordinals would mean nothing.
TEST(Adapters, IllFormedFlagsAreAnErrorOnlyWhereRowsAreWritten) {
  for (const char* name : {"reference", "oracle"}) {
    for (const SnapshotForm form : {SnapshotForm::none, SnapshotForm::raw}) {
      SCOPED_TRACE(std::string(name) + ", " + to_string(form));
      Problem problem = make(form);
      std::vector<Record> records(problem.records.begin(), problem.records.end());
      records.front().x &= ~record_first;
      problem.records = records;
      Harness harness(implementation(name));
      const Outcome outcome = harness.run(problem);
      if (form == SnapshotForm::none) {
        EXPECT_EQ(outcome.status, CW_OK) << outcome.text;
      } else {
        EXPECT_EQ(outcome.status, CW_ERROR);
        EXPECT_NE(outcome.text.find("REC-6"), std::string::npos) << outcome.text;
      }
    }
  }
}

}  // namespace
}  // namespace chainwalk::adapters
