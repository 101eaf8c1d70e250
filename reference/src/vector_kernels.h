// SPDX-License-Identifier: Apache-2.0
// Row operations over a vector type, written once for every instruction set (ARI-1 to ARI-3, ARI-6,
// SNP-3, QNT-2, QNT-4 to QNT-6). Included once by each file that defines `Vector`; everything is
// local to that file, so that no code of one instruction set can be linked into another.
#pragma once

#include <cstdint>

#include "row_kernels.h"

namespace chainwalk::reference {
namespace {

using Floats = Vector::Floats;

// The last columns of a row, fewer than a vector, go through a buffer: nothing past a row is read
// or written (GEO-3, BIG-2).
template <typename T>
Floats load_part(const T* values, std::int64_t count) {
  alignas(64) T lanes[Vector::width] = {};
  for (std::int64_t i = 0; i < count; ++i) lanes[i] = values[i];
  return Vector::load(lanes);
}

template <typename T>
void copy_part(const T* lanes, std::int64_t count, T* values) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = lanes[i];
}

template <typename T>
void store_part(T* values, Floats floats, std::int64_t count) {
  alignas(64) T lanes[Vector::width];
  Vector::store_row(lanes, floats);
  copy_part(lanes, count, values);
}

// Bank lines of a row that is due soon: a walk rewrites them, so they are fetched for writing.
constexpr std::int64_t line_bytes = 64;

template <typename T>
void prefetch_columns(const void* row, std::int64_t column, std::int64_t columns) {
  const char* from = static_cast<const char*>(row) + column * static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t byte = 0; byte < columns * static_cast<std::int64_t>(sizeof(T));
       byte += line_bytes) {
    __builtin_prefetch(from + byte, 1, 3);
  }
}

// Four vectors of columns at a time: their accumulators stay in registers (ARI-6: one each).
struct Block {
  Floats a, b, c, d;
};
constexpr std::int64_t block_columns = 4 * Vector::width;

template <typename T>
Block load_block(const T* from) {
  constexpr std::int64_t width = Vector::width;
  return {Vector::load(from), Vector::load(from + width), Vector::load(from + 2 * width),
          Vector::load(from + 3 * width)};
}

template <typename T>
void store_block(T* to, const Block& block) {
  Vector::store_row_pair(to, block.a, block.b);
  Vector::store_row_pair(to + 2 * Vector::width, block.c, block.d);
}

Block fma_block(Floats factor, const Block& values, const Block& addend) {
  return {Vector::fma(factor, values.a, addend.a), Vector::fma(factor, values.b, addend.b),
          Vector::fma(factor, values.c, addend.c), Vector::fma(factor, values.d, addend.d)};
}

float* accumulators_at(const RowUpdate& update, std::int64_t column) {
  return update.accumulators + (column - update.begin);
}

// `whole_group`: no accumulators are carried from or to other members.
template <typename T, bool whole_group>
void update_block(const RowUpdate& update, std::int64_t column) {
  T* row = static_cast<T*>(update.bank_row) + column;
  const Floats zero = Vector::broadcast(0.0F);
  if (update.row_ahead != nullptr) prefetch_columns<T>(update.row_ahead, column, block_columns);
  const bool resumes = !whole_group && update.resumes;
  Block sum = resumes ? load_block(accumulators_at(update, column)) : Block{zero, zero, zero, zero};
  for (std::int64_t i = 0; i < update.member_count; ++i) {  // ARI-1, ARI-6
    const KernelMember& member = update.members[i];
    sum = fma_block(Vector::broadcast(member.scale), load_block(member.token_row + column), sum);
  }
  if (whole_group || update.finishes) {  // ARI-2, ARI-3
    store_block(row, fma_block(Vector::broadcast(update.decay), load_block(row), sum));
  } else {
    float* carried = accumulators_at(update, column);
    Vector::store(carried, sum.a);
    Vector::store(carried + Vector::width, sum.b);
    Vector::store(carried + 2 * Vector::width, sum.c);
    Vector::store(carried + 3 * Vector::width, sum.d);
  }
}

