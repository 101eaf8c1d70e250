// SPDX-License-Identifier: Apache-2.0
// Records, tiles and ordinals of every chunk that runs (REC-5, REC-6, TIL-1, TIL-3, TIL-4).
#include "validate_chunks.h"

#include <algorithm>

#include "chainwalk/platform/memory.h"

namespace chainwalk::validation {
namespace {

// TIL-3: valid groups that one warp's share of a block may hold where a cluster quantizes.
constexpr std::int64_t cluster_groups_per_warp = 128;

// The slots that a step's valid groups have (REC-5): a bit a slot, in memory that only touched
// pages take, and the writers themselves to name the first of two and to clear the bits again.
class StepWriters {
 public:
  explicit StepWriters(std::int64_t slots)
      : bits_(platform::Mapping::sparse((static_cast<std::uint64_t>(slots) + 7) / 8)) {}

  struct Writer {
    std::uint32_t slot;
    std::int64_t chunk;
    std::int64_t position;
  };

  // nullptr, or the earlier writer of the same slot. `slot` is in range.
  const Writer* add(const Writer& writer) {
    std::byte& byte = bits_.bytes()[writer.slot / 8U];
    const std::byte bit{static_cast<unsigned char>(1U << (writer.slot % 8U))};
    if ((byte & bit) == std::byte{0}) {
      byte |= bit;
      writers_.push_back(writer);
      return nullptr;
    }
    return &*std::find_if(writers_.begin(), writers_.end(),
                          [&](const Writer& earlier) { return earlier.slot == writer.slot; });
  }

  void clear() {
    for (const Writer& writer : writers_) bits_.bytes()[writer.slot / 8U] = std::byte{0};
    writers_.clear();
  }

 private:
  platform::Mapping bits_;
  std::vector<Writer> writers_;
};

// REC-6, where it names flags, and REC-5 of one chunk. Returns whether the flags are well-formed.
class RecordCheck {
 public:
  RecordCheck(FaultList& faults, StepWriters& writers, const ProblemShape& shape,
              std::int64_t chunk, bool names_flags)
      : faults_(faults),
        writers_(writers),
        shape_(shape),
        chunk_(chunk),
        names_flags_(names_flags) {}

  bool run(std::span<const Record> records) {
    for (const Record& record : records) {
      if (faults_.full()) return well_formed_;
      check_flags(record);
      if (is_last(record) && !is_invalid(record)) check_slot(record);
      ++position_;
    }
    if (begin_ >= 0) {
      --position_;
      ill_formed(
          fmt::format("the chunk ends inside the group that begins at position {}; LAST is "
                      "needed here",
                      begin_));
    }
    return well_formed_;
  }

 private:
  void ill_formed(const std::string& what) {
    if (names_flags_) faults_.add_position("REC-6", chunk_, position_, what);
    well_formed_ = false;
  }

  void check_flags(const Record& record) {
    if (begin_ < 0) {
      begin_ = position_;
      invalid_ = is_invalid(record);
      if (!is_first(record)) {
        ill_formed(fmt::format("x is {:#010x}; a group begins here and FIRST ({:#010x}) is needed",
                               record.x, record_first));
      }
    } else {
      if (is_first(record)) {
        ill_formed(
            fmt::format("x is {:#010x}: FIRST inside the group that begins at position {}; "
                        "LAST is needed before it",
                        record.x, begin_));
      }
      if (is_invalid(record) != invalid_) {
        ill_formed(
            fmt::format("x is {:#010x}: INVALID ({:#010x}) is {} here and {} at the group's "
                        "first position {}; all members need the same",
                        record.x, record_invalid, invalid_ ? "clear" : "set",
                        invalid_ ? "set" : "clear", begin_));
      }
    }
    if (is_last(record)) begin_ = -1;
  }

  void check_slot(const Record& record) {
    if (static_cast<std::int64_t>(record.slot) >= shape_.slots) {
      faults_.add_position(
          "REC-5", chunk_, position_,
          fmt::format("slot of a valid group is {}; less than {} (slots) is needed", record.slot,
                      shape_.slots));
      return;
    }
    if (const auto* earlier = writers_.add({record.slot, chunk_, position_})) {
      faults_.add_position(
          "REC-5", chunk_, position_,
          fmt::format("slot {} already has the valid group of chunk {} that ends at position {}; "
                      "one writer a step is needed",
                      record.slot, earlier->chunk, earlier->position));
    }
  }

