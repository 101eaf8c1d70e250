// SPDX-License-Identifier: Apache-2.0
// Resident memory from /proc, whose peak a process may reset for itself.
#include "resident.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace chainwalk::reference {
namespace {

// A field of /proc/self/status that is given in KiB.
std::optional<std::int64_t> status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.rfind(field + ":", 0) == 0) return std::stoll(line.substr(field.size() + 1)) * 1024;
  }
  return std::nullopt;
}

bool reset_peak() {
  std::ofstream references("/proc/self/clear_refs");
  references << "5" << std::flush;
  return references.good();
}

}  // namespace

std::optional<std::int64_t> peak_growth(const std::function<void()>& work) {
  const bool can_tell = reset_peak();
  const std::optional<std::int64_t> before = status_bytes("VmRSS");
  work();
  const std::optional<std::int64_t> peak = status_bytes("VmHWM");
  if (!can_tell || !before || !peak) return std::nullopt;
  return std::max<std::int64_t>(0, *peak - *before);
}

}  // namespace chainwalk::reference
