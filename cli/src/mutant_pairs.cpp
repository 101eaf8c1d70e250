// SPDX-License-Identifier: Apache-2.0
// A pair is looked for in the cases in which both rules change bits: elsewhere it is one of them.
#include "mutant_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <stdexcept>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/conformance/compare.h"
#include "chainwalk/conformance/run.h"

namespace chainwalk::cli {
namespace {

using conformance::Case;
using conformance::CaseResult;
using conformance::wrong_rules;

// Members times columns of a case that is searched.
constexpr std::int64_t work_max = std::int64_t{1} << 17U;
// Reports that name something else, until the search is given up.
constexpr int other_names_max = 24;

std::int64_t work_of(const Problem& problem) {
  const ProblemShape& shape = problem.shape;
  return std::max<std::int64_t>(1, shape.num_chunks * shape.positions) * shape.head_dim;
}

Mutant mutant_of(std::size_t first, std::size_t second) {
  const auto& a = wrong_rules()[first];
  const auto& b = wrong_rules()[second];
  Mutant mutant;
  mutant.id = fmt::format("{} + {}", a.id, b.id);
  mutant.description = fmt::format("{}; {}", a.description, b.description);
  mutant.rule = a.rule == b.rule ? std::string(a.rule) : fmt::format("{}, {}", a.rule, b.rule);
  mutant.parts = {std::string(a.id), std::string(b.id)};
  return mutant;
}

bool names(const std::string& diagnosis, std::size_t rule) {
  const auto& wrong = wrong_rules()[rule];
  return diagnosis.find(conformance::phrase_of(wrong.description, wrong.rule)) != std::string::npos;
}

class Bits {
 public:
  Bits(const Problem& problem, std::span<const std::size_t> wrong) : buffers_(problem) {
    conformance::run_wrong(problem, buffers_.views(), wrong);
  }
  bool operator==(const Bits& other) const {
    return conformance::same_bytes(buffers_.views(), other.buffers_.views());
  }

