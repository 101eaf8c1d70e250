// SPDX-License-Identifier: Apache-2.0
// Long texts through a pipe arrive whole, whatever interrupts; a descriptor that refuses says so.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

#include "chainwalk/platform/write_all.h"

namespace chainwalk::platform {
namespace {

// A signal ends a write that waits: short after a part, or with EINTR before any.
TEST(WriteAll, SignalsCutNothingOff) {
  struct sigaction quiet {};
  quiet.sa_handler = [](int) {};
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGUSR1, &quiet, &before), 0);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += static_cast<char>('a' + i % 26);
  bool written = false;
  std::thread writer([&] {
    written = write_all(ends[1], text);
    ::close(ends[1]);
  });
  std::string read;
  std::array<char, 4096> block{};
  // The pipe is full long before the last of these, so that some meet a write that waits.
  for (int turn = 0; turn < 20; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ::pthread_kill(writer.native_handle(), SIGUSR1);
  }
  for (ssize_t count = 0; (count = ::read(ends[0], block.data(), block.size())) > 0;) {
    read.append(block.data(), static_cast<std::size_t>(count));
  }
  writer.join();
  ::close(ends[0]);
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_TRUE(written);
  EXPECT_EQ(read, text);
}

TEST(WriteAll, ADescriptorThatRefusesLeavesItsReason) {
  EXPECT_FALSE(write_all(-1, "text"));
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace chainwalk::platform
