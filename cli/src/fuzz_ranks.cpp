// SPDX-License-Identifier: Apache-2.0
// MPI lives in a module that only a process under mpirun opens: nobody else loads it or needs it
// (docs/decisions/0031-ranks.md).
#include "fuzz_ranks.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <thread>

#include "chainwalk/cuda/device.h"
#include "chainwalk/platform/executor.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::cli {
namespace {

using OpenTransport = fuzz::Transport* (*)();

int environment_number(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) return 0;
  const std::string_view word = text;
  int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc() && end == word.data() + word.size() && value >= 0) return value;
  throw InputError(
      {"FUZZ", std::nullopt, std::nullopt,
       fmt::format("environment variable {} is '{}'; a number is needed", name, word)});
}

[[noreturn]] void refuse(int processes, const std::string& why) {
  throw InputError({"FUZZ", std::nullopt, std::nullopt,
                    fmt::format("mpirun started {} processes, and this program cannot tell them of "
                                "each other: {}",
                                processes, why)});
}

}  // namespace

std::unique_ptr<fuzz::Transport> open_transport() {
  const int processes = environment_number("OMPI_COMM_WORLD_SIZE");
  if (processes <= 1) return nullptr;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path module = program.parent_path() / CHAINWALK_MPI_MODULE;
  if (!std::filesystem::exists(module)) {
    refuse(processes, fmt::format("it was built without MPI, and there is no {} (apt-get install "
                                  "libopenmpi-dev openmpi-bin, and build again)",
                                  module.lexically_normal().string()));
  }
  // Open MPI's own plugins look for its symbols among the global ones.
  void* library = ::dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) refuse(processes, ::dlerror());
  void* symbol = ::dlsym(library, "chainwalk_open_transport");
  if (symbol == nullptr) refuse(processes, ::dlerror());
  std::unique_ptr<fuzz::Transport> transport(reinterpret_cast<OpenTransport>(symbol)());
  const char* recovery = std::getenv("OMPI_MCA_orte_enable_recovery");
  if (transport->rank() == 0 && (recovery == nullptr || std::string_view(recovery) == "0")) {
    fmt::print(
        stderr,
        "chainwalk: note: without --enable-recovery, mpirun ends the campaign when one of its "
        "processes dies\n");
  }
  return transport;
}

unsigned jobs_of_rank() {
  const auto here =
      static_cast<unsigned>(std::max(1, environment_number("OMPI_COMM_WORLD_LOCAL_SIZE")));
  const unsigned share = std::max(1U, std::thread::hardware_concurrency() / here);
  return std::min(share, platform::available_threads());
}

void deal_device(ImplementationChoice& choice, const fuzz::Transport& transport) {
  if (choice.on != "cuda") return;
  choice.on = fmt::format("cuda:{}", transport.local_rank() % std::max(1, cuda::device_count()));
}

}  // namespace chainwalk::cli
