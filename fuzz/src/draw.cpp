// SPDX-License-Identifier: Apache-2.0
// Generators in rapidcheck. They take nothing from the size parameter, whose effect on ranges is
// uneven: a draw depends on the random engine alone.
#include "draw.h"

#include <rapidcheck.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace chainwalk::fuzz {
namespace {

// 64 uniform bits.
rc::Gen<std::uint64_t> word() {
  return rc::Gen<std::uint64_t>([](const rc::Random& random, int) {
    rc::Random engine(random);
    return rc::shrinkable::just(static_cast<std::uint64_t>(engine.next()));
  });
}

// 0..bound-1 of a uniform word.
std::uint64_t below(std::uint64_t uniform, std::uint64_t bound) {
  return ((uniform >> 32U) * bound) >> 32U;
}

class ChoiceGen {
 public:
  ChoiceGen(Axis axis, const Weights& weights) {
    for (const Feature feature : features_of(axis)) {
      const std::uint32_t weight = weights.of[index_of(feature)];
      if (weight == 0) continue;
      total_ += weight;
      entries_.emplace_back(total_, feature);
    }
    if (entries_.empty())
      throw std::invalid_argument("no feature of axis " + std::string(to_string(axis)) +
                                  " has a weight");
  }

  rc::Shrinkable<Feature> operator()(const rc::Random& random, int) const {
    rc::Random engine(random);
    const std::uint64_t at = below(engine.next(), total_);
    auto entry = entries_.begin();
    while (at >= entry->first) ++entry;
    return rc::shrinkable::just(Feature(entry->second));
  }

 private:
  std::uint64_t total_ = 0;
  std::vector<std::pair<std::uint64_t, Feature>> entries_;  // running sum of weights
};

class DrawGen {
 public:
  explicit DrawGen(const Weights& weights) : aims_(weights.aims) {
    for (std::size_t axis = 0; axis < drawn_axes; ++axis)
      choices_.push_back(choice_of(static_cast<Axis>(axis), weights));
  }

  rc::Shrinkable<Draw> operator()(const rc::Random& random, int size) const {
    rc::Random stream(random);
    Draw draw;
    for (std::size_t axis = 0; axis < drawn_axes; ++axis)
      draw.choice[axis] = choices_[axis](stream.split(), size).value();
    draw.key = word_(stream.split(), size).value();
    draw.schedule = word_(stream.split(), size).value();
    const std::uint64_t aimed = word_(stream.split(), size).value();
    if (!aims_.empty() && below(aimed, 4) == 0) {
      const Aim& aim = aims_[below(word_(stream.split(), size).value(), aims_.size())];
      for (const Feature feature : {aim.first, aim.second})
        draw.choice[static_cast<std::size_t>(info(feature).axis)] = feature;
    }
    return rc::shrinkable::just(std::move(draw));
  }

 private:
  std::vector<rc::Gen<Feature>> choices_;
  std::vector<Aim> aims_;
  rc::Gen<std::uint64_t> word_ = word();
};

}  // namespace

rc::Gen<Feature> choice_of(Axis axis, const Weights& weights) {
  return rc::Gen<Feature>(ChoiceGen(axis, weights));
}

rc::Gen<Draw> draw_of(const Weights& weights) { return rc::Gen<Draw>(DrawGen(weights)); }

}  // namespace chainwalk::fuzz
