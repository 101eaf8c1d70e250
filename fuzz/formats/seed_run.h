// SPDX-License-Identifier: Apache-2.0
// The run that seeds of reports, journals and packages are of.
#pragma once

#include "chainwalk/conformance/run.h"
#include "chainwalk/spec/rules.h"

namespace chainwalk::format_fuzz {

inline conformance::RunHeader seed_header() {
  return {conformance::suite_version,
          std::string(specification_version()),
          "reference",
          "quick",
          1,
          0,
          1};
}

}  // namespace chainwalk::format_fuzz
