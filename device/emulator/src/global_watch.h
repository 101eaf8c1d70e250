// SPDX-License-Identifier: Apache-2.0
// Who touched which byte of global memory in the launches of a sequence: two writers, reads of what
// another block wrote, and reads before a dependent-launch wait.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "chainwalk/emulator/emulator.h"
#include "src/launch.h"

namespace chainwalk::emulator {

struct Lane;

// What one warp accessed of a 16-byte granule: which bytes, and which lane each of them.
struct Owner {
  std::uint32_t launch = 0;  // number in the sequence, from 1; 0: nobody
  std::uint32_t block = 0;
  std::uint32_t tick = 0;  // of the first access, so that a barrier since then counts
  std::uint32_t site = 0;
  std::uint16_t bytes = 0;
  std::uint16_t thread = 0;  // the last one
  std::array<std::uint8_t, 16> lanes{};
};

class GlobalWatch {
 public:
  // `strict`: a dependent launch touches nothing before its wait that the launch ahead writes.
  GlobalWatch(std::span<const Buffer> buffers, bool strict);
  ~GlobalWatch();
  GlobalWatch(const GlobalWatch&) = delete;
  GlobalWatch& operator=(const GlobalWatch&) = delete;

  // Bytes [address, address + bytes) lie inside buffers()[buffer]. Accuses the lane where the fault
  // is its own cluster's; keeps what lies between clusters for conflicts().
  void access(Lane& lane, std::size_t buffer, std::uintptr_t address, std::uint32_t bytes,
              bool write, std::uint32_t site);
  std::span<const Buffer> buffers() const { return buffers_; }

  // Findings between clusters of the launch that has ended, one a kind, in an order that does not
  // depend on OS threads.
  std::vector<Finding> conflicts(const Launch& launch);

 private:
  struct Granule;
  struct Page;
  struct Conflict {
    const char* kind;
    std::size_t buffer;
    std::uint64_t offset;
    Owner first, second;  // in order of block and thread
    bool first_writes, second_writes;
  };

  Page& page_of(std::size_t buffer, std::uint64_t page);
  void note(Conflict conflict);
  void access_granule(Lane& lane, std::size_t buffer, std::uint64_t offset, const Owner& owner,
                      bool write);
  void against(Lane& lane, std::size_t buffer, std::uint64_t offset, const Owner& mine, bool write,
               Owner other, bool other_writes);

  std::vector<Buffer> buffers_;
  std::vector<std::unique_ptr<std::atomic<Page*>[]>> pages_;
  std::vector<std::uint64_t> page_counts_;
  bool strict_;
  std::mutex mutex_;
  std::vector<Conflict> conflicts_;
};

std::string describe_owner(const Launch& launch, const Owner& owner, bool writes);

}  // namespace chainwalk::emulator
