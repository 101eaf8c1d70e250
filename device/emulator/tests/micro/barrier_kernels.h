// SPDX-License-Identifier: Apache-2.0
// Transaction barriers, bulk and tensor copies, and the proxy fence.
#pragma once

#include "micro.h"

CW_NAMESPACE_BEGIN

inline constexpr int copied_words = 256;

CW_DEVICE Barrier* barrier_at(int place) {
  return reinterpret_cast<Barrier*>(shared_memory() + copied_words * 8) + place;
}
CW_DEVICE void make_barrier(Barrier* barrier, int arrivals, bool fence) {
  if (thread_index() == 0) {
    barrier_init(barrier, arrivals);
    if (fence) barrier_init_fence();
  }
  sync_block();
}
CW_DEVICE std::uint32_t sum_of_copied(const std::uint32_t* words) {
  std::uint32_t sum = 0;
  for (int word = lane_index(); word < copied_words; word += 32) sum += load_shared(words + word);
  return sum;
}

// What `number` makes wrong of a bulk copy.
enum CopyFault : std::int32_t {
  no_wait = 1,
  other_parity,
  expects_less,
  expects_more,
  no_fence_of_init,
  not_initialized,
  changes_source,
  writes_destination,
};
CW_DEVICE void bulk_once(const WalkParameters& p) {
  const std::int32_t fault = faulty(p) ? number(p) : 0;
  Barrier* barrier = barrier_at(0);
  if (fault != not_initialized) make_barrier(barrier, 1, fault != no_fence_of_init);
  std::uint32_t* source = words_out(p) + block_index() * copied_words;
  if (thread_index() == 0) {
    const std::uint32_t bytes = copied_words * 4;
    barrier_arrive_expect(barrier, fault == expects_less   ? bytes - 16
                                   : fault == expects_more ? bytes + 16
                                                           : bytes);
    bulk_copy(shared_memory(), source, bytes, barrier);
    if (fault == changes_source) store(source + 3, 77U);
    if (fault == writes_destination) store_shared(shared_words() + 3, 77U);
  }
  if (fault != no_wait) barrier_wait(barrier, fault == other_parity ? 1 : 0);
  const std::uint32_t sum = sum_of_copied(shared_words());
  store(static_cast<std::uint32_t*>(p.snapshot) + global_thread(), sum);
  if (fault == no_wait) barrier_wait(barrier, 0);
}

// A buffer is filled, read and filled again. Faults: 1 no proxy fence, 2 no block barrier, 3 no
// wait of the second phase's own parity.
CW_DEVICE void bulk_reuse(const WalkParameters& p) {
  const std::int32_t fault = faulty(p) ? number(p) : 0;
  Barrier* barrier = barrier_at(0);
  make_barrier(barrier, 1, true);
  std::uint32_t sum = 0;
  for (int round = 0; round < 4; ++round) {
    if (round > 0) {
      if (fault != 1) fence_proxy_async();
      if (fault != 2) sync_block();
    }
    if (thread_index() == 0) {
      barrier_arrive_expect(barrier, copied_words * 4);
      bulk_copy(shared_memory(), words_in(p) + round * copied_words, copied_words * 4, barrier);
    }
    barrier_wait(barrier, fault == 3 ? 0 : round & 1);
    sum += sum_of_copied(shared_words());
  }
  store(words_out(p) + global_thread(), sum);
}

// Many arrivals and no bytes: every thread arrives, then reads what all wrote before. Fault: one
// lane of each warp arrives for its warp before the warp has joined.
CW_DEVICE void barrier_handover(const WalkParameters& p) {
  Barrier* barrier = barrier_at(0);
  make_barrier(barrier, block_threads() / 32, true);
  store_shared(shared_words() + thread_index(), static_cast<std::uint32_t>(thread_index()));
  if (!faulty(p)) sync_warp();
  if (lane_index() == 0) barrier_arrive(barrier);
  barrier_wait(barrier, 0);
  const int next = (thread_index() + 33) % block_threads();
  store(words_out(p) + global_thread(), load_shared(shared_words() + next));
}

// What `number` makes wrong of a barrier's life.
CW_DEVICE void barrier_life(const WalkParameters& p) {
  const std::int32_t fault = faulty(p) ? number(p) : 0;
  Barrier* barrier = barrier_at(0);
  if (thread_index() != 0) return;
  barrier_init(barrier, fault == 1 ? 1 << 20 : 2);
  barrier_init_fence();
  if (fault == 2) barrier_init(barrier, 1);
  barrier_arrive(barrier);
  if (fault == 3) barrier_invalidate(barrier);
  barrier_arrive(barrier);
  barrier_wait(barrier, 0);
  if (fault == 4) store_shared(shared_words() + copied_words * 2, 0U);
  barrier_invalidate(barrier);
  if (fault == 5) barrier_arrive(barrier);
  barrier_init(barrier, 1);
  // Parity 1 of a fresh barrier stands for the phase before the first: complete.
  barrier_wait(barrier, 1);
  if (fault == 6) barrier_wait(barrier, 0);
  if (fault == 7) barrier_wait(barrier, 2);
  if (fault == 8) barrier_init(reinterpret_cast<Barrier*>(shared_memory() + 4), 1);
  barrier_invalidate(barrier);
  store(words_out(p) + block_index(), 1U);
}

// A box of 32 x `number` f32 at (-4, -2): elements out of bounds are zero, and all bytes count.
CW_DEVICE void tensor_box(const WalkParameters& p) {
  Barrier* barrier = barrier_at(0);
  make_barrier(barrier, 1, true);
  if (thread_index() == 0) {
    barrier_arrive_expect(barrier, static_cast<std::uint32_t>(32 * number(p) * 4));
    prefetch_tensor_map(&p.token_map);
    const std::int32_t fault = faulty(p) ? number(p) : 0;
    const int column = fault == 5 ? -3 : -4;
    tensor_copy_2d(shared_memory() + (fault == 3 ? 16 : 0), &p.token_map, column, -2, barrier);
  }
  barrier_wait(barrier, 0);
  for (int word = thread_index(); word < 32 * number(p); word += block_threads()) {
    store(words_out(p) + word, load_shared(shared_words() + word));
  }
}

CW_NAMESPACE_END