  FaultList& faults_;
  StepWriters& writers_;
  const ProblemShape& shape_;
  std::int64_t chunk_;
  bool names_flags_;
  std::int64_t position_ = 0;
  std::int64_t begin_ = -1;  // of the open group
  bool invalid_ = false;     // of the open group
  bool well_formed_ = true;
};

// TIL-1 of one chunk. Returns whether the bounds may be used.
bool check_bounds(FaultList& faults, std::span<const Record> records,
                  std::span<const std::int32_t> bounds, std::int64_t chunk) {
  const auto n = static_cast<std::int64_t>(records.size());
  const auto last = static_cast<std::int64_t>(bounds.size()) - 1;
  bool usable = true;
  const auto fault = [&](std::int64_t bound, const std::string& what) {
    faults.add_bound("TIL-1", chunk, bound, what);
    usable = false;
  };
  std::int64_t before = 0;
  for (std::int64_t t = 0; t <= last && !faults.full(); ++t) {
    const std::int64_t value = bounds[static_cast<std::size_t>(t)];
    if (value < 0 || value > n) {
      fault(t, fmt::format("the bound is {}; 0..{} is needed", value, n));
      continue;
    }
    if (t == 0 && value != 0) fault(t, fmt::format("the first bound is {}; 0 is needed", value));
    if (value < before) {
      fault(t, fmt::format("the bound is {} after {}; it may not decrease", value, before));
    }
    if (t == last && value != n) {
      fault(t, fmt::format("the last bound is {}; {} (positions) is needed", value, n));
    } else if (value != n && value != 0 && !is_first(records[static_cast<std::size_t>(value)])) {
      fault(t, fmt::format("the bound is {}, where x is {:#010x}; a FIRST, 0 or {} is needed",
                           value, records[static_cast<std::size_t>(value)].x, n));
    }
    before = value;
  }
  return usable;
}

// TIL-4 and TIL-3 of one chunk with well-formed records and bounds.
void check_ordinals(FaultList& faults, const Problem& problem, std::int64_t chunk, bool cluster) {
  const auto records = problem.chunk_records(chunk);
  const auto bounds = problem.chunk_tile_bounds(chunk);
  const auto prefix = problem.chunk_group_prefix(chunk);
  const std::int64_t nw = problem.shape.warps_per_block;
  std::int64_t valid = 0;
  std::int64_t valid_at_block = 0;
  std::int32_t position = 0;
  for (std::int64_t t = 0; t < static_cast<std::int64_t>(bounds.size()) && !faults.full(); ++t) {
    for (; position < bounds[static_cast<std::size_t>(t)]; ++position) {
      const Record& record = records[static_cast<std::size_t>(position)];
      valid += is_first(record) && !is_invalid(record) ? 1 : 0;
    }
    if (prefix[static_cast<std::size_t>(t)] != valid) {
      faults.add_bound("TIL-4", chunk, t,
                       fmt::format("group_prefix is {}; {} valid groups begin before position {}",
                                   prefix[static_cast<std::size_t>(t)], valid, position));
    }
    if (!cluster || t % nw != 0) continue;
    if (valid - valid_at_block > cluster_groups_per_warp * nw) {
      faults.add_bound(
          "TIL-3", chunk, t,
          fmt::format("the block of tiles {}..{} holds {} valid groups; at most {} "
                      "are needed where a cluster quantizes",
                      t - nw, t - 1, valid - valid_at_block, cluster_groups_per_warp * nw));
    }
    valid_at_block = valid;
  }
}

// SNP-1 of one chunk whose flags are not well-formed: its ordinals mean nothing (REC-6), but
// whoever walks it all the same must not be led out of the chunk's rows.
void check_rows(FaultList& faults, const Problem& problem, std::int64_t chunk) {
  const auto records = problem.chunk_records(chunk);
  const auto bounds = problem.chunk_tile_bounds(chunk);
  const auto prefix = problem.chunk_group_prefix(chunk);
  const auto n = static_cast<std::int64_t>(records.size());
  for (std::size_t t = 0; t + 1 < bounds.size() && !faults.full(); ++t) {
    const auto tile = records.subspan(static_cast<std::size_t>(bounds[t]),
                                      static_cast<std::size_t>(bounds[t + 1] - bounds[t]));
    const auto stored = std::count_if(tile.begin(), tile.end(), [](const Record& record) {
      return is_last(record) && !is_invalid(record);
    });
    if (prefix[t] >= 0 && prefix[t] <= n - stored) continue;
    faults.add_bound("TIL-4", chunk, static_cast<std::int64_t>(t),
                     fmt::format("group_prefix is {}; 0..{} is needed for the {} valid groups that "
                                 "end in the tile to have rows of the chunk",
                                 prefix[t], n - stored, stored));
  }
}

}  // namespace

void check_chunks(FaultList& faults, const Problem& problem, const ValidateOptions& options) {
  const ProblemShape& shape = problem.shape;
  const bool writes_rows = shape.snapshot != SnapshotForm::none;
  const bool cluster = options.quantizes_as_cluster && is_quantized(shape.snapshot);
  const bool names_flags = writes_rows || !options.accepts_ill_formed_flags;
  StepWriters writers(shape.slots);
  for (std::int64_t step = 0; step < shape.steps(); ++step) {
    writers.clear();
    for (std::int64_t stream = 0; stream < shape.num_parallel; ++stream) {
      if (faults.full()) return;
      const std::int64_t chunk = shape.chunk(step, stream);
      const auto records = problem.chunk_records(chunk);
      const bool ordered = RecordCheck(faults, writers, shape, chunk, names_flags).run(records);
      const bool tiled = check_bounds(faults, records, problem.chunk_tile_bounds(chunk), chunk);
      if (!writes_rows || !tiled) continue;
      if (ordered) {
        check_ordinals(faults, problem, chunk, cluster);
      } else {
        check_rows(faults, problem, chunk);
      }
    }
  }
}

}  // namespace chainwalk::validation
