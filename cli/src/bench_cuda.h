// SPDX-License-Identifier: Apache-2.0
// chainwalk bench cuda: its options and its run.
#pragma once

#include <string>

#include "chainwalk/cuda/bench.h"

namespace chainwalk::cli {

struct CudaBench {
  cuda::BenchSettings settings;
  std::string kernel;    // empty: the planner's choice
  std::string filter;    // part of a problem's name or form
  bool scaling = false;  // the scaling series instead of the published table
};

// Exit status: 0; 1 where a case left other bits or could not be measured.
int run_cuda_bench(CudaBench bench, bool json);

}  // namespace chainwalk::cli
