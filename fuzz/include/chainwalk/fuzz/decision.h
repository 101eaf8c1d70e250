// SPDX-License-Identifier: Apache-2.0
// What the rules say of a request (PLN-1 to PLN-7), stated apart from every implementation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chainwalk/fuzz/features.h"
#include "chainwalk/implementation.h"

namespace chainwalk::fuzz {

// The refusal that the chapter asks for, of every implementation; CW_REFUSAL_NONE where no rule
// that knows no device is broken. Nothing behind a pointer is read.
cw_refusal refusal_asked_for(const cw_request& request);

// Whether an implementation may decide so: accept (CW_REFUSAL_NONE) or refuse with a code. Besides
// the refusal asked for, it may refuse for the limits of its device or its kernels (PLN-4's tensor
// maps, PLN-6, QNT-9, GEO-8), where that check runs before the other one.
bool may_decide(const cw_request& request, std::int32_t refusal);

// Limits of a device or of kernels: what the rules leave to the implementation.
bool is_limit(std::int32_t refusal);

// The feature of a decision; nullopt for codes that no request can have.
std::optional<Feature> feature_of_decision(std::int32_t refusal);
// "accepted", "bank-rank"; "code-7" for a number that is no code.
std::string decision_name(std::int32_t refusal);

}  // namespace chainwalk::fuzz
