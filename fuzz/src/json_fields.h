// SPDX-License-Identifier: Apache-2.0
// Fields of JSON from outside: each is checked, and what is wrong is said as InputError.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "chainwalk/fuzz/features.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::fuzz {

[[noreturn]] void refuse_json(const std::string& what, const nlohmann::ordered_json& found);

// A whole number that is not negative.
std::int64_t natural(const nlohmann::ordered_json& json);
// One of 63 bits and a sign.
std::int64_t whole_number(const nlohmann::ordered_json& json);
// One of 64 bits.
std::uint64_t natural_word(const nlohmann::ordered_json& json);
Feature known_feature(const std::string& id);

// Runs `read` and turns errors of the JSON library into InputError that begins with `what`.
template <typename Read>
auto read_json(const char* what, const Read& read) {
  try {
    return read();
  } catch (const nlohmann::ordered_json::exception& error) {
    throw InputError({"FUZZ", std::nullopt, std::nullopt, std::string(what) + ": " + error.what()});
  }
}

}  // namespace chainwalk::fuzz
