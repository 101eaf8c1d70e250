// SPDX-License-Identifier: Apache-2.0
// Malformed inputs, tried on the program and counted.
#pragma once

#include <map>
#include <string>

#include "command_line.h"

namespace chainwalk::cli {

// How many inputs each test of this process has tried.
inline std::map<std::string, int>& malformed_inputs() {
  static std::map<std::string, int> inputs;
  return inputs;
}

class Malformed : public CommandLine {
 protected:
  // An input that is refused: status 2, a message that says `said`, nothing on standard output, and
  // the folder as it was, byte for byte.
  void expect_untouched(const std::string& arguments, const std::string& said,
                        const std::string& before = "") {
    SCOPED_TRACE(arguments);
    const auto content = contents();
    const CommandResult result = shell(before + CHAINWALK_BINARY " " + arguments);
    expect_malformed(result, said);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(contents() == content) << "the folder has changed";
  }

  // The same where something may be written.
  void expect_malformed(const CommandResult& result, const std::string& said) {
    ASSERT_FALSE(said.empty());
    expect_refused(result, said);
    ++malformed_inputs()[testing::UnitTest::GetInstance()->current_test_info()->name()];
  }

 private:
  // Path and content of everything in the folder; folders and links have none.
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(path(""))) {
      const std::string name = entry.path().filename().string();
      if (name == ".out" || name == ".err") continue;
      const bool file = !entry.is_symlink() && entry.is_regular_file();
      all[entry.path().string()] = file ? read_text(entry.path()) : "";
    }
    return all;
  }
};

}  // namespace chainwalk::cli
