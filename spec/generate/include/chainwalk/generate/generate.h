// SPDX-License-Identifier: Apache-2.0
// Random well-formed problems as a pure function of (parameters, seed, index): the same bits on
// every platform, in any order of calls. Special values come first.
#pragma once

#include <cstdint>
#include <string>

#include "chainwalk/spec/problem.h"

namespace chainwalk::generate {

// How values of a float tensor are drawn.
enum class Values : std::uint8_t {
  plain,    // normal numbers near 1: what a trained layer holds
  special,  // the special list (zeros, subnormals, ties, infinities, NaN payloads) mixed in
  bits      // uniform random bits
};

// How groups of a chunk are shaped.
enum class Groups : std::uint8_t {
  single,  // every group has one member
  mixed,   // 1 to 64 members, mostly short
  whole,   // one group fills the chunk
  borders  // lengths around 8, 16, 32, 64 and 128
};

struct Parameters {
  BankType bank_type = BankType::bf16;
  SnapshotForm snapshot = SnapshotForm::none;
  std::int64_t head_dim = 64;         // 1..2^20
  std::int64_t slots = 256;           // >= valid groups of a step (raised where it is not)
  std::int64_t num_parallel = 2;      // P >= 1
  std::int64_t steps = 2;             // >= 0
  std::int64_t extra_chunks = 0;      // chunks past steps * P, fewer than P
  std::int64_t chunk_size = 16;       // C, 1..256
  std::int64_t positions = 64;        // n >= 0
  std::int64_t warps_per_block = 8;   // 4, 8, 16
  std::int64_t blocks_per_chunk = 2;  // K >= 0 (0 only where positions == 0)
  Groups groups = Groups::mixed;
  Values values = Values::special;
  double invalid_share = 0.15;          // share of INVALID groups, 0..1
  bool reserved_bits = true;            // set bits of x that REC-2 ignores
  bool free_members = true;             // free slots and decays in members before a LAST (REC-5)
  bool wide_tokens = true;              // tokens over the whole 0..255 (REC-3)
  bool random_tiles = true;             // any well-formed tile set, else TIL-2's
  std::int64_t delta_v_step_rows = -1;  // -1: P * C; else as given (ARI-7)

  friend bool operator==(const Parameters&, const Parameters&) = default;
};

// Version of the generator: problems are the same for the same version, parameters, seed, index.
inline constexpr int generator_version = 1;

// Problem `index` of the stream of problems that `seed` and `parameters` name; always passes
// validate(). Throws std::invalid_argument that names the parameter out of range.
Problem make_problem(const Parameters& parameters, std::uint64_t seed, std::uint64_t index);

// Parameters `index` of a stream of parameters that covers every bank type, snapshot form, head
// class, group shape and tile kind; the first few hundred are the cross product of border cases.
// `max_elements` bounds slots * head_dim and positions * head_dim.
Parameters draw_parameters(std::uint64_t seed, std::uint64_t index,
                           std::int64_t max_elements = 1 << 16);

// JSON of parameters, for replay files; from_json throws chainwalk::InputError.
std::string to_json(const Parameters& parameters);
Parameters from_json(const std::string& text);

}  // namespace chainwalk::generate
