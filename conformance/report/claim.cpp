// SPDX-License-Identifier: Apache-2.0
// Scopes of claims.
#include <fmt/format.h>

#include <algorithm>

#include "chainwalk/conformance/report.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/types.h"

namespace chainwalk::conformance {
namespace {

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || name.empty() ||
         std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool Claim::covers(const Coordinates& coordinates) const {
  return holds(banks, coordinates.bank) && holds(snapshots, coordinates.snapshot);
}

Claim parse_claim(const std::string& text) {
  Claim claim;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t stop = std::min(text.find(',', start), text.size());
    const std::string word = text.substr(start, stop - start);
    start = stop + 1;
    if (parse_bank_type(word)) {
      claim.banks.push_back(word);
    } else if (word == "bf16-rows") {
      claim.snapshots.emplace_back("bf16");
    } else if (parse_snapshot_form(word)) {
      claim.snapshots.push_back(word);
    } else {
      throw InputError({"CLAIM", std::nullopt, std::nullopt,
                        fmt::format("claim \"{}\": \"{}\" is neither a bank type (bf16, f32) nor a "
                                    "snapshot form (none, raw, bf16-rows, fp8, int4)",
                                    text, word)});
    }
  }
  return claim;
}

}  // namespace chainwalk::conformance
