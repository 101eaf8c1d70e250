// SPDX-License-Identifier: Apache-2.0
// Programmatic dependent launch (LCH-2; async image only).
#pragma once

#include "machine/operations.h"
#include "primitives/function.h"

CW_NAMESPACE_BEGIN

// Returns when every launch that this one depends on is complete and visible.
CW_DEVICE void dependent_wait() { emulator::dependent_wait(); }
// Lets dependents start; publishes nothing.
CW_DEVICE void dependent_trigger() { emulator::dependent_trigger(); }

CW_NAMESPACE_END
