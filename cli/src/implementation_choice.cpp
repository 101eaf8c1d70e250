// SPDX-License-Identifier: Apache-2.0
// Built-in implementations by name, others by the path of a shared object.
#include "implementation_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/cuda/device.h"
#include "chainwalk/spec/fault.h"
#include "shell_word.h"

namespace chainwalk::cli {
namespace {

struct Parts {
  std::string name;
  std::vector<std::string> options;
};

// "NAME[:key=value,...]"; a colon before the last '/' belongs to the path.
Parts split(const std::string& on) {
  const std::size_t slash = on.rfind('/');
  const std::size_t colon = on.find(':', slash == std::string::npos ? 0 : slash);
  Parts parts{on.substr(0, colon), {}};
  if (colon == std::string::npos) return parts;
  std::size_t begin = colon + 1;
  while (begin <= on.size()) {
    const std::size_t end = std::min(on.find(',', begin), on.size());
    parts.options.push_back(on.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// The ordinal of "cuda:N" or "cuda:device=N"; open() of the implementation checks it.
std::int32_t device_of(const std::vector<std::string>& options) {
  std::int32_t device = 0;
  for (const std::string& option : options) {
    const std::string_view text = option;
    const std::string_view number = text.starts_with("device=") ? text.substr(7) : text;
    (void)std::from_chars(number.data(), number.data() + number.size(), device);
  }
  return device;
}

// A shared object that takes CUDA memory gets it from device 0, or from that of "device=N", which
// is told to it in its requests and not as an option.
void give_device_memory(const std::string& path, conformance::Implementation& implementation) {
  if (const std::string why = cuda::why_unavailable(); !why.empty()) {
    refuse_implementation(fmt::format("implementation {} asks for CUDA memory: {}", path, why));
  }
  auto& options = implementation.options;
  const auto named = std::find_if(options.begin(), options.end(), [](const std::string& option) {
    return option.starts_with("device=");
  });
  if (named != options.end()) {
    const std::string_view number = std::string_view(*named).substr(7);
    const char* stop = number.data() + number.size();
    const auto [end, error] = std::from_chars(number.data(), stop, implementation.device);
    if (error != std::errc() || end != stop || implementation.device < 0 ||
        implementation.device >= cuda::device_count()) {
      refuse_implementation(fmt::format("{}: device is '{}'; one of 0 to {} is needed", path,
                                        number, cuda::device_count() - 1));
    }
    options.erase(named);
  }
  implementation.memory = adapters::cuda_memory(implementation.device);
}

bool is_path(const std::string& name) {
  return name.find('/') != std::string::npos || name.find(".so") != std::string::npos;
}

}  // namespace

void refuse_implementation(const std::string& what) {
  throw InputError({"IMPL", std::nullopt, std::nullopt, what});
}

void ImplementationChoice::add_to(CLI::App& app) {
  app.add_option("--on", on,
                 "Implementation: 'reference', 'oracle', 'emulator', 'cuda:N', or the path of a "
                 "shared object, "
                 "each with ':key=value,...' for its options")
      ->type_name("IMPLEMENTATION")
      ->capture_default_str();
  app.add_option("--threads", threads, "Threads of the reference (0: every available one)")
      ->type_name("N");
  app.add_option("--isa", isa,
                 "Instruction set of the reference: portable, avx2, avx512, avx512_bf16 or best")
      ->type_name("SET");
  app.add_option("--kernel", kernel, "Kernel of the emulator or a GPU: one of 'chainwalk kernels'")
      ->type_name("NAME");
  app.add_option("--schedule", schedule,
                 "Schedule of the emulator: round-robin, a seed, random:seed=N, "
                 "pct:seed=N:points=K, or what a finding printed")
      ->type_name("SCHEDULE");
  app.add_flag("--checked", checked, "Let the emulator watch every access of the kernels");
}

std::vector<std::string> ImplementationChoice::added_options() const {
  std::vector<std::string> options;
  if (threads) options.push_back(fmt::format("threads={}", *threads));
  if (!isa.empty()) options.push_back("isa=" + isa);
  if (!kernel.empty()) options.push_back("kernel=" + kernel);
  if (!schedule.empty()) options.push_back("schedule=" + schedule);
  if (checked) options.push_back("checked=1");
  return options;
}

conformance::Implementation ImplementationChoice::open() const {
  Parts parts = split(on);
  for (std::string& option : added_options()) parts.options.push_back(std::move(option));
  conformance::Implementation implementation;
  if (is_path(parts.name)) {
    implementation = conformance::load_shared_object(parts.name, std::move(parts.options));
    if (implementation.table->memory == CW_MEMORY_CUDA)
      give_device_memory(parts.name, implementation);
    return implementation;
  }
  implementation.table = adapters::find_implementation(parts.name);
  if (implementation.table == nullptr) {
    std::string known;
    for (const cw_implementation* one : adapters::implementations()) {
      known += fmt::format("'{}', ", one->name);
    }
    throw InputError({"", std::nullopt, std::nullopt,
                      fmt::format("implementation '{}' is not known; {}or the path of a shared "
                                  "object is needed",
                                  parts.name, known)});
  }
  if (implementation.table->memory == CW_MEMORY_HOST) {
    implementation.memory = conformance::host_memory();
  } else {
    implementation.device = device_of(parts.options);
    implementation.memory = adapters::cuda_memory(implementation.device);
  }
  implementation.options = std::move(parts.options);
  return implementation;
}

bool ImplementationChoice::is_shared_object() const { return is_path(split(on).name); }

std::string ImplementationChoice::label() const {
  std::string label = on;
  const auto add = [&](const std::string& option) {
    label += (label.find(':', label.rfind('/') == std::string::npos ? 0 : label.rfind('/')) ==
                      std::string::npos
                  ? ":"
                  : ",") +
             option;
  };
  for (const std::string& option : added_options()) add(option);
  return label;
}

std::vector<std::string> ImplementationChoice::arguments() const { return {"--on", label()}; }

std::string ImplementationChoice::command_line() const {
  std::string line = "--on " + shell_word(on);
  if (threads) line += fmt::format(" --threads {}", *threads);
  if (!isa.empty()) line += " --isa " + shell_word(isa);
  if (!kernel.empty()) line += " --kernel " + shell_word(kernel);
  if (!schedule.empty()) line += " --schedule " + shell_word(schedule);
  if (checked) line += " --checked";
  return line;
}

}  // namespace chainwalk::cli
