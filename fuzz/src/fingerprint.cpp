// SPDX-License-Identifier: Apache-2.0
// Fingerprints of cases by XXH3, the same on every machine.
#include <xxhash.h>

#include <span>
#include <string>
#include <string_view>

#include "chainwalk/fuzz/campaign.h"

namespace chainwalk::fuzz {
namespace {

class Hash {
 public:
  // Each part with its length, so that nothing can move from one part to the next.
  void add(std::span<const std::byte> bytes) {
    add(static_cast<std::int64_t>(bytes.size()));
    value_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), value_);
  }
  void add(std::int64_t number) { value_ = XXH3_64bits_withSeed(&number, sizeof number, value_); }
  std::int64_t value() const { return static_cast<std::int64_t>(value_ >> 1U); }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace

std::int64_t fingerprint(const FuzzCase& fuzz_case) noexcept {
  const Problem& problem = fuzz_case.problem;
  const ProblemShape& shape = problem.shape;
  Hash hash;
  for (const std::int64_t size :
       {static_cast<std::int64_t>(shape.bank_type), static_cast<std::int64_t>(shape.snapshot),
        shape.slots, shape.head_dim, shape.num_chunks, shape.positions, shape.num_parallel,
        shape.chunk_size, shape.delta_v_rows, shape.delta_v_step_rows, shape.warps_per_block,
        shape.blocks_per_chunk, fuzz_case.big_slots})
    hash.add(size);
  hash.add(problem.bank_before);
  hash.add(std::as_bytes(problem.delta_v));
  hash.add(std::as_bytes(problem.records));
  hash.add(std::as_bytes(problem.tile_bounds));
  hash.add(std::as_bytes(problem.group_prefix));
  for (const std::string& option : fuzz_case.options)
    hash.add(std::as_bytes(std::span(std::string_view(option))));
  hash.add(std::as_bytes(std::span(fuzz_case.big_rows)));
  const std::string edits = to_string(fuzz_case.edits);
  hash.add(std::as_bytes(std::span(edits)));
  return hash.value();
}

}  // namespace chainwalk::fuzz
