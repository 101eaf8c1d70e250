// SPDX-License-Identifier: Apache-2.0
// Compares outputs of one problem bit by bit, on the rows that the rules define (ARI, SNP-1, SNP-4,
// QNT-1, BIG-2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chainwalk/conformance/result.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::conformance {

// What was looked at in one tensor. Elements are bank elements, snapshot elements, e4m3 bytes,
// nibbles (two a byte, the padding of an odd head included) and scales.
struct TensorComparison {
  std::string_view tensor;  // "bank", "snapshot", "payload", "scale"
  std::int64_t compared = 0;
  std::int64_t differing = 0;
};

struct Comparison {
  // One entry for each tensor that the form has, in the order bank, snapshot, payload, scale.
  std::vector<TensorComparison> tensors;
  // For each tensor that differs, its first differing element in row-major order and their number.
  std::vector<Difference> differences;

  bool equal() const noexcept { return differences.empty(); }
  std::int64_t compared() const noexcept;   // elements of all tensors
  std::int64_t differing() const noexcept;  // elements of all tensors
};

struct CompareOptions {
  // Set where the caller filled snapshot, payload and scale with this byte before the run: rows of
  // no valid group are compared too and must hold it still (SNP-4). Not set: they are not looked
  // at, as in recorded captures, where they hold anything.
  std::optional<std::byte> poison;
};

// `problem` has passed validate(). Every view must have the size that Outputs states, else
// std::invalid_argument names the tensor. Inputs and both outputs may overlap; nothing is written.
Comparison compare(const Problem& problem, const ConstOutputs& expected, const ConstOutputs& actual,
                   const CompareOptions& options = {});

// Whether two sets of outputs hold the same bytes everywhere, rows of no valid group included;
// views of different sizes do not.
bool same_bytes(const ConstOutputs& a, const ConstOutputs& b) noexcept;

// Ids of the rules that decide the bits of the differing element: the walk, the store and, where
// the row belongs to no valid group, the rule that it stays as it was.
std::vector<std::string> concerned_rules(const Problem& problem, const Difference& difference);

}  // namespace chainwalk::conformance
