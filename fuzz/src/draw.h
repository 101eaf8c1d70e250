// SPDX-License-Identifier: Apache-2.0
// What rapidcheck draws of a case: a choice for every axis, and a key for the bulk of the tensors.
#pragma once

#include <rapidcheck/Gen.h>
#include <rapidcheck/Random.h>

#include <array>
#include <cstdint>

#include "chainwalk/fuzz/features.h"
#include "chainwalk/fuzz/weights.h"

namespace chainwalk::fuzz {

struct Draw {
  std::array<Feature, drawn_axes> choice{};
  std::uint64_t key = 0;       // of every number and tensor element that follows
  std::uint64_t schedule = 0;  // seed of the emulator's schedule

  Feature of(Axis axis) const { return choice[static_cast<std::size_t>(axis)]; }
  bool is(Feature feature) const { return of(info(feature).axis) == feature; }
};

// A feature of `axis` with the probability of its weight. At least one weight is not 0.
rc::Gen<Feature> choice_of(Axis axis, const Weights& weights);
// One of the epoch's draws: every axis on its own, or two of them as an aim asks.
rc::Gen<Draw> draw_of(const Weights& weights);

}  // namespace chainwalk::fuzz
