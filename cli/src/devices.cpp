// SPDX-License-Identifier: Apache-2.0
// chainwalk devices: the GPUs of this machine (PLN-6).
#include <memory>

#include "chainwalk/cuda/device.h"
#include "command.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

Json describe(const cuda::DeviceInfo& info) {
  const bool known = plan::class_of(info.compute_capability, info.multiprocessors).has_value();
  return {{"device", fmt::format("cuda:{}", info.ordinal)},
          {"name", info.name},
          {"compute_capability", plan::capability_text(info.compute_capability)},
          {"known_class", known},
          {"multiprocessors", info.multiprocessors},
          {"shared_cap", info.shared_cap},
          {"l2_bytes", info.l2_bytes},
          {"total_bytes", info.total_bytes},
          {"free_bytes", info.free_bytes},
          {"driver_version", info.driver_version},
          {"runtime_version", info.runtime_version}};
}

int run_devices(bool json) {
  const std::string why = cuda::why_unavailable();
  Json devices = Json::array();
  for (int ordinal = 0; ordinal < cuda::device_count(); ++ordinal) {
    devices.push_back(describe(cuda::device_info(ordinal)));
  }
  if (json) {
    print_json({{"command", "devices"}, {"devices", std::move(devices)}, {"unavailable", why}});
    return status_ok;
  }
  if (!why.empty()) say("{}\n", why);
  for (const Json& device : devices) {
    say("{}  {}: compute capability {}{}, {} SMs, {:.1f} of {:.1f} GiB free, driver {}\n",
        device["device"].get<std::string>(), device["name"].get<std::string>(),
        device["compute_capability"].get<std::string>(),
        device["known_class"].get<bool>() ? ""
                                          : " (not known: only the portable image, by override)",
        device["multiprocessors"].get<int>(),
        static_cast<double>(device["free_bytes"].get<std::int64_t>()) / (1 << 30),
        static_cast<double>(device["total_bytes"].get<std::int64_t>()) / (1 << 30),
        device["driver_version"].get<int>());
  }
  return status_ok;
}

}  // namespace

std::function<int()> set_up_devices(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "One JSON document: command, devices, unavailable");
  app.footer(
      "Lists the GPUs that --on cuda:N can name, or says why there is none.\n\n"
      "Example:\n  chainwalk devices");
  return [json] { return run_devices(*json); };
}

}  // namespace chainwalk::cli
