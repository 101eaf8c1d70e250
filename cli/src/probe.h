// SPDX-License-Identifier: Apache-2.0
// Whether an implementation can be opened, found out where it can do no harm.
#pragma once

#include <cstdint>

#include "implementation_choice.h"

namespace chainwalk::cli {

struct Opened {
  std::int32_t memory = 0;  // cw_memory
  std::int32_t device = 0;
};

// Opens the choice and closes it again; a shared object in a worker process, which it may end,
// block or spoil. Throws InputError with the reason where it cannot be opened, or not within
// `seconds`.
Opened probe(const ImplementationChoice& choice, double seconds);

// The worker's side: opens the choice and writes what came of it to descriptor `output`, one line.
void answer_probe(const ImplementationChoice& choice, int output);

}  // namespace chainwalk::cli
