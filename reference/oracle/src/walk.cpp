// SPDX-License-Identifier: Apache-2.0
// The walk, group by group and column by column (REC, ARI, SNP, QNT, TIL, BIG).
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "chainwalk/oracle/arithmetic.h"
#include "chainwalk/oracle/oracle.h"
#include "quantized_row.h"

namespace chainwalk::oracle {
namespace {

// A run of members that a LAST without INVALID closes: positions begin..last, both included.
struct ValidGroup {
  std::int64_t begin;
  std::int64_t last;
  std::int64_t ordinal;  // SNP-1's g
};

// ARI-4, ARI-5, TIL-4, SNP-1: what the tiles of a chunk store, in order. FIRST is not read: a run
// begins where a tile does or after a LAST, and one that its tile does not close is dropped.
std::vector<ValidGroup> stored_groups(const Problem& problem, std::int64_t chunk) {
  std::vector<ValidGroup> groups;
  const auto records = problem.chunk_records(chunk);
  const auto bounds = problem.chunk_tile_bounds(chunk);
  const auto prefix = problem.chunk_group_prefix(chunk);
  for (std::size_t tile = 0; tile + 1 < bounds.size(); ++tile) {
    std::int64_t begin = bounds[tile];
    std::int64_t ordinal = prefix[tile];
    for (std::int64_t position = bounds[tile]; position < bounds[tile + 1]; ++position) {
      const std::uint32_t x = records[static_cast<std::size_t>(position)].x;
      if ((x & 0x4000'0000U) == 0U) continue;
      if ((x & 0x0002'0000U) == 0U) groups.push_back({begin, position, ordinal++});
      begin = position + 1;
    }
  }
  return groups;
}

template <typename Bits, typename Element>
Bits load(std::span<Element> tensor, std::int64_t index) {
  const auto bytes =
      std::as_bytes(tensor).subspan(static_cast<std::size_t>(index) * sizeof(Bits), sizeof(Bits));
  Bits bits;
  std::memcpy(&bits, bytes.data(), sizeof bits);
  return bits;
}

template <typename Bits, typename Element>
void store(std::span<Element> tensor, std::int64_t index, Bits bits) {
  const auto bytes = std::as_writable_bytes(tensor).subspan(
      static_cast<std::size_t>(index) * sizeof(Bits), sizeof(Bits));
  std::memcpy(bytes.data(), &bits, sizeof bits);
}

// One step of one stream. Indices of elements are 64-bit throughout (BIG-1).
class StreamStep {
 public:
  StreamStep(const Problem& problem, std::int64_t step, std::int64_t stream, const Outputs& outputs)
      : problem_(problem),
        shape_(problem.shape),
        step_(step),
        stream_(stream),
        chunk_(step * shape_.num_parallel + stream),
        records_(problem.chunk_records(chunk_)),
        outputs_(outputs) {}

  void walk() {
    for (const ValidGroup& group : stored_groups(problem_, chunk_)) walk_group(group);
  }

 private:
  void walk_group(const ValidGroup& group) {
    const Record& last = records_[static_cast<std::size_t>(group.last)];
    const std::int64_t slot = last.slot;  // REC-5: the LAST's own
    if (slot >= shape_.slots) refuse_slot(group.last, slot);
    // ARI-2: the whole row as it was before this launch. No other group of the launch has this
    // slot (REC-5), so nothing has changed it yet.
    std::vector<std::uint32_t> base;
    for (std::int64_t column = 0; column < shape_.head_dim; ++column) {
      base.push_back(bank_value(slot, column));
    }
    write_snapshot(group, slot, base);
    for (std::int64_t column = 0; column < shape_.head_dim; ++column) {
      const std::uint32_t chain = chain_of(group, column);
      const std::uint32_t out =
          fma_bits(base[static_cast<std::size_t>(column)], last.decay, chain);  // ARI-2
      store_bank(slot, column, out);
    }
  }

  // ARI-1: the chain of one column over the members in order, from +0.
  std::uint32_t chain_of(const ValidGroup& group, std::int64_t column) const {
    std::uint32_t accumulator = 0U;
    for (std::int64_t position = group.begin; position <= group.last; ++position) {
      const Record& record = records_[static_cast<std::size_t>(position)];
      accumulator = fma_bits(record.scale, token_value(record.x, column), accumulator);
    }
    return accumulator;
  }

  // REC-2, REC-3, ARI-7.
  std::uint32_t token_value(std::uint32_t x, std::int64_t column) const {
    std::int64_t token = (x >> 9U) & 255U;
    if (token > shape_.chunk_size - 1) token = shape_.chunk_size - 1;
    const std::int64_t row = step_ * shape_.delta_v_step_rows + stream_ * shape_.chunk_size + token;
    return load<std::uint32_t>(problem_.delta_v, row * shape_.head_dim + column);
  }

  std::uint32_t bank_value(std::int64_t slot, std::int64_t column) const {
    const std::int64_t index = slot * shape_.head_dim + column;
    if (shape_.bank_type == BankType::f32) return load<std::uint32_t>(outputs_.bank, index);
    return widen_bits(load<std::uint16_t>(outputs_.bank, index));
  }

  // ARI-3.
  void store_bank(std::int64_t slot, std::int64_t column, std::uint32_t out) const {
    const std::int64_t index = slot * shape_.head_dim + column;
    if (shape_.bank_type == BankType::f32) {
      store(outputs_.bank, index, out);
    } else {
      store(outputs_.bank, index, narrow_bits(out));
    }
  }

  // SNP-1 to SNP-4, QNT-1: the group's row of every tensor that the form has. `base` is the
  // pre-write row, widened.
  void write_snapshot(const ValidGroup& group, std::int64_t slot,
                      const std::vector<std::uint32_t>& base) const {
    const std::int64_t hd = shape_.head_dim;
    const std::int64_t row = chunk_ * shape_.positions + group.ordinal;
    switch (shape_.snapshot) {
      case SnapshotForm::none: return;
      case SnapshotForm::raw: copy_raw_row(row, slot); return;
      case SnapshotForm::bf16:
        for (std::int64_t column = 0; column < hd; ++column) {
          store(outputs_.snapshot, row * hd + column,
                narrow_bits(base[static_cast<std::size_t>(column)]));
        }
        return;
      case SnapshotForm::fp8:
      case SnapshotForm::int4: {
        const std::uint32_t scale = row_scale(base, shape_.snapshot);
        store(outputs_.scale, row, scale);
        const std::int64_t row_bytes = shape_.snapshot == SnapshotForm::fp8 ? hd : (hd + 1) / 2;
        for (std::int64_t index = 0; index < row_bytes; ++index) {
          store(outputs_.payload, row * row_bytes + index,
                payload_byte(base, scale, shape_.snapshot, index));
        }
        return;
      }
    }
  }

  // SNP-2, NUM-2: byte by byte, so that NaN payloads stay.
  void copy_raw_row(std::int64_t row, std::int64_t slot) const {
    const std::int64_t row_bytes = shape_.head_dim * (shape_.bank_type == BankType::f32 ? 4 : 2);
    for (std::int64_t index = 0; index < row_bytes; ++index) {
      store(outputs_.snapshot, row * row_bytes + index,
            load<std::byte>(outputs_.bank, slot * row_bytes + index));
    }
  }

  [[noreturn]] void refuse_slot(std::int64_t position, std::int64_t slot) const {
    throw std::out_of_range("REC-5: chunk " + std::to_string(chunk_) + ", position " +
                            std::to_string(position) + ": slot " + std::to_string(slot) +
                            " is outside the bank of " + std::to_string(shape_.slots) + " rows");
  }

  const Problem& problem_;
  const ProblemShape& shape_;
  std::int64_t step_;
  std::int64_t stream_;
  std::int64_t chunk_;
  std::span<const Record> records_;
  const Outputs& outputs_;
};

}  // namespace

void run_step(const Problem& problem, std::int64_t step, const Outputs& outputs) {
  if (step < 0 || step >= problem.shape.steps()) {
    throw std::out_of_range("step is " + std::to_string(step) + "; the problem has " +
                            std::to_string(problem.shape.steps()) + " steps");
  }
  for (std::int64_t stream = 0; stream < problem.shape.num_parallel; ++stream) {
    StreamStep(problem, step, stream, outputs).walk();
  }
}

void run(const Problem& problem, const Outputs& outputs) {
  for (std::int64_t step = 0; step < problem.shape.steps(); ++step) {
    run_step(problem, step, outputs);
  }
}

}  // namespace chainwalk::oracle
