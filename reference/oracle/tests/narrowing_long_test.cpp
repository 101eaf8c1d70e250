// SPDX-License-Identifier: Apache-2.0
// All 2^32 f32 values through narrowing, e4m3 and nibbles: oracle against specification (NUM-4,
// NUM-5, QNT-6).
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <ios>

#include "chainwalk/oracle/arithmetic.h"
#include "chainwalk/spec/formats.h"

namespace chainwalk::oracle::test {
namespace {

TEST(OracleLong, EveryF32AsTheSpecification) {
  std::uint32_t f32 = 0;
  do {
    const float value = std::bit_cast<float>(f32);
    if (narrow_bits(f32) != bf16_narrow(value) || e4m3_bits(f32) != e4m3_from_f32(value) ||
        nibble_bits(f32) != nibble_from_f32(value)) {
      FAIL() << "f32 " << std::hex << f32 << ": narrow " << narrow_bits(f32) << " and "
             << bf16_narrow(value) << ", e4m3 " << int{e4m3_bits(f32)} << " and "
             << int{e4m3_from_f32(value)} << ", nibble " << int{nibble_bits(f32)} << " and "
             << int{nibble_from_f32(value)};
    }
  } while (++f32 != 0U);
}

}  // namespace
}  // namespace chainwalk::oracle::test
