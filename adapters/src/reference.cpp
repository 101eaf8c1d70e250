// SPDX-License-Identifier: Apache-2.0
// The executable specification as an implementation under test.
#include "chainwalk/reference/reference.h"

#include <charconv>

#include "chainwalk/adapters/adapters.h"
#include "host_implementation.h"

namespace chainwalk::adapters {
namespace {

constexpr unsigned max_threads = 1024;

class ReferenceBackend {
 public:
  static constexpr const char* name = "reference";
  static constexpr const char* version = "1";
  static constexpr const char* description =
      "the executable specification, multithreaded on this processor";

  explicit ReferenceBackend(std::span<const char* const> options) {
    for (const char* option : options) {
      const auto [key, value] = split_option(option);
      if (key == "threads") {
        options_.threads = parse_threads(value);
      } else if (key == "isa") {
        options_.instruction_set = parse_instruction_set(value);
      } else {
        refuse_option(option, "threads=N, isa=portable|avx2|avx512|avx512_bf16|best");
      }
    }
  }
  void run_step(const Problem& problem, std::int64_t step, const Outputs& outputs) const {
    reference::run_step(problem, step, outputs, options_);
  }

 private:
  static unsigned parse_threads(std::string_view text) {
    unsigned threads = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
    if (error != std::errc() || end != text.data() + text.size() || threads > max_threads) {
      throw InputError({"", std::nullopt, std::nullopt,
                        fmt::format("option threads is '{}'; 0..{} is needed", text, max_threads)});
    }
    return threads;
  }

  static reference::InstructionSet parse_instruction_set(std::string_view text) {
    const auto set = reference::parse_instruction_set(text);
    if (!set) {
      throw InputError({"", std::nullopt, std::nullopt,
                        fmt::format("option isa is '{}'; {} is needed", text,
                                    reference::instruction_set_names)});
    }
    if (!reference::is_available(*set)) {
      throw InputError({"", std::nullopt, std::nullopt,
                        fmt::format("option isa is {}, which this processor does not have", text)});
    }
    return *set;
  }

  reference::Options options_;
};

}  // namespace

const cw_implementation* reference_implementation() noexcept {
  return &HostImplementation<ReferenceBackend>::table;
}

}  // namespace chainwalk::adapters
