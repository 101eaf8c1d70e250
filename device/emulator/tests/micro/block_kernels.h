// SPDX-License-Identifier: Apache-2.0
// Block barriers, shared memory and 16-byte asynchronous copies.
#pragma once

#include "micro.h"

CW_NAMESPACE_BEGIN

// Words pass from warp to warp. Fault: no block barrier between.
CW_DEVICE void block_handover(const WalkParameters& p) {
  const int next = (thread_index() + 32) % block_threads();
  store_shared(shared_words() + thread_index(), static_cast<std::uint32_t>(thread_index() * 7));
  if (!faulty(p)) sync_block();
  store(words_out(p) + global_thread(), load_shared(shared_words() + next));
}
// A second round over the same words. Fault: it overwrites what others may still read.
CW_DEVICE void block_reuse(const WalkParameters& p) {
  const int next = (thread_index() + 32) % block_threads();
  std::uint32_t sum = 0;
  for (std::uint32_t round = 0; round < 3; ++round) {
    store_shared(shared_words() + thread_index(), round + static_cast<std::uint32_t>(next));
    sync_block();
    sum += load_shared(shared_words() + next);
    if (!faulty(p)) sync_block();
  }
  store(words_out(p) + global_thread(), sum);
}
// Half the warps exit before the barrier: it waits for the others only.
CW_DEVICE void block_exits(const WalkParameters& p) {
  if (warp_index() * 2 >= block_threads() / 32) return;
  sync_block();
  store(words_out(p) + global_thread(), 5U);
}
// Fault: a word that nobody has written is read.
CW_DEVICE void block_unwritten(const WalkParameters& p) {
  if (!faulty(p) || thread_index() != 5) store_shared(shared_words() + thread_index(), 1U);
  store(words_out(p) + global_thread(), load_shared(shared_words() + thread_index()));
}
// Fault: the last thread writes past the block's shared memory.
CW_DEVICE void block_past_end(const WalkParameters& p) {
  const int place = thread_index() + (faulty(p) && thread_index() == block_threads() - 1 ? 1 : 0);
  store_shared(shared_words() + place, 1U);
}
// Fault: a 16-byte access off its alignment.
CW_DEVICE void block_alignment(const WalkParameters& p) {
  auto* words =
      reinterpret_cast<Words4*>(shared_words() + thread_index() * 8 + (faulty(p) ? 1 : 0));
  store_shared(words, Words4{1, 2, 3, 4});
}
// Two groups of 16-byte copies; each thread reads its own. Fault: waits for the first one only.
CW_DEVICE void async_groups(const WalkParameters& p) {
  auto* mine = reinterpret_cast<Words4*>(shared_memory()) + thread_index() * 2;
  const auto* from = reinterpret_cast<const Words4*>(words_in(p)) + global_thread() * 2;
  async_copy_16(mine, from);
  async_copy_commit();
  async_copy_16(mine + 1, from + 1, number(p));
  async_copy_commit();
  async_copy_wait<1>();
  std::uint32_t sum = load_shared(mine).x;
  if (!faulty(p)) async_copy_wait<0>();
  const Words4 second = load_shared(mine + 1);
  store(words_out(p) + global_thread(), sum + second.x + second.w);
  async_copy_wait<0>();
}
// Fault: takes another thread's copy for its own, without a barrier.
CW_DEVICE void async_other_thread(const WalkParameters& p) {
  auto* all = reinterpret_cast<Words4*>(shared_memory());
  const int next = (thread_index() + 1) % block_threads();
  async_copy_16(all + thread_index(),
                reinterpret_cast<const Words4*>(words_in(p)) + global_thread());
  async_copy_commit();
  async_copy_wait<0>();
  if (!faulty(p)) sync_block();
  store(words_out(p) + global_thread(), load_shared(all + next).x);
}
// Fault: exits with a copy in flight.
CW_DEVICE void async_exit(const WalkParameters& p) {
  async_copy_16(shared_memory() + thread_index() * 16, words_in(p) + global_thread() * 4);
  async_copy_commit();
  if (!faulty(p)) async_copy_wait<0>();
}
// Fault: writes the destination of a copy in flight.
CW_DEVICE void async_overwrite(const WalkParameters& p) {
  std::uint32_t* mine = shared_words() + thread_index() * 4;
  async_copy_16(mine, words_in(p) + global_thread() * 4);
  async_copy_commit();
  if (faulty(p)) store_shared(mine + 2, 9U);
  async_copy_wait<0>();
  store(words_out(p) + global_thread(), load_shared(mine + 2));
}

CW_NAMESPACE_END
