// SPDX-License-Identifier: Apache-2.0
// Cases that need no expected value: two runs of the implementation itself must agree (TIL-5,
// GEO-4, QNT-7, LCH-1, DET-1, ARI).
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <memory>

#include "chainwalk/conformance/compare.h"
#include "chainwalk/spec/formats.h"
#include "chainwalk/spec/tiles.h"
#include "changed_problem.h"
#include "chapter.h"

namespace chainwalk::conformance {
namespace {

using generate::Parameters;
using generate::Values;

// Verdict of two runs that must leave the same bits. `what` says what was changed between them.
CaseResult agree(const Problem& problem, const Outcome& first, const Outcome& second,
                 const std::string& what) {
  for (const Outcome* outcome : {&first, &second}) {
    CaseResult result = judge_outcome(*outcome);
    if (result.verdict != Verdict::pass) return result;
  }
  CaseResult result;
  result.verdict = Verdict::pass;
  const Comparison comparison = compare(problem, first.outputs->views(), second.outputs->views(),
                                        {OutputBuffers::default_poison});
  if (comparison.equal()) return result;
  result.verdict = Verdict::fail;
  result.difference = comparison.differences.front();
  result.text = fmt::format("two runs that differ only in {} left different bits in {} elements",
                            what, comparison.differing());
  return result;
}

CaseResult same_under_tiles(Harness& harness, const Problem& problem) {
  const Outcome first = harness.run(problem);
  const std::int64_t warps = problem.shape.warps_per_block == 8 ? 16 : 8;
  const Problem other = with_standard_tiles(problem, warps, problem.shape.blocks_per_chunk + 1);
  return agree(problem, first, harness.run(other), "the tile set");
}

// Every geometry that the implementation takes must give the bits of the one it chooses itself.
CaseResult same_under_geometry(Harness& harness, const Problem& problem) {
  constexpr std::array wishes{cw_geometry{1, 64, 0, 0, 0}, cw_geometry{1, 64, 1, 0, 0},
                              cw_geometry{2, 64, 0, 0, 0}, cw_geometry{0, 32, -1, 0, 0},
                              cw_geometry{0, 0, -1, 1, 0}, cw_geometry{0, 0, -1, 2, 0},
                              cw_geometry{0, 0, -1, 3, 0}};
  const Outcome first = harness.run(problem);
  CaseResult result = judge_outcome(first);
  int tried = 0;
  for (const cw_geometry& wish : wishes) {
    if (result.verdict != Verdict::pass) return result;
    RunOptions options;
    options.geometry = wish;
    const Outcome other = harness.run(problem, options);
    if (other.status == CW_REFUSED) continue;
    ++tried;
    result = agree(problem, first, other, "geometry");
  }
  if (tried == 0 && result.verdict == Verdict::pass) {
    result.verdict = Verdict::unsupported;
    result.text = "the implementation takes no geometry but its own";
  }
  return result;
}

CaseResult same_again(Harness& harness, const Problem& problem) {
  constexpr int repeats = 8;
  const Outcome first = harness.run(problem);
  CaseResult result = judge_outcome(first);
  for (int repeat = 0; repeat < repeats && result.verdict == Verdict::pass; ++repeat) {
    result = agree(problem, first, harness.run(problem), "time");
  }
  return result;
}

// A fault once in a thousand launches needs thousands of launches: of the smallest problem there
// is.
CaseResult same_many_times(Harness& harness, const Problem& problem) {
  constexpr int repeats = 2500;
  const Outcome first = harness.run(problem);
  CaseResult result = judge_outcome(first);
  for (int repeat = 0; repeat < repeats && result.verdict == Verdict::pass; ++repeat) {
    result = agree(problem, first, harness.run(problem), "time");
    if (result.verdict == Verdict::fail) result.text += fmt::format(" (run {})", repeat + 2);
  }
  return result;
}

CaseResult same_bank_without_rows(Harness& harness, const Problem& problem) {
  const Outcome with_rows = harness.run(problem);
  Problem bare = problem;
  bare.shape.snapshot = SnapshotForm::none;
  const Outcome without = harness.run(bare);
  CaseResult result = judge_outcome(with_rows);
  if (result.verdict != Verdict::pass) return result;
  ConstOutputs bank_only;
  bank_only.bank = with_rows.outputs->views().bank;
  Outcome first;
  first.status = CW_OK;
  first.outputs = std::make_unique<OutputBuffers>(bare);
  std::memcpy(first.outputs->views().bank.data(), bank_only.bank.data(), bank_only.bank.size());
  return agree(bare, first, without, "the snapshot form");
}

// LCH-1: launches are stateless, so step t alone on the bank that t - 1 left is step t of a whole
// run.
CaseResult same_step_by_step(Harness& harness, const Problem& problem) {
  const Outcome whole = harness.run(problem);
  CaseResult result = judge_outcome(whole);
  if (result.verdict != Verdict::pass) return result;
  Problem current = problem;
  Outcome last;
  Outcome gathered;
  gathered.status = CW_OK;
  gathered.outputs = std::make_unique<OutputBuffers>(problem);
  for (std::int64_t step = 0; step < problem.shape.steps(); ++step) {
    last = harness.step_only(current, step);
    result = judge_outcome(last);
    if (result.verdict != Verdict::pass) return result;
    const auto bank = last.outputs->views().bank;
    current = change(
        current, [&](ChangedInputs& changed) { changed.bank.assign(bank.begin(), bank.end()); });
    std::memcpy(gathered.outputs->views().bank.data(), bank.data(), bank.size());
  }
  Problem bank_only = problem;
  bank_only.shape.snapshot = SnapshotForm::none;
  return agree(bank_only, whole, gathered, "the launches that carried it");
}

CaseResult same_with_renamed_slots(Harness& harness, const Problem& problem) {
  const std::int64_t slots = problem.shape.slots;
  const auto row_bytes = static_cast<std::size_t>(problem.shape.bank_row_bytes());
  const auto renamed = [&](std::int64_t slot) { return slots - 1 - slot; };
  const auto mirror = [&](std::span<const std::byte> from, std::span<std::byte> to) {
    for (std::int64_t slot = 0; slot < slots; ++slot) {
      std::memcpy(to.data() + static_cast<std::size_t>(renamed(slot)) * row_bytes,
                  from.data() + static_cast<std::size_t>(slot) * row_bytes, row_bytes);
    }
  };
  const Problem other = change(problem, [&](ChangedInputs& changed) {
    mirror(problem.bank_before, changed.bank);
    for (Record& record : changed.records) {
      if (record.slot < slots) record.slot = static_cast<std::uint32_t>(renamed(record.slot));
    }
  });
  const Outcome first = harness.run(problem);
  Outcome second = harness.run(other);
  if (second.outputs != nullptr) {
    const auto bank = second.outputs->views().bank;
    const std::vector<std::byte> copy(bank.begin(), bank.end());
    mirror(copy, bank);
  }
  return agree(problem, first, second, "the names of slots");
}

// Doubling bank and token rows doubles every stored row, exactly, while no value leaves the normal
// range: plain values stay within it.
CaseResult doubles(Harness& harness, const Problem& problem) {
  const Problem other = change(problem, [&](ChangedInputs& changed) {
    for (float& value : changed.delta_v) value *= 2.0F;
    auto* bits = reinterpret_cast<std::uint32_t*>(changed.bank.data());
    const auto double_bits = [](std::uint32_t word) {
      return f32_bits(f32_from_bits(word) * 2.0F);
    };
    for (std::size_t word = 0; word < changed.bank.size() / 4; ++word)
      bits[word] = double_bits(bits[word]);
  });
  const Outcome first = harness.run(problem);
  Outcome second = harness.run(other);
  if (second.outputs != nullptr) {
    const auto bank = second.outputs->views().bank;
    auto* bits = reinterpret_cast<std::uint32_t*>(bank.data());
    for (std::size_t word = 0; word < bank.size() / 4; ++word)
      bits[word] = f32_bits(f32_from_bits(bits[word]) * 0.5F);
  }
  return agree(problem, first, second, "a factor of two");
}

Parameters draw(std::uint64_t index) { return generate::draw_parameters(2, index, 1 << 13); }

Parameters draw_rows(std::uint64_t index) {
  Parameters parameters = draw(index);
  constexpr std::array forms{SnapshotForm::raw, SnapshotForm::fp8, SnapshotForm::int4};
  parameters.snapshot = forms[index % forms.size()];
  return parameters;
}

Parameters draw_plain_f32(std::uint64_t index) {
  Parameters parameters = draw(index);
  parameters.bank_type = BankType::f32;
  parameters.snapshot = SnapshotForm::none;
  parameters.values = Values::plain;
  return parameters;
}

}  // namespace

void add_metamorphic_cases(Profile profile, std::uint64_t seed, std::vector<Case>& cases) {
  Chapter til("TIL", profile, seed, cases);
  til.add_drawn("same-under-tiles", {"TIL-5", "GEO-4"}, draw, {12, 60, 400}, same_under_tiles);
  Chapter geo("GEO", profile, seed, cases);
  geo.add_drawn("same-under-geometry", {"GEO-4"}, draw, {12, 60, 400}, same_under_geometry);
  Chapter det("DET", profile, seed, cases);
  det.add_drawn("same-again", {"DET-1"}, draw, {8, 60, 400}, same_again);
  Parameters tiny;
  tiny.head_dim = 8;
  tiny.slots = 4;
  tiny.positions = 2;
  tiny.num_parallel = 1;
  tiny.steps = 1;
  tiny.blocks_per_chunk = 1;
  det.add("same-many-times", {"DET-1"}, tiny, {1, 2, 8}, same_many_times);
  det.add_drawn("renamed-slots", {"DET-1", "ARI-2"}, draw, {8, 40, 300}, same_with_renamed_slots);
  Chapter qnt("QNT", profile, seed, cases);
  qnt.add_drawn("same-bank-without-rows", {"QNT-7"}, draw_rows, {12, 60, 400},
                same_bank_without_rows);
  Chapter lch("LCH", profile, seed, cases);
  lch.add_drawn("step-by-step", {"LCH-1", "LCH-3"}, draw, {8, 40, 300}, same_step_by_step);
  Chapter ari("ARI", profile, seed, cases);
  ari.add_drawn("doubles", {"ARI-1", "ARI-2"}, draw_plain_f32, {8, 40, 300}, doubles);
}

}  // namespace chainwalk::conformance
