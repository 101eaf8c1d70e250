// SPDX-License-Identifier: Apache-2.0
// Chapters PLN and LCH: malformed requests must be refused with their code, before any work.
#include <fmt/format.h>

#include <algorithm>

#include "chapter.h"

namespace chainwalk::conformance {
namespace {

using generate::Parameters;

struct Spoiled {
  const char* recipe;
  const char* rule;
  cw_refusal refusal;
  SnapshotForm form;
  void (*spoil)(cw_request&);
};

void shift(cw_tensor& tensor, std::int64_t bytes) {
  tensor.data = static_cast<char*>(tensor.data) + bytes;
}
void overlay(cw_tensor& tensor, const cw_tensor& on) { tensor.data = on.data; }

constexpr std::int64_t huge = std::int64_t{1} << 62U;

// Each spoils one thing of a request that is otherwise fine.
const Spoiled spoiled[] = {
    {"bank-rank", "PLN-1", CW_PLN1_BANK_RANK, SnapshotForm::none,
     [](cw_request& r) { r.bank.rank = 3; }},
    {"bank-type", "PLN-1", CW_PLN1_BANK_TYPE, SnapshotForm::none,
     [](cw_request& r) { r.bank.type = CW_U8; }},
    {"bank-strided", "PLN-1", CW_PLN1_BANK_CONTIGUOUS, SnapshotForm::none,
     [](cw_request& r) { r.bank.stride[0] += 8; }},
    {"shared-cap", "PLN-1", CW_PLN1_SHARED_CAP, SnapshotForm::none,
     [](cw_request& r) { r.geometry.shared_cap = 232449; }},
    {"chunk-size-0", "PLN-1", CW_PLN1_CHUNK_SIZE, SnapshotForm::none,
     [](cw_request& r) { r.chunk_size = 0; }},
    {"chunk-size-257", "PLN-1", CW_PLN1_CHUNK_SIZE, SnapshotForm::none,
     [](cw_request& r) { r.chunk_size = 257; }},
    {"head-dim-0", "PLN-1", CW_PLN1_HEAD_DIM, SnapshotForm::none,
     [](cw_request& r) {
       r.bank.shape[1] = 0;
       r.bank.stride[0] = 0;
     }},
    {"parallel-negative", "PLN-1", CW_PLN1_NUM_PARALLEL, SnapshotForm::none,
     [](cw_request& r) { r.num_parallel = -1; }},
    {"blocks-negative", "PLN-1", CW_PLN1_BLOCKS, SnapshotForm::none,
     [](cw_request& r) { r.blocks_per_chunk = -1; }},
    {"warps-5", "PLN-1", CW_PLN1_WARPS, SnapshotForm::none,
     [](cw_request& r) { r.warps_per_block = 5; }},
    {"positions-over", "PLN-1", CW_PLN1_POSITIONS, SnapshotForm::none,
     [](cw_request& r) {
       r.records.shape[1] = (std::int64_t{1} << 30U) + 1;
       r.records.stride[0] = r.records.shape[1] * 4;
     }},
    {"delta-v-type", "PLN-2", CW_PLN2_DELTA_V_TYPE, SnapshotForm::none,
     [](cw_request& r) { r.delta_v.type = CW_BF16; }},
    {"delta-v-rows", "PLN-2", CW_PLN2_DELTA_V_ROWS, SnapshotForm::none,
     [](cw_request& r) { r.delta_v.shape[0] = r.num_parallel * r.chunk_size - 1; }},
    {"step-rows-negative", "PLN-2", CW_PLN2_STEP_ROWS, SnapshotForm::none,
     [](cw_request& r) { r.delta_v_step_rows = -1; }},
    {"step-rows-huge", "PLN-2", CW_PLN2_STEP_ROWS, SnapshotForm::none,
     [](cw_request& r) { r.delta_v_step_rows = huge; }},
    {"records-type", "PLN-2", CW_PLN2_RECORDS_TYPE, SnapshotForm::none,
     [](cw_request& r) { r.records.type = CW_F32; }},
    {"records-shape", "PLN-2", CW_PLN2_RECORDS_SHAPE, SnapshotForm::none,
     [](cw_request& r) { r.records.shape[2] = 3; }},
    {"bounds-type", "PLN-2", CW_PLN2_BOUNDS_TYPE, SnapshotForm::none,
     [](cw_request& r) { r.tile_bounds.type = CW_F32; }},
    {"bounds-shape", "PLN-2", CW_PLN2_BOUNDS_SHAPE, SnapshotForm::none,
     [](cw_request& r) { r.tile_bounds.shape[1] -= 1; }},
    {"prefix-shape", "PLN-2", CW_PLN2_PREFIX_SHAPE, SnapshotForm::none,
     [](cw_request& r) { r.group_prefix.shape[1] += 1; }},
    {"snapshot-type", "PLN-2", CW_PLN2_SNAPSHOT_TYPE, SnapshotForm::raw,
     [](cw_request& r) { r.snapshot.type = CW_U8; }},
    {"snapshot-shape", "PLN-2", CW_PLN2_SNAPSHOT_SHAPE, SnapshotForm::raw,
     [](cw_request& r) {
       r.snapshot.shape[1] += 1;
       r.snapshot.stride[0] += 1;
     }},
    {"snapshot-step", "PLN-2", CW_PLN2_SNAPSHOT_STEP, SnapshotForm::raw,
     [](cw_request& r) { r.snapshot_step = r.num_parallel + 1; }},
    {"bank-alignment", "PLN-2", CW_PLN2_ALIGNMENT, SnapshotForm::none,
     [](cw_request& r) { shift(r.bank, 4); }},
    {"records-alignment", "PLN-2", CW_PLN2_ALIGNMENT, SnapshotForm::none,
     [](cw_request& r) { shift(r.records, 4); }},
    {"payload-alignment", "PLN-2", CW_PLN2_ALIGNMENT, SnapshotForm::fp8,
     [](cw_request& r) { shift(r.payload, 8); }},
    {"rows-need-step", "PLN-3", CW_PLN3_ROWS_STEP, SnapshotForm::raw,
     [](cw_request& r) { r.snapshot_step = 0; }},
    {"quantized-needs-step", "PLN-3", CW_PLN3_QUANTIZED_STEP, SnapshotForm::fp8,
     [](cw_request& r) { r.snapshot_step = 0; }},
    {"snapshot-rows", "PLN-4", CW_PLN4_SNAPSHOT_ROWS, SnapshotForm::raw,
     [](cw_request& r) { r.snapshot.shape[0] -= 1; }},
    {"payload-rows", "PLN-4", CW_PLN4_PAYLOAD, SnapshotForm::fp8,
     [](cw_request& r) { r.payload.shape[0] -= 1; }},
    {"scale-elements", "PLN-4", CW_PLN4_SCALE, SnapshotForm::fp8,
     [](cw_request& r) { r.scale.shape[0] -= 1; }},
    {"snapshot-over-bank", "PLN-5", CW_PLN5_SNAPSHOT_BANK, SnapshotForm::raw,
     [](cw_request& r) { overlay(r.snapshot, r.bank); }},
    {"snapshot-over-delta-v", "PLN-5", CW_PLN5_SNAPSHOT_DELTA_V, SnapshotForm::raw,
     [](cw_request& r) { overlay(r.snapshot, r.delta_v); }},
    {"payload-over-bank", "PLN-5", CW_PLN5_PAYLOAD_BANK, SnapshotForm::fp8,
     [](cw_request& r) { overlay(r.payload, r.bank); }},
    {"payload-over-delta-v", "PLN-5", CW_PLN5_PAYLOAD_DELTA_V, SnapshotForm::fp8,
     [](cw_request& r) { overlay(r.payload, r.delta_v); }},
    {"scale-over-bank", "PLN-5", CW_PLN5_SCALE_BANK, SnapshotForm::fp8,
     [](cw_request& r) { overlay(r.scale, r.bank); }},
    {"scale-over-delta-v", "PLN-5", CW_PLN5_SCALE_DELTA_V, SnapshotForm::fp8,
     [](cw_request& r) { overlay(r.scale, r.delta_v); }},
    {"payload-over-scale", "PLN-5", CW_PLN5_PAYLOAD_SCALE, SnapshotForm::fp8,
     [](cw_request& r) { overlay(r.scale, r.payload); }},
};

Parameters request_parameters(SnapshotForm form) {
  Parameters parameters;
  parameters.snapshot = form;
  parameters.head_dim = 64;
  // As many token rows as positions: an output laid over delta_v then reaches no third buffer.
  parameters.chunk_size = 64;
  return parameters;
}

CaseResult must_refuse(Harness& harness, const Problem& problem, const Spoiled& how) {
  // What is refused unspoiled says nothing about the check.
  if (const auto reason = harness.unsupported(problem)) {
    CaseResult unsupported;
    unsupported.verdict = Verdict::unsupported;
    unsupported.text = *reason;
    return unsupported;
  }
  cw_request request = harness.request_for(problem);
  how.spoil(request);
  const Outcome outcome = harness.plan_only(request);
  CaseResult result;
  result.verdict = Verdict::pass;
  if (outcome.stray) {
    result = judge_outcome(outcome);
  } else if (outcome.status != CW_REFUSED) {
    result.verdict = Verdict::fail;
    result.text = fmt::format("a malformed request was not refused (status {}): {}", outcome.status,
                              outcome.text);
    result.broken_rules = {how.rule};
  } else if (outcome.refusal != how.refusal) {
    result.verdict = Verdict::fail;
    result.text = fmt::format("refused with code {}, not {}: {}", outcome.refusal,
                              static_cast<int>(how.refusal), outcome.text);
    result.broken_rules = {how.rule};
  }
  return result;
}

CaseResult refuses_steps(Harness& harness, const Problem& problem) {
  for (const std::int64_t step : {std::int64_t{-1}, problem.shape.steps(), huge}) {
    const Outcome outcome = harness.step_only(problem, step);
    if (outcome.status == CW_REFUSED && outcome.refusal == CW_LCH1_STEP) continue;
    CaseResult result;
    result.verdict = Verdict::fail;
    result.text = fmt::format("step {} of {} was not refused as LCH-1 asks (status {}, code {})",
                              step, problem.shape.steps(), outcome.status, outcome.refusal);
    result.broken_rules = {"LCH-1"};
    return result;
  }
  CaseResult result;
  result.verdict = Verdict::pass;
  return result;
}

CaseResult knows_greatest_step(Harness& harness, const Problem& problem) {
  const Outcome outcome = harness.run(problem);
  CaseResult result = judge_outcome(outcome);
  if (result.verdict != Verdict::pass) return result;
  const ProblemShape& shape = problem.shape;
  std::int64_t needed = shape.steps() - 1;
  if (shape.delta_v_step_rows != 0) {
    needed = std::min(needed, (shape.delta_v_rows - shape.num_parallel * shape.chunk_size) /
                                  shape.delta_v_step_rows);
  }
  if (outcome.greatest_step == needed) return result;
  result.verdict = Verdict::fail;
  result.text =
      fmt::format("greatest legal step {}; PLN-8 gives {}", outcome.greatest_step, needed);
  result.broken_rules = {"PLN-8"};
  return result;
}

}  // namespace

void add_plan_chapter(Profile profile, std::uint64_t seed, std::vector<Case>& cases) {
  Chapter pln("PLN", profile, seed, cases);
  for (const Spoiled& how : spoiled) {
    pln.add(how.recipe, {how.rule}, request_parameters(how.form), {1, 1, 1},
            [&how](Harness& harness, const Problem& problem) {
              return must_refuse(harness, problem, how);
            });
  }
  Parameters parameters = request_parameters(SnapshotForm::none);
  pln.add("greatest-step", {"PLN-8"}, parameters, {1, 2, 4}, knows_greatest_step);
  parameters.extra_chunks = 1;
  parameters.delta_v_step_rows = 3;
  pln.add("greatest-step-strided", {"PLN-8"}, parameters, {1, 2, 4}, knows_greatest_step);
  Chapter lch("LCH", profile, seed, cases);
  lch.add("steps-out-of-range", {"LCH-1"}, request_parameters(SnapshotForm::none), {1, 2, 4},
          refuses_steps);
}

}  // namespace chainwalk::conformance
