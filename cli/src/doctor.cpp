// SPDX-License-Identifier: Apache-2.0
// chainwalk doctor: what this machine and this build have and lack, and how to get it.
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <vector>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/conformance/report.h"
#include "chainwalk/cuda/device.h"
#include "chainwalk/platform/executor.h"
#include "command.h"
#include "implementation_choice.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

// One thing that was looked for. Only a thing that is needed makes the machine unfit.
struct Finding {
  const char* group;
  std::string name;
  bool there = false;
  bool needed = false;
  std::string text;    // what was found, or why not
  std::string advice;  // what to do about it where it is not there
};
using Findings = std::vector<Finding>;

// The first line that `command` prints; empty where there is no such program.
std::string first_line_of(const std::string& command) {
  std::string line;
  FILE* output = ::popen((command + " 2>/dev/null").c_str(), "r");
  if (output == nullptr) return line;
  std::array<char, 512> block{};
  if (std::fgets(block.data(), block.size(), output) != nullptr) line = block.data();
  while (std::fgets(block.data(), block.size(), output) != nullptr) {
  }
  ::pclose(output);
  while (!line.empty() && static_cast<unsigned char>(line.back()) <= ' ') line.pop_back();
  return line;
}

struct Tool {
  const char* name;
  const char* command;
  const char* purpose;
  const char* advice;
};

constexpr Tool tools[] = {
    {"C++ compiler", "c++ --version", "builds a kernel of yours as a shared object",
     "apt-get install g++"},
    {"clang 16", "clang++-16 --version", "the second compiler of .ci/run",
     "apt-get install clang-16"},
    {"cmake", "cmake --version", "builds this project", "apt-get install cmake"},
    {"nvcc", "nvcc --version | tail -n 2", "builds the CUDA kernels",
     "install a CUDA toolkit and put its bin folder in PATH"},
    {"python3", "python3 --version", "calls implementations through ctypes; checks of the tree",
     "apt-get install python3"},
};

void look_for_tools(Findings& findings) {
  for (const Tool& tool : tools) {
    const std::string line = first_line_of(tool.command);
    findings.push_back({"tool", tool.name, !line.empty(), false,
                        line.empty() ? fmt::format("not in PATH: {}", tool.purpose) : line,
                        tool.advice});
  }
}

void look_for_gpus(Findings& findings) {
  const std::string why = cuda::why_unavailable();
  if (!why.empty()) {
    findings.push_back({"gpu", "GPU", false, false, why,
                        "needed for --on cuda:N only: a GPU, its driver, and a build with CUDA"});
    return;
  }
  for (int ordinal = 0; ordinal < cuda::device_count(); ++ordinal) {
    const cuda::DeviceInfo info = cuda::device_info(ordinal);
    const bool known = plan::class_of(info.compute_capability, info.multiprocessors).has_value();
    findings.push_back(
        {"gpu", fmt::format("cuda:{}", ordinal), known, false,
         fmt::format("{}, compute capability {}, {} SMs, {} MiB free, driver {}, runtime {}",
                     info.name, plan::capability_text(info.compute_capability),
                     info.multiprocessors, info.free_bytes >> 20, info.driver_version,
                     info.runtime_version),
         "this class is not known: --on cuda:N:override=1 runs the portable image (PLN-6)"});
  }
}

// ---- The machine ----

std::string mebibytes(std::uint64_t bytes) { return fmt::format("{} MiB", bytes >> 20U); }

void look_at_memory(Findings& findings) {
  constexpr std::uint64_t wanted = std::uint64_t{2} << 30U;
  const auto all = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                   static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  findings.push_back({"machine", "memory", all >= wanted, false, mebibytes(all),
                      "--max-memory leaves out what does not fit; what is left out is not_run"});
  findings.push_back(
      {"machine", "threads", true, false, std::to_string(platform::available_threads()), ""});
  // Large banks (BIG) are sparse mappings of 8 GiB and more, of which few pages are touched.
  rlimit limit{};
  ::getrlimit(RLIMIT_AS, &limit);
  const bool free_space = limit.rlim_cur == RLIM_INFINITY;
  findings.push_back({"machine", "address space", free_space, false,
                      free_space ? "no limit" : "limited to " + mebibytes(limit.rlim_cur),
                      "ulimit -v unlimited: cases of BIG map banks of over 8 GiB, sparsely"});
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const bool enough = limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= 256;
  findings.push_back({"machine", "open files", enough, false,
                      fmt::format("up to {}", limit.rlim_cur),
                      "ulimit -n 1024: every worker (--jobs) takes two"});
}

