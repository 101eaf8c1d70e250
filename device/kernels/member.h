// SPDX-License-Identifier: Apache-2.0
// One member of the family as a type: its traits, and the fault planted into it, if any.
#pragma once

#include <cstddef>

#include "family.h"
#include "fault.h"
#include "geometry.h"

namespace chainwalk::device {

template <std::size_t index, Fault planted = Fault::none>
struct Member {
  static constexpr KernelTraits traits = kernel_family[index];
  static constexpr BankType bank = traits.bank;
  static constexpr bool async = traits.image == Image::async;
  static constexpr bool quantized = writes_quantized(traits);
  static constexpr std::int32_t vector = vector_columns(traits);  // V, columns of an access

  static constexpr bool has(Fault fault) { return planted == fault; }
  static constexpr bool lacks(Fault fault) { return planted != fault; }
};

}  // namespace chainwalk::device
