// SPDX-License-Identifier: Apache-2.0
// What a claim must run: how each rule of the specification is seen, and the recipes required for
// it (spec/required.json).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chainwalk/conformance/suite.h"

namespace chainwalk::conformance {

// How one rule is seen. A claim counts observable rules only; only they have recipes.
struct RequiredRule {
  std::string rule;  // "ARI-4"
  Observability seen = Observability::observable;
  // A case id, or the prefix of case ids that ends in '/'.
  std::vector<std::string> recipes;
};

// spec/required.json as it was compiled in, in the file's order.
const std::vector<RequiredRule>& required_rules();

// Reads such a file. InputError names the file, the entry and the value for: no JSON, unknown
// fields, a rule that does not exist, is listed twice or not at all, an observable rule without a
// recipe, another rule with one.
std::vector<RequiredRule> parse_required(const std::string& text, const std::string& file);

const char* to_string(Observability seen) noexcept;

// Whether `case_id` is the recipe or one of its cases.
bool is_of_recipe(std::string_view case_id, std::string_view recipe) noexcept;

// What is wrong between a suite and the list, a sentence each: a required recipe that no case of
// profile quick has, a case that names no rule or one that does not exist, a required case that
// does not name its rule, an observable rule that no case names.
std::vector<std::string> faults_of_suite(const std::vector<Case>& cases,
                                         std::span<const RequiredRule> required);

}  // namespace chainwalk::conformance