 private:
  OutputBuffers buffers_;
};

conformance::Implementation implementation_of(const Mutant& mutant) {
  conformance::Implementation implementation;
  implementation.table = adapters::wrong_implementation();
  implementation.memory = conformance::host_memory();
  for (const std::string& part : mutant.parts) implementation.options.push_back("rule=" + part);
  return implementation;
}

}  // namespace

const char* to_string(PairFate fate) noexcept {
  switch (fate) {
    case PairFate::named: return "named";
    case PairFate::hidden: return "hidden";
    case PairFate::apart: return "apart";
    case PairFate::alike: return "alike";
    case PairFate::unnamed: return "unnamed";
  }
  return "unknown";
}

PairSearch::PairSearch(const std::vector<Case>& cases) : cases_(cases) {
  if (wrong_rules().size() > rules_max) throw std::logic_error("more wrong rules than bits");
  for (const Case& one : cases) {
    if (one.problem == nullptr) continue;
    const Problem problem = one.problem();
    const std::int64_t work = work_of(problem);
    if (work > work_max) continue;
    Candidate candidate{&one, {}, 0};
    const Bits correct(problem, {});
    for (std::size_t rule = 0; rule < wrong_rules().size(); ++rule)
      candidate.active[rule] = !(Bits(problem, std::array{rule}) == correct);
    const auto active = static_cast<std::int64_t>(candidate.active.count());
    candidate.cost = work * active * active;
    candidates_.push_back(candidate);
  }
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
}

void PairSearch::look_for_name(PairTrial& pair) const {
  const auto [a, b] = pair.wrong;
  conformance::Harness harness(implementation_of(pair.trial.mutant));
  int other_names = 0;
  for (const Candidate& candidate : candidates_) {
    if (!candidate.active[a] || !candidate.active[b]) continue;
    if (pair.fate == PairFate::apart) pair.fate = PairFate::hidden;
    const Problem problem = candidate.one->problem();
    const Bits both(problem, pair.wrong);
    if (both == Bits(problem, std::array{a})) {
      pair.shows[0] = true;
      continue;
    }
    if (both == Bits(problem, std::array{b})) {
      pair.shows[1] = true;
      continue;
    }
    ++pair.trial.cases;
    const CaseResult result = conformance::run_case(*candidate.one, harness);
    if (conformance::is_failure(result) && !pair.trial.killed_by) {
      pair.trial.killed_by = result;
      pair.trial.profile = candidate.one->profile;
    }
    if (!result.diagnosis) continue;  // a case that compares the implementation with itself
    if (names(*result.diagnosis, a) && names(*result.diagnosis, b)) {
      pair.fate = PairFate::named;
      pair.named_by = candidate.one->id;
      return;
    }
    const bool reproduced = result.diagnosis->starts_with("reproduced by");
    if (reproduced || pair.fate != PairFate::alike) {
      pair.fate = reproduced ? PairFate::alike : PairFate::unnamed;
      pair.instead = *result.diagnosis;
    }
    if (++other_names == other_names_max) return;
  }
}

PairTrial PairSearch::run(std::size_t first, std::size_t second) const {
  PairTrial pair;
  pair.wrong = {first, second};
  pair.trial.mutant = mutant_of(first, second);
  const auto start = std::chrono::steady_clock::now();
  look_for_name(pair);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  pair.trial.seconds = taken.count();
  const bool quickly = pair.trial.killed_by && pair.trial.profile == conformance::Profile::quick;
  if (!quickly) pair.trial = try_wrong_rule(pair.trial.mutant, cases_);
  return pair;
}

namespace {

std::size_t count_of(const std::vector<PairTrial>& pairs, PairFate fate) {
  return static_cast<std::size_t>(std::count_if(
      pairs.begin(), pairs.end(), [&](const PairTrial& pair) { return pair.fate == fate; }));
}

std::string id_of(std::size_t rule) { return std::string(wrong_rules()[rule].id); }

using Partners = std::map<std::string, std::vector<std::string>>;

std::string list_of(const Partners& partners) {
  std::string text;
  for (const auto& [rule, others] : partners)
    text += fmt::format("- {}: {}\n", rule, fmt::join(others, ", "));
  return text;
}

// "a hides b, c": in every case in which both change bits, the pair leaves the bits of a alone.
std::string hidden_part(const std::vector<PairTrial>& pairs) {
  Partners hiding;
  for (const PairTrial& pair : pairs) {
    if (pair.fate != PairFate::hidden) continue;
    const auto [a, b] = pair.wrong;
    if (pair.shows[0] && pair.shows[1]) {
      hiding[id_of(a) + " or"].push_back(id_of(b));
    } else {
      hiding[id_of(pair.shows[0] ? a : b) + " hides"].push_back(id_of(pair.shows[0] ? b : a));
    }
  }
  return list_of(hiding);
}

// Each pair once, under the one of its rules that has the most of them.
std::string apart_part(const std::vector<PairTrial>& pairs) {
  std::map<std::size_t, std::set<std::size_t>> partners;
  for (const PairTrial& pair : pairs) {
    if (pair.fate != PairFate::apart) continue;
    partners[pair.wrong[0]].insert(pair.wrong[1]);
    partners[pair.wrong[1]].insert(pair.wrong[0]);
  }
  std::string text;
  while (!partners.empty()) {
    const auto most = std::max_element(
        partners.begin(), partners.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    const auto [rule, others] = *most;
    partners.erase(most);
    std::vector<std::string> ids;
    for (const std::size_t other : others) {
      ids.push_back(id_of(other));
      partners[other].erase(rule);
      if (partners[other].empty()) partners.erase(other);
    }
    text += fmt::format("- {}: {}\n", id_of(rule),
                        ids.size() + 1 == wrong_rules().size()
                            ? "every other rule"
                            : fmt::format("{}", fmt::join(ids, ", ")));
  }
  return text;
}

std::string sentences_part(const std::vector<PairTrial>& pairs, PairFate fate) {
  std::string text;
  for (const PairTrial& pair : pairs) {
    if (pair.fate == fate) text += fmt::format("- {}: {}\n", pair.trial.mutant.id, pair.instead);
  }
  return text;
}

}  // namespace

std::string pairs_section(const std::vector<PairTrial>& pairs) {
  const auto killed =
      static_cast<std::size_t>(std::count_if(pairs.begin(), pairs.end(), [](const PairTrial& pair) {
        return pair.trial.killed_by.has_value();
      }));
  std::string text = fmt::format(
      "\n## Pairs of rules got wrong\n\n"
      "All {} pairs of the {} wrong rules; {} are convicted. A pair is *named* where the report of "
      "some case says\n"
      "that these two rules together reproduce the observed bits. Looked at are the cases in which "
      "each of the two\n"
      "changes bits by itself; in any other case the pair is one of them, and the report names "
      "that one.\n\n"
      "| what becomes of the pair | pairs |\n| --- | ---: |\n"
      "| named by the report of a case | {} |\n"
      "| hidden: in every such case it leaves the bits of one of the two alone | {} |\n"
      "| apart: there is no such case | {} |\n"
      "| alike: other wrong rules leave the same bits, and are named | {} |\n"
      "| unnamed: reports say that nothing known reproduces the bits | {} |\n",
      pairs.size(), wrong_rules().size(), killed, count_of(pairs, PairFate::named),
      count_of(pairs, PairFate::hidden), count_of(pairs, PairFate::apart),
      count_of(pairs, PairFate::alike), count_of(pairs, PairFate::unnamed));
  const auto add = [&](const char* title, const char* note, const std::string& list) {
    if (!list.empty()) text += fmt::format("\n### {}\n\n{}\n\n{}", title, note, list);
  };
  std::string survivors;
  for (const PairTrial& pair : pairs) {
    if (!pair.trial.killed_by) survivors += fmt::format("- {}\n", pair.trial.mutant.id);
  }
  add("Surviving", "No case convicts these.", survivors);
  add("Hidden",
      "The report names the first alone, and the bits can say no more: it replaces what the second "
      "would change, or\n"
      "changes it in the same way.",
      hidden_part(pairs));
  add("Apart",
      "One is seen in one kind of bank or of snapshot rows and the other in another, or one of "
      "them "
      "in few cases.\n"
      "`offset-32-bits` needs a bank of over 4 GiB, and so large a problem is not diagnosed.",
      apart_part(pairs));
  add("Alike", "What the report of a case says.", sentences_part(pairs, PairFate::alike));
  add("Unnamed", "What the report of a case says.", sentences_part(pairs, PairFate::unnamed));
  return text;
}

}  // namespace chainwalk::cli
