// SPDX-License-Identifier: Apache-2.0
// A suite is the chapters one after the other.
#include "chainwalk/conformance/suite.h"

#include <xxhash.h>

#include <array>
#include <utility>

#include "chainwalk/spec/head.h"
#include "chapter.h"

namespace chainwalk::conformance {

namespace {

constexpr std::array profiles{std::pair{Profile::quick, "quick"}, std::pair{Profile::full, "full"},
                              std::pair{Profile::soak, "soak"}};

}  // namespace

const char* to_string(Profile profile) noexcept {
  for (const auto& [known, name] : profiles) {
    if (known == profile) return name;
  }
  return "unknown";
}

std::optional<Profile> parse_profile(std::string_view text) noexcept {
  for (const auto& [profile, name] : profiles) {
    if (text == name) return profile;
  }
  return std::nullopt;
}

Coordinates coordinates_of(const ProblemShape& shape) {
  Coordinates place;
  place.bank = to_string(shape.bank_type);
  place.snapshot = to_string(shape.snapshot);
  place.head_class = to_string(make_head(shape.head_dim, shape.bank_type).head_class);
  place.head_dim = shape.head_dim;
  place.geometry = "nw " + std::to_string(shape.warps_per_block) + ", K " +
                   std::to_string(shape.blocks_per_chunk);
  return place;
}

std::uint64_t Chapter::seed_of(const std::string& recipe) const {
  const std::string name = name_ + "/" + recipe;
  return XXH3_64bits_withSeed(name.data(), name.size(), seed_);
}

namespace {

// PLN-1: 4 warps a block are for unquantized bf16 rows of regular heads only.
generate::Parameters launchable(generate::Parameters parameters) {
  const bool regular =
      make_head(parameters.head_dim, parameters.bank_type).head_class == HeadClass::regular;
  const bool four_allowed =
      parameters.bank_type == BankType::bf16 && regular && !is_quantized(parameters.snapshot);
  if (parameters.warps_per_block == 4 && !four_allowed) parameters.warps_per_block = 8;
  return parameters;
}

}  // namespace

void Chapter::push(Case one) {
  if (one.profile <= profile_) cases_.push_back(std::move(one));
}

void Chapter::add_drawn(const std::string& recipe, const std::vector<std::string>& rules,
                        const std::function<generate::Parameters(std::uint64_t)>& draw,
                        Counts counts, const Judge& judge) {
  const std::uint64_t seed = seed_of(recipe);
  for (std::int64_t index = 0; index < counts.soak; ++index) {
    Case one;
    one.profile = index < counts.quick  ? Profile::quick
                  : index < counts.full ? Profile::full
                                        : Profile::soak;
    if (one.profile > profile_) break;
    const auto number = static_cast<std::uint64_t>(index);
    const generate::Parameters parameters = launchable(draw(number));
    one.id = name_ + "/" + recipe + "/" + std::to_string(index);
    one.chapter = name_;
    one.rules = rules;
    ProblemShape shape;
    shape.bank_type = parameters.bank_type;
    shape.snapshot = parameters.snapshot;
    shape.head_dim = parameters.head_dim;
    shape.warps_per_block = parameters.warps_per_block;
    shape.blocks_per_chunk = parameters.blocks_per_chunk;
    one.coordinates = coordinates_of(shape);
    one.memory_bytes = static_cast<std::uint64_t>(parameters.slots * shape.bank_row_bytes()) * 3U;
    one.problem = [parameters, seed, number] {
      return generate::make_problem(parameters, seed, number);
    };
    one.judge = judge;
    one.run = [judge, make = one.problem](Harness& harness) { return judge(harness, make()); };
    push(std::move(one));
  }
}

void Chapter::add(const std::string& recipe, const std::vector<std::string>& rules,
                  const generate::Parameters& parameters, Counts counts, const Judge& judge) {
  add_drawn(
      recipe, rules, [parameters](std::uint64_t) { return parameters; }, counts, judge);
}

void Chapter::add_edited(const std::string& recipe, const std::vector<std::string>& rules,
                         const generate::Parameters& parameters, Counts counts,
                         const std::function<Problem(const Problem&)>& edit, const Judge& judge) {
  const std::size_t before = cases_.size();
  add(recipe, rules, parameters, counts, judge);
  for (std::size_t index = before; index < cases_.size(); ++index) {
    Case& one = cases_[index];
    one.problem = [edit, make = one.problem] { return edit(make()); };
    one.run = [judge, make = one.problem](Harness& harness) { return judge(harness, make()); };
  }
}

void Chapter::add_case(const std::string& recipe, const std::vector<std::string>& rules,
                       Profile smallest, const Coordinates& coordinates, std::uint64_t memory_bytes,
                       std::function<CaseResult(Harness&)> run) {
  Case one;
  one.id = name_ + "/" + recipe;
  one.chapter = name_;
  one.rules = rules;
  one.profile = smallest;
  one.coordinates = coordinates;
  one.memory_bytes = memory_bytes;
  one.run = std::move(run);
  push(std::move(one));
}

std::vector<Case> make_suite(Profile profile, std::uint64_t seed) {
  std::vector<Case> cases;
  add_walk_chapters(profile, seed, cases);
  add_row_chapters(profile, seed, cases);
  add_geometry_chapters(profile, seed, cases);
  add_metamorphic_cases(profile, seed, cases);
  add_directed_cases(profile, seed, cases);
  add_big_chapter(profile, seed, cases);
  add_plan_chapter(profile, seed, cases);
  return cases;
}

}  // namespace chainwalk::conformance
