// SPDX-License-Identifier: Apache-2.0
// Which instruction sets this processor and this build have.
#include "chainwalk/reference/reference.h"
#include "row_kernels.h"

namespace chainwalk::reference {
namespace {

#ifdef CHAINWALK_REFERENCE_X86
// The compiler's test also asks whether the operating system saves the registers.
bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}
bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0;
}
bool has_avx512_bf16() { return has_avx512() && __builtin_cpu_supports("avx512bf16") != 0; }
#endif

}  // namespace

const RowKernels* row_kernels(InstructionSet set) noexcept {
#ifdef CHAINWALK_REFERENCE_X86
  const bool best = set == InstructionSet::best;
  if ((best || set == InstructionSet::avx512_bf16) && has_avx512_bf16()) {
    return &row_kernels_avx512_bf16;
  }
  if ((best || set == InstructionSet::avx512) && has_avx512()) return &row_kernels_avx512;
  if ((best || set == InstructionSet::avx2) && has_avx2()) return &row_kernels_avx2;
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
    case InstructionSet::avx512_bf16: return "avx512_bf16";
    case InstructionSet::best: return "best";
  }
  return "unknown";
}

}  // namespace chainwalk::reference
