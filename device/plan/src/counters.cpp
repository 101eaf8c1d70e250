// SPDX-License-Identifier: Apache-2.0
// Counters of chosen members.
#include "counters.h"

#include <array>
#include <atomic>

#include "family.h"

namespace chainwalk::plan {
namespace {

std::array<std::atomic<std::uint64_t>, device::kernel_count> counts{};

}  // namespace

void count_plan(std::size_t kernel) { counts[kernel].fetch_add(1, std::memory_order_relaxed); }

std::vector<std::uint64_t> plans_made() {
  std::vector<std::uint64_t> result;
  for (const auto& count : counts) {
    result.push_back(count.load(std::memory_order_relaxed));
  }
  return result;
}

void reset_plans_made() {
  for (auto& count : counts) {
    count.store(0, std::memory_order_relaxed);
  }
}

}  // namespace chainwalk::plan
