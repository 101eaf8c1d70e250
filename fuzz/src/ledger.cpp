// SPDX-License-Identifier: Apache-2.0
// Ranges of an epoch, and the file that keeps them.
#include "chainwalk/fuzz/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "chainwalk/platform/atomic_file.h"
#include "chainwalk/platform/memory.h"
#include "json_fields.h"

namespace chainwalk::fuzz {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "chainwalk-fuzz-ledger";

Json header_json(const LedgerHeader& header) {
  return {{"campaign", header.campaign}, {"campaign_version", campaign_version},
          {"seed", header.seed},         {"implementation", header.implementation},
          {"against", header.against},   {"specification_version", header.specification_version}};
}

LedgerHeader header_from_json(const Json& json) {
  return {json.at("campaign"), natural_word(json.at("seed")), json.at("implementation"),
          json.at("against"), json.at("specification_version")};
}

std::string text_of(const std::filesystem::path& path) {
  const platform::Mapping file = platform::Mapping::read_file(path);
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

Json ledger_json(const std::string& text, const std::string& name) {
  const Json json = parse_json(text, name);
  if (!json.is_object() || !json.contains("format") || json["format"] != format_name) {
    throw InputError({"FUZZ", std::nullopt, std::nullopt,
                      fmt::format("{}: it is no ledger of a campaign", name)});
  }
  return json;
}

std::int64_t cases_of(const std::set<Range>& ranges) {
  return std::accumulate(ranges.begin(), ranges.end(), std::int64_t{0},
                         [](std::int64_t sum, const Range& range) { return sum + range.count; });
}

// Ranges of one epoch that have no case in common, and at least one: an epoch without would be
// over.
std::set<Range> waiting_from_json(const Json& json, std::int64_t epoch, const Campaign& campaign) {
  std::set<Range> waiting;
  for (const Json& entry : json) {
    const Range range = range_from_json(entry);
    if (range.epoch != epoch || range.count == 0 || range.count > campaign.epoch_cases ||
        range.first > campaign.epoch_cases - range.count || !waiting.insert(range).second)
      refuse_json("a range of the current epoch is needed, not", entry);
  }
  if (waiting.empty()) refuse_json("ranges that wait are missing", json);
  std::int64_t end = 0;
  for (const Range& range : waiting) {
    if (range.first < end) refuse_json("two ranges that wait have cases in common", json);
    end = range.first + range.count;
  }
  return waiting;
}

// Every case of the epochs so far was run once, or waits.
void check_count(std::int64_t cases, std::int64_t epoch, std::int64_t waiting,
                 const Campaign& campaign) {
  const std::int64_t in_epoch = campaign.epoch_cases - waiting;
  if (cases % campaign.epoch_cases != in_epoch || cases / campaign.epoch_cases != epoch) {
    refuse_json(fmt::format("{} cases of epoch {} wait, which does not agree with the cases run",
                            waiting, epoch),
                cases);
  }
}

}  // namespace

std::filesystem::path ledger_file(const std::filesystem::path& folder) {
  return folder / "ledger.json";
}

Ledger::Ledger(LedgerHeader header, std::filesystem::path folder)
    : header_(std::move(header)),
      campaign_(find_campaign(header_.campaign)),
      folder_(std::move(folder)) {
  if (!folder_.empty() && std::filesystem::exists(ledger_file(folder_))) {
    load(text_of(ledger_file(folder_)), ledger_file(folder_).string());
  } else {
    begin_epoch();
  }
}

void Ledger::load(const std::string& text, const std::string& name) {
  const Json json = ledger_json(text, name);
  read_json(name.c_str(), [&] {
    if (json.at("header") != header_json(header_)) {
      throw InputError({"FUZZ", std::nullopt, std::nullopt,
                        fmt::format("{}: it is of another campaign: {}, not {}; name another "
                                    "folder with --corpus",
                                    name, json.at("header").dump(), header_json(header_).dump())});
    }
    epoch_ = natural(json.at("epoch"));
    for (const Json& entry : json.at("weights"))
      weights_[natural(entry.at("epoch"))] = weights_from_json(entry.at("weights"));
    if (!weights_.contains(epoch_)) refuse_json("the weights of the epoch are missing", epoch_);
    total_ = outcome_from_json(json.at("total"));
    waiting_ = waiting_from_json(json.at("waiting"), epoch_, campaign_);
    check_count(total_.cases, epoch_, cases_of(waiting_), campaign_);
    check_firsts();
    return 0;
  });
}

// Every case that can be asked for has the weights that make it.
void Ledger::check_firsts() const {
  const auto check = [&](const CasePlace& place) {
    if (!weights_.contains(place.epoch) || place.index >= campaign_.epoch_cases)
      refuse_json("the weights of a first case are missing", {place.epoch, place.index});
  };
  for (const auto& [key, finding] : total_.findings) check(finding.first);
  for (std::size_t index = 0; index < feature_count; ++index) {
    if (const auto first = total_.coverage.first(static_cast<Feature>(index))) check(*first);
  }
  for (const auto& [edge, counted] : total_.coverage.edges()) check(counted.first);
}

void Ledger::begin_epoch() {
  std::vector<FeatureSet> reached_rare;
  for (const CasePlace place : rare_edge_cases(total_.coverage))
    reached_rare.push_back(case_at(place).drawn);
  weights_[epoch_] =
      make_weights(header_.seed, epoch_, campaign_.allowed, total_.coverage, reached_rare);
  for (std::int64_t first = 0; first < campaign_.epoch_cases; first += campaign_.range_cases) {
    waiting_.insert(
        {epoch_, first, std::min(campaign_.range_cases, campaign_.epoch_cases - first)});
  }
}

// Epochs that hold the first case of a finding, a feature or an edge can still be asked for.
void Ledger::forget_weights() {
  std::set<std::int64_t> wanted{epoch_};
  for (const auto& [key, finding] : total_.findings) wanted.insert(finding.first.epoch);
  for (std::size_t index = 0; index < feature_count; ++index) {
    if (const auto first = total_.coverage.first(static_cast<Feature>(index)))
      wanted.insert(first->epoch);
  }
  for (const auto& [edge, counted] : total_.coverage.edges()) wanted.insert(counted.first.epoch);
  std::erase_if(weights_, [&](const auto& entry) { return !wanted.contains(entry.first); });
}

FuzzCase Ledger::case_at(CasePlace place) const {
  return make_case(campaign_, header_.seed, place, weights_.at(place.epoch));
}

std::optional<Range> Ledger::take(std::int64_t limit, std::int64_t most) {
  if (waiting_.empty()) return std::nullopt;
  const Range range = *waiting_.begin();
  const std::int64_t before = epoch_ * campaign_.epoch_cases + range.first;
  if (before >= limit) return std::nullopt;
  waiting_.erase(waiting_.begin());
  const std::int64_t count = std::min({range.count, limit - before, most});
  if (count < range.count) waiting_.insert({epoch_, range.first + count, range.count - count});
  const Range taken{epoch_, range.first, count};
  out_.insert(taken);
  return taken;
}

std::int64_t Ledger::waiting_cases() const { return cases_of(waiting_); }

void Ledger::give_back(const Range& range) {
  if (out_.erase(range) != 0) waiting_.insert(range);
}

bool Ledger::finish(const Range& range, const RangeOutcome& outcome, std::span<const Range> left) {
  if (out_.erase(range) == 0) return false;
  total_.merge(outcome);
  waiting_.insert(left.begin(), left.end());
  if (waiting_.empty() && out_.empty()) {
    ++epoch_;
    begin_epoch();
    forget_weights();
  }
  return true;
}

void Ledger::save() const {
  if (folder_.empty()) return;
  Json waiting = Json::array();
  // What is out is not done: whoever continues deals it again.
  std::set<Range> left = waiting_;
  left.insert(out_.begin(), out_.end());
  for (const Range& range : left) waiting.push_back(to_json(range));
  Json weights = Json::array();
  for (const auto& [epoch, of] : weights_)
    weights.push_back({{"epoch", epoch}, {"weights", to_json(of)}});
  const Json json{{"format", format_name},
                  {"header", header_json(header_)},
                  {"epoch", epoch_},
                  {"weights", std::move(weights)},
                  {"waiting", std::move(waiting)},
                  {"total", to_json(total_)}};
  platform::AtomicFile file(ledger_file(folder_));
  file.write(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
  file.commit();
}

std::optional<LedgerState> read_ledger(const std::filesystem::path& folder) {
  const std::filesystem::path path = ledger_file(folder);
  if (!std::filesystem::exists(path)) return std::nullopt;
  const std::string name = path.string();
  const Json json = ledger_json(text_of(path), name);
  return read_json(name.c_str(), [&] {
    LedgerState state{header_from_json(json.at("header")), natural(json.at("epoch")), 0,
                      outcome_from_json(json.at("total"))};
    const Campaign& campaign = find_campaign(state.header.campaign);
    state.epoch_left = cases_of(waiting_from_json(json.at("waiting"), state.epoch, campaign));
    check_count(state.total.cases, state.epoch, state.epoch_left, campaign);
    return state;
  });
}

}  // namespace chainwalk::fuzz
