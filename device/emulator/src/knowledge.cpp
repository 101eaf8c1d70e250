// SPDX-License-Identifier: Apache-2.0
// Shared vector clocks.
#include "src/knowledge.h"

#include <algorithm>

namespace chainwalk::emulator {

void Knowledge::reset() {
  clocks_.assign(1, Clock());
  counts_.assign(1, 0);
  free_.clear();
  last_a_ = last_b_ = last_joined_ = 0;
}

void Knowledge::drop(std::int32_t index) {
  if (index == 0 || --counts_[static_cast<std::size_t>(index)] > 0) return;
  free_.push_back(index);
  if (index == last_a_ || index == last_b_ || index == last_joined_) last_joined_ = 0;
}

std::int32_t Knowledge::copy_of(std::int32_t index) {
  std::int32_t made = 0;
  if (free_.empty()) {
    made = static_cast<std::int32_t>(clocks_.size());
    clocks_.emplace_back();
    counts_.push_back(0);
  } else {
    made = free_.back();
    free_.pop_back();
  }
  clocks_[static_cast<std::size_t>(made)] = clocks_[static_cast<std::size_t>(index)];
  counts_[static_cast<std::size_t>(made)] = 1;
  return made;
}

void Knowledge::raise(std::int32_t index, std::size_t actor, std::uint32_t tick) {
  Clock& clock = clocks_[static_cast<std::size_t>(index)];
  if (actor >= clock.size()) clock.resize(actor + 1, 0);
  clock[actor] = std::max(clock[actor], tick);
}

std::int32_t Knowledge::join(std::int32_t a, std::int32_t b) {
  if (a == b || b == 0) {
    keep(a);
    return a;
  }
  if (a == 0) {
    keep(b);
    return b;
  }
  if (last_joined_ != 0 && a == last_a_ && b == last_b_) {
    keep(last_joined_);
    return last_joined_;
  }
  const std::int32_t made = copy_of(a);
  Clock& clock = clocks_[static_cast<std::size_t>(made)];
  const Clock& other = clocks_[static_cast<std::size_t>(b)];
  if (other.size() > clock.size()) clock.resize(other.size(), 0);
  for (std::size_t actor = 0; actor < other.size(); ++actor) {
    clock[actor] = std::max(clock[actor], other[actor]);
  }
  last_a_ = a;
  last_b_ = b;
  last_joined_ = made;
  return made;
}

}  // namespace chainwalk::emulator
