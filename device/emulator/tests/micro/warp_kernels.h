// SPDX-License-Identifier: Apache-2.0
// Warp operations: what they give, masks, exits.
#pragma once

#include "micro.h"

CW_NAMESPACE_BEGIN

// out[t] = ballot of odd lanes + value of lane (lane + 1) % 32 + xor shuffle.
CW_DEVICE void warp_values(const WalkParameters& p) {
  const int lane = lane_index();
  std::uint32_t* out = words_out(p) + global_thread() * 4;
  store(out, ballot(full_warp, (lane & 1) != 0));
  store(out + 1, shuffle(full_warp, static_cast<std::uint32_t>(lane * 10), (lane + 1) % 32));
  store(out + 2, as_bits(shuffle_xor(full_warp, static_cast<float>(lane), 5)));
  const unsigned half = lane < 16 ? 0x0000'FFFFU : 0xFFFF'0000U;
  store(out + 3, ballot(half, lane % 3 == 0));
}
// Each half votes by itself, then both together. Fault: each half names one lane of the other.
CW_DEVICE void warp_masks(const WalkParameters& p) {
  const bool low = lane_index() < 16;
  const unsigned more = faulty(p) ? 0x0001'8000U : 0U;
  const unsigned mask = (low ? 0x0000'FFFFU : 0xFFFF'0000U) | more;
  const unsigned votes = ballot(mask, true);
  store(words_out(p) + global_thread(), votes + ballot(full_warp, true));
}
// The low half has one vote more, under its own mask, before the whole warp meets.
CW_DEVICE void warp_nested(const WalkParameters& p) {
  unsigned votes = 0;
  if (lane_index() < 16) votes = ballot(0x0000'FFFFU, (lane_index() & 1) != 0);
  votes += shuffle(full_warp, votes, 15);
  store(words_out(p) + global_thread(), votes);
}
// Fault: lanes of one mask meet in different operations.
CW_DEVICE void warp_operations(const WalkParameters& p) {
  if (faulty(p) && lane_index() == 3) {
    sync_warp();
  } else {
    store(words_out(p) + global_thread(), ballot(full_warp, true));
  }
}
// Fault: a lane names a mask without itself.
CW_DEVICE void warp_outside(const WalkParameters& p) {
  const unsigned mask = faulty(p) && lane_index() == 7 ? ~(1U << 7U) : full_warp;
  store(words_out(p) + global_thread(), ballot(mask, true));
}
// Lanes over `number` exit; the others go on without them. Fault: they read from one that left.
CW_DEVICE void warp_exits(const WalkParameters& p) {
  if (lane_index() > number(p)) return;
  const std::uint32_t lane = static_cast<std::uint32_t>(lane_index());
  store(words_out(p) + global_thread(), shuffle(full_warp, lane, faulty(p) ? 31 : 0));
}
// Fault: one lane never comes to the barrier that the others wait at, and does not exit either.
CW_DEVICE void warp_deadlock(const WalkParameters& p) {
  if (faulty(p) && lane_index() == 9) {
    sync_block();
  } else {
    sync_warp();
  }
  sync_block();
  store(words_out(p) + global_thread(), 1U);
}
// Words pass from lane to lane through shared memory. Fault: no warp barrier between.
CW_DEVICE void warp_handover(const WalkParameters& p) {
  std::uint32_t* mine = shared_words() + warp_index() * 32;
  store_shared(mine + lane_index(), static_cast<std::uint32_t>(lane_index() * 3));
  if (!faulty(p)) sync_warp();
  store(words_out(p) + global_thread(), load_shared(mine + (lane_index() + 1) % 32));
}
// A vote is no barrier for memory.
CW_DEVICE void warp_vote_handover(const WalkParameters& p) {
  std::uint32_t* mine = shared_words() + warp_index() * 32;
  store_shared(mine + lane_index(), static_cast<std::uint32_t>(lane_index() * 3));
  if (faulty(p)) {
    ballot(full_warp, true);
  } else {
    sync_warp();
  }
  store(words_out(p) + global_thread(), load_shared(mine + (lane_index() + 1) % 32));
}
// The halves of a warp hand over under their own masks. Fault: across the halves.
CW_DEVICE void warp_half_handover(const WalkParameters& p) {
  std::uint32_t* mine = shared_words() + warp_index() * 32;
  const int lane = lane_index();
  store_shared(mine + lane, static_cast<std::uint32_t>(lane * 3));
  sync_warp(lane < 16 ? 0x0000'FFFFU : 0xFFFF'0000U);
  const int from = faulty(p) ? (lane + 16) % 32 : (lane & 16) | ((lane + 1) & 15);
  store(words_out(p) + global_thread(), load_shared(mine + from));
}

CW_NAMESPACE_END
