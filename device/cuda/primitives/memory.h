// SPDX-License-Identifier: Apache-2.0
// Loads and stores of global and shared memory. Pointers are aligned to the size moved. `cached`
// loads may be non-coherent: for what no launch of the step writes (LCH-2). `ordinary` loads may be
// served by L1: for what this launch does not write, read after the dependent-launch wait.
// `coherent` loads see earlier stores. `streaming` stores are not read again by the launch.
#pragma once

#include "primitives/function.h"

CW_NAMESPACE_BEGIN

// Four 32-bit words that move as one 16-byte access; two as one 8-byte access.
using Words4 = uint4;
using Words2 = uint2;

template <typename T>
CW_DEVICE T load_cached(const T* address) {
  return __ldg(address);
}
template <typename T>
CW_DEVICE T load_ordinary(const T* address) {
  return *address;
}
template <typename T>
CW_DEVICE T load_coherent(const T* address) {
  return __ldcg(address);
}
// A coherent load where `there`, else zeros. Without a branch: loads on either side of one are not
// moved past it, and those of a branch wait for what comes before them.
CW_DEVICE Words4 load_coherent_if(bool there, const Words4* address) {
  Words4 value;
  asm volatile(
      "{ .reg .pred there;\n"
      "  setp.ne.u32 there, %5, 0;\n"
      "  mov.b32 %0, 0;\n mov.b32 %1, 0;\n mov.b32 %2, 0;\n mov.b32 %3, 0;\n"
      "  @there ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4]; }"
      : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
      : "l"(address), "r"(there ? 1U : 0U)
      : "memory");
  return value;
}
CW_DEVICE Words2 load_coherent_if(bool there, const Words2* address) {
  Words2 value;
  asm volatile(
      "{ .reg .pred there;\n"
      "  setp.ne.u32 there, %3, 0;\n"
      "  mov.b32 %0, 0;\n mov.b32 %1, 0;\n"
      "  @there ld.global.cg.v2.u32 {%0, %1}, [%2]; }"
      : "=r"(value.x), "=r"(value.y)
      : "l"(address), "r"(there ? 1U : 0U)
      : "memory");
  return value;
}
CW_DEVICE std::uint32_t load_coherent_if(bool there, const std::uint32_t* address) {
  std::uint32_t value;
  asm volatile(
      "{ .reg .pred there;\n"
      "  setp.ne.u32 there, %2, 0;\n"
      "  mov.b32 %0, 0;\n"
      "  @there ld.global.cg.u32 %0, [%1]; }"
      : "=r"(value)
      : "l"(address), "r"(there ? 1U : 0U)
      : "memory");
  return value;
}
CW_DEVICE std::uint16_t load_coherent_if(bool there, const std::uint16_t* address) {
  std::uint16_t value;
  asm volatile(
      "{ .reg .pred there;\n"
      "  setp.ne.u32 there, %2, 0;\n"
      "  mov.b16 %0, 0;\n"
      "  @there ld.global.cg.u16 %0, [%1]; }"
      : "=h"(value)
      : "l"(address), "r"(there ? 1U : 0U)
      : "memory");
  return value;
}
template <typename T>
CW_DEVICE T load_shared(const T* address) {
  return *address;
}
template <typename T>
CW_DEVICE void store(T* address, T value) {
  *address = value;
}
template <typename T>
CW_DEVICE void store_streaming(T* address, T value) {
  __stcs(address, value);
}
template <typename T>
CW_DEVICE void store_shared(T* address, T value) {
  *address = value;
}

CW_NAMESPACE_END
