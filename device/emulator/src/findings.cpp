// SPDX-License-Identifier: Apache-2.0
// The text of findings.
#include "src/findings.h"

#include "src/source_line.h"

namespace chainwalk::emulator {
namespace {

std::string replay_line(const Launch& launch, const std::string& schedule) {
  std::string options;
  if (launch.dependent) options += ":dependent=1";
  if (!launch.device.empty())
    options += (options.empty() ? ":device=" : ",device=") + launch.device;
  return "--on emulator" + options + " --kernel " + launch.kernel + " --schedule " + schedule +
         (launch.checked ? " --checked" : "");
}

std::string sentence(const Finding& finding, const Launch& launch, const std::string& what) {
  std::string text = finding.kind + ": kernel " + finding.kernel + ", step " +
                     std::to_string(finding.step) + ", block " + std::to_string(finding.block) +
                     " warp " + std::to_string(finding.warp) + " lane " +
                     std::to_string(finding.lane);
  if (!finding.source.empty()) text += " at " + finding.source;
  text += ": " + what;
  if (!finding.address.empty()) text += "; address " + finding.address;
  if (!finding.other_party.empty()) text += "; the other party: " + finding.other_party;
  return text + ". Schedule " + finding.schedule +
         "; replay: " + replay_line(launch, finding.schedule);
}

std::string describe_global(const Launch& launch, std::uintptr_t place) {
  const Buffer* nearest = nullptr;
  std::uintptr_t nearest_past = ~std::uintptr_t{0};
  for (const Buffer& buffer : launch.buffers) {
    const std::uintptr_t distance = place - reinterpret_cast<std::uintptr_t>(buffer.data);
    if (distance < buffer.bytes) return buffer.name + "+" + std::to_string(distance);
    if (distance - buffer.bytes < nearest_past) {
      nearest_past = distance - buffer.bytes;
      nearest = &buffer;
    }
  }
  constexpr std::uintptr_t near = std::uintptr_t{1} << 40U;
  if (nearest == nullptr || nearest_past >= near) return "outside every buffer";
  return nearest->name + "+" + std::to_string(nearest->bytes + nearest_past) + " (of " +
         std::to_string(nearest->bytes) + " bytes)";
}

}  // namespace

std::string describe_lane(const Lane& lane) {
  return "block " + std::to_string(lane.block_index) + " warp " + std::to_string(lane.thread / 32) +
         " lane " + std::to_string(lane.thread % 32);
}

std::string describe_site(const void* return_address) {
  return return_address == nullptr ? std::string() : source_line(return_address);
}

std::string describe_address(const Lane& lane, const void* address) {
  if (address == nullptr) return {};
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  for (const Block& block : cluster_of(lane).blocks) {
    const std::uintptr_t distance = place - reinterpret_cast<std::uintptr_t>(block.shared);
    if (distance < cluster_of(lane).shared_stride) {
      return "shared of block " + std::to_string(block.index) + "+" + std::to_string(distance);
    }
  }
  return describe_global(*cluster_of(lane).launch, place);
}

Finding make_launch_finding(const Launch& launch, std::int64_t block, std::int32_t thread,
                            const Accusation& accusation) {
  Finding finding;
  finding.kind = accusation.kind;
  finding.kernel = launch.kernel;
  finding.step = launch.step;
  finding.block = static_cast<int>(block);
  finding.warp = thread / 32;
  finding.lane = thread % 32;
  finding.source = describe_site(accusation.site);
  if (accusation.address != nullptr) {
    finding.address = describe_global(launch, reinterpret_cast<std::uintptr_t>(accusation.address));
  }
  finding.other_party = accusation.other_party;
  finding.schedule = to_string(launch.schedule);
  finding.message = sentence(finding, launch, accusation.what);
  return finding;
}

Finding make_finding(const Lane& lane, const Accusation& accusation) {
  const Launch& launch = *cluster_of(lane).launch;
  Accusation at_lane = accusation;
  if (at_lane.site == nullptr) at_lane.site = lane.site;
  Finding finding = make_launch_finding(launch, lane.block_index, lane.thread, at_lane);
  finding.address = describe_address(lane, accusation.address);
  finding.message = sentence(finding, launch, accusation.what);
  return finding;
}

void accuse(Lane& lane, Accusation accusation) {
  cluster_of(lane).finding = make_finding(lane, accusation);
  throw Abandoned();
}

}  // namespace chainwalk::emulator
