// SPDX-License-Identifier: Apache-2.0
// Tensor maps of token rows and of dense snapshot rows (SRC-2, PLN-4).
#pragma once

#include "chainwalk/plan/plan.h"

namespace chainwalk::cuda {

// Encodes the maps that the plan's kernel reads into `parameters`; the device is current. Throws
// CudaError.
void encode_tensor_maps(const plan::Plan& plan, const plan::Request& request,
                        device::WalkParameters& parameters);

}  // namespace chainwalk::cuda
