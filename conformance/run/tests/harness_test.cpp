// SPDX-License-Identifier: Apache-2.0
// What a harness keeps apart: the implementation's time and floating-point modes, and the suite's.
#include "chainwalk/conformance/harness.h"

#include <gtest/gtest.h>

#include <string>

#include "chainwalk/generate/generate.h"

namespace chainwalk::conformance {
namespace {

bool flushes_subnormals() {
  volatile float tiny = 0x1p-140F;
  return tiny * 2.0F == 0.0F;
}

void flush_subnormals() {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040U);
#elif defined(__aarch64__)
  __builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | (1U << 24U));
#endif
}

cw_result ok() { return {CW_OK, CW_REFUSAL_NONE, ""}; }

bool flushed_at_step = false;

// As a library built with fast-math: from open() on it flushes subnormals.
Implementation flushing() {
  static char place;
  static cw_implementation table{sizeof(cw_implementation),
                                 CW_INTERFACE_VERSION,
                                 "flushing",
                                 "1",
                                 "flushes subnormals",
                                 CW_MEMORY_HOST,
                                 [](const char* const*, std::int32_t, cw_session** session) {
                                   flush_subnormals();
                                   *session = reinterpret_cast<cw_session*>(&place);
                                   return ok();
                                 },
                                 [](cw_session*, const cw_request*) { return ok(); },
                                 [](cw_session*, const cw_request*, cw_plan** plan) {
                                   *plan = reinterpret_cast<cw_plan*>(&place);
                                   return ok();
                                 },
                                 [](cw_session*, const cw_plan*) { return std::int64_t{0}; },
                                 [](cw_session*, cw_plan*, std::int64_t) {
                                   flushed_at_step = flushes_subnormals();
                                   return ok();
                                 },
                                 [](cw_session*) { return ok(); },
                                 [](cw_session*, cw_plan*) {},
                                 [](cw_session*) {}};
  Implementation implementation;
  implementation.table = &table;
  implementation.memory = host_memory();
  return implementation;
}

TEST(Harness, FloatingPointModesOfTheImplementationStayItsOwn) {
  flush_subnormals();
  const bool can_flush = flushes_subnormals();
  ASSERT_EQ(std::fesetenv(FE_DFL_ENV), 0);
  if (!can_flush) GTEST_SKIP() << "this processor does not flush subnormals";
  ASSERT_FALSE(flushes_subnormals());
  Harness harness(flushing());
  EXPECT_FALSE(flushes_subnormals()) << "after open()";
  const Problem problem = generate::make_problem({}, 1, 0);
  (void)harness.run(problem);
  EXPECT_TRUE(flushed_at_step);
  EXPECT_FALSE(flushes_subnormals()) << "after run()";
}

TEST(Harness, WatchingSeesTheImplementationComeAndGo) {
  Harness harness(flushing());
  std::string seen;
  harness.watch([&](bool inside) { seen += inside ? '(' : ')'; });
  const Problem problem = generate::make_problem({}, 1, 0);
  (void)harness.unsupported(problem);
  (void)harness.run(problem);
  (void)harness.plan_only(harness.request_for(problem));
  EXPECT_EQ(seen, "()()()");
}

}  // namespace
}  // namespace chainwalk::conformance
