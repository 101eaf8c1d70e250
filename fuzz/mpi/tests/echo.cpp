// SPDX-License-Identifier: Apache-2.0
// Ranks that send messages of many lengths and get them back, while one dies in the middle of a
// message. Usage, under mpirun: echo MODULE [RANK_THAT_DIES]; rank 0 prints "echoed N".
#include <dlfcn.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "chainwalk/fuzz/transport.h"

namespace {

using chainwalk::fuzz::Message;
using chainwalk::fuzz::Transport;
using namespace std::chrono_literals;

// Around the length of a piece and its multiples, and one of many pieces.
constexpr std::size_t lengths[] = {0, 1, 3067, 3068, 3069, 6140, 6141, 500000};

// Unlike at every place and for every rank and length.
std::string text_of(int rank, std::size_t length) {
  std::string text(length, '\0');
  for (std::size_t at = 0; at < length; ++at)
    text[at] = static_cast<char>(static_cast<std::size_t>(rank) * 31 + at * 7 + at / 251 + length);
  return text;
}

Message next(Transport& transport) {
  for (;;) {
    if (auto message = transport.receive()) return *message;
    std::this_thread::sleep_for(1ms);
  }
}

[[noreturn]] void fail(const char* what) {
  std::printf("failed: %s\n", what);
  std::fflush(stdout);
  std::_Exit(1);
}

// Echoes until every rank that lives has said goodbye: a message of one letter.
void serve(Transport& transport, int dying) {
  std::set<int> left;
  for (int rank = 1; rank < transport.size(); ++rank) {
    if (rank != dying) left.insert(rank);
  }
  std::size_t echoed = 0;
  while (!left.empty()) {
    const Message message = next(transport);
    if (message.text == "goodbye") {
      left.erase(message.from);
      continue;
    }
    ++echoed;
    transport.send(message.from, message.text);
  }
  for (int rank = 1; rank < transport.size(); ++rank) transport.send(rank, "leave");
  std::printf("echoed %zu\n", echoed);
  std::fflush(stdout);
}

void talk(Transport& transport, bool dies) {
  const int rank = transport.rank();
  for (const std::size_t length : lengths) transport.send(0, text_of(rank, length));
  for (const std::size_t length : lengths) {
    const Message message = next(transport);
    if (message.from != 0 || message.text != text_of(rank, length)) fail("another text came back");
  }
  if (dies) {
    // Most of a message has gone out by now, and rank 0 goes on echoing to nobody.
    transport.send(0, text_of(rank, 500000));
    ::raise(SIGKILL);
  }
  transport.send(0, "goodbye");
  if (next(transport).text != "leave") fail("no leave");
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  void* library = ::dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) fail(::dlerror());
  using Open = Transport* (*)();
  const std::unique_ptr<Transport> transport(
      reinterpret_cast<Open>(::dlsym(library, "chainwalk_open_transport"))());
  const int dying = count > 2 ? std::atoi(arguments[2]) : -1;
  if (transport->rank() == 0) {
    serve(*transport, dying);
  } else {
    talk(*transport, transport->rank() == dying);
  }
  transport->leave(dying < 0);
  return 0;
}
