// SPDX-License-Identifier: Apache-2.0
// Chapters SNP and QNT: snapshot rows, dense and quantized, against the reference.
#include "chapter.h"

namespace chainwalk::conformance {
namespace {

using generate::Groups;
using generate::Parameters;
using generate::Values;

Parameters rows_of(BankType bank, SnapshotForm form, std::int64_t head_dim) {
  Parameters parameters;
  parameters.bank_type = bank;
  parameters.snapshot = form;
  parameters.head_dim = head_dim;
  parameters.slots = 160;
  parameters.positions = 40;
  return parameters;
}

std::string name_of(const char* recipe, BankType bank, std::int64_t head_dim) {
  return std::string(recipe) + "-" + to_string(bank) + "-hd" + std::to_string(head_dim);
}

void add_snp(Chapter& chapter) {
  for (const BankType bank : {BankType::bf16, BankType::f32}) {
    for (const std::int64_t head_dim : {1, 30, 64, 100, 132, 256}) {
      Parameters parameters = rows_of(bank, SnapshotForm::raw, head_dim);
      chapter.add(name_of("raw", bank, head_dim), {"SNP-1", "SNP-2", "SNP-4"}, parameters,
                  {1, 4, 30}, equals_reference);
      parameters.steps = 3;
      parameters.num_parallel = 3;
      parameters.invalid_share = 0.4;
      chapter.add(name_of("ordinals", bank, head_dim), {"SNP-1", "SNP-4", "TIL-4"}, parameters,
                  {1, 4, 30}, equals_reference);
    }
  }
  for (const std::int64_t head_dim : {1, 64, 130, 256}) {
    chapter.add(name_of("bf16-rows", BankType::f32, head_dim), {"SNP-1", "SNP-3", "SNP-4"},
                rows_of(BankType::f32, SnapshotForm::bf16, head_dim), {2, 6, 40}, equals_reference);
  }
}

void add_qnt(Chapter& chapter) {
  for (const SnapshotForm form : {SnapshotForm::fp8, SnapshotForm::int4}) {
    const std::string rounding = form == SnapshotForm::fp8 ? "QNT-5" : "QNT-6";
    for (const BankType bank : {BankType::bf16, BankType::f32}) {
      for (const std::int64_t head_dim : {64, 128, 256, 384}) {
        Parameters parameters = rows_of(bank, form, head_dim);
        const std::string recipe = to_string(form);
        parameters.values = Values::plain;
        chapter.add(name_of((recipe + "-plain").c_str(), bank, head_dim),
                    {"QNT-1", "QNT-2", "QNT-3", "QNT-4", rounding, "QNT-7"}, parameters, {2, 6, 40},
                    equals_reference);
        parameters.values = Values::special;
        chapter.add(name_of((recipe + "-special").c_str(), bank, head_dim),
                    {"QNT-2", "QNT-3", "QNT-4", rounding}, parameters, {2, 8, 60},
                    equals_reference);
        parameters.values = Values::bits;
        chapter.add(name_of((recipe + "-bits").c_str(), bank, head_dim),
                    {"QNT-2", "QNT-3", "QNT-4", rounding}, parameters, {1, 6, 60},
                    equals_reference);
      }
      for (const std::int64_t head_dim : {1, 7, 129, 300}) {
        chapter.add(name_of((std::string(to_string(form)) + "-tail").c_str(), bank, head_dim),
                    {"QNT-10"}, rows_of(bank, form, head_dim), {1, 4, 30}, equals_reference);
      }
    }
  }
}

}  // namespace

void add_row_chapters(Profile profile, std::uint64_t seed, std::vector<Case>& cases) {
  Chapter snp("SNP", profile, seed, cases);
  add_snp(snp);
  Chapter qnt("QNT", profile, seed, cases);
  add_qnt(qnt);
}

}  // namespace chainwalk::conformance
