// SPDX-License-Identifier: Apache-2.0
// What a running cluster consists of: warps, blocks, barrier objects and copies in flight.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "machine/lane.h"
#include "parameters.h"
#include "src/choice.h"
#include "src/fiber.h"

namespace chainwalk::emulator {

struct Cluster;
class Watch;  // the memory checker of a cluster; null in plain runs

enum class Wait : std::uint32_t { nothing, warp, block, barrier, cluster, dependent, exited };
enum class WarpOperation : std::uint8_t { sync, ballot, shuffle, shuffle_xor };

// Lanes that have come to one warp operation and wait for the others of its mask. Lanes may meet
// under a part of a mask while others wait under the whole: each mask has a group of its own.
struct WarpGroup {
  std::uint32_t mask = 0;
  std::uint32_t arrived = 0;
  WarpOperation operation = WarpOperation::sync;
};
// Every unfinished group has a lane that waits in it, and one more is being entered.
inline constexpr std::size_t max_warp_groups = 64;

struct Warp {
  std::uint32_t ready = 0;       // lanes that can run
  std::uint32_t alive = 0;       // lanes that have not exited
  std::uint64_t unfinished = 0;  // bit per group with lanes that wait in it
  std::uint32_t at_block_barrier = 0;
  std::int32_t index = 0;       // in the cluster
  std::int32_t first_lane = 0;  // in the cluster
  std::uint32_t priority = 0;   // priority-change schedules
  std::uint32_t values[32] = {};
  std::uint32_t results[32] = {};
  std::int32_t arguments[32] = {};
  WarpGroup groups[max_warp_groups] = {};
};

// A transaction barrier. Its 8 bytes in shared memory hold only a mark and its index here.
struct BarrierObject {
  std::uint32_t offset = 0;  // in shared memory
  std::int32_t count = 0;
  std::int32_t pending = 0;       // arrivals that the phase still wants
  std::int64_t transactions = 0;  // bytes expected and not yet complete
  std::uint32_t phase = 0;        // the one that is not complete
  std::uint32_t observed = 0;     // phases that some wait has seen complete
  std::uint32_t copy_phases = 0;  // phases, up to the last one that a copy was issued in
  std::int32_t initializer = 0;   // thread
  bool live = false;
  bool fenced = false;         // since its initialization
  std::int32_t knowledge = 0;  // what those who arrived knew
  std::int32_t next_knowledge = 0;
  std::vector<std::int32_t> waiters;  // threads of the block
};

struct Block {
  Cluster* cluster = nullptr;
  std::int64_t index = 0;  // in the grid
  std::int32_t rank = 0;   // in the cluster
  std::int32_t first_warp = 0;
  std::int32_t warps = 0;
  std::int32_t alive = 0;
  std::int32_t at_barrier = 0;
  unsigned char* shared = nullptr;
  std::int32_t read_by_peers_until = 0;  // cluster waits needed before it may exit
  std::int32_t greatest_cluster_waits = 0;
  std::vector<BarrierObject> barriers;
};

// A bulk or tensor copy that has not wholly landed, as 16-byte pieces in some order.
struct BulkCopy {
  unsigned char* target = nullptr;
  const unsigned char* source = nullptr;  // of the box's first element, in bounds or not
  std::int64_t row_bytes = 0;             // of the box; the whole size for a bulk copy
  std::int64_t rows = 1;
  std::int64_t source_stride = 0;
  std::int64_t valid_low = 0, valid_high = 0;            // bytes of a box row that exist
  std::int64_t valid_first_row = 0, valid_rows_end = 1;  // rows of the box that exist
  Block* block = nullptr;
  std::int32_t barrier = 0;
  std::uint32_t phase = 0;
  std::int64_t pieces = 0, landed = 0;
  std::int64_t order_factor = 1, order_start = 0;
  bool late = false;  // lands only when nothing else can run
  const void* site = nullptr;
  std::int32_t thread = 0;
};

struct AsyncCopy {
  unsigned char* target = nullptr;
  const unsigned char* source = nullptr;
  std::int32_t source_bytes = 0;
  std::uint32_t group = 0;
  const void* site = nullptr;
  bool landed = false;
};
// cp.async of one thread. Groups count up; the newest one is still open.
struct PendingCopies {
  std::vector<AsyncCopy> copies;
  std::uint32_t open_group = 0;
  std::uint32_t finished_groups = 0;
  std::uint32_t last_group_with_copies = 0;  // plus one
};

}  // namespace chainwalk::emulator
