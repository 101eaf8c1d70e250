// SPDX-License-Identifier: Apache-2.0
// What lanes know of one another's accesses, beyond what the last barriers of their block and warp
// tell: vector clocks, shared and counted, of a block's lanes and of its transaction barriers.
#pragma once

#include <cstdint>
#include <vector>

namespace chainwalk::emulator {

// An entry is a tick: every access of the actor with an earlier stamp is known. Index 0 knows
// nothing and is never freed.
class Knowledge {
 public:
  using Clock = std::vector<std::uint32_t>;

  void reset();
  void keep(std::int32_t index) {
    if (index != 0) ++counts_[static_cast<std::size_t>(index)];
  }
  void drop(std::int32_t index);

  std::uint32_t at(std::int32_t index, std::size_t actor) const {
    const Clock& clock = clocks_[static_cast<std::size_t>(index)];
    return actor < clock.size() ? clock[actor] : 0;
  }
  // A new clock, kept once, that its maker may still write to.
  std::int32_t copy_of(std::int32_t index);
  void raise(std::int32_t index, std::size_t actor, std::uint32_t tick);
  // The join of two, kept once more for the caller; `a` and `b` stay kept by theirs.
  std::int32_t join(std::int32_t a, std::int32_t b);

 private:
  std::vector<Clock> clocks_;
  std::vector<std::int32_t> counts_;
  std::vector<std::int32_t> free_;
  // The last join: the lanes of a warp ask for the same one in a row.
  std::int32_t last_a_ = 0, last_b_ = 0, last_joined_ = 0;
};

}  // namespace chainwalk::emulator
