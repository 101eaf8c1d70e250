// SPDX-License-Identifier: Apache-2.0
// Row kernels for AVX2 and FMA: 8 columns a vector (ARI-3, NUM-1, NUM-4, NUM-5, QNT-2, QNT-6).
#include <immintrin.h>

#include <cstdint>

#include "row_kernels.h"

namespace chainwalk::reference {
namespace {

struct Vector {
  using Floats = __m256;
  static constexpr std::int64_t width = 8;

  static Floats broadcast(float value) { return _mm256_set1_ps(value); }
  static Floats load(const float* from) { return _mm256_loadu_ps(from); }
  static Floats load(const std::uint16_t* from) {  // NUM-4: exact
    const __m128i bf16 = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bf16), 16));
  }
  static void store(float* to, Floats value) { _mm256_storeu_ps(to, value); }
  static Floats fma(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a, b, c); }
  static Floats divide(Floats a, Floats b) { return _mm256_div_ps(a, b); }

  // NUM-1: a NaN is stored in its one form.
  static void store_row(float* to, Floats value) {
    const __m256i nan = _mm256_set1_epi32(0x7FFFFFFF);
    _mm256_storeu_ps(to, _mm256_blendv_ps(value, _mm256_castsi256_ps(nan), is_nan(value)));
  }
  // NUM-4: nearest even.
  static void store_row(std::uint16_t* to, Floats value) {
    const __m256i high = high_halves(value);
    const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(high, high), 0x08);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm256_castsi256_si128(packed));
  }
  static void store_row_pair(float* to, Floats low, Floats high) {
    store_row(to, low);
    store_row(to + width, high);
  }
  static void store_row_pair(std::uint16_t* to, Floats low, Floats high) {
    const __m256i packed = _mm256_packus_epi32(high_halves(low), high_halves(high));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permute4x64_epi64(packed, 0xD8));
  }
  static Floats round_bf16(Floats value) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(high_halves(value), 16));
  }

  // QNT-2: with a NaN the maximum is its second operand.
  static Floats amax(Floats greatest, Floats value) {
    const __m256i magnitude = _mm256_set1_epi32(0x7FFFFFFF);
    return _mm256_max_ps(_mm256_and_ps(value, _mm256_castsi256_ps(magnitude)), greatest);
  }

  // NUM-5 of values that are exact in bf16.
  static void store_e4m3(std::uint8_t* codes, Floats value) {
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(0x7FFFFFFF));
    const __m256i sign = _mm256_and_si256(_mm256_srli_epi32(bits, 24), _mm256_set1_epi32(0x80));
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(magnitude, 20), _mm256_set1_epi32(1));
    const __m256i rounded =
        _mm256_add_epi32(_mm256_add_epi32(magnitude, _mm256_set1_epi32(0x7FFFF)), odd);
    const __m256i rebiased =
        _mm256_sub_epi32(_mm256_srli_epi32(rounded, 20), _mm256_set1_epi32(120 << 3));
    const __m256i normal = _mm256_min_epi32(rebiased, _mm256_set1_epi32(0x7E));
    // 2^14 has steps of 2^-9: the sum rounds a subnormal code to its whole number of steps.
    const __m256 steps = _mm256_set1_ps(0x1p14F);
    const __m256i subnormal =
        _mm256_sub_epi32(_mm256_castps_si256(_mm256_add_ps(_mm256_castsi256_ps(magnitude), steps)),
                         _mm256_castps_si256(steps));
    const __m256i small =
        _mm256_cmpgt_epi32(_mm256_castps_si256(_mm256_set1_ps(0x1p-6F)), magnitude);
    const __m256i code = _mm256_or_si256(_mm256_blendv_epi8(normal, subnormal, small), sign);
    store_codes(codes, _mm256_blendv_epi8(code, _mm256_set1_epi32(0x7F),
                                          _mm256_castps_si256(is_nan(value))));
  }

  // QNT-6: the conversion rounds to nearest even; NaN gives 7.
  static void store_nibble(std::uint8_t* codes, Floats value) {
    const __m256 clamped =
        _mm256_min_ps(_mm256_max_ps(value, _mm256_set1_ps(-8.0F)), _mm256_set1_ps(7.0F));
    const __m256i rounded = _mm256_blendv_epi8(_mm256_cvtps_epi32(clamped), _mm256_set1_epi32(7),
                                               _mm256_castps_si256(is_nan(value)));
    store_codes(codes, _mm256_and_si256(rounded, _mm256_set1_epi32(15)));
  }

 private:
  static __m256 is_nan(Floats value) { return _mm256_cmp_ps(value, value, _CMP_UNORD_Q); }
  // The bf16 of each value, in the low half of its lane.
  static __m256i high_halves(Floats value) {
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded =
        _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7FFF)), odd);
    return _mm256_blendv_epi8(_mm256_srli_epi32(rounded, 16), _mm256_set1_epi32(0x7FFF),
                              _mm256_castps_si256(is_nan(value)));
  }
  static void store_codes(std::uint8_t* codes, __m256i values) {
    const __m256i low_bytes = _mm256_shuffle_epi8(
        values, _mm256_broadcastsi128_si256(
                    _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1)));
    const __m128i packed = _mm_unpacklo_epi32(_mm256_castsi256_si128(low_bytes),
                                              _mm256_extracti128_si256(low_bytes, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(codes), packed);
  }
};

}  // namespace
}  // namespace chainwalk::reference

#include "vector_kernels.h"

namespace chainwalk::reference {
constinit const RowKernels row_kernels_avx2 = make_row_kernels();
}  // namespace chainwalk::reference
