// SPDX-License-Identifier: Apache-2.0
// Row kernels for AVX-512 with the conversion to bf16 (ARI-1 to ARI-3, NUM-3, NUM-4).
#include "avx512_vector.h"

namespace chainwalk::reference {
namespace {

struct Vector : Avx512Vector {
  static void store_row_pair(float* to, Floats low, Floats high) {
    Avx512Vector::store_row_pair(to, low, high);
  }
  // The processor's conversion rounds to nearest even, but it takes subnormals for zeros and keeps
  // payloads of NaN: pairs with one of those go the long way.
  static void store_row_pair(std::uint16_t* to, Floats low, Floats high) {
    constexpr int nan_or_subnormal = 0xA1;
    const unsigned special = static_cast<unsigned>(_mm512_fpclass_ps_mask(low, nan_or_subnormal)) |
                             static_cast<unsigned>(_mm512_fpclass_ps_mask(high, nan_or_subnormal));
    if (special != 0) {
      Avx512Vector::store_row_pair(to, low, high);
      return;
    }
    const __m512bh narrowed = _mm512_cvtne2ps_pbh(high, low);
    _mm512_storeu_si512(to, __builtin_bit_cast(__m512i, narrowed));
  }
};

}  // namespace
}  // namespace chainwalk::reference

#include "vector_kernels.h"

namespace chainwalk::reference {
constinit const RowKernels row_kernels_avx512_bf16 = make_row_kernels();
}  // namespace chainwalk::reference
