// SPDX-License-Identifier: Apache-2.0
// One request with something wrong on one implementation (PLN).
#pragma once

#include "chainwalk/conformance/harness.h"
#include "chainwalk/fuzz/campaign.h"
#include "chainwalk/fuzz/finding.h"

namespace chainwalk::fuzz {

// Asks supports(), and plan() where that refuses, and compares codes, never texts. No buffer stands
// behind the request, so that whatever is read or written before it is refused ends the process.
Judgement examine_request(conformance::Harness& harness, const FuzzCase& fuzz_case);

}  // namespace chainwalk::fuzz
