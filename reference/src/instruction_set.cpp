// SPDX-License-Identifier: Apache-2.0
// Which instruction sets this processor and this build have, and their names.
#include <array>
#include <utility>

#include "chainwalk/reference/reference.h"
#include "row_kernels.h"

namespace chainwalk::reference {
namespace {

constexpr std::array names{
    std::pair{InstructionSet::portable, "portable"}, std::pair{InstructionSet::avx2, "avx2"},
    std::pair{InstructionSet::avx512, "avx512"},
    std::pair{InstructionSet::avx512_bf16, "avx512_bf16"}, std::pair{InstructionSet::best, "best"}};

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

const RowKernels* kernels_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::avx2: return has_avx2() ? &row_kernels_avx2 : nullptr;
    case InstructionSet::avx512: return has_avx512() ? &row_kernels_avx512 : nullptr;
    case InstructionSet::avx512_bf16: return has_avx512_bf16() ? &row_kernels_avx512_bf16 : nullptr;
    case InstructionSet::portable:
    case InstructionSet::best: break;
  }
  return nullptr;
}
#else
const RowKernels* kernels_of(InstructionSet /*set*/) { return nullptr; }
#endif

}  // namespace

InstructionSet resolve(InstructionSet set) noexcept {
  if (set != InstructionSet::best) return set;
  for (const InstructionSet wide :
       {InstructionSet::avx512_bf16, InstructionSet::avx512, InstructionSet::avx2}) {
    if (kernels_of(wide) != nullptr) return wide;
  }
  return InstructionSet::portable;
}

const RowKernels* row_kernels(InstructionSet set) noexcept { return kernels_of(resolve(set)); }

bool is_available(InstructionSet set) noexcept {
  const InstructionSet resolved = resolve(set);
  return resolved == InstructionSet::portable || kernels_of(resolved) != nullptr;
}

const char* to_string(InstructionSet set) noexcept {
  for (const auto& [known, name] : names) {
    if (known == set) return name;
  }
  return "unknown";
}

std::optional<InstructionSet> parse_instruction_set(std::string_view text) noexcept {
  for (const auto& [set, name] : names) {
    if (text == name) return set;
  }
  return std::nullopt;
}

}  // namespace chainwalk::reference
