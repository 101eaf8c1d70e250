// SPDX-License-Identifier: Apache-2.0
// chainwalk explain: the chain of one column, step by step, with the rules beside (ARI, SNP, QNT).
#include <memory>

#include "capture_files.h"
#include "chainwalk/reference/trace.h"
#include "chainwalk/spec/formats.h"
#include "command.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

using reference::Trace;
using reference::TraceMember;

struct ExplainCommand {
  std::string file;
  std::int64_t chunk = 0, group = 0, column = 0;
  bool json = false;
};

// "0.1 0x3DCCCCCD": nine digits tell every f32 from every other.
std::string both(float value) { return fmt::format("{:.9g} 0x{:08X}", value, f32_bits(value)); }

Json value_json(float value) {
  return {{"decimal", fmt::format("{:.9g}", value)},
          {"hex", fmt::format("0x{:08X}", f32_bits(value))}};
}

void line(std::string_view rule, std::string_view text) { say("{:<6} {}\n", rule, text); }

void print_head(const Trace& trace, const ProblemShape& shape) {
  say("chunk {} (step {}, stream {}), group {}, column {} of {}, tile {}\n\n", trace.chunk,
      trace.step, trace.stream, trace.group, trace.column, shape.head_dim, trace.tile);
}

void print_member(const TraceMember& member) {
  const std::string token =
      member.raw_token == member.token
          ? std::to_string(member.token)
          : fmt::format("{} clamped to {} (REC-3)", member.raw_token, member.token);
  line("ARI-7", fmt::format("position {}: token {}, delta_v row {}", member.position, token,
                            member.token_row));
  line("ARI-1", fmt::format("  acc = fma(scale {}, delta_v {}, acc {})", both(member.scale),
                            both(member.token_value), both(member.acc_before)));
  line("", fmt::format("      = {}", both(member.acc_after)));
}

void print_store(const Trace& trace, const ProblemShape& shape) {
  line("REC-5", fmt::format("slot {} and decay {} are the LAST record's own", trace.slot,
                            both(trace.decay)));
  line("ARI-2", fmt::format("out = fma(base {}, decay {}, acc {})", both(trace.base),
                            both(trace.decay), both(trace.members.back().acc_after)));
  line("", fmt::format("    = {}", both(trace.out)));
  if (shape.bank_type == BankType::bf16) {
    const auto bits = static_cast<std::uint16_t>(trace.stored_bits);
    line("ARI-3", fmt::format("bank[{}][{}] = bf16(out) = {:.9g} 0x{:04X}", trace.slot,
                              trace.column, bf16_widen(bits), bits));
  } else {
    line("ARI-3", fmt::format("bank[{}][{}] = {}", trace.slot, trace.column,
                              both(f32_from_bits(trace.stored_bits))));
  }
  line("ARI-4", "acc goes back to +0");
}

void print_quantized(const Trace& trace, const ProblemShape& shape) {
  const bool fp8 = shape.snapshot == SnapshotForm::fp8;
  line("QNT-2", fmt::format("amax of the row before the store = {}", both(*trace.amax)));
  line("QNT-3", fmt::format("s = bf16(max(amax * {}, 1e-12)) = {}", fp8 ? "f32(1/448)" : "f32(1/7)",
                            both(*trace.quantizer_scale)));
  line("QNT-4", fmt::format("q = bf16({} / s) = {}", both(trace.base), both(*trace.quotient)));
  const auto code = static_cast<std::uint8_t>(*trace.snapshot_bits);
  if (fp8) {
    line("QNT-5", fmt::format("payload row {}: e4m3(q) = {:.9g} 0x{:02X}", *trace.snapshot_row,
                              e4m3_widen(code), code));
  } else {
    line("QNT-6", fmt::format("payload row {}: the {} nibble of byte {} = {} 0x{:X}",
                              *trace.snapshot_row, trace.column % 2 == 0 ? "high" : "low",
                              trace.column / 2, nibble_widen(code), code & 15U));
  }
}

