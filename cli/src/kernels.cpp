// SPDX-License-Identifier: Apache-2.0
// chainwalk kernels: the family, and what each member is and needs (GEO, SRC, QNT, LCH-4).
#include <memory>
#include <optional>

#include "chainwalk/cuda/device.h"
#include "chainwalk/cuda/launch.h"
#include "chainwalk/spec/fault.h"
#include "command.h"
#include "family.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

using device::KernelTraits;

struct KernelsCommand {
  std::string on;
  bool json = false;
};

const char* name_of(device::Form form) {
  switch (form) {
    case device::Form::rows: return "whole rows";
    case device::Form::slices: return "one slice a warp";
    case device::Form::two_slices: return "two slices a warp";
  }
  return "unknown";
}

const char* name_of(device::Quantizing quantizing) {
  switch (quantizing) {
    case device::Quantizing::none: return "none";
    case device::Quantizing::in_walk: return "in the walk";
    case device::Quantizing::cluster: return "by a cluster";
    case device::Quantizing::all_slices: return "a block walks all slices";
    case device::Quantizing::whole_row: return "whole rows";
  }
  return "unknown";
}

const char* name_of(device::BaseSource source) {
  switch (source) {
    case device::BaseSource::bank_direct: return "the bank";
    case device::BaseSource::dense_rows: return "dense rows";
    case device::BaseSource::batch_prefetch: return "batch prefetch";
  }
  return "unknown";
}

const char* name_of(device::Image image) {
  return image == device::Image::async ? "async" : "portable";
}

std::string heads_of(const KernelTraits& kernel) {
  const bool rows = kernel.form == device::Form::rows;
  switch (kernel.head) {
    case device::HeadSupport::regular: return rows ? "rows of 16-byte multiples" : "regular";
    case device::HeadSupport::regular_full: return "regular, slices of 128";
    case device::HeadSupport::even:
    case device::HeadSupport::uneven: return "multiples of 4";
    case device::HeadSupport::pairs: return "multiples of 2";
    case device::HeadSupport::scalar: return "no multiples of 4";
    case device::HeadSupport::any: return "all";
  }
  return "none";
}

// What a device must have, and what a request must give.
std::string needs_of(const KernelTraits& kernel) {
  std::string needs = kernel.image == device::Image::async ? "cc 9.0, 10.0 or 10.3" : "any device";
  if (kernel.quantizing == device::Quantizing::cluster) needs += "; a cluster of a row's slices";
  if (kernel.form == device::Form::two_slices) needs += "; an even number of slices";
  if (kernel.offset_bits == 32) needs += "; a bank up to 4 GiB";
  if (kernel.source == device::BaseSource::dense_rows) needs += "; rows gathered before the walk";
  if (kernel.source != device::BaseSource::bank_direct) needs += "; a bank up to 4 GiB";
  return needs;
}

// The ordinal of "cuda:N".
std::optional<int> ordinal_of(const std::string& on) {
  if (on.empty()) return std::nullopt;
  if (on.rfind("cuda:", 0) == 0 && on.size() > 5 && on.size() < 10 &&
      on.find_first_not_of("0123456789", 5) == std::string::npos) {
    return std::stoi(on.substr(5));
  }
  throw InputError(
      {"", std::nullopt, std::nullopt, fmt::format("option --on is '{}'; cuda:N is needed", on)});
}

Json loaded_image(std::size_t kernel, int ordinal) {
  std::string reason;
  const auto image = cuda::kernel_image(kernel, ordinal, &reason);
  if (!image) return {{"loads", false}, {"reason", reason}};
  return {{"loads", true},
          {"registers", image->registers},
          {"spilled_bytes", image->local_bytes},
          {"max_threads", image->max_threads},
          {"binary_version", image->binary_version}};
}

Json describe(std::size_t index) {
  const KernelTraits& kernel = device::kernel_family[index];
  return {{"name", std::string(kernel.name)},
          {"form", name_of(kernel.form)},
          {"bank", to_string(kernel.bank)},
          {"snapshot", to_string(kernel.snapshot)},
          {"heads", heads_of(kernel)},
          {"quantizing", name_of(kernel.quantizing)},
          {"source", name_of(kernel.source)},
          {"image", name_of(kernel.image)},
          {"offset_bits", kernel.offset_bits},
          {"columns_per_lane", kernel.columns_per_lane},
          {"warps_per_row", kernel.warps_per_row},
          {"needs", needs_of(kernel)}};
}

void print_kernel(const Json& kernel) {
  say("{:<38} {:<17} {:<4} {:<4}  heads: {}; {}", kernel["name"].get<std::string>(),
      kernel["form"].get<std::string>(), kernel["bank"].get<std::string>(),
      kernel["snapshot"].get<std::string>(), kernel["heads"].get<std::string>(),
      kernel["needs"].get<std::string>());
  if (kernel.contains("image_on_device")) {
    const Json& image = kernel["image_on_device"];
    if (image["loads"].get<bool>()) {
      say("; {} registers, {} bytes spilled", image["registers"].get<int>(),
          image["spilled_bytes"].get<int>());
    } else {
      say("; does not load: {}", image["reason"].get<std::string>());
    }
  }
  say("\n");
}

int run_kernels(const KernelsCommand& command) {
  const auto ordinal = ordinal_of(command.on);
  if (ordinal) {
    if (const std::string why = cuda::why_unavailable(); !why.empty()) {
      throw InputError({"", std::nullopt, std::nullopt, fmt::format("{}: {}", command.on, why)});
    }
  }
  Json kernels = Json::array();
  for (std::size_t i = 0; i < device::kernel_count; ++i) {
    Json kernel = describe(i);
    if (ordinal) kernel["image_on_device"] = loaded_image(i, *ordinal);
    kernels.push_back(std::move(kernel));
  }
  if (command.json) {
    print_json({{"command", "kernels"}, {"kernels", std::move(kernels)}});
    return status_ok;
  }
  for (const Json& kernel : kernels) print_kernel(kernel);
  say("{} kernels\n", device::kernel_count);
  return status_ok;
}

}  // namespace

std::function<int()> set_up_kernels(CLI::App& app) {
  auto command = std::make_shared<KernelsCommand>();
  app.add_option("--on", command->on, "Ask a device which of them it loads: cuda:N")
      ->type_name("DEVICE");
  app.add_flag("--json", command->json, "One JSON document: command, kernels");
  app.footer(
      "Lists every kernel of the family with the heads it serves and what it needs. Any of them "
      "can\n"
      "be forced with the option kernel=NAME of an implementation.\n\n"
      "Examples:\n"
      "  chainwalk kernels\n"
      "  chainwalk kernels --on cuda:0 --json");
  return [command] { return run_kernels(*command); };
}

}  // namespace chainwalk::cli
