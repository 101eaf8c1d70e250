// SPDX-License-Identifier: Apache-2.0
// Clusters, dependent launch, and global memory shared by a launch.
#pragma once

#include "micro.h"

CW_NAMESPACE_BEGIN

// What `number` makes wrong of a peer read: 1 no barrier before it, 2 no barrier before the exit, 3
// two arrivals, 4 a wait without arrival, 5 a rank past the cluster, 6 a stale barrier.
CW_DEVICE void peers(const WalkParameters& p) {
  const std::int32_t fault = faulty(p) ? number(p) : 0;
  auto* mine = reinterpret_cast<float*>(shared_memory());
  if (fault == 6) {
    cluster_arrive();
    cluster_wait();
  }
  store_shared(mine + thread_index(), static_cast<float>(cluster_rank() * 100 + thread_index()));
  if (fault == 4) cluster_wait();
  if (fault != 1 && fault != 6) {
    cluster_arrive();
    if (fault == 3) cluster_arrive();
    cluster_wait();
  }
  float sum = 0.0F;
  for (int rank = 0; rank < cluster_blocks(); ++rank) {
    sum += load_peer(mine + thread_index(), fault == 5 ? rank + 1 : rank);
  }
  if (fault != 2) {
    cluster_arrive();
    cluster_wait();
  }
  store(words_out(p) + global_thread(), as_bits(sum));
}

// Doubles every word. Fault: reads before the wait what the launch ahead writes.
CW_DEVICE void dependent_double(const WalkParameters& p) {
  std::uint32_t value = 0;
  if (faulty(p)) value = load_coherent(words_out(p) + global_thread());
  dependent_wait();
  dependent_trigger();
  if (!faulty(p)) value = load_coherent(words_out(p) + global_thread());
  store(words_out(p) + global_thread(), value * 2);
}
// Fault: some lanes exit before the wait.
CW_DEVICE void dependent_exit(const WalkParameters& p) {
  if (faulty(p) && lane_index() >= 16) return;
  dependent_wait();
  store(words_out(p) + global_thread(), 3U);
}

// What `number` makes wrong of global memory: 1 writes past the end, 2 writes what is read-only, 3
// reads past the end, 4 a wild address, 5 a misaligned word, 6 two blocks write one word, 7 reads
// the word that the next block writes, 8 two lanes write one word, 9 exit with a lane adrift.
CW_DEVICE void global_words(const WalkParameters& p) {
  const std::int32_t fault = faulty(p) ? number(p) : 0;
  const std::int64_t total = p.positions;
  const std::int64_t self = global_thread();
  std::uint32_t* out = words_out(p);
  const bool chosen = self == 40;
  std::uint32_t value = load_cached(words_in(p) + (fault == 3 && chosen ? total : self));
  if (fault == 1 && chosen) out += total;
  if (fault == 2 && chosen) out = reinterpret_cast<std::uint32_t*>(const_cast<float*>(p.delta_v));
  if (fault == 4 && chosen) out += std::int64_t{1} << 42U;
  if (fault == 5 && chosen) {
    out = reinterpret_cast<std::uint32_t*>(reinterpret_cast<unsigned char*>(out) + 2);
  }
  if (fault == 6 && chosen) out += block_threads();
  if (fault == 7) value += load_coherent(out + (self + block_threads()) % total);
  if (fault == 8 && chosen) out -= 1;
  store(out + self, value + 1);
}

CW_NAMESPACE_END
