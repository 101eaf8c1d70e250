// SPDX-License-Identifier: Apache-2.0
// The table of device classes and named devices (GEO-6, PLN-6, LCH-2).
#include "chainwalk/plan/device_class.h"

#include <algorithm>
#include <array>
#include <vector>

namespace chainwalk::plan {
namespace {

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;

struct Capability {
  int number;
  std::int64_t shared_cap;
  std::int64_t shared_per_sm;
  int max_threads_per_sm;
  bool async_image;
};

// GEO-6's caps; an SM holds 1 KiB more than a block may opt in to, which the system keeps a block.
constexpr std::array<Capability, 7> capabilities{{
    {80, 163 * kib, 164 * kib, 2048, false},
    {86, 99 * kib, 100 * kib, 1536, false},
    {89, 99 * kib, 100 * kib, 1536, false},
    {90, 227 * kib, 228 * kib, 2048, true},
    {100, 227 * kib, 228 * kib, 2048, true},
    {103, 227 * kib, 228 * kib, 2048, true},
    {120, 99 * kib, 100 * kib, 1536, false},
}};

struct Named {
  const char* name;
  int capability;
  int multiprocessors;
  std::int64_t l2_bytes;
};

constexpr std::array<Named, 15> named{{
    {"h100", 90, 132, 50 * mib},
    {"h100-pcie", 90, 114, 50 * mib},
    {"h200", 90, 132, 60 * mib},
    {"a100", 80, 108, 40 * mib},
    {"a30", 80, 56, 24 * mib},
    {"a10", 86, 72, 6 * mib},
    {"a40", 86, 84, 6 * mib},
    {"rtx3090", 86, 82, 6 * mib},
    {"l4", 89, 58, 48 * mib},
    {"l40s", 89, 142, 96 * mib},
    {"rtx4090", 89, 128, 72 * mib},
    {"b200", 100, 148, 126 * mib},
    {"b300", 103, 148, 126 * mib},
    {"rtx5090", 120, 170, 96 * mib},
    {"rtx5080", 120, 84, 64 * mib},
}};

DeviceClass make_class(std::string name, const Capability& capability, int multiprocessors,
                       std::int64_t l2_bytes) {
  return {std::move(name),
          capability.number,
          multiprocessors,
          capability.shared_cap,
          capability.shared_per_sm,
          l2_bytes,
          capability.max_threads_per_sm,
          capability.async_image,
          capability.async_image ? greatest_cluster_blocks : 1};
}

const Capability* find_capability(int number) {
  const auto* found = std::ranges::find(capabilities, number, &Capability::number);
  return found == capabilities.end() ? nullptr : found;
}

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

std::span<const DeviceClass> known_devices() {
  static const std::vector<DeviceClass> devices = [] {
    std::vector<DeviceClass> result;
    for (const Named& entry : named) {
      result.push_back(make_class(entry.name, *find_capability(entry.capability),
                                  entry.multiprocessors, entry.l2_bytes));
    }
    return result;
  }();
  return devices;
}

const DeviceClass* find_device(std::string_view name) {
  const auto devices = known_devices();
  const auto found = std::ranges::find_if(devices, [&](const DeviceClass& device) {
    return std::ranges::equal(device.name, name, {}, {}, lower);
  });
  return found == devices.end() ? nullptr : &*found;
}

std::optional<DeviceClass> class_of(int compute_capability, int multiprocessors) {
  const Capability* capability = find_capability(compute_capability);
  if (capability == nullptr) {
    return std::nullopt;
  }
  const auto* entry = std::ranges::find(named, compute_capability, &Named::capability);
  return make_class("cc " + capability_text(compute_capability), *capability, multiprocessors,
                    entry->l2_bytes);
}

DeviceClass unknown_class(int compute_capability, int multiprocessors) {
  Capability least = capabilities.front();
  for (const Capability& capability : capabilities) {
    least.shared_cap = std::min(least.shared_cap, capability.shared_cap);
    least.shared_per_sm = std::min(least.shared_per_sm, capability.shared_per_sm);
    least.max_threads_per_sm = std::min(least.max_threads_per_sm, capability.max_threads_per_sm);
  }
  least.number = compute_capability;
  least.async_image = false;
  const std::int64_t least_l2 = std::ranges::min(named, {}, &Named::l2_bytes).l2_bytes;
  return make_class("cc " + capability_text(compute_capability), least, multiprocessors, least_l2);
}

std::string capability_text(int compute_capability) {
  return std::to_string(compute_capability / 10) + "." + std::to_string(compute_capability % 10);
}

}  // namespace chainwalk::plan
