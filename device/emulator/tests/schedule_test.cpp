// SPDX-License-Identifier: Apache-2.0
// Schedules: their text, replays, and independence of OS threads.
#include <set>
#include <stdexcept>

#include "bench.h"

namespace chainwalk::emulator::tests {
namespace {

TEST(ScheduleText, GoesThereAndBack) {
  for (const char* text :
       {"round-robin", "random:seed=0", "random:seed=18446744073709551615", "pct:seed=7:points=0",
        "pct:seed=7:points=12", "replay:", "replay:0.0:1,2,*7,3", "replay:0.-1:2,1;3.1:5"}) {
    EXPECT_EQ(to_string(parse_schedule(text)), text);
  }
  EXPECT_EQ(to_string(parse_schedule("17")), "random:seed=17");
}

TEST(ScheduleText, NamesTheBadPart) {
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"", "''"},
           {"rando", "rando"},
           {"random:seed=x", "'x'"},
           {"random:seed=-1", "-1"},
           {"random:sed=1", "sed"},
           {"random:points=1", "points"},
           {"pct:seed=1:points=-2", "-2"},
           {"random:seed=18446744073709551616", "18446744073709551616"},
           {"replay:1", "'1'"},
           {"replay:1.0:2;1.0:3", "1.0"},
           {"replay:1.0:2,x", "'x'"},
           {"replay:1.0:*999999999", "choices"},
           {"replay:a.0:2", "'a'"}}) {
    try {
      parse_schedule(text);
      ADD_FAILURE() << "parsed: " << text;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

// Runs whose outcome depends on the schedule: a fault that a plain run shows in its output.
Micro racy(bool checked) {
  return {.name = "block_reuse",
          .fault = 1,
          .blocks = 8,
          .threads = 128,
          .checked = checked,
          .record = true};
}

TEST(Schedule, SameSeedSameRunOnAnyNumberOfThreads) {
  std::set<std::vector<std::uint32_t>> outcomes;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    for (const Schedule& schedule : {random_schedule(seed), pct_schedule(seed)}) {
      Micro micro = racy(false);
      micro.schedule = schedule;
      micro.os_threads = 1;
      const MicroResult alone = run_micro(micro);
      micro.os_threads = 3;
      const MicroResult together = run_micro(micro);
      EXPECT_EQ(alone.out, together.out);
      EXPECT_EQ(alone.choices, together.choices);
      outcomes.insert(alone.out);
    }
  }
  EXPECT_GT(outcomes.size(), 5U) << "schedules that all do the same find nothing";
}

TEST(Schedule, SameFindingsOnAnyNumberOfThreads) {
  for (const char* name : {"block_reuse", "global_words"}) {
    for (int fault = 6; fault <= 7; ++fault) {
      Micro micro{.name = name, .fault = 1, .number = fault, .blocks = 64, .checked = true};
      micro.os_threads = 1;
      const MicroResult alone = run_micro(micro);
      micro.os_threads = 3;
      const MicroResult together = run_micro(micro);
      ASSERT_FALSE(alone.clean());
      ASSERT_EQ(alone.findings.size(), together.findings.size());
      for (std::size_t index = 0; index < alone.findings.size(); ++index) {
        EXPECT_EQ(alone.findings[index].message, together.findings[index].message);
      }
    }
  }
}

TEST(Schedule, RecordedChoicesReplayTheRun) {
  for (const bool checked : {false, true}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      for (const Schedule& schedule : {random_schedule(seed), pct_schedule(seed)}) {
        for (Micro micro :
             {racy(checked), Micro{.name = "bulk_reuse", .checked = checked, .record = true},
              Micro{.name = "dependent_double",
              .blocks = 4,
              .checked = checked,
              .dependent = true,
              .launches = 3,
              .record = true}}) {
          micro.schedule = schedule;
          const MicroResult first = run_micro(micro);
          micro.schedule = parse_schedule("replay:" + format_choices(first.choices));
          const MicroResult again = run_micro(micro);
          EXPECT_EQ(first.out, again.out);
          EXPECT_EQ(first.kind(), again.kind());
          EXPECT_EQ(format_choices(first.choices), format_choices(again.choices));
        }
      }
    }
  }
}

}  // namespace
}  // namespace chainwalk::emulator::tests
