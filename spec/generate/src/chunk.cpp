// SPDX-License-Identifier: Apache-2.0
// Groups, tiles, slots and records of one chunk (REC-1 to REC-6, TIL-1 to TIL-3).
#include "chunk.h"

#include <algorithm>
#include <numeric>

#include "chainwalk/generate/values.h"
#include "chainwalk/spec/tiles.h"

namespace chainwalk::generate {
namespace {

constexpr std::int64_t cluster_groups_per_tile = 128;  // TIL-3

std::int64_t draw_length(Groups groups, std::int64_t positions, Random& random) {
  static constexpr std::int64_t borders[] = {1,  2,  7,  8,  9,  15,  16,  17, 31,
                                             32, 33, 63, 64, 65, 127, 128, 129};
  switch (groups) {
    case Groups::single: return 1;
    case Groups::whole: return positions;
    case Groups::borders: return random.pick(borders);
    case Groups::mixed: break;
  }
  return random.one_in(8) ? random.between(1, 64) : random.between(1, 4);
}

// Slots of stream `stream`: a run of its own, or every P-th one.
class OwnedSlots {
 public:
  OwnedSlots(std::int64_t slots, std::int64_t num_parallel, std::int64_t stream, bool interleaved)
      : interleaved_(interleaved), num_parallel_(num_parallel), stream_(stream) {
    const std::int64_t share = slots / num_parallel;
    first_ = stream * share;
    if (interleaved) {
      count_ = (slots - stream + num_parallel - 1) / num_parallel;
    } else {
      count_ = stream + 1 == num_parallel ? slots - first_ : share;
    }
  }
  std::int64_t count() const { return count_; }
  std::uint32_t at(std::int64_t i) const {
    return static_cast<std::uint32_t>(interleaved_ ? stream_ + i * num_parallel_ : first_ + i);
  }

 private:
  bool interleaved_;
  std::int64_t num_parallel_, stream_, first_ = 0, count_ = 0;
};

// `wanted` different numbers of 0..count-1; the borders come in half of the draws.
std::vector<std::int64_t> draw_subset(std::int64_t count, std::size_t wanted, Random& random) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  std::size_t settled = 0;
  if (wanted >= 2 && random.one_in(2)) {
    std::swap(numbers[1], numbers.back());
    settled = 2;
  }
  for (std::size_t i = settled; i < wanted; ++i) {
    std::swap(numbers[i], numbers[i + random.below(numbers.size() - i)]);
  }
  numbers.resize(wanted);
  return numbers;
}

}  // namespace

std::vector<DrawnGroup> draw_groups(const Parameters& parameters, const ChunkKey& key) {
  Random random = key.random(Purpose::groups);
  std::vector<DrawnGroup> groups;
  for (std::int64_t begin = 0; begin < parameters.positions;) {
    const std::int64_t length = draw_length(parameters.groups, parameters.positions, random);
    const std::int64_t end = std::min(begin + length, parameters.positions);
    groups.push_back({begin, end, random.with_share(parameters.invalid_share)});
    begin = end;
  }
  return groups;
}

std::vector<std::int32_t> draw_tile_bounds(const Parameters& parameters, const ChunkKey& key,
                                           std::span<const DrawnGroup> groups) {
  const std::int64_t tiles = parameters.warps_per_block * parameters.blocks_per_chunk;
  const auto n = static_cast<std::int32_t>(parameters.positions);
  Random random = key.random(Purpose::tiles);
  const std::uint64_t kind = parameters.random_tiles ? random.below(8) : 0;
  if (tiles == 0) return {0};
  if (kind == 0) {
    std::vector<Record> flags(static_cast<std::size_t>(n), Record{});
    for (const DrawnGroup& group : groups) {
      flags[static_cast<std::size_t>(group.begin)].x = record_first;
    }
    return standard_tile_bounds(flags, tiles);
  }
  std::vector<std::int32_t> bounds(static_cast<std::size_t>(tiles + 1));
  for (std::int32_t& bound : bounds) {
    const std::uint64_t taken = random.below(groups.size() + 1);
    bound = taken == groups.size() ? n : static_cast<std::int32_t>(groups[taken].begin);
  }
  if (kind == 1) std::fill(bounds.begin(), bounds.end(), 0);  // the last tile holds everything
  if (kind == 2) std::fill(bounds.begin(), bounds.end(), n);  // the first tile holds everything
  std::sort(bounds.begin(), bounds.end());
  bounds.front() = 0;
  bounds.back() = n;
  return bounds;
}

