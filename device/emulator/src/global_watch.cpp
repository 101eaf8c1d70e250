// SPDX-License-Identifier: Apache-2.0
// Shadow of the writable buffers, a page at a time: who wrote and who read each 16-byte granule.
#include "src/global_watch.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "src/findings.h"
#include "src/watch_state.h"

namespace chainwalk::emulator {
namespace {
constexpr std::uint64_t page_granules = 256;
constexpr std::uint64_t granule_bytes = 16;

// Narrows `other` to a byte that it shares with `mine` and another thread accessed; false when
// every shared byte is the thread's own.
bool narrow_to_other_thread(const Owner& mine, Owner& other) {
  for (unsigned byte = 0; byte < granule_bytes; ++byte) {
    if (((mine.bytes & other.bytes) >> byte & 1) == 0) continue;
    other.thread = static_cast<std::uint16_t>(other.thread / 32 * 32 + other.lanes[byte]);
    if (mine.block != other.block || mine.thread != other.thread) return true;
  }
  return false;
}
bool same_warp(const Owner& a, const Owner& b) {
  return a.launch == b.launch && a.block == b.block && a.thread / 32 == b.thread / 32;
}

// Into the place of the same warp, else a free or stale one; false when there is none.
template <std::size_t size>
bool put(std::array<Owner, size>& owners, const Owner& owner) {
  for (Owner& held : owners) {
    if (!same_warp(held, owner)) continue;
    held.bytes = static_cast<std::uint16_t>(held.bytes | owner.bytes);
    held.site = owner.site;
    held.thread = owner.thread;
    for (unsigned byte = 0; byte < granule_bytes; ++byte) {
      if ((owner.bytes >> byte & 1) != 0) held.lanes[byte] = owner.lanes[byte];
    }
    return true;
  }
  for (Owner& held : owners) {
    if (held.launch >= owner.launch) continue;
    held = owner;
    return true;
  }
  return false;
}
}  // namespace

struct GlobalWatch::Granule {
  std::array<Owner, 2> writers;
  std::array<Owner, 2> readers;
};
struct GlobalWatch::Page {
  std::atomic_flag busy;
  std::array<Granule, page_granules> granules;
  std::vector<std::pair<std::uint64_t, Owner>> more_writers;  // by granule, of the latest launch
};

GlobalWatch::GlobalWatch(std::span<const Buffer> buffers, bool strict)
    : buffers_(buffers.begin(), buffers.end()), strict_(strict) {
  for (const Buffer& buffer : buffers_) {
    const std::uint64_t pages = buffer.bytes / (page_granules * granule_bytes) + 2;
    page_counts_.push_back(buffer.writable ? pages : 0);
    pages_.push_back(buffer.writable ? std::make_unique<std::atomic<Page*>[]>(pages) : nullptr);
  }
}

GlobalWatch::~GlobalWatch() {
  for (std::size_t buffer = 0; buffer < pages_.size(); ++buffer) {
    for (std::uint64_t page = 0; page < page_counts_[buffer]; ++page) {
      delete pages_[buffer][page].load();
    }
  }
}

GlobalWatch::Page& GlobalWatch::page_of(std::size_t buffer, std::uint64_t page) {
  std::atomic<Page*>& place = pages_[buffer][page];
  Page* found = place.load(std::memory_order_acquire);
  if (found != nullptr) return *found;
  auto made = std::make_unique<Page>();
  if (place.compare_exchange_strong(found, made.get(), std::memory_order_acq_rel)) {
    return *made.release();
  }
  return *found;
}

void GlobalWatch::note(Conflict conflict) {
  const auto key = [](const Owner& owner) { return std::tie(owner.block, owner.thread); };
  if (key(conflict.second) < key(conflict.first)) {
    std::swap(conflict.first, conflict.second);
    std::swap(conflict.first_writes, conflict.second_writes);
  }
  constexpr std::size_t enough = 4096;
  const std::lock_guard lock(mutex_);
  if (conflicts_.size() < enough) conflicts_.push_back(conflict);
}

// Bytes are shared by two owners, at least one of which writes. Throws for what the lane's own
// cluster did; what another cluster did is noted, as which comes first depends on OS threads.
void GlobalWatch::against(Lane& lane, std::size_t buffer, std::uint64_t offset, const Owner& mine,
                          bool write, Owner other, bool other_writes) {
  if (other.launch == mine.launch && !narrow_to_other_thread(mine, other)) return;
  const Cluster& cluster = cluster_of(lane);
  const auto accused = [&](const char* kind, const std::string& what) {
    accuse(lane, {.kind = kind,
                  .what = what,
                  .address = static_cast<const unsigned char*>(buffers_[buffer].data) + offset,
                  .other_party = describe_owner(*cluster.launch, other, other_writes),
                  .site = address_of_site(mine.site)});
  };
  if (other.launch != mine.launch) {
    const bool ahead = other.launch == mine.launch + 1;  // a dependent that started early
    const bool behind = other.launch + 1 == mine.launch && strict_ && cluster.launch->dependent &&
                        !lane.dependent_waited;
    if (ahead || behind) {
      accused("access-before-dependent-wait",
              ahead ? "writes what a dependent launch has touched before its wait"
                    : "touches, before the dependent-launch wait, what the launch ahead writes");
    }
    return;
  }
  if (mine.block == other.block && !(write && other_writes)) {
    const auto thread = static_cast<std::uint16_t>(other.thread);
    if (cluster.watch->knows(lane, thread, other.tick)) return;
    accused("global-race",
            "touches global memory that another lane of its block touched, with no "
            "barrier between");
  }
  const char* kind = write && other_writes ? "two-writers" : "read-of-other-block";
  const std::int64_t first = cluster.blocks.front().index;
  if (other.block >= first && other.block <= cluster.blocks.back().index) {
    accused(kind, write && other_writes
                      ? "writes bytes that another lane has written in this launch"
                      : "shares bytes with another block of this launch, one of them writing");
  }
  note({kind, buffer, offset, mine, other, write, other_writes});
}

void GlobalWatch::access_granule(Lane& lane, std::size_t buffer, std::uint64_t offset,
                                 const Owner& owner, bool write) {
  const std::uint64_t granule = offset / granule_bytes;
  Page& page = page_of(buffer, granule / page_granules);
  while (page.busy.test_and_set(std::memory_order_acquire)) {
  }
  Granule& cell = page.granules[granule % page_granules];
  // Copied, so that an accusation leaves the page unlocked.
  std::array<Owner, 2> writers = cell.writers;
  std::array<Owner, 2> readers = cell.readers;
  std::vector<Owner> more;
  for (const auto& [place, other] : page.more_writers) {
    if (place == granule % page_granules) more.push_back(other);
  }
  if (write) {
    if (!put(cell.writers, owner)) {
      if (!page.more_writers.empty() && page.more_writers.front().second.launch != owner.launch) {
        page.more_writers.clear();
      }
      page.more_writers.emplace_back(granule % page_granules, owner);
    }
  } else if (!put(cell.readers, owner)) {
    cell.readers[1] = owner;
  }
  page.busy.clear(std::memory_order_release);

  const auto check = [&](const Owner& other, bool other_writes) {
    if (other.launch == 0 || (other.bytes & owner.bytes) == 0) return;
    against(lane, buffer, offset, owner, write, other, other_writes);
  };
  for (const Owner& other : writers) check(other, true);
  for (const Owner& other : more) check(other, true);
  if (!write) return;
  for (const Owner& other : readers) check(other, false);
}

void GlobalWatch::access(Lane& lane, std::size_t buffer, std::uintptr_t address,
                         std::uint32_t bytes, bool write, std::uint32_t site) {
  const Cluster& cluster = cluster_of(lane);
  std::uint64_t offset = address - reinterpret_cast<std::uintptr_t>(buffers_[buffer].data);
  Owner owner{.launch = cluster.launch->number,
              .block = static_cast<std::uint32_t>(lane.block_index),
              .tick = cluster.watch->tick,
              .site = site,
              .bytes = 0,
              .thread = static_cast<std::uint16_t>(lane.thread),
              .lanes = {}};
  owner.lanes.fill(static_cast<std::uint8_t>(lane_in_warp(lane)));
  while (bytes > 0) {
    const std::uint64_t low = offset % granule_bytes;
    const auto count = std::min<std::uint64_t>(granule_bytes - low, bytes);
    owner.bytes = static_cast<std::uint16_t>(((1U << count) - 1U) << low);
    access_granule(lane, buffer, offset, owner, write);
    offset += count;
    bytes -= static_cast<std::uint32_t>(count);
  }
}

std::string describe_owner(const Launch& launch, const Owner& owner, bool writes) {
  std::string text = "block " + std::to_string(owner.block) + " warp " +
                     std::to_string(owner.thread / 32) + " lane " +
                     std::to_string(owner.thread % 32);
  if (owner.launch != launch.number) {
    text += owner.launch > launch.number ? " of the dependent launch" : " of the launch ahead";
  }
  const std::string site = describe_site(address_of_site(owner.site));
  if (!site.empty()) text += " at " + site;
  return text + (writes ? " (write)" : " (read)");
}

std::vector<Finding> GlobalWatch::conflicts(const Launch& launch) {
  const auto key = [](const Conflict& conflict) {
    return std::tie(conflict.buffer, conflict.offset, conflict.first.block, conflict.first.thread,
                    conflict.second.block, conflict.second.thread);
  };
  std::sort(conflicts_.begin(), conflicts_.end(),
            [&](const Conflict& a, const Conflict& b) { return key(a) < key(b); });
  std::vector<Finding> findings;
  for (const Conflict& conflict : conflicts_) {
    // One a kind: the others tell of the same line of code, thousands of times.
    const auto same = [&](const Finding& finding) { return finding.kind == conflict.kind; };
    if (std::any_of(findings.begin(), findings.end(), same)) continue;
    const Buffer& buffer = buffers_[conflict.buffer];
    findings.push_back(make_launch_finding(
        launch, conflict.first.block, conflict.first.thread,
        {.kind = conflict.kind,
         .what = std::string(conflict.first_writes ? "writes" : "reads") +
                 " bytes that another block " + (conflict.second_writes ? "writes" : "reads") +
                 " in this launch",
         .address = static_cast<const unsigned char*>(buffer.data) + conflict.offset,
         .other_party = describe_owner(launch, conflict.second, conflict.second_writes),
         .site = address_of_site(conflict.first.site)}));
  }
  conflicts_.clear();
  return findings;
}

}  // namespace chainwalk::emulator
