// SPDX-License-Identifier: Apache-2.0
// Element types of a bank and forms of its snapshot rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace chainwalk {

enum class BankType : std::uint8_t { bf16, f32 };

// none: no rows. raw: bank rows as they are (SNP-2). bf16: rows of an f32 bank rounded (SNP-3).
// fp8, int4: quantized payload and scale (QNT).
enum class SnapshotForm : std::uint8_t { none, raw, bf16, fp8, int4 };

constexpr std::int64_t element_size(BankType type) { return type == BankType::bf16 ? 2 : 4; }
constexpr bool is_quantized(SnapshotForm form) {
  return form == SnapshotForm::fp8 || form == SnapshotForm::int4;
}
constexpr bool is_dense(SnapshotForm form) {
  return form == SnapshotForm::raw || form == SnapshotForm::bf16;
}

// "bf16", "f32"; "none", "raw", "bf16", "fp8", "int4". parse_* give nullopt for any other text.
const char* to_string(BankType type) noexcept;
const char* to_string(SnapshotForm form) noexcept;
std::optional<BankType> parse_bank_type(std::string_view text) noexcept;
std::optional<SnapshotForm> parse_snapshot_form(std::string_view text) noexcept;

}  // namespace chainwalk
