// SPDX-License-Identifier: Apache-2.0
// The functions of the C interface for a machine that runs plans of the kernels' family (PLN, LCH).
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <string>

#include "dense_rows.h"
#include "plan_request.h"
#include "session.h"

namespace chainwalk::adapters {

// Machine: constructed from the options (an exception names a bad one); then
//   const SessionWish& wish(); plan::DeviceClass device_class();
//   using Bound; bind(plan, request, stream, std::unique_ptr<Bound>*) -> Report
//   step(Bound&, step) -> Report; synchronize() -> Report
//   release(Bound&): the plan's buffers may go when it returns
//   is_lost(const std::exception&): the device is lost to this process
// and name, version, description, memory as static members.
template <typename Machine>
class PlannedImplementation {
 public:
  static const cw_implementation table;

 private:
  struct Session {
    explicit Session(std::span<const char* const> options) : machine(options) {}
    Machine machine;
    std::string text;
  };
  struct Planned {
    plan::Plan plan;
    std::unique_ptr<typename Machine::Bound> bound;
  };

  static Session& of(cw_session* session) { return *reinterpret_cast<Session*>(session); }
  static cw_result ok() { return {CW_OK, CW_REFUSAL_NONE, ""}; }
  static cw_result say(cw_session* session, Report report) {
    if (report.status == CW_OK) return ok();
    of(session).text = std::move(report.text);
    return {report.status, report.refusal, of(session).text.c_str()};
  }

  // No exception may leave through a C function.
  template <typename Body>
  static cw_result guarded(cw_session* session, const Body& body) {
    try {
      return say(session, body());
    } catch (const std::exception& error) {
      const bool lost = of(session).machine.is_lost(error);
      return say(session, {lost ? CW_ERROR_STICKY : CW_ERROR, CW_REFUSAL_NONE, error.what()});
    }
  }

  static cw_result open(const char* const* options, std::int32_t option_count,
                        cw_session** session) {
    return open_session<Session>(options, option_count, session);
  }

  static Report refused(const plan::Refusal& refusal) {
    return {CW_REFUSED, refusal_of(refusal.check), refusal.message};
  }

  // Plans; `made` holds the plan where the report is CW_OK. The rows of a dense-row walk are the
  // session's own: `rows` says what they need.
  static Report make(cw_session* session, const cw_request* request, plan::Request* planned,
                     plan::Plan* made) {
    if (auto report = unreadable(*request)) return std::move(*report);
    *planned = plan_request(*request, of(session).machine.wish());
    describe_dense_rows(*planned);
    const auto result = plan::make_plan(*planned, of(session).machine.device_class());
    if (const auto* refusal = std::get_if<plan::Refusal>(&result)) return refused(*refusal);
    *made = std::get<plan::Plan>(result);
    return {};
  }

  static cw_result supports(cw_session* session, const cw_request* request) {
    return guarded(session, [&] {
      plan::Request planned;
      plan::Plan made;
      return make(session, request, &planned, &made);
    });
  }

  static cw_result plan(cw_session* session, const cw_request* request, cw_plan** plan) {
    *plan = nullptr;
    return guarded(session, [&]() -> Report {
      plan::Request planned;
      auto result = std::make_unique<Planned>();
      Report report = make(session, request, &planned, &result->plan);
      if (report.status != CW_OK) return report;
      report = of(session).machine.bind(result->plan, planned, request->stream, &result->bound);
      if (report.status == CW_OK) *plan = reinterpret_cast<cw_plan*>(result.release());
      return report;
    });
  }

  static std::int64_t greatest_step(cw_session*, const cw_plan* plan) {
    return reinterpret_cast<const Planned*>(plan)->plan.greatest_step;
  }

  static cw_result step(cw_session* session, cw_plan* plan, std::int64_t step) {
    return guarded(session, [&]() -> Report {
      Planned& planned = *reinterpret_cast<Planned*>(plan);
      if (const auto refusal = plan::check_step(planned.plan, step, 0)) return refused(*refusal);
      return planned.plan.empty ? Report{} : of(session).machine.step(*planned.bound, step);
    });
  }

  static cw_result synchronize(cw_session* session) {
    return guarded(session, [&] { return of(session).machine.synchronize(); });
  }

  static void release(cw_session* session, cw_plan* plan) {
    if (plan == nullptr) return;
    std::unique_ptr<Planned> planned(reinterpret_cast<Planned*>(plan));
    (void)guarded(session, [&]() -> Report {
      of(session).machine.release(*planned->bound);
      return {};
    });
  }

  static void close(cw_session* session) { delete reinterpret_cast<Session*>(session); }
};

template <typename Machine>
const cw_implementation PlannedImplementation<Machine>::table{sizeof(cw_implementation),
                                                              CW_INTERFACE_VERSION,
                                                              Machine::name,
                                                              Machine::version,
                                                              Machine::description,
                                                              Machine::memory,
                                                              &open,
                                                              &supports,
                                                              &plan,
                                                              &greatest_step,
                                                              &step,
                                                              &synchronize,
                                                              &release,
                                                              &close};

}  // namespace chainwalk::adapters
