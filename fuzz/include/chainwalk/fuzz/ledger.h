// SPDX-License-Identifier: Apache-2.0
// The ledger of a campaign: which ranges are dealt and done, what they covered and found, and the
// weights that follow. On disk, so that a campaign can be stopped and continued.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "chainwalk/fuzz/campaign.h"
#include "chainwalk/fuzz/finding.h"
#include "chainwalk/fuzz/weights.h"

namespace chainwalk::fuzz {

// What a campaign is a campaign of: two with equal headers have the same cases.
struct LedgerHeader {
  std::string campaign;
  std::uint64_t seed = 1;
  std::string implementation;  // --on with its options
  std::string against;
  std::string specification_version;

  friend bool operator==(const LedgerHeader&, const LedgerHeader&) = default;
};

// Cases come in epochs. Ranges of the current epoch are dealt in order and may be finished in any
// order, by anyone; the next epoch begins when all of them are done, since its weights need them.
// Not thread-safe.
class Ledger {
 public:
  // Continues the ledger in `folder`, or begins one there (an empty path: none on disk). Throws
  // InputError where the folder holds another campaign's or a file that is none.
  Ledger(LedgerHeader header, std::filesystem::path folder);

  const LedgerHeader& header() const noexcept { return header_; }
  const Campaign& campaign() const noexcept { return campaign_; }
  std::int64_t epoch() const noexcept { return epoch_; }
  const Weights& weights() const { return weights_.at(epoch_); }  // of the current epoch

  // The next range of the current epoch, of at most `most` cases and up to case number `limit` of
  // the whole campaign. nullopt: none is left until those that are out are finished, or none at
  // all.
  std::optional<Range> take(std::int64_t limit,
                            std::int64_t most = std::numeric_limits<std::int64_t>::max());
  // Cases of the current epoch that nobody has yet.
  std::int64_t waiting_cases() const;
  // A range that was taken and will not be finished by its taker: it is dealt again.
  void give_back(const Range& range);
  // False, and nothing else, for a range that is not out (it was finished by another). Parts that
  // are left of it are dealt again.
  bool finish(const Range& range, const RangeOutcome& outcome, std::span<const Range> left = {});
  std::size_t out() const noexcept { return out_.size(); }

  // Of every range finished.
  const RangeOutcome& total() const noexcept { return total_; }
  // Makes the case of a finding, or the first case of a feature, of total(). The weights of its
  // epoch are kept for that. Throws std::out_of_range for any other place of an earlier epoch.
  FuzzCase case_at(CasePlace place) const;
  void save() const;

 private:
  void load(const std::string& text, const std::string& name);
  void check_firsts() const;
  void begin_epoch();
  void forget_weights();

  LedgerHeader header_;
  const Campaign& campaign_;
  std::filesystem::path folder_;
  std::int64_t epoch_ = 0;
  std::map<std::int64_t, Weights> weights_;  // by epoch
  RangeOutcome total_;
  std::set<Range> waiting_, out_;  // of the current epoch
};

// The ledger's file in a folder, and what it says; nullopt where there is none.
std::filesystem::path ledger_file(const std::filesystem::path& folder);
struct LedgerState {
  LedgerHeader header;
  std::int64_t epoch = 0;
  std::int64_t epoch_left = 0;  // cases of the epoch that have not been run
  RangeOutcome total;
};
std::optional<LedgerState> read_ledger(const std::filesystem::path& folder);

}  // namespace chainwalk::fuzz
