// SPDX-License-Identifier: Apache-2.0
// Which rows a gather puts where, before a dense-row walk (SRC-2, SNP-1, TIL-4).
#include "dense_rows.h"

#include <algorithm>

#include "chainwalk/spec/tiles.h"

namespace chainwalk::adapters {
namespace {

bool wants_dense_rows(const plan::GeometryWish& wish) {
  const auto& family = device::kernel_family;
  const auto forced = std::ranges::find_if(family, [&](const device::KernelTraits& kernel) {
    return wish.kernel && kernel.name == *wish.kernel;
  });
  return wish.source == device::BaseSource::dense_rows ||
         (forced != family.end() && forced->source == device::BaseSource::dense_rows);
}

}  // namespace

void describe_dense_rows(plan::Request& request) {
  const bool given = request.snapshot.rank != 0 || request.form != SnapshotForm::none;
  const bool sized =
      request.records.rank == 3 && request.bank.rank == 2 && request.num_parallel >= 0;
  if (!wants_dense_rows(request.wish) || given || !sized) return;
  const std::int64_t chunks = request.records.shape[0];
  const std::int64_t positions = request.records.shape[1];
  const bool every_step = request.snapshot_step != 0;
  std::int64_t rows = 0;
  if (__builtin_mul_overflow(every_step ? chunks : request.num_parallel, positions, &rows)) return;
  const std::int64_t head_dim = request.bank.shape[1];
  // Never read: the machine puts its own buffer's address in before it binds.
  void* placeholder = reinterpret_cast<void*>(std::uintptr_t{4096});
  request.snapshot = {placeholder,         request.bank.type, 2,
                      {rows, head_dim, 0}, {head_dim, 1, 0},  request.bank.device};
}

bool reads_dense_rows(const plan::Plan& plan) {
  return device::kernel_family[plan.kernel].source == device::BaseSource::dense_rows;
}

std::uint64_t dense_rows_bytes(const plan::Request& request) {
  const std::int64_t element = request.snapshot.type == plan::ElementType::bf16 ? 2 : 4;
  return static_cast<std::uint64_t>(request.snapshot.shape[0] * request.snapshot.shape[1] *
                                    element);
}

void for_each_base_row(const plan::Request& request, std::span<const Record> records,
                       std::int64_t step,
                       const std::function<void(std::int64_t slot, std::int64_t row)>& copy) {
  const std::int64_t positions = request.records.shape[1];
  for (std::int64_t stream = 0; stream < request.num_parallel; ++stream) {
    const std::int64_t chunk = step * request.num_parallel + stream;
    const std::int64_t first = (step * request.snapshot_step + stream) * positions;
    std::int64_t ordinal = 0;
    for (const Record& record : records.subspan(static_cast<std::size_t>(chunk * positions),
                                                static_cast<std::size_t>(positions))) {
      if (is_last(record) && !is_invalid(record)) copy(record.slot, first + ordinal++);
    }
  }
}

std::vector<std::int32_t> dense_row_prefixes(const plan::Request& request,
                                             std::span<const Record> records,
                                             std::span<const std::int32_t> tile_bounds) {
  const auto positions = static_cast<std::size_t>(request.records.shape[1]);
  const auto entries = static_cast<std::size_t>(request.tile_bounds.shape[1]);
  const auto end = static_cast<std::int32_t>(positions);
  std::vector<std::int32_t> bounds(tile_bounds.begin(), tile_bounds.end());
  for (std::int32_t& bound : bounds) bound = std::clamp(bound, 0, end);
  std::vector<std::int32_t> prefixes;
  prefixes.reserve(bounds.size());
  for (std::size_t chunk = 0; chunk < static_cast<std::size_t>(request.records.shape[0]); ++chunk) {
    const auto of_chunk = group_prefix_of(records.subspan(chunk * positions, positions),
                                          std::span(bounds).subspan(chunk * entries, entries));
    prefixes.insert(prefixes.end(), of_chunk.begin(), of_chunk.end());
  }
  return prefixes;
}

}  // namespace chainwalk::adapters
