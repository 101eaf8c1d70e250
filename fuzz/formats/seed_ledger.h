// SPDX-License-Identifier: Apache-2.0
// The campaign that ledgers among the seeds are of.
#pragma once

#include "chainwalk/fuzz/ledger.h"

namespace chainwalk::format_fuzz {

inline fuzz::LedgerHeader seed_ledger_header() {
  return {"schedules", 1, "emulator", "reference", "1.0"};
}

}  // namespace chainwalk::format_fuzz
