// SPDX-License-Identifier: Apache-2.0
// Programmatic dependent launch (LCH-2; async image only).
#pragma once

#include "primitives/function.h"

CW_NAMESPACE_BEGIN

// Returns when every launch that this one depends on is complete and visible.
CW_DEVICE void dependent_wait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
// Lets dependents start; publishes nothing.
CW_DEVICE void dependent_trigger() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

CW_NAMESPACE_END
