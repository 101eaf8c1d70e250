// SPDX-License-Identifier: Apache-2.0
// Narrowing of all 2^32 f32 values (NUM-4).
#include <gtest/gtest.h>

#include <atomic>

#include "chainwalk/platform/executor.h"
#include "chainwalk/spec/formats.h"
#include "narrowing_model.h"

namespace chainwalk {
namespace {

TEST(FormatsExhaustive, RuleNUM4NarrowingOfEveryF32Value) {
  constexpr std::int64_t parts = 0x1000;
  constexpr std::uint32_t part_size = 0x10'0000U;
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<std::uint64_t> checked{0};
  platform::parallel_for(0, parts, 0, [&](std::int64_t part, unsigned) {
    const auto begin = static_cast<std::uint32_t>(part) * part_size;
    std::uint64_t differences = 0;
    for (std::uint32_t i = 0; i < part_size; ++i) {
      const std::uint32_t bits = begin + i;
      differences += bf16_narrow(f32_from_bits(bits)) != tests::narrowed(bits) ? 1U : 0U;
    }
    wrong += differences;
    checked += part_size;
  });
  EXPECT_EQ(checked.load(), std::uint64_t{1} << 32U);
  EXPECT_EQ(wrong.load(), 0U);
}

}  // namespace
}  // namespace chainwalk
