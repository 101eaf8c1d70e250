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
