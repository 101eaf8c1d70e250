// SPDX-License-Identifier: Apache-2.0
// The book of ranges that are out.
#include "chainwalk/fuzz/roster.h"

namespace chainwalk::fuzz {

void Roster::join(int member, std::size_t capacity, double now) {
  Member& state = members_[member];
  state.capacity = capacity;
  state.last_heard = now;
  state.lost = false;
}

void Roster::heard(int member, double now) {
  const auto found = members_.find(member);
  if (found == members_.end()) return;
  found->second.last_heard = now;
  found->second.lost = false;
}

std::optional<int> Roster::with_room() const {
  std::optional<int> best;
  std::size_t room = 0;
  for (const auto& [member, state] : members_) {
    if (state.lost || state.ranges.size() + room >= state.capacity) continue;
    room = state.capacity - state.ranges.size();
    best = member;
  }
  return best;
}

void Roster::dealt(int member, const Range& range) { members_[member].ranges.insert(range); }

void Roster::returned(const Range& range) {
  for (auto& [member, state] : members_) state.ranges.erase(range);
}

std::vector<Range> Roster::leave(int member) {
  const auto found = members_.find(member);
  if (found == members_.end()) return {};
  const std::vector<Range> ranges(found->second.ranges.begin(), found->second.ranges.end());
  members_.erase(found);
  return ranges;
}

std::vector<Roster::Loss> Roster::lose_silent(double now) {
  std::vector<Loss> losses;
  for (auto& [member, state] : members_) {
    if (state.lost || now - state.last_heard <= silence_max_) continue;
    state.lost = true;
    ++losses_;
    losses.push_back({member, {state.ranges.begin(), state.ranges.end()}});
    state.ranges.clear();
  }
  return losses;
}

std::size_t Roster::capacity() const {
  std::size_t sum = 0;
  for (const auto& [member, state] : members_) sum += state.lost ? 0 : state.capacity;
  return sum;
}

std::vector<int> Roster::present() const {
  std::vector<int> members;
  for (const auto& [member, state] : members_) {
    if (!state.lost) members.push_back(member);
  }
  return members;
}

}  // namespace chainwalk::fuzz
