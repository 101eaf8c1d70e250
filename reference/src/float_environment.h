// SPDX-License-Identifier: Apache-2.0
// Round to nearest even with subnormals kept, whatever the calling thread has set (ARI-1, NUM-3).
#pragma once

#include <cfenv>

namespace chainwalk::reference {

// Sets the default floating-point environment of this thread for its lifetime. A host program may
// run with flush to zero on, and worker threads inherit that.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;
  ~DefaultFloatEnvironment() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_{};
};

}  // namespace chainwalk::reference
