// SPDX-License-Identifier: Apache-2.0
// A problem and its expected outputs as a source file that tests a shared object without
// Chainwalk's libraries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "chainwalk/spec/problem.h"

namespace chainwalk::cli {

enum class TestLanguage : std::uint8_t { cpp, cuda, python };

struct StandaloneTest {
  TestLanguage language = TestLanguage::cpp;
  std::string title;  // "ARI/restart-after-invalid-bf16/0"
  std::string note;   // what failed; may be empty
};

// Bytes of inputs and outputs that a source file may hold; larger problems are to be shrunk first.
inline constexpr std::size_t standalone_bytes_max = std::size_t{1} << 20U;

// The source. `problem` has passed validate(), ill-formed flags excepted (REC-6). InputError where
// it holds more than standalone_bytes_max.
std::string standalone_test(const Problem& problem, const StandaloneTest& test);

// templates/standalone_test.cpp.in and .py.in
extern const std::string_view cpp_template;
extern const std::string_view python_template;

}  // namespace chainwalk::cli
