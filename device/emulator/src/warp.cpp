// SPDX-License-Identifier: Apache-2.0
// Votes, shuffles and barriers of a warp: lanes meet under the mask they name.
#include <bit>

#include "machine/operations.h"
#include "src/cluster.h"
#include "src/findings.h"
#include "src/watch.h"

namespace chainwalk::emulator {
namespace {

const char* name_of(WarpOperation operation) {
  switch (operation) {
    case WarpOperation::sync: return "warp barrier";
    case WarpOperation::ballot: return "ballot";
    case WarpOperation::shuffle: return "shuffle";
    case WarpOperation::shuffle_xor: return "xor shuffle";
  }
  return "?";
}

std::string hex(std::uint32_t mask) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) {
    text += digits[(mask >> static_cast<unsigned>(shift)) & 15U];
  }
  return text;
}

const Lane& waiting_lane(Lane& lane, std::uint32_t lanes) {
  return *cluster_of(lane).lane(
      static_cast<std::size_t>(lane.warp->first_lane + std::countr_zero(lanes)));
}

[[noreturn]] void refuse_mismatch(Lane& lane, WarpOperation operation, std::uint32_t mask,
                                  const WarpGroup& group) {
  const bool same = group.operation == operation;
  const Lane& other = waiting_lane(lane, group.arrived);
  accuse(lane, {.kind = same ? "warp-mask-mismatch" : "warp-operation-mismatch",
                .what = "enters a " + std::string(name_of(operation)) + " with mask " + hex(mask) +
                        " while lanes " + hex(group.arrived) + " wait for it in a " +
                        name_of(group.operation) + " with mask " + hex(group.mask),
                .other_party = describe_lane(other) + " at " + describe_site(other.site)});
}

// The group of a mask, or a free one. The whole warp has the first place to itself.
WarpGroup& group_of(Warp& warp, std::uint32_t mask) {
  if (mask == ~0U) return warp.groups[0];
  std::size_t place = 1 + static_cast<std::size_t>(std::countr_zero(mask));
  while (warp.groups[place].arrived != 0 && warp.groups[place].mask != mask) {
    place = place + 1 == max_warp_groups ? 1 : place + 1;
  }
  return warp.groups[place];
}
std::uint64_t bit_of(const Warp& warp, const WarpGroup& group) {
  return std::uint64_t{1} << static_cast<unsigned>(&group - warp.groups);
}

// Two groups that wait for lanes of each other never end.
void check_others(Lane& lane, const WarpGroup& group) {
  const Warp& warp = *lane.warp;
  for (std::uint64_t left = warp.unfinished & ~bit_of(warp, group); left != 0; left &= left - 1) {
    const WarpGroup& other = warp.groups[std::countr_zero(left)];
    if ((other.mask & lane_bit(lane)) != 0 && (other.arrived & group.mask) != 0) {
      refuse_mismatch(lane, group.operation, group.mask, other);
    }
  }
}

// Shuffles take the value that the source lane brought; it must have come to the same operation.
std::uint32_t shuffled(Lane& last, const WarpGroup& group, int lane) {
  const Warp& warp = *last.warp;
  const int argument = warp.arguments[lane];
  const int source = group.operation == WarpOperation::shuffle ? argument & 31 : lane ^ argument;
  if (source >= 0 && source < 32 && ((group.arrived >> static_cast<unsigned>(source)) & 1U) != 0) {
    return warp.values[source];
  }
  Lane& reader = *cluster_of(last).lane(static_cast<std::size_t>(warp.first_lane + lane));
  accuse(last, {.kind = "shuffle-inactive-source",
                .what = describe_lane(reader) + " takes its value from lane " +
                        std::to_string(source) + ", which is not in the " +
                        name_of(group.operation) + " with mask " + hex(group.mask)});
}

