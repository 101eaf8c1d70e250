// SPDX-License-Identifier: Apache-2.0
// Names of element types and snapshot forms.
#include "chainwalk/spec/types.h"

#include <array>
#include <utility>

namespace chainwalk {
namespace {

constexpr std::array bank_types{std::pair{BankType::bf16, "bf16"}, std::pair{BankType::f32, "f32"}};
constexpr std::array forms{
    std::pair{SnapshotForm::none, "none"}, std::pair{SnapshotForm::raw, "raw"},
    std::pair{SnapshotForm::bf16, "bf16"}, std::pair{SnapshotForm::fp8, "fp8"},
    std::pair{SnapshotForm::int4, "int4"}};

template <typename Table, typename Value>
const char* name_of(const Table& table, Value value) {
  for (const auto& [known, name] : table) {
    if (known == value) return name;
  }
  return "unknown";
}

template <typename Value, typename Table>
std::optional<Value> value_of(const Table& table, std::string_view text) {
  for (const auto& [value, name] : table) {
    if (text == name) return value;
  }
  return std::nullopt;
}

}  // namespace

const char* to_string(BankType type) noexcept { return name_of(bank_types, type); }
const char* to_string(SnapshotForm form) noexcept { return name_of(forms, form); }
std::optional<BankType> parse_bank_type(std::string_view text) noexcept {
  return value_of<BankType>(bank_types, text);
}
std::optional<SnapshotForm> parse_snapshot_form(std::string_view text) noexcept {
  return value_of<SnapshotForm>(forms, text);
}

}  // namespace chainwalk
