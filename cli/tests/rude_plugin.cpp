// SPDX-License-Identifier: Apache-2.0
// The reference as a shared object with bad manners towards its host: option rude=HOW.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "chainwalk/adapters/adapters.h"

namespace {

const cw_implementation& inner() { return *chainwalk::adapters::reference_implementation(); }

std::string rude;

[[noreturn]] void hang() {
  for (;;) ::pause();
}

// Before any function of the interface is called.
__attribute__((constructor)) void on_load() {
  const char* how = std::getenv("RUDE_ON_LOAD");
  if (how == nullptr) return;
  if (std::strcmp(how, "exit") == 0) ::_exit(0);
  if (std::strcmp(how, "crash") == 0) std::raise(SIGSEGV);
  if (std::strcmp(how, "hang") == 0) hang();
}

cw_result open(const char* const* options, std::int32_t count, cw_session** session) {
  std::vector<const char*> others;
  for (std::int32_t index = 0; index < count; ++index) {
    if (std::strncmp(options[index], "rude=", 5) == 0) {
      rude = options[index] + 5;
    } else {
      others.push_back(options[index]);
    }
  }
  if (rude == "exits-in-open") std::exit(0);
  if (rude == "crashes-in-open") std::raise(SIGSEGV);
  if (rude == "hangs-in-open") hang();
  if (rude == "throws-in-open") throw 7;
  if (rude == "prints") std::puts("opened");
  return inner().open(others.data(), static_cast<std::int32_t>(others.size()), session);
}

// 64 MiB a step, touched and never given back.
void hoard() {
  constexpr std::size_t bytes = std::size_t{64} << 20U;
  static std::vector<char*> kept;
  kept.push_back(new char[bytes]);
  std::memset(kept.back(), 1, bytes);
}

// A child that outlives the step, with every descriptor of the worker.
void leave_child() {
  if (::fork() != 0) return;
  ::usleep(200'000);
  ::_exit(0);
}

cw_result step(cw_session* session, cw_plan* plan, std::int64_t step) {
  if (rude == "prints") {
    std::puts("{\"case\": \"not a result\"}");
    std::fflush(stdout);
    std::fputs("step\n", stderr);
  }
  if (rude == "answers") (void)!::write(3, "{\"case\": \"REC/plain-bf16/0\"}\n", 29);
  if (rude == "forks") leave_child();
  if (rude == "closes-everything") {
    for (int descriptor = 0; descriptor < 64; ++descriptor) ::close(descriptor);
  }
  if (rude == "changes-folder") (void)!::chdir("/");
  if (rude == "ignores-signals") std::signal(SIGTERM, SIG_IGN);
  if (rude == "throws-number") throw 7;
  if (rude == "exits") std::exit(0);
  if (rude == "hoards") hoard();
  return inner().step(session, plan, step);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const cw_implementation* chainwalk_implementation(
    std::uint32_t) {
  static const cw_implementation table = [] {
    cw_implementation made = inner();
    made.name = "rude";
    made.description = "the reference with bad manners";
    made.open = open;
    made.step = step;
    return made;
  }();
  return &table;
}
