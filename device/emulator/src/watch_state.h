// SPDX-License-Identifier: Apache-2.0
// The memory checker's state for one cluster: the shadow of its shared memory, and clocks.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "src/cluster.h"
#include "src/global_watch.h"
#include "src/knowledge.h"

namespace chainwalk::emulator {

// Who touched a 4-byte cell of shared memory last. Actors below first_barrier_actor are threads of
// the block; the others are the asynchronous copies that complete on a barrier of the block.
inline constexpr std::uint16_t first_barrier_actor = 1024;
inline constexpr std::uint16_t peer_actor = 0xFFFF;  // threads of other blocks, by cluster barriers

struct Access {
  std::uint32_t tick = 0;  // 0: none
  std::uint32_t site = 0;  // site_of() of its place
  std::uint16_t actor = 0;
  std::uint8_t bytes = 0;          // mask of the cell's bytes
  std::uint8_t in_flight = 0;      // a thread's own copy that it has not waited for
  std::int32_t cluster_phase = 0;  // cluster barriers its thread had arrived at
};
struct Cell {
  Access write;
  Access read;                      // the last one
  Access other_read;                // the last one by another warp than `read`
  std::uint32_t written_since = 0;  // tick of the block's start if `written` is of this block
  std::uint32_t barrier_since = 0;  // the same, if the bytes are of a live barrier object
  std::uint8_t written = 0;         // bytes that were ever written
};

// What a lane knew when it executed a proxy fence.
struct ProxyFence {
  std::uint32_t tick = 0;  // 0: none
  std::uint32_t block_known = 0, warp_known = 0;
  std::int32_t knowledge = 0;
};

struct BlockWatch {
  std::vector<Cell> cells;
  std::uint32_t start_tick = 0;
  std::uint32_t known = 0;  // every access by a thread of the block before this is known to all
  std::vector<std::array<ProxyFence, 4>> fences;  // by thread, the latest first
};

class Watch {
 public:
  void start(Cluster& cluster, GlobalWatch& global);

  BlockWatch& of(const Block& block) { return blocks[static_cast<std::size_t>(block.rank)]; }
  bool knows(const Lane& lane, std::uint16_t actor, std::uint32_t tick) const;
  bool knows(const Lane& lane, const Access& access) const;
  void access_shared(Lane& lane, std::uint32_t offset, std::uint32_t bytes, bool write,
                     const void* site);
  void access_global(Lane& lane, std::uintptr_t address, std::uint32_t bytes, bool write,
                     const void* site);

  Cluster* cluster = nullptr;
  GlobalWatch* global = nullptr;
  std::uint32_t tick = 0;  // never goes back: what earlier clusters left is stale
  std::vector<BlockWatch> blocks;
  std::vector<std::uint32_t> warp_known;  // by warp of the cluster, of its own lanes
  std::vector<BulkCopy> sources;          // of phases that have not ended: they must not change
  Knowledge knowledge;
  std::uint64_t accesses = 0;
};

std::uint32_t site_of(const void* return_address);
const void* address_of_site(std::uint32_t site);
// The party of a recorded access: "block 0 warp 1 lane 3 at file.h:7 (write)".
std::string describe_party(const Lane& lane, const Access& access, const char* what);

// Interval in accesses between two preemptions of a lane; 0 is never.
void draw_preemption(Cluster& cluster, Lane& lane);

}  // namespace chainwalk::emulator
