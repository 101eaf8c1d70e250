// SPDX-License-Identifier: Apache-2.0
// The functions of the C interface for an implementation that works on host memory, step by step
// and synchronously (PLN, LCH-1).
#pragma once

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bind_request.h"
#include "chainwalk/implementation.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/validate.h"
#include "session.h"

namespace chainwalk::adapters {

// Backend: constructed from the options (InputError for one that it does not know), then
// run_step(problem, step, outputs). Its name, version and description are static.
template <typename Backend>
class HostImplementation {
 public:
  static const cw_implementation table;

 private:
  struct Session {
    explicit Session(std::span<const char* const> options) : backend(options) {}
    Backend backend;
    std::string text;
  };

  static Session& of(cw_session* session) { return *reinterpret_cast<Session*>(session); }
  static Bound& of(cw_plan* plan) { return *reinterpret_cast<Bound*>(plan); }

  static cw_result say(cw_session* session, Report report) {
    of(session).text = std::move(report.text);
    return {report.status, report.refusal, of(session).text.c_str()};
  }
  static cw_result ok() { return {CW_OK, CW_REFUSAL_NONE, ""}; }

  // No exception may leave through a C function.
  template <typename Body>
  static cw_result guarded(cw_session* session, const Body& body) {
    try {
      return body();
    } catch (const std::exception& error) {
      return say(session, {CW_ERROR, CW_REFUSAL_NONE, error.what()});
    }
  }

  static cw_result open(const char* const* options, std::int32_t option_count,
                        cw_session** session) {
    return open_session<Session>(options, option_count, session);
  }

  static cw_result supports(cw_session* session, const cw_request* request) {
    return guarded(session, [&] {
      if (auto report = unreadable(*request)) return say(session, std::move(*report));
      if (const auto refusal = check_request(*request)) {
        return say(session, {CW_REFUSED, refusal->code, refusal->text});
      }
      return ok();
    });
  }

  static cw_result plan(cw_session* session, const cw_request* request, cw_plan** plan) {
    *plan = nullptr;
    const cw_result checked = supports(session, request);
    if (checked.status != CW_OK) return checked;
    return guarded(session, [&] {
      auto bound = std::make_unique<Bound>(bind_request(*request));
      // Where no step can run, only the sizes matter (PLN-9). Flags that are not well-formed are
      // walked as REC-6 says.
      if (bound->greatest_step >= 0) {
        require_valid(bound->problem,
                      {.quantizes_as_cluster = false, .accepts_ill_formed_flags = true});
      }
      *plan = reinterpret_cast<cw_plan*>(bound.release());
      return ok();
    });
  }

  static std::int64_t greatest_step(cw_session*, const cw_plan* plan) {
    return reinterpret_cast<const Bound*>(plan)->greatest_step;
  }

  static cw_result step(cw_session* session, cw_plan* plan, std::int64_t step) {
    return guarded(session, [&] {
      const Bound& bound = of(plan);
      if (step < 0 || step > bound.greatest_step) {
        return say(session,
                   {CW_REFUSED, CW_LCH1_STEP,
                    fmt::format("LCH-1: step is {}; 0..{} is needed", step, bound.greatest_step)});
      }
      const ProblemShape& shape = bound.problem.shape;
      if (shape.num_parallel == 0 || shape.blocks_per_chunk == 0 || shape.slots == 0) return ok();
      of(session).backend.run_step(bound.problem, step, bound.outputs);
      return ok();
    });
  }

  static cw_result synchronize(cw_session*) { return ok(); }
  static void release(cw_session*, cw_plan* plan) { delete reinterpret_cast<Bound*>(plan); }
  static void close(cw_session* session) { delete reinterpret_cast<Session*>(session); }
};

template <typename Backend>
const cw_implementation HostImplementation<Backend>::table{sizeof(cw_implementation),
                                                           CW_INTERFACE_VERSION,
                                                           Backend::name,
                                                           Backend::version,
                                                           Backend::description,
                                                           CW_MEMORY_HOST,
                                                           &open,
                                                           &supports,
                                                           &plan,
                                                           &greatest_step,
                                                           &step,
                                                           &synchronize,
                                                           &release,
                                                           &close};

// Splits "key=value"; InputError where there is no '='.
inline std::pair<std::string_view, std::string_view> split_option(std::string_view option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string_view::npos) {
    throw InputError({"", std::nullopt, std::nullopt,
                      fmt::format("option '{}' is not of the form key=value", option)});
  }
  return {option.substr(0, equals), option.substr(equals + 1)};
}

[[noreturn]] inline void refuse_option(std::string_view option, std::string_view known) {
  throw InputError({"", std::nullopt, std::nullopt,
                    fmt::format("option '{}' is not known; the options are: {}", option, known)});
}

}  // namespace chainwalk::adapters
