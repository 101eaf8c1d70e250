// SPDX-License-Identifier: Apache-2.0
// How much the long set of properties tries: other problems at every run.
#include <cstdlib>

namespace {
[[maybe_unused]] const int amount_set = ::setenv("RC_PARAMS", "max_success=2000", 0);
}  // namespace
