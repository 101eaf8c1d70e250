// SPDX-License-Identifier: Apache-2.0
// The tensors of a capture (CAP-5, CAP-6).
#include "capture_layout.h"

#include <limits>

namespace chainwalk::capture {

const char* bank_type_name(BankType type) noexcept {
  return type == BankType::bf16 ? "BF16" : "F32";
}

std::int64_t product(std::int64_t a, std::int64_t b) noexcept {
  if (a == 0 || b == 0) return 0;
  return a > std::numeric_limits<std::int64_t>::max() / b ? -1 : a * b;
}

std::vector<Tensor> tensors_of(const ProblemShape& shape) {
  const char* bank = bank_type_name(shape.bank_type);
  const std::int64_t tiles = product(shape.warps_per_block, shape.blocks_per_chunk);
  const std::int64_t bounds =
      tiles < 0 || tiles == std::numeric_limits<std::int64_t>::max() ? -1 : tiles + 1;
  const std::int64_t rows = product(shape.num_chunks, shape.positions);
  const std::int64_t hd = shape.head_dim;
  std::vector<Tensor> tensors{{"records", "I32", {shape.num_chunks, shape.positions, 4}, false},
                              {"bank_before", bank, {shape.slots, hd}, false},
                              {"bank_after", bank, {shape.slots, hd}, true}};
  switch (shape.snapshot) {
    case SnapshotForm::none: break;
    case SnapshotForm::raw: tensors.push_back({"snapshot", bank, {rows, hd}, true}); break;
    case SnapshotForm::bf16: tensors.push_back({"snapshot", "BF16", {rows, hd}, true}); break;
    case SnapshotForm::fp8:
      tensors.push_back({"payload", "U8", {rows, hd}, true});
      tensors.push_back({"scale", "F32", {rows}, true});
      break;
    case SnapshotForm::int4:
      tensors.push_back({"payload", "U8", {rows, hd / 2 + hd % 2}, true});
      tensors.push_back({"scale", "F32", {rows}, true});
      break;
  }
  tensors.push_back({"delta_v", "F32", {shape.delta_v_rows, hd}, false});
  tensors.push_back({"tile_bounds", "I32", {shape.num_chunks, bounds}, false});
  tensors.push_back({"group_prefix", "I32", {shape.num_chunks, bounds}, false});
  return tensors;
}

}  // namespace chainwalk::capture
