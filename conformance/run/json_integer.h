// SPDX-License-Identifier: Apache-2.0
// Integers of JSON from outside: nlohmann's own conversion takes fractions, truth values and
// numbers out of range, some with undefined results.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace chainwalk::conformance {

// The integer at `key`, exactly. Throws the JSON library's exceptions.
template <typename Integer, typename Json>
Integer integer_at(const Json& object, const char* key) {
  const Json& value = object.at(key);
  const bool fits =
      value.is_number_unsigned()
          ? std::in_range<Integer>(value.template get<std::uint64_t>())
          : value.is_number_integer() && std::in_range<Integer>(value.template get<std::int64_t>());
  if (!fits) {
    throw Json::other_error::create(501,
                                    std::string(key) + " is no integer in " +
                                        std::to_string(std::numeric_limits<Integer>::min()) + ".." +
                                        std::to_string(std::numeric_limits<Integer>::max()),
                                    &object);
  }
  return value.template get<Integer>();
}

}  // namespace chainwalk::conformance
