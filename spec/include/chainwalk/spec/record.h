// SPDX-License-Identifier: Apache-2.0
// Records: one write position of a chunk (REC-1 to REC-4).
#pragma once

#include <cstdint>

namespace chainwalk {

// REC-1: four 32-bit words, 16-byte aligned; `scale` and `decay` are f32 bit patterns. Any bits are
// legal in any word.
struct alignas(16) Record {
  std::uint32_t x;
  std::uint32_t slot;
  std::uint32_t scale;
  std::uint32_t decay;

  friend constexpr bool operator==(const Record&, const Record&) = default;
};
static_assert(sizeof(Record) == 16);

// REC-2: the bits of Record::x that mean something.
inline constexpr std::uint32_t record_first = 0x8000'0000U;
inline constexpr std::uint32_t record_last = 0x4000'0000U;
inline constexpr std::uint32_t record_invalid = 0x0002'0000U;
inline constexpr std::uint32_t record_token_shift = 9U;
inline constexpr std::uint32_t record_token_mask = 255U;
inline constexpr std::uint32_t record_meaningful =
    record_first | record_last | record_invalid | (record_token_mask << record_token_shift);

constexpr bool is_first(const Record& record) { return (record.x & record_first) != 0; }
constexpr bool is_last(const Record& record) { return (record.x & record_last) != 0; }
constexpr bool is_invalid(const Record& record) { return (record.x & record_invalid) != 0; }

// REC-2: token as written, 0..255.
constexpr std::int32_t raw_token(const Record& record) {
  return static_cast<std::int32_t>((record.x >> record_token_shift) & record_token_mask);
}

// REC-3: token as used; chunk_size in 1..256.
constexpr std::int32_t clamped_token(const Record& record, std::int32_t chunk_size) {
  const std::int32_t token = raw_token(record);
  return token < chunk_size ? token : chunk_size - 1;
}

// REC-4: what is read past a tile's end.
inline constexpr Record padding_record{record_first | record_last | record_invalid, 0U, 0U,
                                       0x3F80'0000U};

}  // namespace chainwalk
