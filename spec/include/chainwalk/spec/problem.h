// SPDX-License-Identifier: Apache-2.0
// A problem: the sizes and input tensors of a run of the walk, and the tensors it writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "chainwalk/spec/record.h"
#include "chainwalk/spec/types.h"

namespace chainwalk {

// Sizes of a problem. Every field may hold anything until validate() has passed it; the derived
// sizes below assume that it has.
struct ProblemShape {
  BankType bank_type = BankType::bf16;
  SnapshotForm snapshot = SnapshotForm::none;
  std::int64_t slots = 0;              // rows of the bank, all streams together; <= 2^31 - 1
  std::int64_t head_dim = 0;           // hd, columns; 1..2^20
  std::int64_t num_chunks = 0;         // N; chunks past steps() * P never run
  std::int64_t positions = 0;          // n, write positions of a chunk; 0..2^30
  std::int64_t num_parallel = 0;       // P, streams; >= 1
  std::int64_t chunk_size = 0;         // C, tokens of a chunk; 1..256
  std::int64_t delta_v_rows = 0;       // token rows given
  std::int64_t delta_v_step_rows = 0;  // ARI-7; 0..delta_v_rows * head_dim
  std::int64_t warps_per_block = 0;    // nw; 4, 8 or 16
  std::int64_t blocks_per_chunk = 0;   // K; >= 0

  friend bool operator==(const ProblemShape&, const ProblemShape&) = default;

  std::int64_t steps() const { return num_chunks / num_parallel; }
  std::int64_t chunk(std::int64_t step, std::int64_t stream) const {
    return step * num_parallel + stream;
  }
  std::int64_t tiles_per_chunk() const { return warps_per_block * blocks_per_chunk; }  // TU
  std::int64_t snapshot_rows() const { return num_chunks * positions; }                // SNP-1
  std::int64_t bank_row_bytes() const { return head_dim * element_size(bank_type); }
  // Bytes of one snapshot row (raw, bf16) or payload row (fp8, int4; QNT-1, QNT-10); 0 for none.
  std::int64_t snapshot_row_bytes() const {
    switch (snapshot) {
      case SnapshotForm::none: return 0;
      case SnapshotForm::raw: return bank_row_bytes();
      case SnapshotForm::bf16: return head_dim * 2;
      case SnapshotForm::fp8: return head_dim;
      case SnapshotForm::int4: return (head_dim + 1) / 2;
    }
    return 0;
  }
};

// Inputs of a problem, as views. A Problem is a cheap value: copies share the tensors, which
// `storage` keeps alive (null where the caller keeps them alive itself). Views are never written.
// Layouts, row-major and contiguous:
//   bank_before    [slots, hd]       bf16 or f32 bits, 16-byte aligned
//   delta_v        [delta_v_rows, hd]  f32, 16-byte aligned
//   records        [N, n]            16-byte aligned
//   tile_bounds    [N, TU + 1]
//   group_prefix   [N, TU + 1]
struct Problem {
  ProblemShape shape;
  std::span<const std::byte> bank_before;
  std::span<const float> delta_v;
  std::span<const Record> records;
  std::span<const std::int32_t> tile_bounds;
  std::span<const std::int32_t> group_prefix;
  std::shared_ptr<const void> storage;

  // Views of one chunk, 0 <= chunk < N.
  std::span<const Record> chunk_records(std::int64_t chunk) const {
    return slice(records, chunk, shape.positions);
  }
  std::span<const std::int32_t> chunk_tile_bounds(std::int64_t chunk) const {
    return slice(tile_bounds, chunk, shape.tiles_per_chunk() + 1);
  }
  std::span<const std::int32_t> chunk_group_prefix(std::int64_t chunk) const {
    return slice(group_prefix, chunk, shape.tiles_per_chunk() + 1);
  }
  // ARI-7: the token row of a record of chunk (step, stream).
  std::int64_t token_row(std::int64_t step, std::int64_t stream, const Record& record) const {
    return step * shape.delta_v_step_rows + stream * shape.chunk_size +
           clamped_token(record, static_cast<std::int32_t>(shape.chunk_size));
  }

 private:
  template <typename T>
  static std::span<const T> slice(std::span<const T> all, std::int64_t chunk, std::int64_t length) {
    return all.subspan(static_cast<std::size_t>(chunk * length), static_cast<std::size_t>(length));
  }
};

// Outputs of a problem, as views that the caller owns. `bank` is read and written in place: it
// holds bank_before's bytes before step 0. Tensors that the form does not have are empty:
//   bank      [slots, hd]                          always
//   snapshot  [N * n, hd]                          raw (bank type) and bf16 (2-byte elements)
//   payload   [N * n, snapshot_row_bytes()]        fp8, int4
//   scale     [N * n]                              fp8, int4
// Only rows of valid groups (SNP-1, SNP-4) are ever written in the last three.
struct Outputs {
  std::span<std::byte> bank;
  std::span<std::byte> snapshot;
  std::span<std::byte> payload;
  std::span<float> scale;
};
struct ConstOutputs {
  std::span<const std::byte> bank;
  std::span<const std::byte> snapshot;
  std::span<const std::byte> payload;
  std::span<const float> scale;

  ConstOutputs() = default;
  ConstOutputs(std::span<const std::byte> bank_, std::span<const std::byte> snapshot_,
               std::span<const std::byte> payload_, std::span<const float> scale_)
      : bank(bank_), snapshot(snapshot_), payload(payload_), scale(scale_) {}
  ConstOutputs(const Outputs& outputs)  // NOLINT(google-explicit-constructor): a view of the same
      : bank(outputs.bank),
        snapshot(outputs.snapshot),
        payload(outputs.payload),
        scale(outputs.scale) {}
};

// Owns the outputs of one problem. The bank starts as a copy of bank_before; every byte of the
// other tensors starts as `poison`, so that an unwritten row is seen. Buffers are 64-byte aligned.
class OutputBuffers {
 public:
  static constexpr std::byte default_poison{0xA5};

  // `problem` has passed validate(). Throws std::bad_alloc.
  explicit OutputBuffers(const Problem& problem, std::byte poison = default_poison);

  const Outputs& views() const noexcept { return views_; }
  std::byte poison() const noexcept { return poison_; }

 private:
  struct Free {
    void operator()(std::byte* data) const noexcept;
  };
  using Buffer = std::unique_ptr<std::byte, Free>;
  static Buffer allocate(std::size_t bytes);

  Buffer bank_, snapshot_, payload_, scale_;
  Outputs views_;
  std::byte poison_;
};

}  // namespace chainwalk
