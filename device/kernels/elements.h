// SPDX-License-Identifier: Apache-2.0
// Packed elements of a row, moved by one access of 1, 2, 4, 8 or 16 bytes (NUM-4).
#pragma once

#include <cstdint>

#include "chainwalk/spec/types.h"
#include "primitives/arithmetic.h"
#include "primitives/memory.h"

CW_NAMESPACE_BEGIN

// V elements of a row as they lie in memory, in 32-bit words; a lone bf16 is a word's low half.
template <BankType type, int V>
struct Packed {
  static constexpr int bytes = V * (type == BankType::bf16 ? 2 : 4);
  static constexpr int words = bytes < 4 ? 1 : bytes / 4;
  std::uint32_t word[words];

  CW_DEVICE float value(int v) const {
    if constexpr (type == BankType::f32) {
      return as_float(word[v]);
    } else {
      return (v & 1) == 0 ? widen_low(word[v / 2]) : widen_high(word[v / 2]);
    }
  }
};

// How a packed vector moves between registers and memory.
template <int bytes>
struct Access;
template <>
struct Access<16> {
  using Word = Words4;
  CW_DEVICE static Word join(const std::uint32_t* word) {
    return Words4{word[0], word[1], word[2], word[3]};
  }
  CW_DEVICE static void split(Word value, std::uint32_t* word) {
    word[0] = value.x;
    word[1] = value.y;
    word[2] = value.z;
    word[3] = value.w;
  }
};
template <>
struct Access<8> {
  using Word = Words2;
  CW_DEVICE static Word join(const std::uint32_t* word) { return Words2{word[0], word[1]}; }
  CW_DEVICE static void split(Word value, std::uint32_t* word) {
    word[0] = value.x;
    word[1] = value.y;
  }
};
template <>
struct Access<4> {
  using Word = std::uint32_t;
  CW_DEVICE static Word join(const std::uint32_t* word) { return word[0]; }
  CW_DEVICE static void split(Word value, std::uint32_t* word) { word[0] = value; }
};
template <>
struct Access<2> {
  using Word = std::uint16_t;
  CW_DEVICE static Word join(const std::uint32_t* word) {
    return static_cast<std::uint16_t>(word[0]);
  }
  CW_DEVICE static void split(Word value, std::uint32_t* word) { word[0] = value; }
};

// Bank rows: this launch writes them (SRC-1). Zeros where the elements are not `there`.
template <BankType type, int V>
CW_DEVICE Packed<type, V> load_elements_if(bool there, const void* address) {
  using Move = Access<Packed<type, V>::bytes>;
  Packed<type, V> packed;
  Move::split(load_coherent_if(there, static_cast<const typename Move::Word*>(address)),
              packed.word);
  return packed;
}
template <BankType type, int V>
CW_DEVICE Packed<type, V> load_shared_elements(const void* address) {
  using Move = Access<Packed<type, V>::bytes>;
  Packed<type, V> packed;
  Move::split(load_shared(static_cast<const typename Move::Word*>(address)), packed.word);
  return packed;
}
template <BankType type, int V>
CW_DEVICE void store_elements(void* address, const Packed<type, V>& packed) {
  using Move = Access<Packed<type, V>::bytes>;
  store(static_cast<typename Move::Word*>(address), Move::join(packed.word));
}
template <BankType type, int V>
CW_DEVICE void store_elements_streaming(void* address, const Packed<type, V>& packed) {
  using Move = Access<Packed<type, V>::bytes>;
  store_streaming(static_cast<typename Move::Word*>(address), Move::join(packed.word));
}

// NUM-4, NUM-1: computed values as elements of a row.
template <BankType type, int V>
CW_DEVICE Packed<type, V> pack(const float* value) {
  Packed<type, V> packed;
  if constexpr (type == BankType::f32) {
    CW_UNROLL
    for (int v = 0; v < V; ++v) packed.word[v] = as_bits(canonical(value[v]));
  } else if constexpr (V == 1) {
    packed.word[0] = narrow(value[0]);
  } else {
    CW_UNROLL
    for (int v = 0; v < V; v += 2) packed.word[v / 2] = narrow_pair(value[v], value[v + 1]);
  }
  return packed;
}

CW_NAMESPACE_END
