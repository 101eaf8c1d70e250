// SPDX-License-Identifier: Apache-2.0
// The processes of a campaign under mpirun: how this one finds the others, and which work is its.
#pragma once

#include <memory>

#include "chainwalk/fuzz/transport.h"
#include "implementation_choice.h"

namespace chainwalk::cli {

// nullptr where this process is alone: outside mpirun, or its only process. InputError where it is
// not, and the program was built or installed without its MPI module.
std::unique_ptr<fuzz::Transport> open_transport();

// Workers for this rank where nobody said how many: its share of the machine's hardware threads, no
// more than it is bound to.
unsigned jobs_of_rank();

// "cuda" without an ordinal becomes the GPU of the rank's number on its machine, in turn.
void deal_device(ImplementationChoice& choice, const fuzz::Transport& transport);

}  // namespace chainwalk::cli
