// SPDX-License-Identifier: Apache-2.0
// The callee of -fsanitize-coverage=trace-pc, in both compilers. This file is not instrumented.
#include "chainwalk/platform/edges.h"

#include <algorithm>
#include <array>
#include <atomic>

#ifdef CHAINWALK_FUZZ_EDGES
// The linker's name for the start of the program or shared object: addresses move from run to run.
extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));
#endif

namespace chainwalk::platform {
namespace {

constexpr std::size_t table_size = std::size_t{1} << 16U;

std::array<std::atomic<bool>, table_size> reached{};
std::array<std::atomic<std::uint32_t>, table_size> order{};
std::atomic<std::uint32_t> count{0};

}  // namespace

#ifdef CHAINWALK_FUZZ_EDGES
bool edges_are_recorded() noexcept { return true; }
#else
bool edges_are_recorded() noexcept { return false; }
#endif

std::vector<std::uint32_t> take_edges() {
  std::vector<std::uint32_t> edges;
  const std::size_t taken = std::min<std::size_t>(count.exchange(0), table_size);
  for (std::size_t index = 0; index < taken; ++index) {
    edges.push_back(order[index].load());
    reached[edges.back()].store(false);
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

#ifdef CHAINWALK_FUZZ_EDGES
void record_edge(std::uintptr_t place) noexcept {
  const auto word = (static_cast<std::uint64_t>(place) * 0x9E37'79B9'7F4A'7C15U) >> 48U;
  if (reached[word].load(std::memory_order_relaxed) || reached[word].exchange(true)) return;
  const std::uint32_t at = count.fetch_add(1);
  if (at < table_size) order[at].store(static_cast<std::uint32_t>(word));
}
#endif

}  // namespace chainwalk::platform

#ifdef CHAINWALK_FUZZ_EDGES
extern "C" void __sanitizer_cov_trace_pc();
extern "C" void __sanitizer_cov_trace_pc() {
  chainwalk::platform::record_edge(reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) -
                                   reinterpret_cast<std::uintptr_t>(&__ehdr_start));
}
#endif
