// SPDX-License-Identifier: Apache-2.0
// The faults that a validation collects, up to a limit.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "chainwalk/spec/fault.h"

namespace chainwalk::validation {

class FaultList {
 public:
  explicit FaultList(std::size_t limit) : limit_(std::max<std::size_t>(limit, 1)) {}

  bool full() const { return faults_.size() >= limit_; }
  bool empty() const { return faults_.empty(); }
  std::vector<InputFault> take() { return std::move(faults_); }

  void add(const InputFault& fault) { keep(fault); }
  void add(const char* rule, const std::string& what) {
    keep({rule, {}, {}, fmt::format("{}: {}", rule, what)});
  }
  void add_position(const char* rule, std::int64_t chunk, std::int64_t position,
                    const std::string& what) {
    keep({rule, chunk, position,
          fmt::format("{}: chunk {}, position {}: {}", rule, chunk, position, what)});
  }
  void add_bound(const char* rule, std::int64_t chunk, std::int64_t bound,
                 const std::string& what) {
    keep({rule, chunk, bound, fmt::format("{}: chunk {}, bound {}: {}", rule, chunk, bound, what)});
  }

 private:
  void keep(InputFault fault) {
    if (!full()) faults_.push_back(std::move(fault));
  }

  std::size_t limit_;
  std::vector<InputFault> faults_;
};

}  // namespace chainwalk::validation
