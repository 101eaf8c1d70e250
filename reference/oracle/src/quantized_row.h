// SPDX-License-Identifier: Apache-2.0
// One quantized snapshot row on bit patterns (QNT-2 to QNT-6, QNT-10).
#pragma once

#include <cstdint>
#include <span>

#include "chainwalk/spec/types.h"

namespace chainwalk::oracle {

// QNT-2, QNT-3: the scale of a row of f32 bit patterns. `form` is fp8 or int4.
std::uint32_t row_scale(std::span<const std::uint32_t> row, SnapshotForm form);

// QNT-4 to QNT-6, QNT-10: byte `index` of the payload of a row under `scale`.
std::uint8_t payload_byte(std::span<const std::uint32_t> row, std::uint32_t scale,
                          SnapshotForm form, std::int64_t index);

}  // namespace chainwalk::oracle
