// SPDX-License-Identifier: Apache-2.0
// Checks of the content of every chunk that runs (REC-5, REC-6, TIL-1, TIL-3, TIL-4).
#pragma once

#include "chainwalk/spec/validate.h"
#include "fault_list.h"

namespace chainwalk::validation {

// Sizes and tensor lengths have been checked.
void check_chunks(FaultList& faults, const Problem& problem, const ValidateOptions& options);

}  // namespace chainwalk::validation
