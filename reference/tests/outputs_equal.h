// SPDX-License-Identifier: Apache-2.0
// Comparison of outputs byte by byte, unwritten ones too (BIG-2, SNP-4).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <ios>
#include <span>

#include "chainwalk/spec/problem.h"

namespace chainwalk::reference {

inline ::testing::AssertionResult bytes_equal(const char* tensor,
                                              std::span<const std::byte> observed,
                                              std::span<const std::byte> expected) {
  if (observed.size() != expected.size()) {
    return ::testing::AssertionFailure()
           << tensor << " has " << observed.size() << " bytes; expected " << expected.size();
  }
  const auto [at, other] = std::mismatch(observed.begin(), observed.end(), expected.begin());
  if (at == observed.end()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << tensor << " differs first at byte " << (at - observed.begin()) << ": 0x" << std::hex
         << std::to_integer<int>(*at) << ", expected 0x" << std::to_integer<int>(*other);
}

inline ::testing::AssertionResult outputs_equal(const ConstOutputs& observed,
                                                const ConstOutputs& expected) {
  const auto all = {
      bytes_equal("bank", observed.bank, expected.bank),
      bytes_equal("snapshot", observed.snapshot, expected.snapshot),
      bytes_equal("payload", observed.payload, expected.payload),
      bytes_equal("scale", std::as_bytes(observed.scale), std::as_bytes(expected.scale))};
  for (const auto& result : all) {
    if (!result) return result;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace chainwalk::reference
