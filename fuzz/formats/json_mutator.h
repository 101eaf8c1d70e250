// SPDX-License-Identifier: Apache-2.0
// Mutations of JSON that keep it JSON: bytes flipped at random seldom get past the parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>

namespace chainwalk::format_fuzz {

using Json = nlohmann::ordered_json;
using Random = std::minstd_rand;

inline std::size_t below(Random& random, std::size_t bound) { return random() % bound; }

// The text of `document` after one random change of one of its values. A value may become many
// nested lists, which only text can hold: nlohmann's own copy and dump recurse.
std::string changed_json(Json document, Random& random);

// Whether `text` is JSON that changed_json() takes.
bool is_shallow_json(std::string_view text);

// A custom mutator for formats that are one JSON document.
std::size_t mutate_json(std::uint8_t* data, std::size_t size, std::size_t size_max, unsigned seed);

}  // namespace chainwalk::format_fuzz
