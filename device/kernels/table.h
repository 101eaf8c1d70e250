// SPDX-License-Identifier: Apache-2.0
// Every member of family.def as a device function of its index: the one dispatch that all builds of
// the kernels instantiate.
#pragma once

#include "rows.h"
#include "slices.h"

CW_NAMESPACE_BEGIN

template <std::size_t index, Fault planted = Fault::none>
CW_DEVICE void run_member(const WalkParameters& parameters) {
  using M = Member<index, planted>;
  if constexpr (M::traits.form == Form::rows) {
    walk_rows<M>(parameters);
  } else {
    walk_slices<M>(parameters);
  }
}

CW_NAMESPACE_END