void compute(Lane& last, const WarpGroup& group) {
  Warp& warp = *last.warp;
  switch (group.operation) {
    case WarpOperation::sync: return;
    case WarpOperation::ballot: {
      std::uint32_t votes = 0;
      for (std::uint32_t left = group.arrived; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        votes |= warp.values[lane] << lane;
      }
      for (std::uint32_t& result : warp.results) result = votes;
      return;
    }
    case WarpOperation::shuffle:
      if (group.arrived == ~0U) {  // nearly always: every source is there
        for (int lane = 0; lane < 32; ++lane) {
          warp.results[lane] = warp.values[warp.arguments[lane] & 31];
        }
        return;
      }
      [[fallthrough]];
    case WarpOperation::shuffle_xor:
      for (std::uint32_t left = group.arrived; left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        warp.results[lane] = shuffled(last, group, lane);
      }
      return;
  }
}

// Ballots give every lane one result, but a lane outside the mask may still have to read its own.
void complete(Lane& last, WarpGroup& group) {
  Cluster& cluster = cluster_of(last);
  Warp& warp = *last.warp;
  if (group.operation == WarpOperation::ballot && group.mask != ~0U) {
    std::uint32_t kept[32];
    for (int lane = 0; lane < 32; ++lane) kept[lane] = warp.results[lane];
    compute(last, group);
    for (int lane = 0; lane < 32; ++lane) {
      if (((group.mask >> static_cast<unsigned>(lane)) & 1U) == 0) warp.results[lane] = kept[lane];
    }
  } else {
    compute(last, group);
  }
  if (cluster.watch != nullptr && group.operation == WarpOperation::sync) {
    watch_warp_barrier(*cluster.watch, warp, group.arrived);
  }
  warp.unfinished &= ~bit_of(warp, group);
  make_ready(cluster, warp, group.arrived);
  group.arrived = 0;
  ++cluster.progress;
}

std::uint32_t meet(Lane& lane, WarpOperation operation, std::uint32_t mask, std::uint32_t value,
                   int argument) {
  preemption_point(lane);
  Warp& warp = *lane.warp;
  const std::uint32_t bit = lane_bit(lane);
  if ((mask & bit) == 0) {
    accuse(lane, {.kind = "lane-outside-mask",
                  .what = "enters a " + std::string(name_of(operation)) + " with mask " +
                          hex(mask) + ", which does not name it"});
  }
  WarpGroup& group = group_of(warp, mask);
  if (group.arrived == 0) {
    group.mask = mask;
    group.operation = operation;
  } else if (group.operation != operation) {
    refuse_mismatch(lane, operation, mask, group);
  }
  if ((warp.unfinished & ~bit_of(warp, group)) != 0) check_others(lane, group);
  const int index = lane_in_warp(lane);
  warp.values[index] = value;
  warp.arguments[index] = argument;
  group.arrived |= bit;
  if (((group.arrived | ~warp.alive) & mask) == mask) {
    complete(lane, group);
    preemption_point(lane);
  } else {
    warp.unfinished |= bit_of(warp, group);
    warp.ready &= ~bit;
    lane.waits_on = static_cast<std::uint32_t>(Wait::warp);
    suspend(lane);
    lane.waits_on = static_cast<std::uint32_t>(Wait::nothing);
  }
  return warp.results[index];
}

}  // namespace

void recheck_warp_operations(Cluster& cluster, Warp& warp) {
  for (std::uint64_t left = warp.unfinished; left != 0; left &= left - 1) {
    WarpGroup& group = warp.groups[std::countr_zero(left)];
    if (((group.arrived | ~warp.alive) & group.mask) != group.mask) continue;
    complete(lane_of_warp(cluster, warp, std::countr_zero(group.arrived)), group);
  }
}

void sync_warp(unsigned mask) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  meet(lane, WarpOperation::sync, mask, 0, 0);
}
std::uint32_t ballot(unsigned mask, bool vote) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  return meet(lane, WarpOperation::ballot, mask, vote ? 1U : 0U, 0);
}
std::uint32_t shuffle(unsigned mask, std::uint32_t value, int source_lane) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  return meet(lane, WarpOperation::shuffle, mask, value, source_lane);
}
std::uint32_t shuffle_xor(unsigned mask, std::uint32_t value, int lane_bits) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  return meet(lane, WarpOperation::shuffle_xor, mask, value, lane_bits);
}

}  // namespace chainwalk::emulator
