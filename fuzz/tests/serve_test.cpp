// SPDX-License-Identifier: Apache-2.0
// Ranges in a worker: what is known of a case before it runs, and where a range is cut.
#include "chainwalk/fuzz/serve.h"

#include <gtest/gtest.h>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/oracle/oracle.h"
#include "chainwalk/platform/temporary_folder.h"

namespace chainwalk::fuzz {
namespace {

class Serving : public ::testing::Test {
 protected:
  // An examiner whose model counts the cases, and looks around at each.
  template <typename Look>
  Examiner looking(const Look& look) {
    conformance::Implementation implementation;
    implementation.table = adapters::find_implementation("oracle");
    return Examiner(implementation, [this, look](const Problem& problem, const Outputs& outputs) {
      look(++seen_);
      oracle::run(problem, outputs);
    });
  }

  RangeOutcome run(const Range& range, Examiner& examiner) {
    return run_range(campaign_, 1, range, weights_, examiner, &place_);
  }

  const Campaign& campaign_ = find_campaign("walk");
  const Weights weights_ = make_weights(1, 0, campaign_.allowed, {});
  const platform::TemporaryFolder folder_{"chainwalk-serve"};
  PlaceFile place_{folder_.path() / "place"};
  int seen_ = 0;
};

TEST_F(Serving, ARangeIsCutBehindTheCaseAtWhichItIsAskedToStop) {
  Examiner examiner = looking([this](int seen) { place_.want_stop(seen == 5); });
  const RangeOutcome outcome = run({0, 100, 16}, examiner);
  EXPECT_EQ(outcome.cases, 5);
  EXPECT_EQ(outcome.coverage.cases(), 5);
  EXPECT_EQ(place_.index(), 104);
  place_.want_stop(false);
  EXPECT_EQ(run({0, 105, 11}, examiner).cases, 11);
}

TEST_F(Serving, WhatIsKnownOfACaseIsThereWhenItRuns) {
  const PlaceFile other(folder_.path() /
                        "place");  // as the process that started the worker sees it
  EXPECT_FALSE(other.known());
  Examiner examiner = looking([&](int seen) {
    const FuzzCase made = make_case(campaign_, 1, {0, 6 + seen}, weights_);
    ASSERT_TRUE(other.known());
    EXPECT_EQ(other.known()->features, features_of(made));
    EXPECT_EQ(other.known()->fingerprint, fingerprint(made));
  });
  EXPECT_EQ(run({0, 7, 12}, examiner).cases, 12);
  EXPECT_EQ(seen_, 12);
  // A case that has not been drawn yet is not known, whatever was known of the one before.
  place_.begin(19);
  EXPECT_FALSE(other.known());
  place_.reset();
  EXPECT_FALSE(other.known());
}

}  // namespace
}  // namespace chainwalk::fuzz
