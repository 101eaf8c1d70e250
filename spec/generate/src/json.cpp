// SPDX-License-Identifier: Apache-2.0
// Parameters as JSON: one object, a key for each field, the generator's version beside them.
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "chainwalk/generate/generate.h"
#include "chainwalk/platform/json_nesting.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::generate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array bank_type_names{std::pair{"bf16", BankType::bf16},
                                     std::pair{"f32", BankType::f32}};
constexpr std::array snapshot_names{
    std::pair{"none", SnapshotForm::none}, std::pair{"raw", SnapshotForm::raw},
    std::pair{"bf16", SnapshotForm::bf16}, std::pair{"fp8", SnapshotForm::fp8},
    std::pair{"int4", SnapshotForm::int4}};
constexpr std::array values_names{std::pair{"plain", Values::plain},
                                  std::pair{"special", Values::special},
                                  std::pair{"bits", Values::bits}};
constexpr std::array groups_names{
    std::pair{"single", Groups::single}, std::pair{"mixed", Groups::mixed},
    std::pair{"whole", Groups::whole}, std::pair{"borders", Groups::borders}};

constexpr const auto& names_of(BankType) { return bank_type_names; }
constexpr const auto& names_of(SnapshotForm) { return snapshot_names; }
constexpr const auto& names_of(Values) { return values_names; }
constexpr const auto& names_of(Groups) { return groups_names; }

// Every field with its key, in the order of the struct.
template <typename SomeParameters, typename Visit>
void for_each_field(SomeParameters& parameters, const Visit& visit) {
  visit("bank_type", parameters.bank_type);
  visit("snapshot", parameters.snapshot);
  visit("head_dim", parameters.head_dim);
  visit("slots", parameters.slots);
  visit("num_parallel", parameters.num_parallel);
  visit("steps", parameters.steps);
  visit("extra_chunks", parameters.extra_chunks);
  visit("chunk_size", parameters.chunk_size);
  visit("positions", parameters.positions);
  visit("warps_per_block", parameters.warps_per_block);
  visit("blocks_per_chunk", parameters.blocks_per_chunk);
  visit("groups", parameters.groups);
  visit("values", parameters.values);
  visit("invalid_share", parameters.invalid_share);
  visit("reserved_bits", parameters.reserved_bits);
  visit("free_members", parameters.free_members);
  visit("wide_tokens", parameters.wide_tokens);
  visit("random_tiles", parameters.random_tiles);
  visit("delta_v_step_rows", parameters.delta_v_step_rows);
}

[[noreturn]] void fail(const std::string& message) {
  throw InputError(InputFault{"", std::nullopt, std::nullopt, "generator parameters: " + message});
}

[[noreturn]] void fail_value(const char* key, const Json& found, const std::string& needed) {
  fail("key '" + std::string(key) + "' is " +
       found.dump(-1, ' ', false, Json::error_handler_t::replace) + "; it must be " + needed);
}

void read_value(const char* key, const Json& json, bool& value) {
  if (!json.is_boolean()) fail_value(key, json, "true or false");
  value = json.get<bool>();
}
void read_value(const char* key, const Json& json, double& value) {
  if (!json.is_number()) fail_value(key, json, "a number");
  value = json.get<double>();
}
void read_value(const char* key, const Json& json, std::int64_t& value) {
  const bool fits =
      json.is_number_integer() &&
      (!json.is_number_unsigned() || json.get<std::uint64_t>() <= 0x7FFF'FFFF'FFFF'FFFFU);
  if (!fits) fail_value(key, json, "an integer of at most 64 bits");
  value = json.get<std::int64_t>();
}
template <typename Enum>
void read_value(const char* key, const Json& json, Enum& value) {
  std::string known;
  for (const auto& [name, named] : names_of(value)) {
    if (json == name) {
      value = named;
      return;
    }
    known += known.empty() ? name : std::string(", ") + name;
  }
  fail_value(key, json, "one of " + known);
}

void write_value(Json& json, bool value) { json = value; }
void write_value(Json& json, double value) { json = value; }
void write_value(Json& json, std::int64_t value) { json = value; }
template <typename Enum>
void write_value(Json& json, Enum value) {
  for (const auto& [name, named] : names_of(value)) {
    if (named == value) json = name;
  }
}

}  // namespace

std::string to_json(const Parameters& parameters) {
  Json json;
  json["generator_version"] = generator_version;
  for_each_field(parameters,
                 [&](const char* key, const auto& value) { write_value(json[key], value); });
  return json.dump();
}

Parameters from_json(const std::string& text) {
  if (platform::nests_too_deep(text)) fail("the JSON is not a flat object");
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) fail("the text is not JSON");
  if (!json.is_object()) fail("the JSON is not an object");
  std::int64_t version = generator_version;
  Parameters parameters;
  std::size_t known = 0;
  if (const auto found = json.find("generator_version"); found != json.end()) {
    ++known;
    read_value("generator_version", *found, version);
    if (version != generator_version) {
      fail_value("generator_version", *found, std::to_string(generator_version));
    }
  }
  for_each_field(parameters, [&](const char* key, auto& value) {
    const auto found = json.find(key);
    if (found == json.end()) return;
    ++known;
    read_value(key, *found, value);
  });
  if (known != json.size()) {
    for (const auto& [key, value] : json.items()) {
      bool is_field = key == "generator_version";
      for_each_field(parameters,
                     [&](const char* field, const auto&) { is_field = is_field || key == field; });
      if (!is_field) fail("key '" + key + "' is not known");
    }
  }
  return parameters;
}

}  // namespace chainwalk::generate
