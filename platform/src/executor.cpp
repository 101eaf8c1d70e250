// SPDX-License-Identifier: Apache-2.0
// parallel_for over oneTBB, or over std::thread where ThreadSanitizer has to see every edge.
#include "chainwalk/platform/executor.h"

#include <sched.h>

#include <algorithm>
#include <atomic>

#ifdef CHAINWALK_EXECUTOR_STD_THREAD
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#else
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <optional>
#endif

namespace chainwalk::platform {
namespace {

// Runs `work(worker)` once for each worker, all at once where the machine allows it, and rethrows
// the first exception.
#ifdef CHAINWALK_EXECUTOR_STD_THREAD
template <typename Work>
void run_workers(unsigned workers, const Work& work) {
  std::mutex mutex;
  std::exception_ptr first;
  const auto guarded = [&](unsigned worker) {
    try {
      work(worker);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first) first = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned worker = 1; worker < workers; ++worker) threads.emplace_back(guarded, worker);
  guarded(0);
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}
#else
template <typename Work>
void run_workers(unsigned workers, const Work& work) {
  // More threads than processors are only had by asking.
  using oneapi::tbb::global_control;
  std::optional<global_control> more;
  if (workers > global_control::active_value(global_control::max_allowed_parallelism)) {
    more.emplace(global_control::max_allowed_parallelism, workers);
  }
  oneapi::tbb::task_arena arena(static_cast<int>(workers));
  arena.execute([&] {
    oneapi::tbb::task_group group;
    for (unsigned worker = 1; worker < workers; ++worker) group.run([&, worker] { work(worker); });
    group.run_and_wait([&] { work(0U); });
  });
}
#endif

}  // namespace

unsigned available_threads() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

void parallel_for(std::int64_t begin, std::int64_t end, unsigned threads,
                  const std::function<void(std::int64_t, unsigned)>& body) {
  if (begin >= end) return;
  const auto count = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin);
  const auto wanted = static_cast<std::uint64_t>(threads == 0 ? available_threads() : threads);
  const auto workers = static_cast<unsigned>(std::min(wanted, count));
  if (workers == 1) {
    for (std::int64_t index = begin; index < end; ++index) body(index, 0);
    return;
  }
  std::atomic<std::uint64_t> next{0};
  run_workers(workers, [&](unsigned worker) {
    for (;;) {
      const std::uint64_t taken = next.fetch_add(1, std::memory_order_relaxed);
      if (taken >= count) return;
      try {
        body(begin + static_cast<std::int64_t>(taken), worker);
      } catch (...) {
        next.store(count, std::memory_order_relaxed);
        throw;
      }
    }
  });
}

}  // namespace chainwalk::platform
