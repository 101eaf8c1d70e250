// SPDX-License-Identifier: Apache-2.0
// Every case of profile quick as a test of its own, for ctest and IDEs. The implementation is what
// --on or CHAINWALK_ON names (reference where neither does); on a machine without the GPU that it
// asks for, cases are skipped, with the reason and their number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <set>
#include <string>

#include "../src/implementation_choice.h"
#include "chainwalk/conformance/suite.h"

namespace chainwalk::cli {
namespace {

struct Session {
  std::unique_ptr<conformance::Harness> harness;
  std::string missing;  // why there is no harness
  std::int64_t skipped = 0;
};

Session& session() {
  static Session one;
  return one;
}

class SuiteCase : public ::testing::Test {
 public:
  explicit SuiteCase(const conformance::Case& one) : case_(one) {}

  void TestBody() override {
    if (session().harness == nullptr) {
      ++session().skipped;
      GTEST_SKIP() << session().missing;
    }
    const conformance::CaseResult result = case_.run(*session().harness);
    EXPECT_EQ(result.verdict, conformance::Verdict::pass)
        << case_.id << ": " << conformance::to_string(result.verdict) << ": " << result.text << "\n"
        << result.diagnosis.value_or("");
  }

 private:
  conformance::Case case_;
};

class SkipCount : public ::testing::Environment {
 public:
  void TearDown() override {
    if (session().skipped > 0)
      std::cout << session().skipped << " cases were skipped: " << session().missing << "\n";
  }
};

// Filters of tests give '-' and '/' a meaning of their own.
std::string test_name(const conformance::Case& one) {
  std::string name = one.id.substr(one.chapter.size() + 1);
  std::replace_if(
      name.begin(), name.end(), [](char letter) { return letter == '-' || letter == '/'; }, '_');
  return name;
}

void register_cases() {
  std::set<std::string> names;
  for (const conformance::Case& one : conformance::make_suite(conformance::Profile::quick, 1)) {
    if (!names.insert(one.chapter + "." + test_name(one)).second) {
      std::cerr << "two cases are called " << one.chapter << "." << test_name(one) << "\n";
      std::exit(2);
    }
    ::testing::RegisterTest(one.chapter.c_str(), test_name(one).c_str(), nullptr, nullptr, __FILE__,
                            __LINE__, [one]() -> ::testing::Test* { return new SuiteCase(one); });
  }
}

std::string chosen_implementation(int argc, char** argv) {
  for (int index = 1; index + 1 < argc; ++index) {
    if (std::string(argv[index]) == "--on") return argv[index + 1];
  }
  const char* named = std::getenv("CHAINWALK_ON");
  return named == nullptr ? "reference" : named;
}

// False where the implementation is there but cannot be opened for another reason than a missing
// GPU.
bool open_session(const std::string& on) {
  ImplementationChoice choice;
  choice.on = on;
  try {
    session().harness = std::make_unique<conformance::Harness>(choice.open());
  } catch (const std::exception& error) {
    session().missing = error.what();
    return on.starts_with("cuda");
  }
  return true;
}

}  // namespace
}  // namespace chainwalk::cli

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const std::string on = chainwalk::cli::chosen_implementation(argc, argv);
  if (!GTEST_FLAG_GET(list_tests) && !chainwalk::cli::open_session(on)) {
    std::cerr << chainwalk::cli::session().missing << "\n";
    return 2;
  }
  chainwalk::cli::register_cases();
  ::testing::AddGlobalTestEnvironment(new chainwalk::cli::SkipCount);
  return RUN_ALL_TESTS();
}
