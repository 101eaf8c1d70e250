// SPDX-License-Identifier: Apache-2.0
// How a device function is declared, and the namespace of this build of the kernels.
#pragma once

#include <cstdint>

#define CW_DEVICE __device__ __forceinline__
#define CW_UNROLL _Pragma("unroll")
#define CW_NAMESPACE_BEGIN      \
  namespace chainwalk::device { \
  inline namespace on_cuda {
#define CW_NAMESPACE_END \
  }                      \
  }
