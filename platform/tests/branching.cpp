// SPDX-License-Identifier: Apache-2.0
// Code with edges to count: compiled as models and kernels are under CHAINWALK_FUZZ_EDGES.
#include "branching.h"

namespace chainwalk::platform {

int branching(int way, int rounds) {
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (way == 1) {
      sum += round;
    } else if (way == 2) {
      sum -= round;
    }
  }
  return sum;
}

}  // namespace chainwalk::platform