void print_snapshot(const Trace& trace, const ProblemShape& shape) {
  if (!trace.snapshot_row || !trace.snapshot_bits) return;
  say("\n");
  line("SNP-1", fmt::format("the group's snapshot row is {}", *trace.snapshot_row));
  if (is_quantized(shape.snapshot)) return print_quantized(trace, shape);
  const bool narrow = shape.snapshot == SnapshotForm::bf16 || shape.bank_type == BankType::bf16;
  line(shape.snapshot == SnapshotForm::bf16 ? "SNP-3" : "SNP-2",
       fmt::format("snapshot[{}][{}] = 0x{:0{}X}, the row before the store", *trace.snapshot_row,
                   trace.column, *trace.snapshot_bits, narrow ? 4 : 8));
}

void print_trace(const Trace& trace, const ProblemShape& shape) {
  print_head(trace, shape);
  line("ARI-1", fmt::format("acc starts at {}", both(0.0F)));
  for (const TraceMember& member : trace.members) print_member(member);
  say("\n");
  if (!trace.valid) {
    line("ARI-4", "the LAST is INVALID: nothing is stored, and acc goes back to +0");
    return;
  }
  print_store(trace, shape);
  print_snapshot(trace, shape);
}

Json trace_json(const Trace& trace) {
  Json json{{"chunk", trace.chunk}, {"step", trace.step},     {"stream", trace.stream},
            {"group", trace.group}, {"column", trace.column}, {"tile", trace.tile},
            {"valid", trace.valid}};
  json["members"] = Json::array();
  for (const TraceMember& member : trace.members) {
    json["members"].push_back({{"position", member.position},
                               {"raw_token", member.raw_token},
                               {"token", member.token},
                               {"token_row", member.token_row},
                               {"scale", value_json(member.scale)},
                               {"delta_v", value_json(member.token_value)},
                               {"acc_before", value_json(member.acc_before)},
                               {"acc_after", value_json(member.acc_after)}});
  }
  if (!trace.valid) return json;
  json["slot"] = trace.slot;
  json["base"] = value_json(trace.base);
  json["decay"] = value_json(trace.decay);
  json["out"] = value_json(trace.out);
  json["stored_bits"] = trace.stored_bits;
  if (trace.snapshot_row) json["snapshot_row"] = *trace.snapshot_row;
  if (trace.snapshot_bits) json["snapshot_bits"] = *trace.snapshot_bits;
  if (trace.amax) json["amax"] = value_json(*trace.amax);
  if (trace.quantizer_scale) json["quantizer_scale"] = value_json(*trace.quantizer_scale);
  if (trace.quotient) json["quotient"] = value_json(*trace.quotient);
  return json;
}

int run_explain(const ExplainCommand& command) {
  const Capture capture = read_valid_capture(command.file);
  const Trace trace =
      reference::trace_column(capture.problem, command.chunk, command.group, command.column);
  if (command.json) {
    print_json({{"command", "explain"}, {"file", command.file}, {"trace", trace_json(trace)}});
  } else {
    print_trace(trace, capture.problem.shape);
  }
  return status_ok;
}

}  // namespace

std::function<int()> set_up_explain(CLI::App& app) {
  auto command = std::make_shared<ExplainCommand>();
  app.add_option("FILE", command->file, "Capture file")->required();
  app.add_option("--chunk", command->chunk, "Chunk, from 0")->required()->type_name("C");
  app.add_option("--group", command->group, "Group of the chunk, from 0, INVALID ones counted")
      ->required()
      ->type_name("G");
  app.add_option("--column", command->column, "Column, from 0")->required()->type_name("K");
  app.add_flag("--json", command->json,
               "One JSON document: command, file, trace (chunk, step, stream, group, column, tile, "
               "valid, members, slot, base, decay, out, stored_bits, snapshot_row, snapshot_bits, "
               "amax, quantizer_scale, quotient)");
  app.footer(
      "Every operation of the chain is a line: the rule that asks for it, the operands and the\n"
      "result, each in decimal and in hex.\n\n"
      "Example:\n"
      "  chainwalk explain spec/vectors/bf16_fp8_hd128.safetensors --chunk 0 --group 3 --column "
      "17");
  return [command] { return run_explain(*command); };
}

}  // namespace chainwalk::cli
