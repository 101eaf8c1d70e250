// SPDX-License-Identifier: Apache-2.0
// The generator: the same bits for the same key, well-formed by construction, covering every class.
#include "chainwalk/generate/generate.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/formats.h"
#include "chainwalk/spec/head.h"
#include "chainwalk/spec/validate.h"

namespace chainwalk::generate {
namespace {

template <typename T>
std::uint64_t hash_of(std::span<const T> tensor, std::uint64_t seed) {
  return XXH3_64bits_withSeed(tensor.data(), tensor.size_bytes(), seed);
}

std::uint64_t hash_of(const Problem& problem) {
  std::uint64_t hash = 0;
  hash = hash_of(problem.bank_before, hash);
  hash = hash_of(problem.delta_v, hash);
  hash = hash_of(problem.records, hash);
  hash = hash_of(problem.tile_bounds, hash);
  return hash_of(problem.group_prefix, hash);
}

Parameters parameters_of(BankType bank_type, SnapshotForm snapshot, std::int64_t head_dim,
                         Values values) {
  Parameters parameters;
  parameters.bank_type = bank_type;
  parameters.snapshot = snapshot;
  parameters.head_dim = head_dim;
  parameters.values = values;
  return parameters;
}

// Replay files name (version, parameters, seed, index): these hashes may change only together with
// generator_version.
TEST(Generate, ProblemsOfThisVersionArePinned) {
  static_assert(generator_version == 1);
  struct Pin {
    Parameters parameters;
    std::uint64_t seed, index, hash;
  };
  const Pin pins[] = {
      {parameters_of(BankType::bf16, SnapshotForm::none, 64, Values::special), 1, 0,
       0xA42E3DD5B616522FULL},
      {parameters_of(BankType::bf16, SnapshotForm::fp8, 100, Values::special), 2, 7,
       0x171F6949F6A2CA9BULL},
      {parameters_of(BankType::f32, SnapshotForm::bf16, 30, Values::plain), 3, 1,
       0x4F8D2D581A6EBB7DULL},
      {parameters_of(BankType::f32, SnapshotForm::int4, 256, Values::bits), 4, 1000000,
       0x4AAC230CAF713457ULL},
      {draw_parameters(5, 100), 5, 100, 0x62C02BB2C6C7F91FULL},
      {draw_parameters(6, 1000), 6, 1000, 0xB7E6A8880206B265ULL},
  };
  for (const Pin& pin : pins) {
    EXPECT_EQ(hash_of(make_problem(pin.parameters, pin.seed, pin.index)), pin.hash)
        << "seed " << pin.seed;
  }
}

TEST(Generate, TheSameKeyGivesTheSameProblemInAnyOrder) {
  const Parameters parameters = draw_parameters(9, 77);
  const std::uint64_t first = hash_of(make_problem(parameters, 9, 3));
  EXPECT_NE(hash_of(make_problem(parameters, 9, 4)), first);
  EXPECT_NE(hash_of(make_problem(parameters, 10, 3)), first);
  EXPECT_EQ(hash_of(make_problem(parameters, 9, 3)), first);
}

TEST(Generate, AWiderHeadKeepsTheRecords) {
  Parameters parameters;
  const Problem narrow = make_problem(parameters, 1, 2);
  parameters.head_dim = 128;
  const Problem wide = make_problem(parameters, 1, 2);
  EXPECT_TRUE(std::equal(narrow.records.begin(), narrow.records.end(), wide.records.begin(),
                         wide.records.end()));
}

TEST(Generate, EveryDrawnProblemIsWellFormed) {
  for (std::uint64_t index = 0; index < 700; ++index) {
    const Parameters parameters = draw_parameters(21, index, 1 << 14);
    const Problem problem = make_problem(parameters, 21, index);
    const auto faults = validate(problem);
    ASSERT_TRUE(faults.empty()) << faults.front().message << ", index " << index << ' '
                                << to_json(parameters);
  }
}

TEST(Generate, ClusterLimitHoldsWhereEveryGroupHasOneMember) {
  Parameters parameters = parameters_of(BankType::bf16, SnapshotForm::fp8, 8, Values::plain);
  parameters.positions = 2000;
  parameters.warps_per_block = 4;
  parameters.blocks_per_chunk = 3;
  parameters.groups = Groups::single;
  parameters.invalid_share = 0;
  for (std::uint64_t index = 0; index < 16; ++index) {
    const Problem problem = make_problem(parameters, 1, index);
    for (std::int64_t chunk = 0; chunk < problem.shape.num_chunks; ++chunk) {
      const auto prefix = problem.chunk_group_prefix(chunk);
      for (std::size_t block = 0; block < 3; ++block) {
        EXPECT_LE(prefix[4 * (block + 1)] - prefix[4 * block], 512);
      }
    }
  }
}

TEST(Generate, DrawnParametersCoverEveryClass) {
  std::map<std::string, int> seen;
  for (std::uint64_t index = 0; index < 1000; ++index) {
    const Parameters p = draw_parameters(3, index);
    const std::string rows = std::string(to_string(p.bank_type)) + '/' + to_string(p.snapshot);
    ++seen[rows + '/' + to_string(make_head(p.head_dim, p.bank_type).head_class)];
    ++seen["groups " + std::to_string(static_cast<int>(p.groups))];
    ++seen["values " + std::to_string(static_cast<int>(p.values))];
    ++seen["warps " + std::to_string(p.warps_per_block)];
    ++seen["tiles " + std::to_string(p.random_tiles)];
    ++seen["parallel " + std::to_string(p.num_parallel)];
    ++seen["steps " + std::to_string(p.steps)];
    ++seen[p.positions == 0 ? "no positions" : "positions"];
    ++seen[p.blocks_per_chunk == 0 ? "no blocks" : "blocks"];
    ++seen[p.extra_chunks == 0 ? "no extra" : "extra"];
    ++seen[p.delta_v_step_rows == 0 ? "stride 0" : "stride"];
    ++seen[p.invalid_share == 1.0 ? "all invalid" : "invalid"];
    EXPECT_LE(p.slots * p.head_dim, 1 << 16);
    EXPECT_LE(p.positions * p.head_dim, 1 << 16);
  }
  // bf16: four forms of four classes; f32: five forms of three (an even tail is bf16 only).
  const auto classes = std::count_if(seen.begin(), seen.end(), [](const auto& entry) {
    return entry.first.find('/') != std::string::npos;
  });
  EXPECT_EQ(classes, 4 * 4 + 5 * 3);
  for (const char* name :
       {"groups 0",   "groups 1",   "groups 2", "groups 3",   "values 0", "values 1",
        "values 2",   "warps 4",    "warps 8",  "warps 16",   "tiles 0",  "tiles 1",
        "parallel 1", "parallel 3", "steps 0",  "steps 1",    "steps 3",  "no positions",
        "no blocks",  "extra",      "stride 0", "all invalid"}) {
    EXPECT_GE(seen[name], 3) << name;
  }
}

TEST(Generate, SpecialsComeFirst) {
  Parameters parameters = parameters_of(BankType::f32, SnapshotForm::none, 256, Values::special);
  const Problem problem = make_problem(parameters, 1, 0);
  std::set<std::uint32_t> bits;
  for (std::size_t offset = 0; offset < problem.bank_before.size(); offset += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, problem.bank_before.data() + offset, 4);
    bits.insert(word);
  }
  for (const std::uint32_t special :
       {0U,           0x8000'0000U, 1U,           0x8000'0001U, 0x007F'FFFFU,
        0x0080'0000U, 0x3F80'0000U, 0xBF80'0000U, 0x3F80'8000U, 0x3F81'8000U,
        0x7F7F'FFFFU, 0xFF7F'FFFFU, 0x7F80'0000U, 0xFF80'0000U, 0x7FC0'0000U,
        0x7FC0'0005U, 0x7F80'0001U, 0xFF80'0001U, 0x43E0'0000U, 0x43E8'0000U}) {
    EXPECT_TRUE(bits.contains(special)) << std::hex << special;
  }
}

TEST(Generate, LargeHeadsAreMade) {
  Parameters parameters = parameters_of(BankType::f32, SnapshotForm::raw, 1 << 20, Values::special);
  parameters.slots = 2;
  parameters.num_parallel = 1;
  parameters.steps = 1;
  parameters.positions = 2;
  parameters.chunk_size = 2;
  const Problem problem = make_problem(parameters, 1, 5);
  EXPECT_EQ(problem.bank_before.size(), std::size_t{2} << 22U);
}

TEST(Generate, ParametersSurviveJson) {
  for (std::uint64_t index = 0; index < 300; index += 7) {
    const Parameters parameters = draw_parameters(8, index);
    EXPECT_EQ(from_json(to_json(parameters)), parameters);
  }
  EXPECT_EQ(from_json("{}"), Parameters{});
}

TEST(Generate, JsonThatIsNotParametersIsRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "not JSON"},
      {"[]", "not an object"},
      {R"({"head_dims": 3})", "'head_dims'"},
      {R"({"head_dim": 3.5})", "'head_dim' is 3.5"},
      {R"({"head_dim": 18446744073709551615})", "'head_dim' is 18446744073709551615"},
      {R"({"groups": "many"})", "single, mixed, whole, borders"},
      {R"({"reserved_bits": 1})", "true or false"},
      {R"({"invalid_share": "x"})", "a number"},
      {R"({"generator_version": 99})", "'generator_version' is 99"}};
  for (const auto& [text, expected] : cases) {
    try {
      from_json(text);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  }
}

TEST(Generate, ParametersOutOfRangeAreNamed) {
  struct Case {
    const char* json;
    const char* expected;
  };
  const Case cases[] = {{R"({"head_dim": 0})", "head_dim is 0"},
                        {R"({"head_dim": 1048577})", "head_dim is 1048577"},
                        {R"({"slots": 2147483648})", "slots is 2147483648"},
                        {R"({"num_parallel": 0})", "num_parallel is 0"},
                        {R"({"steps": -1})", "steps is -1"},
                        {R"({"extra_chunks": 2})", "extra_chunks is 2"},
                        {R"({"chunk_size": 257})", "chunk_size is 257"},
                        {R"({"positions": -1})", "positions is -1"},
                        {R"({"warps_per_block": 12})", "warps_per_block is 12"},
                        {R"({"blocks_per_chunk": 0})", "blocks_per_chunk is 0"},
                        {R"({"invalid_share": 1.5})", "invalid_share is 1.5"},
                        {R"({"snapshot": "bf16"})", "needs bank_type f32"},
                        {R"({"steps": 2147483647, "positions": 1073741824})", "chunks would be"},
                        {R"({"delta_v_step_rows": 1099511627776})", "would be"}};
  for (const Case& one : cases) {
    try {
      make_problem(from_json(one.json), 1, 1);
      ADD_FAILURE() << one.json;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(one.expected), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace chainwalk::generate
