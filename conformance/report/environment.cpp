// SPDX-License-Identifier: Apache-2.0
// Facts about the machine and the build.
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>

#include "chainwalk/conformance/report.h"
#include "chainwalk/platform/executor.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/rules.h"

namespace chainwalk::conformance {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  return "unknown";
}

std::string best_instruction_set() {
  return reference::to_string(reference::resolve(reference::InstructionSet::best));
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min);
}

}  // namespace

Facts host_environment() {
  utsname system{};
  const bool known = ::uname(&system) == 0;
  const double gib = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                     static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1073741824.0;
  return {
      {"date", now_utc()},
      {"chainwalk", CHAINWALK_VERSION},
      {"source", CHAINWALK_GIT_STATE},
      {"specification", std::string(specification_version())},
      {"system",
       known ? fmt::format("{} {} {}", system.sysname, system.release, system.machine) : "unknown"},
      {"processor", processor_name()},
      {"threads", std::to_string(platform::available_threads())},
      {"instruction set", best_instruction_set()},
      {"memory", fmt::format("{:.1f} GiB", gib)},
      {"compiler", __VERSION__},
  };
}

}  // namespace chainwalk::conformance
