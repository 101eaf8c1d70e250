// SPDX-License-Identifier: Apache-2.0
// Which tensors and metadata a capture has, as a function of its shape (CAP-5 to CAP-7). The reader
// and the writer share it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chainwalk/spec/problem.h"

namespace chainwalk::capture {

struct Tensor {
  const char* name;
  const char* type;
  std::vector<std::int64_t> shape;
  bool output;  // one of the recorded outputs
};

inline constexpr const char* format_name = "chainwalk-capture";
inline constexpr const char* format_version = "1";

const char* bank_type_name(BankType type) noexcept;

// The tensors of a capture of this shape, in the order in which the writer puts them: records and
// the bank first, so that both keep 16-byte alignment. Sizes that overflow are -1.
std::vector<Tensor> tensors_of(const ProblemShape& shape);

// a * b, or -1 where it does not fit in 63 bits. Both >= 0.
std::int64_t product(std::int64_t a, std::int64_t b) noexcept;

// Metadata keys that hold an integer of the shape.
struct IntegerKey {
  const char* key;
  std::int64_t ProblemShape::*field;
};
inline constexpr IntegerKey integer_keys[] = {
    {"num_parallel", &ProblemShape::num_parallel},
    {"chunk_size", &ProblemShape::chunk_size},
    {"delta_v_step_rows", &ProblemShape::delta_v_step_rows},
    {"warps_per_block", &ProblemShape::warps_per_block},
    {"blocks_per_chunk", &ProblemShape::blocks_per_chunk}};

}  // namespace chainwalk::capture
