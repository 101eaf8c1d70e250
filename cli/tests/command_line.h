// SPDX-License-Identifier: Apache-2.0
// Runs the binary as a user's shell does, in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace chainwalk::cli {

namespace fs = std::filesystem;

inline std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

struct CommandResult {
  int status = -1;  // exit status, or 128 + signal
  std::string out, err;
};

class CommandLine : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "chainwalk-cli-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  // `arguments` as a shell reads them; the test's folder is the working directory.
  CommandResult chainwalk(const std::string& arguments, const std::string& tail = "") {
    return shell(CHAINWALK_BINARY " " + arguments + " " + tail);
  }

  CommandResult shell(const std::string& command) {
    const fs::path out = folder_ / ".out";
    const fs::path err = folder_ / ".err";
    const std::string line = "cd '" + folder_.string() + "' && { " + command + "; } >'" +
                             out.string() + "' 2>'" + err.string() + "'";
    const int raw = std::system(line.c_str());
    CommandResult result;
    result.status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
    result.out = read_text(out);
    result.err = read_text(err);
    return result;
  }

  // Status 2, nothing but the error on standard error, and that it says `part`.
  void expect_refused(const CommandResult& result, const std::string& part) {
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(result.err.rfind("chainwalk: error: ", 0), 0U) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }

  fs::path path(const std::string& name) const { return folder_ / name; }

  // The JSON report of a run into `--report` of that name.
  nlohmann::json report(const std::string& name) const {
    return nlohmann::json::parse(read_text(path(name) / "report.json"));
  }

  // Names in the folder, the harness's own left out.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name != ".out" && name != ".err") all.push_back(name);
    }
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  fs::path folder_;
};

}  // namespace chainwalk::cli