// The same for at most one vector of columns.
template <typename T>
void update_part(const RowUpdate& update, std::int64_t column, std::int64_t count) {
  T* row = static_cast<T*>(update.bank_row) + column;
  Floats sum =
      update.resumes ? load_part(accumulators_at(update, column), count) : Vector::broadcast(0.0F);
  for (std::int64_t i = 0; i < update.member_count; ++i) {
    const KernelMember& member = update.members[i];
    sum = Vector::fma(Vector::broadcast(member.scale), load_part(member.token_row + column, count),
                      sum);
  }
  if (update.finishes) {
    const Floats base = load_part(row, count);
    store_part(row, Vector::fma(Vector::broadcast(update.decay), base, sum), count);
  } else {
    alignas(64) float lanes[Vector::width];
    Vector::store(lanes, sum);
    copy_part(lanes, count, accumulators_at(update, column));
  }
}

constexpr std::int64_t vector_or(std::int64_t remaining) {
  return remaining < Vector::width ? remaining : Vector::width;
}

template <typename T, bool whole_group>
void update_columns(const RowUpdate& update) {
  std::int64_t column = update.begin;
  for (; column + block_columns <= update.end; column += block_columns) {
    update_block<T, whole_group>(update, column);
  }
  for (; column < update.end; column += Vector::width) {
    update_part<T>(update, column, vector_or(update.end - column));
  }
}

template <typename T>
void update_row_kernel(const RowUpdate& update) {
  if (!update.resumes && update.finishes) {
    update_columns<T, true>(update);
  } else {
    update_columns<T, false>(update);
  }
}

// Calls `whole(column)` for each full vector of a row and `part(column, count)` for the rest.
template <typename Whole, typename Part>
void for_each_vector(std::int64_t columns, const Whole& whole, const Part& part) {
  std::int64_t column = 0;
  for (; column + Vector::width <= columns; column += Vector::width) whole(column);
  if (column < columns) part(column, columns - column);
}

void narrow_kernel(const void* bank_row, std::int64_t columns, void* snapshot_row) {
  const auto* from = static_cast<const float*>(bank_row);
  auto* to = static_cast<std::uint16_t*>(snapshot_row);
  for_each_vector(
      columns,
      [&](std::int64_t column) { Vector::store_row(to + column, Vector::load(from + column)); },
      [&](std::int64_t column, std::int64_t count) {
        store_part(to + column, load_part(from + column, count), count);
      });
}

template <typename T>
float amax_kernel(const void* bank_row, std::int64_t columns) {
  const auto* row = static_cast<const T*>(bank_row);
  Floats greatest = Vector::broadcast(0.0F);
  for_each_vector(
      columns,
      [&](std::int64_t column) { greatest = Vector::amax(greatest, Vector::load(row + column)); },
      [&](std::int64_t column, std::int64_t count) {
        greatest = Vector::amax(greatest, load_part(row + column, count));
      });
  alignas(64) float lanes[Vector::width];
  Vector::store(lanes, greatest);
  float result = 0.0F;
  for (const float lane : lanes) result = lane > result ? lane : result;
  return result;
}

// QNT-4, then one code a column by `Code::store`.
template <typename T, typename Code>
void codes_kernel(const void* bank_row, std::int64_t columns, float scale, std::uint8_t* codes) {
  const auto* row = static_cast<const T*>(bank_row);
  const Floats divisor = Vector::broadcast(scale);
  const auto quotient = [&](Floats base) {
    return Vector::round_bf16(Vector::divide(base, divisor));
  };
  for_each_vector(
      columns,
      [&](std::int64_t column) {
        Code::store(codes + column, quotient(Vector::load(row + column)));
      },
      [&](std::int64_t column, std::int64_t count) {
        alignas(64) std::uint8_t lanes[Vector::width];
        Code::store(lanes, quotient(load_part(row + column, count)));
        copy_part(lanes, count, codes + column);
      });
}

struct E4m3Code {
  static void store(std::uint8_t* codes, Floats quotient) { Vector::store_e4m3(codes, quotient); }
};
struct NibbleCode {
  static void store(std::uint8_t* codes, Floats quotient) { Vector::store_nibble(codes, quotient); }
};

constexpr RowKernels make_row_kernels() {
  return {{&update_row_kernel<std::uint16_t>, &update_row_kernel<float>},
          &narrow_kernel,
          {&amax_kernel<std::uint16_t>, &amax_kernel<float>},
          {&codes_kernel<std::uint16_t, E4m3Code>, &codes_kernel<float, E4m3Code>},
          {&codes_kernel<std::uint16_t, NibbleCode>, &codes_kernel<float, NibbleCode>}};
}

}  // namespace
}  // namespace chainwalk::reference
