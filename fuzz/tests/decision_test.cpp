// SPDX-License-Identifier: Apache-2.0
// Requests at the borders of the plan checks (PLN): codes by hand, and the campaign's requests on
// every implementation of the build that needs no GPU.
#include "chainwalk/fuzz/decision.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/fuzz/examine.h"
#include "chainwalk/oracle/oracle.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::fuzz {
namespace {

// P 2, C 16, n 64, N 6, K 3, nw 8; 1000 rows of 256, 96 token rows.
ProblemShape shape_of(SnapshotForm form, BankType bank = BankType::bf16) {
  return {bank, form, 1000, 256, 6, 64, 2, 16, 96, 32, 8, 3};
}

struct Asked {
  SnapshotForm form;
  const char* edits;
  cw_refusal refusal;
};
constexpr auto none = SnapshotForm::none;
constexpr auto raw = SnapshotForm::raw;
constexpr auto fp8 = SnapshotForm::fp8;
constexpr auto int4 = SnapshotForm::int4;

// On both sides of each border of the chapter; by its text.
const Asked by_hand[] = {
    {none, "", CW_REFUSAL_NONE},
    {none, "size=8", CW_PLN10_VERSION},
    {none, "bank.rank=3", CW_PLN1_BANK_RANK},
    {none, "bank.type=3", CW_PLN1_BANK_TYPE},
    {none, "bank.stride0=257", CW_PLN1_BANK_CONTIGUOUS},
    {none, "bank.stride1=2", CW_PLN1_BANK_CONTIGUOUS},
    {none, "slots=1 bank.stride0=9", CW_REFUSAL_NONE},
    {none, "slots=0 bank.stride0=9", CW_REFUSAL_NONE},
    {none, "geometry.portable=2", CW_PLN1_PORTABLE},
    {none, "geometry.shared_cap=232448", CW_REFUSAL_NONE},
    {none, "geometry.shared_cap=232449", CW_PLN1_SHARED_CAP},
    {none, "chunk_size=0", CW_PLN1_CHUNK_SIZE},
    {none, "chunk_size=256 delta_v_rows=512", CW_REFUSAL_NONE},
    {none, "chunk_size=257 delta_v_rows=514", CW_PLN1_CHUNK_SIZE},
    {none, "head_dim=1048576", CW_REFUSAL_NONE},
    {none, "head_dim=1048577", CW_PLN1_HEAD_DIM},
    {none, "head_dim=0", CW_PLN1_HEAD_DIM},
    {none, "slots=2147483647", CW_REFUSAL_NONE},
    {none, "slots=2147483648", CW_PLN1_SLOTS},
    {none, "slots=-1", CW_PLN1_SLOTS},
    {none, "num_parallel=-1", CW_PLN1_NUM_PARALLEL},
    {none, "num_parallel=0", CW_REFUSAL_NONE},
    {raw, "num_parallel=0", CW_PLN1_NUM_PARALLEL},
    {none, "blocks_per_chunk=0", CW_REFUSAL_NONE},
    {none, "blocks_per_chunk=-1", CW_PLN1_BLOCKS},
    {none, "warps_per_block=4", CW_REFUSAL_NONE},
    {none, "warps_per_block=16", CW_REFUSAL_NONE},
    {none, "warps_per_block=12", CW_PLN1_WARPS},
    {fp8, "warps_per_block=4", CW_PLN1_WARPS},
    {none, "warps_per_block=4 head_dim=260", CW_PLN1_WARPS},
    {none, "warps_per_block=4 bank.type=1", CW_PLN1_WARPS},
    {none, "warps_per_block=4 geometry.slices_per_warp=2", CW_PLN1_WARPS},
    {none, "positions=1073741824", CW_REFUSAL_NONE},
    {none, "positions=1073741825", CW_PLN1_POSITIONS},
    {none, "delta_v.type=0", CW_PLN2_DELTA_V_TYPE},
    {none, "delta_v.stride0=255", CW_PLN2_DELTA_V_CONTIGUOUS},
    {none, "delta_v_rows=32", CW_REFUSAL_NONE},
    {none, "delta_v_rows=31", CW_PLN2_DELTA_V_ROWS},
    {none, "delta_v.rank=1 delta_v.shape0=8192 delta_v.stride0=1", CW_REFUSAL_NONE},
    {none, "delta_v.rank=1 delta_v.shape0=8191 delta_v.stride0=1", CW_PLN2_DELTA_V_ROWS},
    {none, "num_parallel=9223372036854775807", CW_PLN2_DELTA_V_ROWS},
    {none, "delta_v_step_rows=24576", CW_REFUSAL_NONE},
    {none, "delta_v_step_rows=24577", CW_PLN2_STEP_ROWS},
    {none, "delta_v_step_rows=-1", CW_PLN2_STEP_ROWS},
    {none, "records.type=1", CW_PLN2_RECORDS_TYPE},
    {none, "records.shape2=5", CW_PLN2_RECORDS_SHAPE},
    {none, "chunks=-1", CW_PLN2_RECORDS_SHAPE},
    {none, "tile_bounds.type=1", CW_PLN2_BOUNDS_TYPE},
    {none, "tile_bounds.shape1=24 tile_bounds.stride0=24", CW_PLN2_BOUNDS_SHAPE},
    {none, "blocks_per_chunk=9223372036854775807", CW_PLN2_BOUNDS_SHAPE},
    {none, "group_prefix.type=1", CW_PLN2_PREFIX_SHAPE},
    {raw, "snapshot.type=1", CW_PLN2_SNAPSHOT_TYPE},
    {raw, "snapshot.shape1=255", CW_PLN2_SNAPSHOT_SHAPE},
    {none, "snapshot.rank=2", CW_PLN2_SNAPSHOT_UNUSED},
    {none, "snapshot_step=0", CW_REFUSAL_NONE},
    {none, "snapshot_step=1", CW_PLN2_SNAPSHOT_STEP},
    {none, "bank.shift=8", CW_PLN2_ALIGNMENT},
    {none, "bank.shift=16", CW_REFUSAL_NONE},
    {none, "tile_bounds.shift=4", CW_REFUSAL_NONE},
    {none, "geometry.slices_per_warp=2", CW_REFUSAL_NONE},
    {none, "geometry.slices_per_warp=2 head_dim=128", CW_PLN3_TWO_SLICES},
    {none, "geometry.slices_per_warp=3", CW_PLN3_TWO_SLICES},
    {raw, "snapshot_step=0", CW_PLN3_ROWS_STEP},
    {fp8, "snapshot_step=0", CW_PLN3_QUANTIZED_STEP},
    {fp8, "snapshot.rank=1", CW_PLN3_QUANTIZED_AND_RAW},
    {raw, "scale.rank=1", CW_PLN3_QUANTIZED_AND_RAW},
    {raw, "snapshot_form=2", CW_PLN3_BF16_ROWS_BANK},
    {fp8, "geometry.quantizing_form=2", CW_REFUSAL_NONE},
    {fp8, "geometry.quantizing_form=2 head_dim=128", CW_PLN3_ALL_SLICES},
    {fp8, "geometry.quantizing_form=1 geometry.portable=1", CW_PLN3_PORTABLE_FORM},
    {raw, "snapshot.shape0=384", CW_REFUSAL_NONE},
    {raw, "snapshot.shape0=383", CW_PLN4_SNAPSHOT_ROWS},
    {fp8, "payload.shape0=383", CW_PLN4_PAYLOAD},
    {fp8, "payload.shape1=128 payload.stride0=128", CW_PLN4_PAYLOAD},
    {int4, "head_dim=257", CW_REFUSAL_NONE},
    {none, "payload.rank=1", CW_PLN4_PAYLOAD},
    {fp8, "scale.shape0=384", CW_REFUSAL_NONE},
    {fp8, "scale.shape0=383", CW_PLN4_SCALE},
    {none, "scale.rank=1", CW_PLN4_SCALE},
    {raw, "snapshot.onto.bank=511984", CW_PLN5_SNAPSHOT_BANK},
    {raw, "snapshot.onto.bank=512000", CW_REFUSAL_NONE},
    {raw, "snapshot.onto.bank=-196608", CW_REFUSAL_NONE},
    {raw, "snapshot.onto.bank=-196592", CW_PLN5_SNAPSHOT_BANK},
    {raw, "snapshot.onto.delta_v=0", CW_PLN5_SNAPSHOT_DELTA_V},
    {raw, "snapshot.onto.records=0", CW_REFUSAL_NONE},
    {fp8, "payload.onto.bank=0", CW_PLN5_PAYLOAD_BANK},
    {fp8, "payload.onto.delta_v=0", CW_PLN5_PAYLOAD_DELTA_V},
    {fp8, "scale.onto.bank=0", CW_PLN5_SCALE_BANK},
    {fp8, "scale.onto.delta_v=0", CW_PLN5_SCALE_DELTA_V},
    {fp8, "scale.onto.payload=98300", CW_PLN5_PAYLOAD_SCALE},
    {fp8, "scale.onto.payload=98304", CW_REFUSAL_NONE},
    // N n 16 fits in 63 bits if and only if N <= floor((2^63 - 1) / (16 n)).
    {none, "chunks=9007199254740991", CW_REFUSAL_NONE},
    {none, "chunks=9007199254740992", CW_PLN7_OVERFLOW},
    // Of two, the earlier one.
    {fp8, "chunk_size=0 bank.rank=1", CW_PLN1_BANK_RANK},
    {raw, "snapshot.onto.bank=0 bank.shift=8", CW_PLN2_ALIGNMENT},
};

TEST(Decision, IsWhatTheChapterSays) {
  for (const Asked& one : by_hand) {
    const auto edits = parse_request_edits(one.edits);
    EXPECT_EQ(refusal_asked_for(sketch_request(shape_of(one.form), edits)), one.refusal)
        << to_string(one.form) << " " << one.edits;
  }
}

TEST(Decision, LeavesLimitsToTheImplementation) {
  const auto with = [](const char* edits) {
    return sketch_request(shape_of(none), parse_request_edits(edits));
  };
  const cw_request good = with("");
  EXPECT_TRUE(may_decide(good, CW_REFUSAL_NONE));
  for (const auto limit : {CW_PLN6_SHARED, CW_PLN6_IMAGE, CW_QNT9_HEAD, CW_GEO8_FORM})
    EXPECT_TRUE(may_decide(good, limit)) << limit;
  EXPECT_FALSE(may_decide(good, CW_PLN2_ALIGNMENT));
  EXPECT_FALSE(may_decide(good, CW_PLN4_TENSOR_MAP_ROWS));
  EXPECT_TRUE(may_decide(with("delta_v_rows=2147483648"), CW_PLN4_TENSOR_MAP_ROWS));
  // A limit of a check that runs later hides nothing.
  EXPECT_FALSE(may_decide(with("bank.rank=1"), CW_GEO8_FORM));
  EXPECT_FALSE(may_decide(with("bank.rank=1"), CW_REFUSAL_NONE));
  EXPECT_TRUE(may_decide(with("chunks=9007199254740992"), CW_PLN6_GRID));
}

TEST(RequestEdits, AreTextAndBack) {
  const std::string text = "bank.rank=3 scale.onto.payload=-16 geometry.shared_cap=232449";
  EXPECT_EQ(to_string(parse_request_edits(text)), text);
  EXPECT_TRUE(parse_request_edits("").empty());
  for (const char* wrong : {"bank", "bank.rank", "bank.rank=", "bank.rank=x", "bank.rank=3x",
                            "bank.rank=9223372036854775808", "bank.colour=1", "=1", " bank.rank=1"})
    EXPECT_THROW((void)parse_request_edits(wrong), InputError) << wrong;
}

// Nobody can read what stands behind a request.
TEST(RequestEdits, NameAddressesThatNoProcessHas) {
  const cw_request request = sketch_request(shape_of(fp8), {});
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  for (const cw_tensor* tensor : {&request.bank, &request.delta_v, &request.records,
                                  &request.tile_bounds, &request.payload, &request.scale})
    EXPECT_EQ(::write(ends[1], tensor->data, 1), -1);
  ::close(ends[0]);
  ::close(ends[1]);
}

class Deciding : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Fuzz, Deciding, ::testing::Values("reference", "oracle", "emulator"),
                         [](const auto& name) { return name.param; });

