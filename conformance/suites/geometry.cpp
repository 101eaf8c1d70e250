// SPDX-License-Identifier: Apache-2.0
// Chapters TIL and GEO: tile sets, head classes and launch geometry, against the reference.
#include "chapter.h"

namespace chainwalk::conformance {
namespace {

using generate::Groups;
using generate::Parameters;
using generate::Values;

Parameters base(BankType bank, std::int64_t head_dim) {
  Parameters parameters;
  parameters.bank_type = bank;
  parameters.head_dim = head_dim;
  parameters.slots = 200;
  parameters.positions = 64;
  return parameters;
}

void add_til(Chapter& chapter) {
  for (const BankType bank : {BankType::bf16, BankType::f32}) {
    const std::string suffix = std::string("-") + to_string(bank);
    Parameters parameters = base(bank, 48);
    parameters.snapshot = SnapshotForm::raw;
    parameters.random_tiles = false;
    chapter.add("standard" + suffix, {"TIL-1", "TIL-2", "TIL-4"}, parameters, {2, 6, 40},
                equals_reference);
    parameters.random_tiles = true;
    chapter.add("random" + suffix, {"TIL-1", "TIL-4", "TIL-5"}, parameters, {2, 6, 40},
                equals_reference);
    parameters.blocks_per_chunk = 9;
    parameters.positions = 20;
    chapter.add("empty-tiles" + suffix, {"TIL-1", "LCH-5"}, parameters, {2, 6, 40},
                equals_reference);
    parameters.positions = 0;
    parameters.blocks_per_chunk = 1;
    chapter.add("no-positions" + suffix, {"TIL-1", "PLN-9"}, parameters, {1, 2, 4},
                equals_reference);
    parameters = base(bank, 256);
    parameters.snapshot = SnapshotForm::fp8;
    parameters.blocks_per_chunk = 1;
    parameters.warps_per_block = 8;
    parameters.groups = Groups::single;
    parameters.positions = 1024;
    parameters.slots = 2200;
    parameters.steps = 1;
    chapter.add("full-blocks" + suffix, {"TIL-3"}, parameters, {1, 2, 4}, equals_reference);
  }
}

void add_geo(Chapter& chapter) {
  for (const BankType bank : {BankType::bf16, BankType::f32}) {
    for (const std::int64_t head_dim :
         {1,   2,   3,   4,   5,   7,   8,   16,  31,  33,  64,  96,  100, 120,  127,  128, 129,
          130, 132, 136, 192, 255, 256, 257, 260, 300, 384, 480, 512, 640, 1000, 1024, 2048}) {
      Parameters parameters = base(bank, head_dim);
      parameters.positions = 24;
      parameters.slots = 96;
      const std::string recipe =
          std::string("head-") + to_string(bank) + "-hd" + std::to_string(head_dim);
      const bool often = head_dim <= 300;
      chapter.add(recipe, {"GEO-1", "GEO-2", "GEO-3", "GEO-7"}, parameters,
                  {1, often ? 4 : 2, often ? 20 : 8}, equals_reference);
    }
  }
  chapter.add_drawn(
      "anything", {"GEO-2", "GEO-3", "GEO-4"},
      [](std::uint64_t index) { return generate::draw_parameters(1, index, 1 << 14); },
      {120, 600, 20000}, equals_reference);
}

}  // namespace

void add_geometry_chapters(Profile profile, std::uint64_t seed, std::vector<Case>& cases) {
  Chapter til("TIL", profile, seed, cases);
  add_til(til);
  Chapter geo("GEO", profile, seed, cases);
  add_geo(geo);
}

}  // namespace chainwalk::conformance
