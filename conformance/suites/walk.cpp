// SPDX-License-Identifier: Apache-2.0
// Chapters REC, ARI and NUM: records, the chain and its number formats, against the reference.
#include "chapter.h"

namespace chainwalk::conformance {
namespace {

using generate::Groups;
using generate::Parameters;
using generate::Values;

// Short chunks on few columns: where a rule breaks, the smallest problem shows it.
Parameters small() {
  Parameters parameters;
  parameters.head_dim = 32;
  parameters.slots = 192;
  parameters.positions = 48;
  parameters.values = Values::plain;
  parameters.invalid_share = 0;
  parameters.reserved_bits = false;
  parameters.free_members = false;
  parameters.wide_tokens = false;
  return parameters;
}

Parameters with_bank(Parameters parameters, BankType bank) {
  parameters.bank_type = bank;
  return parameters;
}

// Adds a recipe for both bank types.
void add_both(Chapter& chapter, const std::string& recipe, const std::vector<std::string>& rules,
              const Parameters& parameters, Counts counts) {
  for (const BankType bank : {BankType::bf16, BankType::f32}) {
    chapter.add(recipe + "-" + to_string(bank), rules, with_bank(parameters, bank), counts,
                equals_reference);
  }
}

void add_rec(Chapter& chapter) {
  Parameters parameters = small();
  add_both(chapter, "plain", {"REC-1", "REC-2"}, parameters, {2, 6, 40});
  parameters.reserved_bits = true;
  add_both(chapter, "reserved-bits", {"REC-2"}, parameters, {2, 6, 40});
  parameters = small();
  parameters.wide_tokens = true;
  parameters.chunk_size = 7;
  add_both(chapter, "clamped-tokens", {"REC-3"}, parameters, {2, 6, 40});
  parameters.chunk_size = 256;
  parameters.positions = 96;
  add_both(chapter, "all-tokens", {"REC-2", "REC-3"}, parameters, {2, 6, 40});
  parameters = small();
  parameters.free_members = true;
  parameters.groups = Groups::mixed;
  add_both(chapter, "free-members", {"REC-5"}, parameters, {2, 6, 40});
  parameters.invalid_share = 0.5;
  add_both(chapter, "invalid-groups-free", {"REC-4", "REC-5", "REC-6"}, parameters, {2, 6, 40});
}

void add_ari(Chapter& chapter) {
  Parameters parameters = small();
  parameters.groups = Groups::single;
  add_both(chapter, "single-members", {"ARI-1", "ARI-2", "ARI-3"}, parameters, {2, 6, 40});
  parameters.groups = Groups::borders;
  parameters.positions = 160;
  add_both(chapter, "batch-borders", {"ARI-1", "ARI-6"}, parameters, {2, 6, 40});
  parameters.groups = Groups::whole;
  parameters.positions = 200;
  add_both(chapter, "one-long-chain", {"ARI-1", "ARI-6"}, parameters, {2, 6, 40});
  parameters = small();
  parameters.invalid_share = 0.4;
  add_both(chapter, "restart-after-invalid", {"ARI-4"}, parameters, {2, 6, 40});
  parameters.invalid_share = 1;
  add_both(chapter, "nothing-valid", {"ARI-4", "SNP-4"}, parameters, {1, 3, 20});
  parameters = small();
  parameters.steps = 4;
  parameters.num_parallel = 3;
  add_both(chapter, "steps-and-streams", {"ARI-2", "ARI-7"}, parameters, {2, 6, 40});
  parameters.delta_v_step_rows = 5;
  add_both(chapter, "overlapping-token-rows", {"ARI-7"}, parameters, {2, 6, 40});
  parameters.delta_v_step_rows = 0;
  add_both(chapter, "rewritten-token-rows", {"ARI-7"}, parameters, {2, 6, 40});
}

void add_num(Chapter& chapter) {
  Parameters parameters = small();
  parameters.values = Values::special;
  add_both(chapter, "special-values", {"NUM-1", "NUM-3", "NUM-4", "NUM-6"}, parameters,
           {6, 24, 200});
  parameters.groups = Groups::single;
  add_both(chapter, "special-singles", {"ARI-3", "NUM-1", "NUM-3", "NUM-4"}, parameters,
           {6, 24, 200});
  parameters.values = Values::bits;
  add_both(chapter, "random-bits", {"NUM-1", "NUM-3", "NUM-6"}, parameters, {2, 12, 100});
  parameters = small();
  parameters.values = Values::special;
  parameters.snapshot = SnapshotForm::raw;
  add_both(chapter, "raw-payloads", {"NUM-2", "SNP-2"}, parameters, {2, 6, 40});
  for (const SnapshotForm form : {SnapshotForm::fp8, SnapshotForm::int4}) {
    parameters.snapshot = form;
    add_both(chapter, std::string("special-") + to_string(form), {"NUM-5", "NUM-7"}, parameters,
             {3, 12, 100});
  }
}

}  // namespace

void add_walk_chapters(Profile profile, std::uint64_t seed, std::vector<Case>& cases) {
  Chapter rec("REC", profile, seed, cases);
  add_rec(rec);
  Chapter ari("ARI", profile, seed, cases);
  add_ari(ari);
  Chapter num("NUM", profile, seed, cases);
  add_num(num);
}

}  // namespace chainwalk::conformance
