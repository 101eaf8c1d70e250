// SPDX-License-Identifier: Apache-2.0
// The choices of one cluster in one launch: a stream that depends on the seed, the launch and the
// cluster alone, never on OS threads. 0 is always the choice that round robin makes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "chainwalk/emulator/emulator.h"

namespace chainwalk::emulator {

// Which cluster of which launch a choice belongs to.
struct ChoiceScope {
  std::int64_t step = 0;
  std::int64_t cluster = 0;
  friend auto operator<=>(const ChoiceScope&, const ChoiceScope&) = default;
};
using RecordedChoices = std::map<ChoiceScope, std::vector<std::uint32_t>>;

// "3.0:0,2,*7,1;3.1:5": step.cluster, then the choices in order, *7 for seven zeros;
// std::invalid_argument names a bad part. Zeros at the end of a scope may be left out.
std::string format_choices(const RecordedChoices& choices);
RecordedChoices parse_choices(const std::string& text);

class ChoiceStream {
 public:
  // `replayed` may be null (a scope without recorded choices); `record` null: nothing is kept.
  void start(const Schedule& schedule, ChoiceScope scope,
             const std::vector<std::uint32_t>* replayed, std::vector<std::uint32_t>* record);

  // Whether anything is chosen at all; false for round robin.
  bool active() const { return source_ != Source::none; }
  // A number in [0, count), count >= 1.
  std::uint32_t choose(std::uint32_t count) {
    if (source_ == Source::none || count <= 1) return 0;
    return choose_from_source(count);
  }
  // Heads in one of `odds` throws.
  bool coin(std::uint32_t odds) { return source_ != Source::none && throw_coin(odds); }
  // Keeps what somebody else chose, in the place of a choose() or coin() of the replay.
  void note(std::uint32_t chosen) {
    if (record_ != nullptr) record_->push_back(chosen);
  }
  // A number in [0, count) that a replay does not need; 0 there.
  std::uint32_t draw(std::uint32_t count);

 private:
  enum class Source : std::uint8_t { none, random, replay };
  std::uint32_t choose_from_source(std::uint32_t count);
  bool throw_coin(std::uint32_t odds);
  std::uint32_t next_recorded();

  Source source_ = Source::none;
  std::uint64_t state_ = 0;
  const std::vector<std::uint32_t>* replayed_ = nullptr;
  std::size_t next_ = 0;
  std::vector<std::uint32_t>* record_ = nullptr;
};

}  // namespace chainwalk::emulator
