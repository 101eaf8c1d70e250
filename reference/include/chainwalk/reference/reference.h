// SPDX-License-Identifier: Apache-2.0
// The executable specification: the walk on a CPU, multithreaded over tiles, bit for bit (REC, ARI,
// NUM, SNP, QNT, TIL, BIG, DET).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "chainwalk/spec/problem.h"

namespace chainwalk::reference {

// Every choice gives the same bits. `best` is the last of the others that this processor has.
enum class InstructionSet : std::uint8_t { portable, avx2, avx512, avx512_bf16, best };

// False where this processor or this build lacks it; always true for portable and best.
bool is_available(InstructionSet set) noexcept;

// The set that `best` stands for on this processor; any other set as it is.
InstructionSet resolve(InstructionSet set) noexcept;

// "portable", "avx2", "avx512", "avx512_bf16", "best"; nullopt for any other text.
const char* to_string(InstructionSet set) noexcept;
std::optional<InstructionSet> parse_instruction_set(std::string_view text) noexcept;

// The names, for messages and help.
inline constexpr const char* instruction_set_names = "portable, avx2, avx512, avx512_bf16 or best";

struct Options {
  unsigned threads = 0;  // 0: every available one
  InstructionSet instruction_set = InstructionSet::best;
};

// Runs step `step` of a problem that has passed validate(), in place on `outputs` (its bank holds
// what the step before left; see Outputs). 0 <= step < shape.steps(), else std::out_of_range; an
// instruction set that is not available gives std::invalid_argument. Output views must have the
// sizes that Outputs states and overlap no input view.
void run_step(const Problem& problem, std::int64_t step, const Outputs& outputs,
              const Options& options = {});

// Runs every step in order.
void run(const Problem& problem, const Outputs& outputs, const Options& options = {});

}  // namespace chainwalk::reference