TEST_P(Deciding, AsTheRulesAsk) {
  const cw_implementation* table = adapters::find_implementation(GetParam());
  if (table == nullptr) GTEST_SKIP() << "this build has no " << GetParam();
  conformance::Implementation implementation;
  implementation.table = table;
  Examiner examiner(implementation, oracle::run);
  for (const Asked& one : by_hand) {
    FuzzCase made;
    made.problem.shape = shape_of(one.form);
    made.edits = parse_request_edits(one.edits);
    if (made.edits.empty()) continue;  // would run
    const Judgement judgement = examiner.examine(made);
    EXPECT_TRUE(judgement.key.empty()) << one.edits << ": " << judgement.text;
  }
  const Campaign& campaign = find_campaign("plans");
  const Weights weights = make_weights(1, 0, campaign.allowed, {});
  std::set<std::int32_t> decided;
  for (std::int64_t index = 0; index < 8000; ++index) {
    const FuzzCase made = make_case(campaign, 1, {0, index}, weights);
    const Judgement judgement = examiner.examine(made);
    ASSERT_TRUE(judgement.key.empty())
        << index << ", " << to_string(made.edits) << ": " << judgement.text;
    if (!made.edits.empty()) decided.insert(judgement.refusal);
  }
  for (std::int32_t code = 0; code < 2000; ++code) {
    const auto feature = feature_of_decision(code);
    if (!feature || (is_limit(code) && GetParam() != "emulator")) continue;
    EXPECT_TRUE(decided.contains(code)) << info(*feature).id;
  }
}

}  // namespace
}  // namespace chainwalk::fuzz
