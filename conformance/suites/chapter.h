// SPDX-License-Identifier: Apache-2.0
// How a chapter adds its cases to a suite.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "chainwalk/conformance/suite.h"
#include "chainwalk/generate/generate.h"

namespace chainwalk::conformance {

// Cases of a recipe in each profile; a profile holds those of the smaller ones too.
struct Counts {
  std::int64_t quick, full, soak;
};

class Chapter {
 public:
  // Judges one generated problem on an implementation.
  using Judge = std::function<CaseResult(Harness&, const Problem&)>;

  Chapter(std::string name, Profile profile, std::uint64_t seed, std::vector<Case>& cases)
      : name_(std::move(name)), profile_(profile), seed_(seed), cases_(cases) {}

  // Adds "NAME/recipe/i" for i in [0, count): problem i of `parameters` for the suite's seed.
  void add(const std::string& recipe, const std::vector<std::string>& rules,
           const generate::Parameters& parameters, Counts counts, const Judge& judge);
  // The same with parameters that change with i.
  void add_drawn(const std::string& recipe, const std::vector<std::string>& rules,
                 const std::function<generate::Parameters(std::uint64_t index)>& draw,
                 Counts counts, const Judge& judge);
  // As add(), with problems that `edit` has changed.
  void add_edited(const std::string& recipe, const std::vector<std::string>& rules,
                  const generate::Parameters& parameters, Counts counts,
                  const std::function<Problem(const Problem&)>& edit, const Judge& judge);
  // Adds one case that makes its own problem or has none.
  void add_case(const std::string& recipe, const std::vector<std::string>& rules, Profile smallest,
                const Coordinates& coordinates, std::uint64_t memory_bytes,
                std::function<CaseResult(Harness&)> run);

  std::uint64_t seed_of(const std::string& recipe) const;

 private:
  void push(Case one);

  std::string name_;
  Profile profile_;
  std::uint64_t seed_;
  std::vector<Case>& cases_;
};

Coordinates coordinates_of(const ProblemShape& shape);

// ---- Judges ----

// A result that says unsupported, error, finding or refusal as the outcome does; pass otherwise.
CaseResult judge_outcome(const Outcome& outcome);

// What the suites are made of, a chapter a function; each is in the file of its name.
void add_walk_chapters(Profile profile, std::uint64_t seed, std::vector<Case>& cases);
void add_row_chapters(Profile profile, std::uint64_t seed, std::vector<Case>& cases);
void add_geometry_chapters(Profile profile, std::uint64_t seed, std::vector<Case>& cases);
void add_directed_cases(Profile profile, std::uint64_t seed, std::vector<Case>& cases);
void add_big_chapter(Profile profile, std::uint64_t seed, std::vector<Case>& cases);
void add_metamorphic_cases(Profile profile, std::uint64_t seed, std::vector<Case>& cases);
void add_plan_chapter(Profile profile, std::uint64_t seed, std::vector<Case>& cases);

}  // namespace chainwalk::conformance
