// SPDX-License-Identifier: Apache-2.0
// Shards of one run, put together in the suite's order.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "chainwalk/conformance/report.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/rules.h"

namespace chainwalk::conformance {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw InputError({"MERGE", std::nullopt, std::nullopt, what});
}

// Two shards are parts of one run only where everything but the shard itself is equal.
void require_same_run(const NamedReport& first, const NamedReport& other) {
  const auto require = [&](const char* what, const std::string& a, const std::string& b) {
    if (a == b) return;
    refuse(fmt::format("{} and {} are of different runs: {} is '{}' and '{}'", first.file,
                       other.file, what, a, b));
  };
  const RunHeader& a = first.report.run.header;
  const RunHeader& b = other.report.run.header;
  require("implementation", a.implementation, b.implementation);
  require("profile", a.profile, b.profile);
  require("seed", std::to_string(a.seed), std::to_string(b.seed));
  require("suite version", std::to_string(a.suite_version), std::to_string(b.suite_version));
  require("specification", a.specification_version, b.specification_version);
  require("number of shards", std::to_string(a.shard_count), std::to_string(b.shard_count));
  require("claim", first.report.claim, other.report.claim);
  if (first.report.waivers != other.report.waivers) {
    refuse(fmt::format("{} and {} were judged under different waivers", first.file, other.file));
  }
}

void require_every_shard_once(const std::vector<NamedReport>& shards) {
  std::map<std::int64_t, std::string> files;
  const std::int64_t count = shards.front().report.run.header.shard_count;
  for (const NamedReport& shard : shards) {
    const std::int64_t index = shard.report.run.header.shard_index;
    if (index < 0 || index >= count)
      refuse(fmt::format("{}: there is no shard {}/{}", shard.file, index, count));
    const auto [other, fresh] = files.emplace(index, shard.file);
    if (!fresh)
      refuse(fmt::format("shard {}/{} is there twice: {} and {}", index, count, other->second,
                         shard.file));
  }
  for (std::int64_t index = 0; index < count; ++index) {
    if (!files.contains(index)) refuse(fmt::format("shard {}/{} is missing", index, count));
  }
}

std::vector<Case> suite_of(const NamedReport& shard) {
  const RunHeader& header = shard.report.run.header;
  if (header.suite_version != suite_version ||
      header.specification_version != specification_version()) {
    refuse(
        fmt::format("{} is of suite version {} and specification {}; this program knows the "
                    "cases of {} and {}",
                    shard.file, header.suite_version, header.specification_version, suite_version,
                    specification_version()));
  }
  const auto profile = parse_profile(header.profile);
  if (!profile) refuse(fmt::format("{}: there is no profile '{}'", shard.file, header.profile));
  return make_suite(*profile, header.seed);
}

// Each result of a shard must be a case of that very shard, and each of its cases must be there.
void take_results(const NamedReport& shard, const std::map<std::string, std::size_t>& places,
                  std::vector<const CaseResult*>& taken) {
  const RunHeader& header = shard.report.run.header;
  for (const CaseResult& result : shard.report.run.results) {
    const auto place = places.find(result.case_id);
    if (place == places.end())
      refuse(fmt::format("{}: {} is not a case of the suite", shard.file, result.case_id));
    if (static_cast<std::int64_t>(place->second) % header.shard_count != header.shard_index) {
      refuse(fmt::format("{}: {} is not a case of shard {}/{}", shard.file, result.case_id,
                         header.shard_index, header.shard_count));
    }
    if (taken[place->second] != nullptr)
      refuse(fmt::format("{}: {} is there twice", shard.file, result.case_id));
    taken[place->second] = &result;
  }
}

// A fact that every shard shares stands once; others name their shards.
Facts merged_environment(const std::vector<NamedReport>& shards) {
  Facts facts;
  std::map<std::string, std::map<std::string, std::string>> by_name;  // name, value, shards
  std::vector<std::string> order;
  for (const NamedReport& shard : shards) {
    for (const auto& [name, value] : shard.report.environment) {
      if (!by_name.contains(name)) order.push_back(name);
      std::string& numbers = by_name[name][value];
      numbers +=
          (numbers.empty() ? "" : ", ") + std::to_string(shard.report.run.header.shard_index);
    }
  }
  for (const std::string& name : order) {
    std::string text;
    for (const auto& [value, numbers] : by_name[name]) {
      if (!text.empty()) text += "; ";
      text += by_name[name].size() == 1 ? value : fmt::format("{} (shard {})", value, numbers);
    }
    facts.emplace_back(name, text);
  }
  return facts;
}

}  // namespace

Report merge_reports(std::vector<NamedReport> shards, std::span<const RequiredRule> required) {
  if (shards.empty()) refuse("there is nothing to merge");
  for (const NamedReport& shard : shards) require_same_run(shards.front(), shard);
  require_every_shard_once(shards);
  std::sort(shards.begin(), shards.end(), [](const NamedReport& a, const NamedReport& b) {
    return a.report.run.header.shard_index < b.report.run.header.shard_index;
  });
  const std::vector<Case> suite = suite_of(shards.front());
  std::map<std::string, std::size_t> places;
  for (std::size_t index = 0; index < suite.size(); ++index) places[suite[index].id] = index;

  RunOutcome run;
  run.header = shards.front().report.run.header;
  run.header.shard_index = 0;
  run.header.shard_count = 1;
  std::vector<const CaseResult*> taken(suite.size());
  for (const NamedReport& shard : shards) {
    take_results(shard, places, taken);
    run.seconds += shard.report.run.seconds;
    run.resumed += shard.report.run.resumed;
  }
  for (std::size_t index = 0; index < suite.size(); ++index) {
    if (taken[index] == nullptr) {
      const auto shard = static_cast<std::size_t>(index % shards.size());
      refuse(fmt::format("{}: {} is missing", shards[shard].file, suite[index].id));
    }
    run.results.push_back(*taken[index]);
  }
  return make_report(std::move(run), merged_environment(shards), shards.front().report.claim,
                     shards.front().report.waivers, required);
}

}  // namespace chainwalk::conformance
