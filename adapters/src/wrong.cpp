// SPDX-License-Identifier: Apache-2.0
// The reference with wrong rules in force, as an implementation under test: what a suite must
// convict.
#include <vector>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/conformance/diagnose.h"
#include "host_implementation.h"

namespace chainwalk::adapters {
namespace {

std::size_t index_of(std::string_view id) {
  const auto known = conformance::wrong_rules();
  for (std::size_t index = 0; index < known.size(); ++index) {
    if (known[index].id == id) return index;
  }
  throw InputError(
      {"", std::nullopt, std::nullopt,
       fmt::format("there is no wrong rule '{}'; 'chainwalk mutants' lists them", id)});
}

class WrongBackend {
 public:
  static constexpr const char* name = "wrong";
  static constexpr const char* version = "1";
  static constexpr const char* description = "the reference with the named rules got wrong";

  explicit WrongBackend(std::span<const char* const> options) {
    for (const char* option : options) {
      const auto [key, value] = split_option(option);
      if (key != "rule") refuse_option(option, "rule=ID, once for each wrong rule");
      wrong_.push_back(index_of(value));
    }
  }
  void run_step(const Problem& problem, std::int64_t step, const Outputs& outputs) const {
    conformance::run_wrong_step(problem, step, outputs, wrong_);
  }

 private:
  std::vector<std::size_t> wrong_;
};

}  // namespace

const cw_implementation* wrong_implementation() noexcept {
  return &HostImplementation<WrongBackend>::table;
}

}  // namespace chainwalk::adapters
