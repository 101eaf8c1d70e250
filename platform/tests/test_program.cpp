// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "chainwalk/platform/program.h"

namespace chainwalk::platform {
namespace {

TEST(Program, KeepsOutputAndExitStatus) {
  const FinishedProgram finished = run_program({"sh", "-c", "printf one; printf two >&2; exit 7"});
  EXPECT_EQ(finished.status, 7);
  EXPECT_EQ(finished.output, "one");
}

TEST(Program, OneThatIsNotThereOrDiesHasNoStatus) {
  EXPECT_EQ(run_program({"/nonexistent/program"}).status, -1);
  EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"}).status, -1);
}

}  // namespace
}  // namespace chainwalk::platform
