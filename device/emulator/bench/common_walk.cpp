// SPDX-License-Identifier: Apache-2.0
// The walk, a block a tile and four columns a thread, in what other simulators of CUDA have too:
// shared memory and block barriers (ARI-1 to ARI-4). common_walk.py is the same kernel. Its loops
// over columns are not unrolled by hand: left alone, the compiler makes vectors of them.
#include "src/common_walk.h"

#include <algorithm>

#include "primitives/arithmetic.h"
#include "primitives/block.h"
#include "primitives/memory.h"
#include "primitives/thread.h"

namespace chainwalk::emulator {
namespace {

struct alignas(16) Columns {
  float value[common_walk_columns];
};

}  // namespace

void common_walk(const device::WalkParameters& p) {
  using namespace device;  // NOLINT: the primitives, as kernels name them
  constexpr std::int32_t batch = common_walk_batch;
  auto* staged = reinterpret_cast<Words4*>(shared_memory());
  const auto* records = reinterpret_cast<const Words4*>(p.records);
  const std::int32_t thread = thread_index();
  const std::int64_t column = std::int64_t{thread} * common_walk_columns;
  Columns acc{};
  const std::int32_t begin = load_cached(p.tile_bounds + block_index());
  const std::int32_t end = load_cached(p.tile_bounds + block_index() + 1);
  for (std::int32_t at = begin; at < end; at += batch) {
    const std::int32_t count = std::min(batch, end - at);
    if (thread < count) store_shared(staged + thread, load_cached(records + at + thread));
    sync_block();
    for (std::int32_t i = 0; i < count; ++i) {
      const Words4 record = load_shared(staged + i);
      const std::int64_t token = (record.x >> record_token_shift) & 0xFFU;
      const float* token_row = p.delta_v + token * p.head_dim + column;
      const auto added = load_cached(reinterpret_cast<const Columns*>(token_row));
      for (int c = 0; c < common_walk_columns; ++c) {
        acc.value[c] = fma_rn(as_float(record.z), added.value[c], acc.value[c]);
      }
      if ((record.x & record_last) == 0) continue;
      float* row = static_cast<float*>(p.bank) + std::int64_t{record.y} * p.head_dim + column;
      auto* place = reinterpret_cast<Columns*>(row);
      Columns out = load_coherent(place);
      for (int c = 0; c < common_walk_columns; ++c) {
        out.value[c] = fma_rn(out.value[c], as_float(record.w), acc.value[c]);
        acc.value[c] = 0.0F;
      }
      store(place, out);
    }
    sync_block();
  }
}

}  // namespace chainwalk::emulator
