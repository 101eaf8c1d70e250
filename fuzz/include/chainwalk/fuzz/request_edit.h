// SPDX-License-Identifier: Apache-2.0
// Requests with something wrong, for campaigns of refusals (PLN): a problem's request, and changes
// of its fields.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chainwalk/implementation.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::fuzz {

// One field of a request with another value. Fields, by name:
//   slots, head_dim, chunks, positions, num_parallel, chunk_size, delta_v_rows, delta_v_step_rows,
//   warps_per_block, blocks_per_chunk: a size of the problem; every tensor follows it
//   size, snapshot_form, snapshot_step, geometry.FIELD: as cw_request has them
//   TENSOR.rank, .type, .shape0..2, .stride0..2: as cw_tensor has them
//   TENSOR.shift: bytes added to its address; TENSOR.onto.OTHER: bytes from OTHER's address on
struct RequestEdit {
  std::uint16_t field = 0;  // its place in the list
  std::int64_t value = 0;

  friend bool operator==(const RequestEdit&, const RequestEdit&) = default;
};

// Throws chainwalk::InputError for a name that is no field.
RequestEdit request_edit(std::string_view field, std::int64_t value);

// "bank.rank=3 chunk_size=257", and back; InputError for anything else.
std::string to_string(std::span<const RequestEdit> edits);
std::vector<RequestEdit> parse_request_edits(std::string_view text);

// The request of a problem of that shape, changed by edits of sizes first and then by the others in
// their order. Its tensors lie in the part of the address space that no process has, far from each
// other: whoever reads or writes one of them crashes. Sizes that do not fit in 63 bits are 2^63-1.
cw_request sketch_request(const ProblemShape& shape, std::span<const RequestEdit> edits);

}  // namespace chainwalk::fuzz
