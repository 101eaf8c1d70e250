// SPDX-License-Identifier: Apache-2.0
// The one place where Chainwalk starts threads. Built on oneTBB, or on std::thread where
// CHAINWALK_EXECUTOR_STD_THREAD is set (the `tsan` preset), with the same contract.
#pragma once

#include <cstdint>
#include <functional>

namespace chainwalk::platform {

// Number of hardware threads that this process may use (its affinity mask counts), at least 1.
unsigned available_threads() noexcept;

// Calls `body(index, worker)` once for every index in [begin, end), on at most `threads` threads
// (0: available_threads()). Indices are handed out dynamically, in no promised order. `worker` is
// in [0, threads) and no two calls that run at once share it, so it may index per-thread scratch
// space. An empty range calls nothing. The first exception that a body throws is rethrown here
// after every running body has returned; indices not yet started may be skipped then. Not
// reentrant: a body must not call parallel_for.
void parallel_for(std::int64_t begin, std::int64_t end, unsigned threads,
                  const std::function<void(std::int64_t index, unsigned worker)>& body);

}  // namespace chainwalk::platform
