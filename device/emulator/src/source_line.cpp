// SPDX-License-Identifier: Apache-2.0
// Source lines through libbacktrace, which comes with gcc.
#include "src/source_line.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>

#ifdef CHAINWALK_LIBBACKTRACE
// The few declarations of libbacktrace's interface that are needed; its header lies in a folder of
// the compiler that other compilers must not search.
extern "C" {
struct backtrace_state;
using BacktraceError = void (*)(void* data, const char* message, int error);
using BacktraceFull = int (*)(void* data, std::uintptr_t pc, const char* file, int line,
                              const char* function);
backtrace_state* backtrace_create_state(const char* file, int threaded, BacktraceError error,
                                        void* data);
int backtrace_pcinfo(backtrace_state* state, std::uintptr_t pc, BacktraceFull full,
                     BacktraceError error, void* data);
}
#endif

namespace chainwalk::emulator {
namespace {

#ifdef CHAINWALK_LIBBACKTRACE
int take_frame(void* data, std::uintptr_t, const char* file, int line, const char*) {
  if (file == nullptr) return 0;
  const std::string_view path = file;
  const bool own = path.find("/primitives/") != std::string_view::npos ||
                   path.find("/machine/") != std::string_view::npos;
  auto& text = *static_cast<std::string*>(data);
  text = std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(line);
  return own ? 0 : 1;  // frames come from the innermost outwards
}
void ignore_error(void*, const char*, int) {}

std::string look_up(const void* return_address) {
  static backtrace_state* const state = backtrace_create_state(nullptr, 1, ignore_error, nullptr);
  std::string text;
  if (state != nullptr) {
    backtrace_pcinfo(state, reinterpret_cast<std::uintptr_t>(return_address) - 1, take_frame,
                     ignore_error, &text);
  }
  return text;
}
#else
std::string look_up(const void*) { return {}; }
#endif

}  // namespace

std::string source_line(const void* return_address) {
  static std::mutex mutex;
  static std::map<const void*, std::string> known;
  const std::lock_guard lock(mutex);
  const auto [place, fresh] = known.try_emplace(return_address);
  if (fresh) place->second = look_up(return_address);
  return place->second;
}

}  // namespace chainwalk::emulator
