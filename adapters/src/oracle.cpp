// SPDX-License-Identifier: Apache-2.0
// The integer oracle as an implementation under test.
#include "chainwalk/oracle/oracle.h"

#include "chainwalk/adapters/adapters.h"
#include "host_implementation.h"

namespace chainwalk::adapters {
namespace {

class OracleBackend {
 public:
  static constexpr const char* name = "oracle";
  static constexpr const char* version = "1";
  static constexpr const char* description = "integer arithmetic alone, one thread, slow";

  explicit OracleBackend(std::span<const char* const> options) {
    if (!options.empty()) refuse_option(options.front(), "none");
  }
  void run_step(const Problem& problem, std::int64_t step, const Outputs& outputs) const {
    oracle::run_step(problem, step, outputs);
  }
};

}  // namespace

const cw_implementation* oracle_implementation() noexcept {
  return &HostImplementation<OracleBackend>::table;
}

}  // namespace chainwalk::adapters