void look_at_space(Findings& findings) {
  const auto look = [&](const std::filesystem::path& folder, const char* advice) {
    struct statvfs space {};
    const bool known = ::statvfs(folder.c_str(), &space) == 0;
    const std::uint64_t free =
        known ? static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize : 0;
    const bool writable = ::access(folder.c_str(), W_OK | X_OK) == 0;
    findings.push_back({"machine", folder.string(), writable && free >= (64U << 20U), false,
                        writable ? mebibytes(free) + " free" : "cannot be written", advice});
  };
  look(std::filesystem::current_path(), "reports go here: name another place with --report");
  look(std::filesystem::temp_directory_path(), "TMPDIR names another folder for temporary files");
}

// ---- This build ----

void look_at_implementations(Findings& findings) {
  for (const cw_implementation* table : adapters::implementations()) {
    const std::string name = table->name;
    if (name == "wrong") continue;  // for the suite's own test
    ImplementationChoice choice;
    choice.on = name == "cuda" ? "cuda:0" : name;
    std::string why;
    try {
      (void)conformance::Harness(choice.open());
    } catch (const std::exception& error) {
      why = error.what();
    }
    findings.push_back({"implementation", choice.on, why.empty(), name == "reference",
                        why.empty() ? table->description : why,
                        name == "cuda" ? "see GPU above" : "a broken build: run scripts/test"});
  }
  if (adapters::find_implementation("emulator") == nullptr) {
    findings.push_back({"implementation", "emulator", false, false, "left out of this build",
                        "build with g++ or clang++ on x86-64 Linux; see the configure step's log"});
  }
}

void look_at_parts(Findings& findings) {
#ifdef CHAINWALK_HAS_PACKAGES
  constexpr bool packages = true;
#else
  constexpr bool packages = false;
#endif
  findings.push_back({"build", "package, check-package", packages, false,
                      packages ? "built in" : "left out of this build",
                      "apt-get install libarchive-dev libssl-dev, then configure and build again"});
  for (const auto& [name, value] : conformance::host_environment()) {
    if (name == "date" || name == "memory" || name == "threads") continue;
    findings.push_back({"build", name, true, false, value, ""});
  }
}

bool is_fit(const Findings& findings) {
  for (const Finding& finding : findings) {
    if (finding.needed && !finding.there) return false;
  }
  return true;
}

int doctor(bool json) {
  Findings findings;
  look_at_implementations(findings);
  look_for_gpus(findings);
  look_for_tools(findings);
  look_at_memory(findings);
  look_at_space(findings);
  look_at_parts(findings);
  const bool fit = is_fit(findings);
  if (json) {
    Json list = Json::array();
    for (const Finding& finding : findings) {
      list.push_back({{"group", finding.group},
                      {"name", finding.name},
                      {"there", finding.there},
                      {"needed", finding.needed},
                      {"text", finding.text},
                      {"advice", finding.there ? "" : finding.advice}});
    }
    print_json({{"command", "doctor"}, {"fit", fit}, {"findings", std::move(list)}});
    return fit ? status_ok : status_different;
  }
  std::string group;
  for (const Finding& finding : findings) {
    if (group != finding.group) say("{}{}\n", group.empty() ? "" : "\n", finding.group);
    group = finding.group;
    say("  {:<4} {:<24} {}\n", finding.there ? "ok" : "-", finding.name, finding.text);
    if (!finding.there) say("       {:<24} {}\n", "", finding.advice);
  }
  say("\n{}\n", fit ? "chainwalk conform runs here." : "chainwalk conform does not run here.");
  return fit ? status_ok : status_different;
}

}  // namespace

std::function<int()> set_up_doctor(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  app.add_flag(
      "--json", *json,
      "One JSON document: command, fit, findings (group, name, there, needed, text, advice)");
  app.footer(
      "Says what this machine and this build have and lack, and how to get it: implementations, "
      "GPUs,\n"
      "compilers, memory and limits. Only what is marked needed must be there.\n\n"
      "Example:\n"
      "  chainwalk doctor\n\n"
      "Exit status: 0 'chainwalk conform' runs here, 1 it does not.");
  return [json] { return doctor(*json); };
}

}  // namespace chainwalk::cli
