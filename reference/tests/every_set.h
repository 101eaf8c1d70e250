// SPDX-License-Identifier: Apache-2.0
// Tests that run on every instruction set of this processor and on heads around the vector widths.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "chainwalk/reference/reference.h"

namespace chainwalk::reference {

class EverySetAndHead : public ::testing::TestWithParam<std::tuple<InstructionSet, std::int64_t>> {
 protected:
  void SetUp() override {
    if (!is_available(set())) GTEST_SKIP() << to_string(set()) << " is not available here";
  }
  static InstructionSet set() { return std::get<0>(GetParam()); }
  static std::int64_t head_dim() { return std::get<1>(GetParam()); }
};

inline std::string set_and_head_name(
    const ::testing::TestParamInfo<std::tuple<InstructionSet, std::int64_t>>& parameter) {
  return std::string(to_string(std::get<0>(parameter.param))) + "_hd" +
         std::to_string(std::get<1>(parameter.param));
}

inline auto every_set_and_head() {
  return ::testing::Combine(::testing::Values(InstructionSet::portable, InstructionSet::avx2,
                                              InstructionSet::avx512, InstructionSet::avx512_bf16),
                            ::testing::Values<std::int64_t>(1, 7, 16, 33, 131));
}

}  // namespace chainwalk::reference
