// SPDX-License-Identifier: Apache-2.0
// Checks of JSON fields.
#include "json_fields.h"

namespace chainwalk::fuzz {

using Json = nlohmann::ordered_json;

void refuse_json(const std::string& what, const Json& found) {
  throw InputError({"FUZZ", std::nullopt, std::nullopt,
                    what + ": " + found.dump(-1, ' ', false, Json::error_handler_t::replace)});
}

std::int64_t whole_number(const Json& json) {
  if (!json.is_number_integer() ||
      (json.is_number_unsigned() && json.get<std::uint64_t>() >> 63U != 0)) {
    refuse_json("a whole number is needed, not", json);
  }
  return json.get<std::int64_t>();
}

std::int64_t natural(const Json& json) {
  const std::int64_t number = whole_number(json);
  if (number < 0) refuse_json("a whole number of at least 0 is needed, not", json);
  return number;
}

std::uint64_t natural_word(const Json& json) {
  if (!json.is_number_unsigned()) refuse_json("a whole number of 64 bits is needed, not", json);
  return json.get<std::uint64_t>();
}

Feature known_feature(const std::string& id) {
  const auto feature = find_feature(id);
  if (!feature) refuse_json("a feature of the list is needed, not", id);
  return *feature;
}

}  // namespace chainwalk::fuzz