void limit_valid_groups(const Parameters& parameters, std::span<const std::int32_t> bounds,
                        std::span<DrawnGroup> groups) {
  if (!is_quantized(parameters.snapshot)) return;
  const std::int64_t limit = cluster_groups_per_tile * parameters.warps_per_block;
  auto group = groups.begin();
  for (std::int64_t block = 0; block < parameters.blocks_per_chunk; ++block) {
    const std::int32_t end =
        bounds[static_cast<std::size_t>((block + 1) * parameters.warps_per_block)];
    std::int64_t valid = 0;
    for (; group != groups.end() && group->begin < end; ++group) {
      if (!group->invalid && ++valid > limit) group->invalid = true;
    }
  }
}

std::vector<std::uint32_t> draw_slots(const Parameters& parameters, const ChunkKey& key,
                                      std::int64_t slots, std::span<const DrawnGroup> groups) {
  const auto wanted = static_cast<std::size_t>(std::count_if(
      groups.begin(), groups.end(), [](const auto& group) { return !group.invalid; }));
  // All chunks of a problem divide the bank among streams in the same way.
  const bool interleaved =
      Random{key.seed, key.index, static_cast<std::uint64_t>(Purpose::slots)}.one_in(2);
  const OwnedSlots owned(slots, parameters.num_parallel,
                         static_cast<std::int64_t>(key.chunk) % parameters.num_parallel,
                         interleaved);
  Random random = key.random(Purpose::slots);
  // Half of the chunks choose among little more than they need, so that steps meet in a slot.
  const auto few = static_cast<std::int64_t>(wanted + wanted / 2 + 2);
  const std::int64_t count = random.one_in(2) ? std::min(owned.count(), few) : owned.count();
  std::vector<std::int64_t> numbers = draw_subset(count, wanted, random);
  if (random.one_in(2)) std::sort(numbers.begin(), numbers.end());
  std::vector<std::uint32_t> drawn;
  drawn.reserve(wanted);
  for (const std::int64_t number : numbers) drawn.push_back(owned.at(number));
  return drawn;
}

void draw_records(const Parameters& parameters, const ChunkKey& key, std::int64_t slots,
                  std::span<const DrawnGroup> groups, std::span<Record> records) {
  const std::vector<std::uint32_t> drawn = draw_slots(parameters, key, slots, groups);
  Random random = key.random(Purpose::records);
  const auto tokens =
      static_cast<std::uint64_t>(parameters.wide_tokens ? 256 : parameters.chunk_size);
  auto next_slot = drawn.begin();
  for (const DrawnGroup& group : groups) {
    const std::uint32_t slot = group.invalid ? 0U : *next_slot++;
    const std::uint32_t decay = draw_decay(parameters.values, random);
    for (std::int64_t position = group.begin; position < group.end; ++position) {
      const bool last = position + 1 == group.end;
      // REC-5: nothing reads the slot and the decay of these.
      const bool is_free = parameters.free_members && (group.invalid || !last);
      Record& record = records[static_cast<std::size_t>(position)];
      record.x = static_cast<std::uint32_t>(random.below(tokens)) << record_token_shift;
      if (position == group.begin) record.x |= record_first;
      if (last) record.x |= record_last;
      if (group.invalid) record.x |= record_invalid;
      const std::uint32_t reserved = random.word() & ~record_meaningful;
      if (parameters.reserved_bits) record.x |= reserved;
      record.scale = draw_scale(parameters.values, random);
      const std::uint64_t noise = random.next();
      record.slot = is_free ? static_cast<std::uint32_t>(noise) : slot;
      record.decay = is_free ? static_cast<std::uint32_t>(noise >> 32U) : decay;
      if (is_free && group.invalid && (noise & 7U) == 0) record.scale = 0x7FC0'0001U;
    }
  }
}

}  // namespace chainwalk::generate
