// SPDX-License-Identifier: Apache-2.0
// Problems built to stand exactly where two ways of computing part: ill-formed flags (REC-6,
// ARI-5), ties of the quantizer scale (QNT-3) and of the quotient (QNT-4).
#include <cstring>

#include "chainwalk/spec/formats.h"
#include "changed_problem.h"
#include "chapter.h"

namespace chainwalk::conformance {
namespace {

using generate::Groups;
using generate::Parameters;
using generate::Values;

Parameters f32_rows(SnapshotForm form, std::int64_t head_dim) {
  Parameters parameters;
  parameters.bank_type = BankType::f32;
  parameters.snapshot = form;
  parameters.head_dim = head_dim;
  parameters.slots = 160;
  parameters.positions = 64;
  parameters.groups = Groups::single;
  parameters.values = Values::plain;
  return parameters;
}

// A different small number for each row and column, the same on every machine.
std::uint32_t mixed(std::size_t row, std::size_t column) {
  std::uint32_t bits = static_cast<std::uint32_t>(row) * 0x9E37'79B9U +
                       static_cast<std::uint32_t>(column) * 0x85EB'CA6BU;
  bits ^= bits >> 15U;
  bits *= 0x2C1B'3C6DU;
  return bits ^ (bits >> 12U);
}

void put(std::vector<std::byte>& bank, std::size_t element, float value) {
  std::memcpy(bank.data() + element * sizeof value, &value, sizeof value);
}

// Every row's amax is qmax times a value half way between two bf16 numbers: the f32 product with
// the reciprocal decides to which side the scale falls.
Problem with_scale_ties(const Problem& problem) {
  const auto columns = static_cast<std::size_t>(problem.shape.head_dim);
  const float qmax = problem.shape.snapshot == SnapshotForm::fp8 ? 448.0F : 7.0F;
  return change(problem, [&](ChangedInputs& changed) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(problem.shape.slots); ++row) {
      for (std::size_t column = 0; column < columns; ++column)
        put(changed.bank, row * columns + column, 0.25F);
      const float half_way = static_cast<float>(257U + 2U * (mixed(row, 0) % 127U)) / 256.0F;
      put(changed.bank, row * columns + mixed(row, 1) % columns, qmax * half_way);
    }
  });
}

// Every row has a scale of 8 significant bits and columns whose quotient by it is half way between
// two bf16 numbers: a product with a rounded reciprocal misses the tie.
Problem with_quotient_ties(const Problem& problem) {
  const auto columns = static_cast<std::size_t>(problem.shape.head_dim);
  const bool fp8 = problem.shape.snapshot == SnapshotForm::fp8;
  return change(problem, [&](ChangedInputs& changed) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(problem.shape.slots); ++row) {
      const float scale = static_cast<float>(128U + mixed(row, 0) % 128U) / 128.0F;
      for (std::size_t column = 0; column < columns; ++column) {
        // Odd numbers of 9 bits, over the range of the code: its own ties are among them.
        const std::uint32_t odd = 257U + 2U * (mixed(row, column) % 127U);
        const std::uint32_t shift = mixed(column, row) % (fp8 ? 9U : 3U);
        const float half_way = static_cast<float>(odd << shift) / (fp8 ? 512.0F : 256.0F);
        put(changed.bank, row * columns + column, scale * half_way * 0.5F);
      }
      put(changed.bank, row * columns, scale * (fp8 ? 448.0F : 7.0F));
    }
  });
}

// Flags that are not well-formed: some LASTs are taken away, so that groups run together and some
// tiles end in an open run.
Problem with_missing_lasts(const Problem& problem) {
  return change(problem, [&](ChangedInputs& changed) {
    for (std::size_t index = 0; index < changed.records.size(); ++index) {
      if (mixed(index, 7) % 3U == 0) changed.records[index].x &= ~record_last;
    }
  });
}

}  // namespace

void add_directed_cases(Profile profile, std::uint64_t seed, std::vector<Case>& cases) {
  Chapter ari("ARI", profile, seed, cases);
  for (const BankType bank : {BankType::bf16, BankType::f32}) {
    Parameters parameters = f32_rows(SnapshotForm::none, 32);
    parameters.bank_type = bank;
    parameters.groups = Groups::mixed;
    parameters.invalid_share = 0;
    // A missing LAST moves the store to a later group's slot: members' slots must be real ones.
    parameters.free_members = false;
    ari.add_edited(std::string("missing-lasts-") + to_string(bank), {"REC-6", "ARI-5"}, parameters,
                   {2, 6, 40}, with_missing_lasts, equals_reference);
  }
  Chapter qnt("QNT", profile, seed, cases);
  for (const SnapshotForm form : {SnapshotForm::fp8, SnapshotForm::int4}) {
    const std::string name = to_string(form);
    qnt.add_edited(name + "-scale-ties", {"QNT-3"}, f32_rows(form, 64), {1, 3, 10}, with_scale_ties,
                   equals_reference);
    qnt.add_edited(name + "-scale-ties-wide", {"QNT-3"}, f32_rows(form, 256), {1, 3, 10},
                   with_scale_ties, equals_reference);
    qnt.add_edited(name + "-quotient-ties",
                   {"QNT-4", form == SnapshotForm::fp8 ? "QNT-5" : "QNT-6"}, f32_rows(form, 128),
                   {1, 3, 10}, with_quotient_ties, equals_reference);
  }
}

}  // namespace chainwalk::conformance
