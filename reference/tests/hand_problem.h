// SPDX-License-Identifier: Apache-2.0
// Small problems with values set by hand: every column of a row holds the same value unless a test
// sets it apart, so one case exercises whole vectors and their tails.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/formats.h"
#include "chainwalk/spec/problem.h"
#include "chainwalk/spec/tiles.h"

namespace chainwalk::reference {

inline constexpr std::uint32_t first = record_first;
inline constexpr std::uint32_t last = record_last;
inline constexpr std::uint32_t invalid = record_invalid;
inline constexpr std::uint32_t zero = 0U;
inline constexpr std::uint32_t one = 0x3F80'0000U;
inline constexpr std::uint32_t two = 0x4000'0000U;
inline constexpr std::uint32_t three = 0x4040'0000U;
inline constexpr std::uint32_t minus_one = 0xBF80'0000U;
inline constexpr std::uint32_t poison = 0xA5A5'A5A5U;

constexpr std::uint32_t token(std::uint32_t value) { return value << record_token_shift; }

// The bank holds f32 bits or, in the low half of a word, bf16 bits.
class HandProblem {
 public:
  HandProblem(BankType type, std::int64_t head_dim, std::vector<std::uint32_t> slots,
              const std::vector<std::uint32_t>& tokens, std::vector<Record> records)
      : records_(std::move(records)) {
    shape.bank_type = type;
    shape.slots = static_cast<std::int64_t>(slots.size());
    shape.head_dim = head_dim;
    shape.num_chunks = 1;
    shape.num_parallel = 1;
    shape.chunk_size = static_cast<std::int64_t>(tokens.size());
    shape.delta_v_rows = static_cast<std::int64_t>(tokens.size());
    shape.warps_per_block = 4;
    shape.blocks_per_chunk = 1;
    bank_.resize(static_cast<std::size_t>(shape.slots * shape.bank_row_bytes()));
    for (std::int64_t slot = 0; slot < shape.slots; ++slot) {
      for (std::int64_t column = 0; column < head_dim; ++column) {
        set_bank(slot, column, slots[static_cast<std::size_t>(slot)]);
      }
    }
    for (const std::uint32_t bits : tokens) {
      delta_v_.insert(delta_v_.end(), static_cast<std::size_t>(head_dim), f32_from_bits(bits));
    }
  }

  void set_bank(std::int64_t slot, std::int64_t column, std::uint32_t bits) {
    store(bank_.data(), slot * shape.head_dim + column, bits);
  }

  void set_token(std::int64_t row, std::int64_t column, std::uint32_t bits) {
    delta_v_[static_cast<std::size_t>(row * shape.head_dim + column)] = f32_from_bits(bits);
  }

  // Bounds of every chunk; one tile and empty ones after it where they are left out.
  std::vector<std::int32_t> bounds;

  OutputBuffers run(InstructionSet set, unsigned threads = 2) {
    problem_.shape = shape;
    problem_.shape.positions = static_cast<std::int64_t>(records_.size()) / shape.num_chunks;
    const auto n = static_cast<std::int32_t>(problem_.shape.positions);
    if (bounds.empty()) {
      for (std::int64_t chunk = 0; chunk < shape.num_chunks; ++chunk) {
        bounds.insert(bounds.end(), {0, n, n, n, n});
      }
    }
    problem_.bank_before = bank_;
    problem_.delta_v = delta_v_;
    problem_.records = records_;
    problem_ = with_tiles(problem_, shape.warps_per_block, shape.blocks_per_chunk, bounds);
    OutputBuffers outputs(problem_);
    reference::run(problem_, outputs.views(), {threads, set});
    return outputs;
  }
  const Problem& problem() const { return problem_; }

  // One element of the bank, or of a dense snapshot.
  std::uint32_t bank_bits(const OutputBuffers& outputs, std::int64_t slot,
                          std::int64_t column) const {
    return load(outputs.views().bank.data(), slot * shape.head_dim + column, shape.bank_type);
  }
  std::uint32_t snapshot_bits(const OutputBuffers& outputs, std::int64_t row,
                              std::int64_t column) const {
    const BankType type = shape.snapshot == SnapshotForm::bf16 ? BankType::bf16 : shape.bank_type;
    return load(outputs.views().snapshot.data(), row * shape.head_dim + column, type);
  }
  // The bits that every column of a bank row holds; throws where they differ.
  std::uint32_t row_bits(const OutputBuffers& outputs, std::int64_t slot) const {
    for (std::int64_t column = 1; column < shape.head_dim; ++column) {
      if (bank_bits(outputs, slot, column) != bank_bits(outputs, slot, 0)) {
        throw std::runtime_error("columns of row " + std::to_string(slot) + " differ at column " +
                                 std::to_string(column));
      }
    }
    return bank_bits(outputs, slot, 0);
  }

  ProblemShape shape;

 private:
  void store(std::byte* data, std::int64_t index, std::uint32_t bits) const {
    const auto size = static_cast<std::size_t>(element_size(shape.bank_type));
    std::memcpy(data + static_cast<std::size_t>(index) * size, &bits, size);  // little endian
  }
  static std::uint32_t load(const std::byte* data, std::int64_t index, BankType type) {
    const auto size = static_cast<std::size_t>(element_size(type));
    std::uint32_t bits = 0;
    std::memcpy(&bits, data + static_cast<std::size_t>(index) * size, size);
    return bits;
  }

  std::vector<std::byte> bank_;
  std::vector<float> delta_v_;
  std::vector<Record> records_;
  Problem problem_;
};

}  // namespace chainwalk::reference
