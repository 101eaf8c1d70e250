// SPDX-License-Identifier: Apache-2.0
// chainwalk bench fuzz: cases per second of campaigns, worker processes and all.
#pragma once

namespace chainwalk::cli {

struct FuzzBench {
  unsigned jobs = 2;
  double seconds = 5;  // for each campaign
};

// Exit status: 0; 1 where a campaign has findings.
int run_fuzz_bench(const FuzzBench& bench, bool json);

}  // namespace chainwalk::cli
