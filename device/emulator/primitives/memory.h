// SPDX-License-Identifier: Apache-2.0
// Loads and stores of global and shared memory. Pointers are aligned to the size moved. Each is one
// access of its full size, so that the checked build sees size and alignment as a GPU does.
#pragma once

#include <type_traits>

#include "primitives/function.h"

CW_NAMESPACE_BEGIN

// Four 32-bit words that move as one 16-byte access; two as one 8-byte access.
struct alignas(16) Words4 {
  std::uint32_t x, y, z, w;
};
struct alignas(8) Words2 {
  std::uint32_t x, y;
};

// The scalar or vector type that moves as many bytes as T in one access.
template <std::size_t bytes>
struct Moved;
template <>
struct Moved<1> {
  using type = std::uint8_t;
};
template <>
struct Moved<2> {
  typedef std::uint16_t type __attribute__((may_alias));
};
template <>
struct Moved<4> {
  typedef std::uint32_t type __attribute__((may_alias));
};
template <>
struct Moved<8> {
  typedef std::uint64_t type __attribute__((may_alias));
};
template <>
struct Moved<16> {
  typedef std::uint32_t type __attribute__((vector_size(16), may_alias));
};

template <typename T>
CW_DEVICE T load_whole(const T* address) {
  static_assert(std::is_trivially_copyable_v<T>);
  return __builtin_bit_cast(T, *reinterpret_cast<const typename Moved<sizeof(T)>::type*>(address));
}
template <typename T>
CW_DEVICE void store_whole(T* address, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  using Type = typename Moved<sizeof(T)>::type;
  *reinterpret_cast<Type*>(address) = __builtin_bit_cast(Type, value);
}

template <typename T>
CW_DEVICE T load_cached(const T* address) {
  return load_whole(address);
}
template <typename T>
CW_DEVICE T load_coherent(const T* address) {
  return load_whole(address);
}
template <typename T>
CW_DEVICE T load_coherent_if(bool there, const T* address) {
  return there ? load_whole(address) : T{};
}
template <typename T>
CW_DEVICE T load_ordinary(const T* address) {
  return load_whole(address);
}
template <typename T>
CW_DEVICE T load_shared(const T* address) {
  return load_whole(address);
}
template <typename T>
CW_DEVICE void store(T* address, T value) {
  store_whole(address, value);
}
template <typename T>
CW_DEVICE void store_streaming(T* address, T value) {
  store_whole(address, value);
}
template <typename T>
CW_DEVICE void store_shared(T* address, T value) {
  store_whole(address, value);
}

CW_NAMESPACE_END
