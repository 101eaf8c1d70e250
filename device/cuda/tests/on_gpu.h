// SPDX-License-Identifier: Apache-2.0
// The fixture of tests that need a GPU: without one every case is skipped and says so.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "chainwalk/cuda/device.h"

namespace chainwalk::cuda {

class OnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_unavailable(); !why.empty()) {
      GTEST_SKIP() << "1 case not run: " << why;
    }
  }
};

}  // namespace chainwalk::cuda
