// SPDX-License-Identifier: Apache-2.0
// Requests with one thing wrong, a list per rule, in the order in which the checks run.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "sample_requests.h"

namespace chainwalk::plan {

// One thing wrong with a request. `words` stand in the message: value found, value needed.
struct Spoil {
  Check check;
  SnapshotForm form;  // of the request that is spoilt
  std::string field;  // what it changes: two spoils of one field do not go together
  std::function<void(Request&)> apply;
  std::vector<std::string> words;
  std::string device = "h100";
};

inline constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
inline constexpr auto none = SnapshotForm::none;
inline constexpr auto raw = SnapshotForm::raw;
inline constexpr auto fp8 = SnapshotForm::fp8;

std::vector<Spoil> class_spoils();   // PLN-1
std::vector<Spoil> layout_spoils();  // PLN-2
std::vector<Spoil> form_spoils();    // PLN-3
std::vector<Spoil> size_spoils();    // PLN-4, PLN-5
std::vector<Spoil> device_spoils();  // PLN-6, PLN-7, QNT-9, GEO-8

}  // namespace chainwalk::plan
