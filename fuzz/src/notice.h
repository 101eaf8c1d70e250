// SPDX-License-Identifier: Apache-2.0
// The specification's rules, which note what they meet while the walk is carried out.
#pragma once

#include <cmath>
#include <cstdint>

#include "chainwalk/fuzz/features.h"
#include "chainwalk/reference/rules.h"

namespace chainwalk::fuzz {

class NoticingRules : public reference::SpecRules {
 public:
  explicit NoticingRules(FeatureSet& seen) : seen_(seen) {}

  float member(float scale, float token_value, float accumulator) const {
    const float sum = SpecRules::member(scale, token_value, accumulator);
    notice_sum(scale, token_value, accumulator, sum);
    return sum;
  }
  float output(float base, float decay, float accumulator) const {
    const float out = SpecRules::output(base, decay, accumulator);
    if (out == 0.0F && (base != 0.0F || accumulator != 0.0F)) note(Feature::out_zero);
    return out;
  }
  std::uint16_t store_bf16(float out) const {
    const std::uint32_t bits = f32_bits(out);
    const std::uint16_t stored = SpecRules::store_bf16(out);
    if (f32_is_nan(bits)) {
      note(Feature::store_nan);
    } else {
      if ((bits & 0xFFFFU) == 0x8000U) note(Feature::store_tie);
      if ((stored & 0x7FFFU) == 0x7F80U && std::isfinite(out)) note(Feature::store_overflow);
      if ((stored & 0x7FFFU) != 0 && (stored & 0x7F80U) == 0) note(Feature::store_subnormal);
    }
    return stored;
  }
  std::uint32_t store_f32(float out) const {
    const std::uint32_t bits = f32_bits(out);
    if (f32_is_nan(bits)) note(Feature::store_nan);
    if ((bits & 0x7FFF'FFFFU) != 0 && (bits & 0x7F80'0000U) == 0) note(Feature::store_subnormal);
    return SpecRules::store_f32(out);
  }
  std::uint16_t snapshot_bf16(float base) const {
    if ((f32_bits(base) & 0xFFFFU) == 0x8000U && std::isfinite(base)) note(Feature::row_tie);
    return SpecRules::snapshot_bf16(base);
  }
  float amax(float greatest, float base) const {
    const std::uint32_t magnitude = f32_bits(base) & 0x7FFF'FFFFU;
    if (f32_is_nan(magnitude)) note(Feature::amax_past_nan);
    if (magnitude == 0x7F80'0000U) note(Feature::amax_infinite);
    if (magnitude != 0 && magnitude == f32_bits(greatest)) note(Feature::amax_again);
    return SpecRules::amax(greatest, base);
  }
  float quantizer_scale(float amax, SnapshotForm form) const;
  float quotient(float base, float scale) const {
    if ((f32_bits(base / scale) & 0xFFFFU) == 0x8000U) note(Feature::quotient_tie);
    return SpecRules::quotient(base, scale);
  }
  std::uint8_t e4m3(float quotient) const;
  std::uint8_t nibble(float quotient) const;

 private:
  void note(Feature feature) const { seen_.set(index_of(feature)); }
  void notice_sum(float scale, float token_value, float accumulator, float sum) const;

  FeatureSet& seen_;
};

}  // namespace chainwalk::fuzz
