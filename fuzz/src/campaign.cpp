// SPDX-License-Identifier: Apache-2.0
// The campaigns, and cases by place.
#include "chainwalk/fuzz/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>

#include "build.h"
#include "chainwalk/fuzz/decision.h"
#include "chainwalk/generate/random.h"
#include "chainwalk/spec/fault.h"
#include "draw.h"
#include "faults.h"
#include "sparse.h"

namespace chainwalk::fuzz {
namespace {

// `base` with the choices of one axis replaced.
FeatureSet with_only(FeatureSet base, Axis axis, std::initializer_list<Feature> choices) {
  for (const Feature feature : features_of(axis)) base[index_of(feature)] = false;
  for (const Feature feature : choices) base[index_of(feature)] = true;
  return base;
}

FeatureSet everything_well_formed() {
  FeatureSet set;
  for (std::size_t index = 0; index < feature_count; ++index)
    set[index] = is_drawn(static_cast<Feature>(index));
  set[index_of(Feature::flags_missing)] = false;
  return with_only(set, Axis::fault, {Feature::fault_none});
}

using enum Feature;

FeatureSet small_heads(const FeatureSet& base) {
  return with_only(base, Axis::head, {head_1, head_2_7, head_8n, head_4n, head_odd});
}
FeatureSet walk_features() {
  return with_only(small_heads(everything_well_formed()), Axis::rows,
                   {bf16_none, f32_none, bf16_raw, f32_raw, f32_bf16});
}
FeatureSet quantized_features() {
  FeatureSet set =
      with_only(everything_well_formed(), Axis::rows, {bf16_fp8, f32_fp8, bf16_int4, f32_int4});
  set[index_of(head_wide)] = false;
  set[index_of(warps_4)] = false;  // PLN-1
  return set;
}
FeatureSet flags_features() {
  FeatureSet set =
      with_only(small_heads(everything_well_formed()), Axis::rows, {bf16_none, f32_none});
  set = with_only(set, Axis::flags, {flags_missing});
  return with_only(set, Axis::validity, {all_valid, some_invalid});
}
FeatureSet schedule_features() {
  FeatureSet set = everything_well_formed();
  for (const Feature feature : {head_wide, n_129_512, chunk_256}) set[index_of(feature)] = false;
  return set;
}
FeatureSet big_features() {
  FeatureSet set = schedule_features();
  set = with_only(set, Axis::steps, {steps_1, steps_2});
  return with_only(set, Axis::bank, {bank_plain, bank_special});
}

// The request is what matters: little problems, of every form and class of head.
FeatureSet plan_features() {
  FeatureSet set = everything_well_formed();
  for (const Feature feature : {head_wide, n_33_128, n_129_512, steps_0, chunk_256, tiles_128})
    set[index_of(feature)] = false;
  for (const Feature feature : features_of(Axis::fault)) set[index_of(feature)] = true;
  return set;
}

const std::array<Campaign, 7>& table() {
  static const std::array<Campaign, 7> list{{
      {"walk", "chains, rounding, tokens, groups and tiles; up to 512 records, heads up to 64",
       walk_features(), 512, 1 << 15, 8192, 256, false, false, false},
      {"quantized", "fp8 and int4 rows: amax, scales, quotients, codes; heads up to 520",
       quantized_features(), 256, 1 << 15, 4096, 128, false, false, false},
      {"boundaries", "every bank, form and head up to 1100 columns, at the borders of slices",
       everything_well_formed(), 512, 1 << 16, 2048, 64, false, false, false},
      {"flags", "flags that are not well-formed (REC-6): what the walk does with missing LASTs",
       flags_features(), 256, 1 << 14, 8192, 256, false, false, false},
      {"schedules", "the emulator: every case under a schedule of its own", schedule_features(), 96,
       1 << 13, 512, 16, true, false, false},
      {"big", "rows at the 2^32-byte borders of sparse banks (BIG-1, BIG-2)", big_features(), 96,
       1 << 14, 512, 16, false, true, false},
      {"plans", "requests at the borders of the plan checks (PLN): who is refused, with which code",
       plan_features(), 64, 1 << 12, 8192, 256, false, false, true},
  }};
  return list;
}

// The campaign is part of a case's name: equal places of two campaigns are unrelated.
std::uint64_t word_of(std::string_view name) {
  std::uint64_t word = 0;
  for (const char letter : name)
    word = generate::mix_word(word + static_cast<unsigned char>(letter) + 1U);
  return word;
}

// Random and priority-change schedules, and the one without a choice.
std::string schedule_of(std::uint64_t word) {
  switch (word % 4) {
    case 0: return fmt::format("schedule=pct:seed={}:points={}", word >> 8U, 1 + (word >> 2U) % 8);
    case 1: return "schedule=round-robin";
    default: return fmt::format("schedule=random:seed={}", word >> 8U);
  }
}

}  // namespace

std::span<const Campaign> campaigns() { return table(); }

const Campaign& find_campaign(std::string_view name) {
  std::string known;
  for (const Campaign& campaign : table()) {
    if (campaign.name == name) return campaign;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", campaign.name);
  }
  throw InputError({"FUZZ", std::nullopt, std::nullopt,
                    fmt::format("campaign '{}' is not known; these are: {}", name, known)});
}

FuzzCase make_case(const Campaign& campaign, std::uint64_t seed, CasePlace place,
                   const Weights& weights) {
  const rc::Random random(rc::Random::Key{seed, static_cast<std::uint64_t>(place.epoch),
                                          static_cast<std::uint64_t>(place.index),
                                          word_of(campaign.name)});
  const Draw draw = draw_of(weights)(random).value();
  FuzzCase made;
  made.problem = build_problem(campaign, draw);
  for (const Feature choice : draw.choice) made.drawn.set(index_of(choice));
  if (campaign.schedules) made.options.push_back(schedule_of(draw.schedule));
  if (campaign.big) move_to_borders(made, draw.schedule);
  if (campaign.plans) made.edits = draw_faults(draw, made.problem.shape);
  return made;
}

FuzzCase dressed(const Problem& problem, const FuzzCase& like) {
  FuzzCase made;
  made.problem = problem;
  made.options = like.options;
  made.edits = like.edits;
  made.drawn = like.drawn;
  if (!like.big_rows.empty()) move_to_borders(made, like.big_word);
  return made;
}

FeatureSet features_of(const FuzzCase& fuzz_case) {
  static const FeatureSet chosen_only = [] {
    FeatureSet set;
    for (const Axis axis : {Axis::token, Axis::groups, Axis::validity, Axis::flags, Axis::tiles,
                            Axis::slots, Axis::chain, Axis::decay, Axis::bank, Axis::fault}) {
      for (const Feature feature : features_of(axis)) set.set(index_of(feature));
    }
    return set;
  }();
  FeatureSet set = noticed_features(fuzz_case.problem) | (fuzz_case.drawn & chosen_only);
  if (!fuzz_case.edits.empty()) {
    const cw_refusal asked =
        refusal_asked_for(sketch_request(fuzz_case.problem.shape, fuzz_case.edits));
    if (const auto feature = feature_of_decision(asked)) set.set(index_of(*feature));
  }
  return set;
}

FeatureSet features_in_scope(const Campaign& campaign) {
  FeatureSet scope = campaign.allowed;
  for (const Feature feature : features_of(Axis::seen)) scope.set(index_of(feature));
  for (const Feature feature : features_of(Axis::decided))
    scope.set(index_of(feature), campaign.plans);
  if (!campaign.plans) scope.reset(index_of(fault_none));
  return scope;
}

}  // namespace chainwalk::fuzz
