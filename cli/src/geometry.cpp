// SPDX-License-Identifier: Apache-2.0
// chainwalk geometry: what the planner chooses for a problem on a device, and why (GEO-5, GEO-8).
#include <algorithm>
#include <memory>
#include <optional>

#include "chainwalk/plan/geometry_text.h"
#include "chainwalk/plan/tiling.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/head.h"
#include "command.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

struct GeometryCommand {
  std::string device = "h100", bank = "bf16", form = "none", kernel;
  std::int64_t head = 0, streams = 2, tokens = 64, positions = 4096, slots = 131072;
  std::optional<int> slices, portable;
  bool all = false, json = false;
};

[[noreturn]] void refuse(const std::string& text) {
  throw InputError({"", std::nullopt, std::nullopt, text});
}

const plan::DeviceClass& device_of(const std::string& name) {
  if (const plan::DeviceClass* device = plan::find_device(name)) return *device;
  std::string known;
  for (const plan::DeviceClass& device : plan::known_devices()) {
    known += (known.empty() ? "" : ", ") + device.name;
  }
  refuse(fmt::format("PLN-6: device '{}' is not known; the known ones are {}", name, known));
}

ProblemShape shape_of(const GeometryCommand& command) {
  const auto bank = parse_bank_type(command.bank);
  const auto form = parse_snapshot_form(command.form);
  if (!bank) refuse(fmt::format("option --bank is '{}'; bf16 or f32 is needed", command.bank));
  if (!form) {
    refuse(
        fmt::format("option --form is '{}'; none, raw, bf16, fp8 or int4 is needed", command.form));
  }
  ProblemShape shape;
  shape.bank_type = *bank;
  shape.snapshot = *form;
  shape.slots = command.slots;
  shape.head_dim = command.head;
  shape.positions = command.positions;
  shape.num_parallel = command.streams;
  shape.num_chunks = command.streams;
  shape.chunk_size = command.tokens;
  return shape;
}

Json tiling_json(const plan::Tiling& tiling) {
  return {{"kernel", std::string(device::kernel_family[tiling.kernel].name)},
          {"warps_per_block", tiling.warps_per_block},
          {"blocks_per_chunk", tiling.blocks_per_chunk},
          {"grid_blocks", tiling.launch.grid_blocks},
          {"block_threads", tiling.launch.block_threads},
          {"cluster_blocks", tiling.launch.cluster_blocks},
          {"shared_bytes", tiling.launch.shared_bytes},
          {"geometry", plan::to_string(plan::forced_by(tiling))},
          {"why", tiling.why}};
}

void print_tiling(const GeometryCommand& command, const ProblemShape& shape,
                  const plan::DeviceClass& device, const plan::Tiling& tiling) {
  const Head head = make_head(shape.head_dim, shape.bank_type);
  const std::int64_t tiles = tiling.warps_per_block * tiling.blocks_per_chunk;
  say("device    {}: compute capability {}, {} SMs, {} bytes of shared memory a block, {} image\n",
      device.name, plan::capability_text(device.compute_capability), device.multiprocessors,
      device.shared_cap, device.async_image ? "async" : "portable");
  say("head      {} columns of {}: {}, {} slice{} of {}\n", shape.head_dim, command.bank,
      to_string(head.head_class), head.slices, head.slices == 1 ? "" : "s", head.slice_width);
  say("kernel    {}\n", device::kernel_family[tiling.kernel].name);
  say("tiles     {} blocks of {} warps a chunk: {} tiles, {:.1f} positions each\n",
      tiling.blocks_per_chunk, tiling.warps_per_block, tiles,
      static_cast<double>(shape.positions) / static_cast<double>(tiles));
  say("launch    {} blocks of {} threads, clusters of {}, {} bytes of shared memory\n",
      tiling.launch.grid_blocks, tiling.launch.block_threads, tiling.launch.cluster_blocks,
      tiling.launch.shared_bytes);
  say("why       {}\n", tiling.why);
  say("forced by --geometry {}\n", plan::to_string(plan::forced_by(tiling)));
}

void print_members(const std::vector<plan::MemberSupport>& members) {
  for (const plan::MemberSupport& member : members) {
    say("{:<38} {}\n", device::kernel_family[member.kernel].name,
        member.supported ? "serves this" : member.reason);
  }
}

int run_geometry(const GeometryCommand& command) {
  const plan::DeviceClass& device = device_of(command.device);
  ProblemShape shape = shape_of(command);
  plan::GeometryWish wish;
  if (!command.kernel.empty()) wish.kernel = command.kernel;
  wish.slices_per_warp = command.slices;
  wish.portable = command.portable;
  const auto chosen = plan::choose_tiling(shape, device, wish);
  if (const auto* refusal = std::get_if<plan::Refusal>(&chosen)) refuse(refusal->message);
  const auto& tiling = std::get<plan::Tiling>(chosen);
  shape.warps_per_block = tiling.warps_per_block;
  shape.blocks_per_chunk = tiling.blocks_per_chunk;
  const auto members =
      std::get<std::vector<plan::MemberSupport>>(plan::query_members(shape, device));
  if (!command.json) {
    print_tiling(command, shape, device, tiling);
    if (command.all) print_members(members);
    return status_ok;
  }
  Json json{{"command", "geometry"}, {"device", device.name}, {"choice", tiling_json(tiling)}};
  json["kernels"] = Json::array();
  for (const plan::MemberSupport& member : members) {
    json["kernels"].push_back({{"name", std::string(device::kernel_family[member.kernel].name)},
                               {"serves", member.supported},
                               {"reason", member.reason}});
  }
  print_json(json);
  return status_ok;
}

}  // namespace

std::function<int()> set_up_geometry(CLI::App& app) {
  auto command = std::make_shared<GeometryCommand>();
  app.add_option("--head", command->head, "Columns of a row")->required();
  app.add_option("--device", command->device, "h100, h200, a100, rtx4090, b200, ...")
      ->capture_default_str();
  app.add_option("--bank", command->bank, "bf16 or f32")->capture_default_str();
  app.add_option("--form", command->form, "none, raw, bf16, fp8 or int4")->capture_default_str();
  app.add_option("--streams", command->streams, "P, streams of a step")->capture_default_str();
  app.add_option("--tokens", command->tokens, "C, tokens of a chunk")->capture_default_str();
  app.add_option("--positions", command->positions, "n, write positions of a chunk")
      ->capture_default_str();
  app.add_option("--slots", command->slots, "Rows of the bank, all streams together")
      ->capture_default_str();
  app.add_option("--kernel", command->kernel, "Force a kernel of 'chainwalk kernels'");
  app.add_option("--slices", command->slices, "Force column slices a warp: 1 or 2");
  app.add_option("--portable", command->portable, "Force the image: 1 portable, 0 async");
  app.add_flag("--all", command->all, "Say of every kernel whether it serves this, and why not");
  app.add_flag("--json", command->json, "One JSON document: command, device, choice, kernels");
  app.footer(
      "Shows the kernel, tiles and launch that a plan would take, and what forces the same on\n"
      "'chainwalk verify'. No choice changes a bit of the result.\n\n"
      "Examples:\n"
      "  chainwalk geometry --head 1024 --device h100\n"
      "  chainwalk geometry --head 300 --device rtx4090 --form fp8 --all\n\n"
      "Exit status: 0 planned, 2 refused; the reason is on standard error.");
  return [command] { return run_geometry(*command); };
}

}  // namespace chainwalk::cli
