// SPDX-License-Identifier: Apache-2.0
// Every refusal of PLN-1 to PLN-7, QNT-9 and GEO-8: its code, its message, its place in the order.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "family_plan.h"
#include "spoils.h"

namespace chainwalk::plan {
namespace {

using samples::good_request;

std::vector<Spoil> all_spoils() {
  std::vector<Spoil> all;
  for (const auto& part :
       {class_spoils(), layout_spoils(), form_spoils(), size_spoils(), device_spoils()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

DeviceClass device_of(const std::string& name) {
  return name == "cc 12.1" ? unknown_class(121, 48) : *find_device(name);
}

std::variant<Plan, Refusal> planned(const Request& request, const std::string& device) {
  return make_plan_of(samples::family, request, device_of(device));
}

TEST(Refusals, GoodRequestsPlan) {
  for (const SnapshotForm form : {none, raw, fp8}) {
    const auto made = planned(good_request(form), "h100");
    ASSERT_TRUE(std::holds_alternative<Plan>(made)) << std::get<Refusal>(made).message;
  }
}

TEST(Refusals, EveryCheckHasItsCodeAndMessage) {
  std::set<Check> seen;
  for (const Spoil& spoil : all_spoils()) {
    SCOPED_TRACE(std::string(to_string(spoil.check)) + " by " + spoil.field);
    Request request = good_request(spoil.form);
    spoil.apply(request);
    const auto made = planned(request, spoil.device);
    ASSERT_TRUE(std::holds_alternative<Refusal>(made));
    const Refusal& refusal = std::get<Refusal>(made);
    EXPECT_EQ(refusal.check, spoil.check) << to_string(refusal.check) << ": " << refusal.message;
    EXPECT_EQ(refusal.message.rfind(rule_of(spoil.check) + ": ", 0), 0U) << refusal.message;
    for (const std::string& word : spoil.words) {
      EXPECT_NE(refusal.message.find(word), std::string::npos)
          << "'" << word << "' is not in: " << refusal.message;
    }
    seen.insert(spoil.check);
  }
  for (const Check check : all_checks()) {
    if (static_cast<int>(check) < 1000 || static_cast<int>(check) >= 1300) {
      EXPECT_TRUE(seen.contains(check)) << "no request triggers " << to_string(check);
    }
  }
}

// Replaces the whole request, so that nothing spoilt before it survives.
bool replaces(const Spoil& spoil) {
  Request marked = good_request(spoil.form);
  marked.delta_v_step_rows = 7;
  spoil.apply(marked);
  return marked.delta_v_step_rows == 32;
}

TEST(Refusals, OfTwoFaultsTheEarlierCheckIsReported) {
  const auto spoils = all_spoils();
  int pairs = 0;
  for (const Spoil& early : spoils) {
    for (const Spoil& late : spoils) {
      const bool together = early.check < late.check && early.form == late.form &&
                            early.field != late.field && early.device == late.device &&
                            !replaces(early) && !replaces(late);
      // A forced kernel or wish of one may make the other a different fault.
      const auto forces = [](const Spoil& spoil) {
        Request request = good_request(spoil.form);
        spoil.apply(request);
        const GeometryWish& wish = request.wish;
        return wish.kernel || wish.quantizing || wish.source || wish.offset_bits;
      };
      if (!together || (forces(early) && forces(late))) {
        continue;
      }
      Request request = good_request(early.form);
      late.apply(request);
      early.apply(request);
      const auto made = planned(request, early.device);
      ASSERT_TRUE(std::holds_alternative<Refusal>(made))
          << to_string(early.check) << " by " << early.field << " with " << to_string(late.check);
      EXPECT_EQ(std::get<Refusal>(made).check, early.check)
          << to_string(early.check) << " by " << early.field << " with " << to_string(late.check)
          << " by " << late.field << ": " << std::get<Refusal>(made).message;
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 400);
}

}  // namespace
}  // namespace chainwalk::plan
