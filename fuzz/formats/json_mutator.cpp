// SPDX-License-Identifier: Apache-2.0
// Values replaced, moved, doubled, dropped and nested.
#include "json_mutator.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace chainwalk::format_fuzz {
namespace {

constexpr const char* nest_mark = "\"@nest@\"";
constexpr std::size_t nest_max = 30000;
constexpr int shallow_max = 64;

Json odd_value(Random& random) {
  const std::vector<Json> odd{nullptr,
                              true,
                              false,
                              0,
                              1,
                              -1,
                              255,
                              256,
                              std::numeric_limits<std::int32_t>::max(),
                              std::numeric_limits<std::int64_t>::max(),
                              std::numeric_limits<std::int64_t>::min(),
                              std::numeric_limits<std::uint64_t>::max(),
                              0.5,
                              -0.0,
                              1e300,
                              "",
                              "0",
                              "\n",
                              "../x",
                              std::string(3, '\0'),
                              Json::array(),
                              Json::object()};
  return odd[below(random, odd.size())];
}

std::vector<Json*> values_of(Json& document) {
  std::vector<Json*> values{&document};
  for (std::size_t at = 0; at < values.size(); ++at) {
    Json& value = *values[at];
    if (!value.is_structured()) continue;
    for (Json& inner : value) values.push_back(&inner);
  }
  return values;
}

void tweak(Json& value, Random& random) {
  if (value.is_number_integer()) {
    // Any 64 bits: what wraps is as good as another.
    const auto bits = value.get<std::uint64_t>();
    const std::uint64_t next[] = {bits + 1, bits - 1, bits * 2, ~bits + 1};
    value = static_cast<std::int64_t>(next[below(random, 4)]);
  } else if (value.is_string()) {
    auto text = value.get<std::string>();
    if (!text.empty() && below(random, 2) == 0) text.pop_back();
    text.push_back(static_cast<char>('!' + below(random, 90)));
    value = text;
  } else {
    value = odd_value(random);
  }
}

void drop_or_double(Json& value, Random& random) {
  if (!value.is_structured() || value.empty()) {
    value = odd_value(random);
    return;
  }
  const auto at =
      std::next(value.begin(), static_cast<std::ptrdiff_t>(below(random, value.size())));
  if (below(random, 2) == 0) {
    value.erase(at);
  } else if (value.is_array()) {
    const Json copy = *at;
    value.push_back(copy);
  } else {
    const Json copy = *at;
    value[at.key() + "x"] = copy;
  }
}

}  // namespace

std::string changed_json(Json document, Random& random) {
  const auto values = values_of(document);
  Json& value = *values[below(random, values.size())];
  bool nested = false;
  switch (below(random, 16)) {
    case 0:
      nested = true;
      value = "@nest@";
      break;
    case 1:
    case 2:
    case 3: value = odd_value(random); break;
    case 4:
    case 5:
    case 6:
    case 7: {
      const Json other = *values[below(random, values.size())];
      value = other;
      break;
    }
    case 8:
    case 9:
    case 10: drop_or_double(value, random); break;
    default: tweak(value, random);
  }
  std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (nested) {
    const std::size_t depth = 1 + below(random, below(random, 4) == 0 ? nest_max : 40);
    text.replace(text.find(nest_mark), std::strlen(nest_mark),
                 std::string(depth, '[') + std::string(depth, ']'));
  }
  return text;
}

bool is_shallow_json(std::string_view text) {
  int depth = 0, deepest = 0;
  for (const char letter : text) {
    depth += letter == '[' || letter == '{' ? 1 : letter == ']' || letter == '}' ? -1 : 0;
    deepest = std::max(deepest, depth);
  }
  return deepest <= shallow_max && Json::accept(text);
}

std::size_t mutate_json(std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed) {
  Random random(seed);
  const std::string_view before(reinterpret_cast<const char*>(data), size);
  if (below(random, 4) == 0 || !is_shallow_json(before))
    return LLVMFuzzerMutate(data, size, size_max);
  const std::string after = changed_json(Json::parse(before), random);
  if (after.size() > size_max) return LLVMFuzzerMutate(data, size, size_max);
  std::memcpy(data, after.data(), after.size());
  return after.size();
}

}  // namespace chainwalk::format_fuzz
