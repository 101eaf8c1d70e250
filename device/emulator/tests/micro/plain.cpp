// SPDX-License-Identifier: Apache-2.0
// The plain build of the micro-kernels.
#define CW_MICRO_TABLE plain_micro
#include "table.inc"
