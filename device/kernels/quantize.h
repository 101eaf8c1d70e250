// SPDX-License-Identifier: Apache-2.0
// Quantized snapshot rows: amax, scale, and payload from the pre-write elements (QNT-2 to QNT-6,
// QNT-10).
#pragma once

#include "bank_row.h"
#include "chainwalk/spec/policy.h"
#include "primitives/warp.h"

CW_NAMESPACE_BEGIN

// QNT-2: over the elements of one lane, from +0. A vector at a time, so that no long chain of
// maxima waits for itself.
template <class M, class Lane>
CW_DEVICE float amax_of(const BaseRow<M, Lane>& base) {
  float amax = 0.0F;
  CW_UNROLL
  for (int r = 0; r < Lane::vectors; ++r) {
    float part = absolute(base.part[r].value(0));
    CW_UNROLL
    for (int v = 1; v < Lane::vector; ++v) {
      part = max_number_rn(part, absolute(base.part[r].value(v)));
    }
    amax = max_number_rn(amax, part);
  }
  return amax;
}
// Over `lanes` (a power of two) neighbouring lanes. Every lane of the warp calls.
CW_DEVICE float join_amax(float amax, int lanes) {
  for (int bits = lanes / 2; bits > 0; bits /= 2) {
    amax = max_number_rn(amax, shuffle_xor(full_warp, amax, bits));
  }
  return amax;
}

// QNT-3.
template <class M>
CW_DEVICE float scale_of(float amax) {
  constexpr std::uint32_t reciprocal = M::traits.snapshot == SnapshotForm::fp8
                                           ? policy::fp8_reciprocal_qmax
                                           : policy::int4_reciprocal_qmax;
  const float exact = multiply_rn(amax, as_float(reciprocal));
  return widen(narrow(max_number_rn(exact, as_float(policy::scale_floor))));
}

// QNT-4: x / scale before it is rounded to bf16. A quotient of two numbers of 8 significant bits
// keeps 2^-17 of itself away from every tie of that rounding, and a product with the reciprocal
// differs from it by less than 2^-22: they give the same q, but for quotients so small that the
// payload is a zero of the same sign. An infinite scale makes zeros, and NaN of infinities, both
// ways. f32 rows are divided.
template <BankType bank>
struct Divisor {
  float factor;

  CW_DEVICE explicit Divisor(float scale) : factor(scale) {
    if constexpr (bank == BankType::bf16) factor = reciprocal_rn(scale);
  }
  CW_DEVICE float quotient(float x) const {
    return bank == BankType::bf16 ? multiply_rn(x, factor) : divide_rn(x, factor);
  }
};

// A lane's vector: V values q, each a bf16.
template <class M, class Lane>
CW_DEVICE void quotients(const Packed<M::bank, Lane::vector>& part, const Divisor<M::bank>& divisor,
                         float* q) {
  if constexpr (Lane::vector == 1) {
    q[0] = widen(narrow(divisor.quotient(part.value(0))));
  } else {
    CW_UNROLL
    for (int v = 0; v < Lane::vector; v += 2) {
      const std::uint32_t pair =
          narrow_pair(divisor.quotient(part.value(v)), divisor.quotient(part.value(v + 1)));
      q[v] = widen_low(pair);
      q[v + 1] = widen_high(pair);
    }
  }
}

// QNT-5: V bytes.
template <int V>
CW_DEVICE void store_fp8(std::uint8_t* address, const float* q) {
  if constexpr (V == 1) {
    store_streaming(address, static_cast<std::uint8_t>(e4m3_pair(q[0], 0.0F) & 0xFFU));
  } else if constexpr (V == 2) {
    store_streaming(reinterpret_cast<std::uint16_t*>(address), e4m3_pair(q[0], q[1]));
  } else {
    std::uint32_t word[V / 4];
    CW_UNROLL
    for (int w = 0; w < V / 4; ++w) {
      word[w] = e4m3_pair(q[4 * w], q[4 * w + 1]) |
                static_cast<std::uint32_t>(e4m3_pair(q[4 * w + 2], q[4 * w + 3])) << 16U;
    }
    using Move = Access<V>;
    store_streaming(reinterpret_cast<typename Move::Word*>(address), Move::join(word));
  }
}

// QNT-6: V / 2 bytes, the even column in the high nibble.
CW_DEVICE std::uint32_t nibble_pair(float even, float odd) {
  return nibble(even) << 4U | nibble(odd);
}
template <int V>
CW_DEVICE void store_int4(std::uint8_t* address, const float* q) {
  std::uint32_t word = 0;
  CW_UNROLL
  for (int v = 0; v < V; v += 2) {
    word |= nibble_pair(q[v], q[v + 1]) << static_cast<unsigned>(4 * v);
  }
  if constexpr (V == 2) {
    store_streaming(address, static_cast<std::uint8_t>(word));
  } else {
    using Move = Access<V / 2>;
    store_streaming(reinterpret_cast<typename Move::Word*>(address), Move::join(&word));
  }
}

// int4 of single columns: the odd column of a byte belongs to the lane's next vector or to the next
// lane. Every lane of the warp calls. The last column of an odd head has no partner: q 0, nibble 0.
template <class M, class Lane>
CW_DEVICE void store_int4_columns(std::uint8_t* row, const Lane& columns,
                                  const BaseRow<M, Lane>& base, const Divisor<M::bank>& divisor) {
  float q[Lane::vectors];
  CW_UNROLL
  for (int r = 0; r < Lane::vectors; ++r) {
    q[r] = 0.0F;
    if (columns.has(r)) quotients<M, Lane>(base.part[r], divisor, q + r);
  }
  CW_UNROLL
  for (int r = 0; r < Lane::vectors; r += Lane::adjacent ? 2 : 1) {
    float odd;
    if constexpr (Lane::adjacent) {
      odd = q[r + 1];
    } else {
      odd = shuffle_xor(full_warp, q[r], 1);
    }
    if (columns.has(r) && columns.first[r] % 2 == 0) {
      store_streaming(row + columns.first[r] / 2,
                      static_cast<std::uint8_t>(nibble_pair(q[r], odd)));
    }
  }
}

// The payload of a row: the vectors of `columns` that are there. Every lane of the warp calls.
template <class M, class Lane>
CW_DEVICE void store_payload(const WalkParameters& p, const Lane& columns,
                             const BaseRow<M, Lane>& base, float scale, std::int64_t row) {
  constexpr bool fp8 = M::traits.snapshot == SnapshotForm::fp8;
  const Divisor<M::bank> divisor(scale);
  constexpr int share = fp8 ? 1 : 2;  // columns of a byte
  const std::int64_t row_bytes = Lane::row > 0 ? Lane::row / share : p.payload_row_bytes;
  std::uint8_t* address = p.payload + row * row_bytes;
  if constexpr (!fp8 && Lane::vector == 1) {
    store_int4_columns<M>(address, columns, base, divisor);
  } else {
    const std::int32_t first = columns.has(0) ? columns.first[0] : 0;  // GEO-7
    address += first / share;
    CW_UNROLL
    for (int r = 0; r < Lane::vectors; ++r) {
      if (!columns.has(r)) continue;
      float q[Lane::vector];
      quotients<M, Lane>(base.part[r], divisor, q);
      std::uint8_t* place = address + (columns.first[r] - first) / share;
      if constexpr (fp8) {
        store_fp8<Lane::vector>(place, q);
      } else {
        store_int4<Lane::vector>(place, q);
      }
    }
  }
}

CW_NAMESPACE_END
