// SPDX-License-Identifier: Apache-2.0
// chainwalk draw: a chunk as a picture.
#include <algorithm>
#include <memory>
#include <stdexcept>

#include "capture_files.h"
#include "chainwalk/conformance/chunk_picture.h"
#include "chainwalk/platform/atomic_file.h"
#include "command.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

constexpr std::int64_t most_positions = 16384;

struct DrawCommand {
  std::string file, output;
  std::int64_t chunk = 0, first = 0, count = -1;
  bool json = false;
};

void check_range(const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  throw std::out_of_range(fmt::format("option {} is {}; {}..{} is needed", name, value, low, high));
}

int run_draw(const DrawCommand& command) {
  const Capture capture = read_valid_capture(command.file);
  const ProblemShape& shape = capture.problem.shape;
  check_range("--chunk", command.chunk, 0, shape.num_chunks - 1);
  check_range("--first", command.first, 0, shape.positions);
  const std::int64_t left = shape.positions - command.first;
  if (command.count != -1) check_range("--count", command.count, 0, std::min(left, most_positions));
  const std::int64_t count = command.count == -1 ? std::min(left, most_positions) : command.count;
  platform::AtomicFile file(command.output);
  file.write(conformance::draw_chunk(capture.problem, command.chunk, command.first, count));
  file.commit();
  if (command.json) {
    print_json({{"command", "draw"},
                {"file", command.file},
                {"output", command.output},
                {"chunk", command.chunk},
                {"first", command.first},
                {"count", count}});
  } else {
    say("wrote {}: positions {}..{} of {}\n", command.output, command.first, command.first + count,
        shape.positions);
  }
  return status_ok;
}

}  // namespace

std::function<int()> set_up_draw(CLI::App& app) {
  auto command = std::make_shared<DrawCommand>();
  app.add_option("FILE", command->file, "Capture file")->required();
  app.add_option("--chunk", command->chunk, "Chunk, from 0")->capture_default_str()->type_name("C");
  app.add_option("--first", command->first, "First position to draw")
      ->capture_default_str()
      ->type_name("POSITION");
  app.add_option("--count", command->count, "How many positions (default: all, at most 16384)")
      ->type_name("N");
  app.add_option("-o,--output", command->output, "SVG file to write, whole or not at all")
      ->required()
      ->type_name("OUT");
  app.add_flag("--json", command->json,
               "One JSON document: command, file, output, chunk, first, count");
  app.footer(
      "Positions run from left to right and wrap like text. A bar is a group, its shades "
      "alternate;\n"
      "a hatched bar is INVALID; the line above is a tile, its hue alternates. The picture "
      "follows\n"
      "a light or dark scheme, and every group has a tooltip.\n\n"
      "Example:\n"
      "  chainwalk draw spec/vectors/bf16_raw_hd128.safetensors --chunk 0 -o walk.svg");
  return [command] { return run_draw(*command); };
}

}  // namespace chainwalk::cli
