// SPDX-License-Identifier: Apache-2.0
// The checked build of the micro-kernels.
#define CW_MICRO_TABLE checked_micro
#include "table.inc"
