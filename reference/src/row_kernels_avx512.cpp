// SPDX-License-Identifier: Apache-2.0
// Row kernels for AVX-512: 16 columns a vector (ARI-1 to ARI-3).
#include "avx512_vector.h"

namespace chainwalk::reference {
namespace {
using Vector = Avx512Vector;
}  // namespace
}  // namespace chainwalk::reference

#include "vector_kernels.h"

namespace chainwalk::reference {
constinit const RowKernels row_kernels_avx512 = make_row_kernels();
}  // namespace chainwalk::reference
