// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary32 arithmetic on bit patterns, integers only (NUM). Round to nearest even,
// subnormals kept, NaN results 0x7FFFFFFF.
#pragma once

#include <cstdint>

namespace chainwalk::oracle {

std::uint32_t fma_bits(std::uint32_t a, std::uint32_t b,
                       std::uint32_t c);  // a * b + c, one rounding
std::uint32_t mul_bits(std::uint32_t a, std::uint32_t b);
std::uint32_t div_bits(std::uint32_t a, std::uint32_t b);
std::uint16_t narrow_bits(std::uint32_t f32);  // NUM-4
std::uint32_t widen_bits(std::uint16_t bf16);  // NUM-4
std::uint8_t e4m3_bits(std::uint32_t f32);     // NUM-5
std::uint8_t nibble_bits(std::uint32_t f32);   // QNT-6, in bits 0..3

}  // namespace chainwalk::oracle
