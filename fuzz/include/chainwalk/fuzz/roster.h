// SPDX-License-Identifier: Apache-2.0
// Who has which ranges, and who has been silent for too long to be waited for. Knows nothing of
// processes and messages.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "chainwalk/fuzz/finding.h"

namespace chainwalk::fuzz {

// Times are seconds on one clock that does not go back. Members are numbered by the caller.
class Roster {
 public:
  // A member that is silent for more than `silence_max` seconds is lost.
  explicit Roster(double silence_max) : silence_max_(silence_max) {}

  // The member is there, and takes up to `capacity` ranges at a time.
  void join(int member, std::size_t capacity, double now);
  // The member said something. One that was lost is as good as any other from then on.
  void heard(int member, double now);
  // The member is not to be dealt anything or waited for any more; the ranges that it had.
  std::vector<Range> leave(int member);

  // The member with the most room for further ranges; nullopt: none has any.
  std::optional<int> with_room() const;
  void dealt(int member, const Range& range);
  // Somebody has brought the outcome of the range: nobody is to be waited for with it.
  void returned(const Range& range);

  struct Loss {
    int member = 0;
    std::vector<Range> ranges;  // nobody has these now
  };
  // Members lost since the last call.
  std::vector<Loss> lose_silent(double now);

  std::size_t capacity() const;                            // of members that are there
  std::vector<int> present() const;                        // joined and not lost, ascending
  std::size_t losses() const noexcept { return losses_; }  // of members, ever

 private:
  struct Member {
    std::size_t capacity = 0;
    double last_heard = 0;
    bool lost = false;
    std::set<Range> ranges;
  };

  double silence_max_;
  std::map<int, Member> members_;
  std::size_t losses_ = 0;
};

}  // namespace chainwalk::fuzz
