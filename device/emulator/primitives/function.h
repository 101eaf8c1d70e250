// SPDX-License-Identifier: Apache-2.0
// How a device function is declared, and the namespace of this build of the kernels: the plain and
// the checked build of one header must not share a symbol, or the linker picks one for both.
#pragma once

#include <cstdint>

#define CW_DEVICE inline __attribute__((always_inline))
#define CW_PRAGMA(text) _Pragma(#text)
#define CW_UNROLL CW_PRAGMA(GCC unroll 64)
#ifdef CHAINWALK_EMULATOR_CHECKED
#define CW_NAMESPACE_BEGIN      \
  namespace chainwalk::device { \
  inline namespace on_emulator_checked {
#else
#define CW_NAMESPACE_BEGIN      \
  namespace chainwalk::device { \
  inline namespace on_emulator {
#endif
#define CW_NAMESPACE_END \
  }                      \
  }
