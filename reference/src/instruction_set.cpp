// SPDX-License-Identifier: Apache-2.0
// Which instruction sets this processor and this build have.
#include "chainwalk/reference/reference.h"
#include "row_kernels.h"

namespace chainwalk::reference {

const RowKernels* row_kernels(InstructionSet set) noexcept {
#ifdef CHAINWALK_REFERENCE_X86
  // The compiler's test also asks whether the operating system saves the registers.
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  const bool avx512 =
      __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0;
  if (set == InstructionSet::avx512 || set == InstructionSet::best) {
    if (avx2 && avx512) return &row_kernels_avx512;
  }
  if (set == InstructionSet::avx2 || set == InstructionSet::best) {
    if (avx2) return &row_kernels_avx2;
  }
#else
  (void)set;
#endif
  return nullptr;
}

bool is_available(InstructionSet set) noexcept {
  if (set == InstructionSet::portable || set == InstructionSet::best) return true;
  return row_kernels(set) != nullptr;
}

const char* to_string(InstructionSet set) noexcept {
  switch (set) {
    case InstructionSet::portable: return "portable";
    case InstructionSet::avx2: return "avx2";
    case InstructionSet::avx512: return "avx512";
    case InstructionSet::best: return "best";
  }
  return "unknown";
}

}  // namespace chainwalk::reference
