// SPDX-License-Identifier: Apache-2.0
// Options that choose the cases of a suite.
#include "suite_choice.h"

#include <fmt/format.h>

#include <charconv>

#include "chainwalk/spec/fault.h"
#include "option_checks.h"

namespace chainwalk::cli {
namespace {

bool parse_number(std::string_view text, std::int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

void SuiteChoice::add_to(CLI::App& app) {
  app.add_option("--profile", profile,
                 "How much to run: quick (seconds), full (a minute), soak (a quarter of an hour)")
      ->check(CLI::IsMember({"quick", "full", "soak"}))
      ->capture_default_str();
  app.add_option("--seed", seed, "Seed of the random cases")
      ->check(require_unsigned)
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--max-memory", max_memory_mib,
                 "MiB that a case may need; larger ones are not run (0: no limit)")
      ->check(require_unsigned)
      ->type_name("MIB");
}

conformance::Profile SuiteChoice::parsed_profile() const {
  return conformance::parse_profile(profile).value_or(conformance::Profile::quick);
}

std::vector<conformance::Case> SuiteChoice::cases() const {
  return conformance::make_suite(parsed_profile(), seed);
}

std::vector<std::string> SuiteChoice::arguments() const {
  return {"--profile", profile, "--seed", std::to_string(seed)};
}

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  Shard shard;
  const bool numbers = slash != std::string::npos &&
                       parse_number(std::string_view(text).substr(0, slash), shard.index) &&
                       parse_number(std::string_view(text).substr(slash + 1), shard.count);
  if (!numbers || shard.count < 1 || shard.index < 0 || shard.index >= shard.count) {
    throw InputError({"RUN", std::nullopt, std::nullopt,
                      fmt::format("shard is '{}'; I/N with 0 <= I < N is needed", text)});
  }
  return shard;
}

}  // namespace chainwalk::cli
