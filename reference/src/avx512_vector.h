// SPDX-License-Identifier: Apache-2.0
// Sixteen columns in an AVX-512 register (F, BW, VL, DQ): ARI-3, NUM-1, NUM-4, NUM-5, QNT-2, QNT-6.
// Local to each file that includes it, as vector_kernels.h is.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace chainwalk::reference {
namespace {

struct Avx512Vector {
  using Floats = __m512;
  static constexpr std::int64_t width = 16;

  static Floats broadcast(float value) { return _mm512_set1_ps(value); }
  static Floats load(const float* from) { return _mm512_loadu_ps(from); }
  static Floats load(const std::uint16_t* from) {  // NUM-4: exact
    return _mm512_castsi512_ps(widen(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
  }
  static void store(float* to, Floats value) { _mm512_storeu_ps(to, value); }
  static Floats fma(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
  static Floats divide(Floats a, Floats b) { return _mm512_div_ps(a, b); }

  // NUM-1: a NaN is stored in its one form.
  static void store_row(float* to, Floats value) {
    const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7FFFFFFF));
    _mm512_storeu_ps(to, _mm512_mask_mov_ps(value, is_nan(value), nan));
  }
  // NUM-4: nearest even.
  static void store_row(std::uint16_t* to, Floats value) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), narrow(value));
  }
  static void store_row_pair(float* to, Floats low, Floats high) {
    store_row(to, low);
    store_row(to + width, high);
  }
  static void store_row_pair(std::uint16_t* to, Floats low, Floats high) {
    const __m512i odd_halves = _mm512_loadu_si512(odd_half_indices);
    _mm512_storeu_si512(
        to, _mm512_permutex2var_epi16(rounded_halves(low), odd_halves, rounded_halves(high)));
  }
  static Floats round_bf16(Floats value) { return _mm512_castsi512_ps(widen(narrow(value))); }

  // QNT-2: with a NaN the maximum is its second operand.
  static Floats amax(Floats greatest, Floats value) {
    return _mm512_max_ps(_mm512_abs_ps(value), greatest);
  }

  // NUM-5 of values that are exact in bf16.
  static void store_e4m3(std::uint8_t* codes, Floats value) {
    const __m512i bits = _mm512_castps_si512(value);
    const __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(0x7FFFFFFF));
    const __m512i sign = _mm512_and_si512(_mm512_srli_epi32(bits, 24), _mm512_set1_epi32(0x80));
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(magnitude, 20), _mm512_set1_epi32(1));
    const __m512i rounded =
        _mm512_add_epi32(_mm512_add_epi32(magnitude, _mm512_set1_epi32(0x7FFFF)), odd);
    const __m512i rebiased =
        _mm512_sub_epi32(_mm512_srli_epi32(rounded, 20), _mm512_set1_epi32(120 << 3));
    const __m512i normal = _mm512_min_epi32(rebiased, _mm512_set1_epi32(0x7E));
    // 2^14 has steps of 2^-9: the sum rounds a subnormal code to its whole number of steps.
    const __m512 steps = _mm512_set1_ps(0x1p14F);
    const __m512i subnormal =
        _mm512_sub_epi32(_mm512_castps_si512(_mm512_add_ps(_mm512_castsi512_ps(magnitude), steps)),
                         _mm512_castps_si512(steps));
    const __mmask16 small =
        _mm512_cmplt_epi32_mask(magnitude, _mm512_castps_si512(_mm512_set1_ps(0x1p-6F)));
    const __m512i code = _mm512_or_si512(_mm512_mask_mov_epi32(normal, small, subnormal), sign);
    store_codes(codes, _mm512_mask_mov_epi32(code, is_nan(value), _mm512_set1_epi32(0x7F)));
  }

  // QNT-6: the conversion rounds to nearest even; NaN gives 7.
  static void store_nibble(std::uint8_t* codes, Floats value) {
    const __m512 clamped =
        _mm512_min_ps(_mm512_max_ps(value, _mm512_set1_ps(-8.0F)), _mm512_set1_ps(7.0F));
    const __m512i rounded =
        _mm512_mask_mov_epi32(_mm512_cvtps_epi32(clamped), is_nan(value), _mm512_set1_epi32(7));
    store_codes(codes, _mm512_and_si512(rounded, _mm512_set1_epi32(15)));
  }

 private:
  // The odd 16-bit halves of two vectors, in order.
  alignas(64) static constexpr std::uint16_t odd_half_indices[32] = {
      1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
      33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
  static __mmask16 is_nan(Floats value) { return _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q); }
  static __m512i widen(__m256i bf16) { return _mm512_slli_epi32(_mm512_cvtepu16_epi32(bf16), 16); }
  // The bf16 of each value, in the high half of its lane; the low half means nothing.
  static __m512i rounded_halves(Floats value) {
    const __m512i bits = _mm512_castps_si512(value);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded =
        _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF)), odd);
    return _mm512_mask_mov_epi32(rounded, is_nan(value), _mm512_set1_epi32(0x7FFF0000));
  }
  static __m256i narrow(Floats value) {
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded_halves(value), 16));
  }
  static void store_codes(std::uint8_t* codes, __m512i values) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(codes), _mm512_cvtepi32_epi8(values));
  }
};

}  // namespace
}  // namespace chainwalk::reference
