// SPDX-License-Identifier: Apache-2.0
// A shared object that carries out the walk by the reference and misbehaves in one named way, for
// the suite's own test. Options: fault=ID of misdeeds.def; only=f32 keeps to the rules on bf16
// banks; others go to the reference.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "chainwalk/adapters/adapters.h"

namespace {

const cw_implementation& inner() { return *chainwalk::adapters::reference_implementation(); }

constexpr const char* known_faults[] = {
#define CW_MISDEED(id, description, rule, verdict) id,
#include "chainwalk/conformance/misdeeds.def"
#undef CW_MISDEED
};

bool is_known(const std::string& fault) {
  return std::find(std::begin(known_faults), std::end(known_faults), fault) !=
         std::end(known_faults);
}

struct Session {
  cw_session* inner = nullptr;
  std::string fault;
  bool only_f32 = false;
  std::int64_t launches = 0;
};

struct Plan {
  cw_plan* inner = nullptr;
  cw_request request{};
};

Session& of(cw_session* session) { return *reinterpret_cast<Session*>(session); }
Plan& of(cw_plan* plan) { return *reinterpret_cast<Plan*>(plan); }

std::int64_t bytes_of(const cw_tensor& tensor, std::int64_t element) {
  std::int64_t bytes = element;
  for (std::int32_t dimension = 0; dimension < tensor.rank; ++dimension)
    bytes *= tensor.shape[dimension];
  return bytes;
}

std::int64_t bank_bytes(const cw_request& request) {
  return bytes_of(request.bank, request.bank.type == CW_BF16 ? 2 : 4);
}

cw_result open(const char* const* options, std::int32_t count, cw_session** session) {
  *session = nullptr;
  auto* opened = new Session;
  std::vector<const char*> others;
  for (std::int32_t index = 0; index < count; ++index) {
    if (std::strncmp(options[index], "fault=", 6) == 0) {
      opened->fault = options[index] + 6;
    } else if (std::strcmp(options[index], "only=f32") == 0) {
      opened->only_f32 = true;
    } else {
      others.push_back(options[index]);
    }
  }
  if (!opened->fault.empty() && !is_known(opened->fault)) {
    delete opened;
    return {CW_ERROR, CW_REFUSAL_NONE, "fault= names no misdeed of misdeeds.def"};
  }
  const cw_result result =
      inner().open(others.data(), static_cast<std::int32_t>(others.size()), &opened->inner);
  *session = result.status == CW_OK ? reinterpret_cast<cw_session*>(opened) : nullptr;
  if (result.status != CW_OK) delete opened;
  return result;
}

cw_result supports(cw_session* session, const cw_request* request) {
  if (of(session).fault == "refuses-everything")
    return {CW_REFUSED, CW_GEO8_FORM, "this device is not supported"};
  if (of(session).fault == "small-only" && request->bank.shape[1] > 64) {
    return {CW_REFUSED, CW_GEO8_FORM, "heads over 64 columns are not supported"};
  }
  return inner().supports(of(session).inner, request);
}

cw_result plan(cw_session* session, const cw_request* request, cw_plan** plan) {
  *plan = nullptr;
  if (of(session).fault == "refuses-everything" || of(session).fault == "small-only") {
    const cw_result supported = supports(session, request);
    if (supported.status != CW_OK) return supported;
  }
  auto* made = new Plan;
  made->request = *request;
  cw_result result = inner().plan(of(session).inner, request, &made->inner);
  if (of(session).fault == "plans-anything") result = {CW_OK, CW_REFUSAL_NONE, ""};
  if (result.status == CW_OK) {
    *plan = reinterpret_cast<cw_plan*>(made);
  } else {
    delete made;
  }
  return result;
}

std::int64_t greatest_step(cw_session* session, const cw_plan* plan) {
  const auto* made = reinterpret_cast<const Plan*>(plan);
  return made->inner == nullptr ? 0 : inner().greatest_step(of(session).inner, made->inner);
}

// Faults before the launch; true when the launch must not happen.
bool misbehave_before(const std::string& fault) {
  if (fault == "crash") std::raise(SIGSEGV);
  if (fault == "abort") std::abort();
  if (fault == "exit") ::_exit(0);
  if (fault == "hang") {
    for (;;) ::pause();
  }
  if (fault == "out-of-memory") throw std::bad_alloc();
  return fault == "writes-nothing";
}

// Adds, rather than flips a bit: two steps must not undo each other.
void spoil(unsigned char& byte) { byte = static_cast<unsigned char>(byte + 1U); }

void misbehave_after(const std::string& fault, const cw_request& request, std::int64_t launches) {
  auto* bank = static_cast<unsigned char*>(request.bank.data);
  if (fault == "leaks-after" && bank != nullptr) spoil(bank[bank_bytes(request) + 3]);
  if (fault == "leaks-before" && bank != nullptr) spoil(bank[-5]);
  if (fault == "writes-input" && request.delta_v.data != nullptr)
    spoil(static_cast<unsigned char*>(request.delta_v.data)[0]);
  if (fault == "writes-records" && bytes_of(request.records, 4) > 0)
    spoil(static_cast<unsigned char*>(request.records.data)[0]);
  if (fault == "flaky" && launches % 1000 == 999 && bank_bytes(request) > 0) bank[0] ^= 1U;
  if (fault == "often-flaky" && launches % 7 == 3 && bank_bytes(request) > 0) bank[0] ^= 1U;
}

cw_result step(cw_session* session, cw_plan* plan, std::int64_t step) {
  Session& opened = of(session);
  if (of(plan).inner == nullptr) return {CW_OK, CW_REFUSAL_NONE, ""};
  if (opened.only_f32 && of(plan).request.bank.type != CW_F32)
    return inner().step(opened.inner, of(plan).inner, step);
  if (opened.fault == "errors") return {CW_ERROR, CW_REFUSAL_NONE, "unspecified launch failure"};
  if (opened.fault == "sticky")
    return {CW_ERROR_STICKY, CW_REFUSAL_NONE, "an illegal memory access was encountered"};
  if (opened.fault == "runs-any-step" && step > greatest_step(session, plan))
    return {CW_OK, CW_REFUSAL_NONE, ""};
  if (misbehave_before(opened.fault)) return {CW_OK, CW_REFUSAL_NONE, ""};
  const cw_result result = inner().step(opened.inner, of(plan).inner, step);
  misbehave_after(opened.fault, of(plan).request, opened.launches++);
  return result;
}

cw_result synchronize(cw_session* session) { return inner().synchronize(of(session).inner); }

void release(cw_session* session, cw_plan* plan) {
  if (plan == nullptr) return;
  inner().release(of(session).inner, of(plan).inner);
  delete &of(plan);
}

void close(cw_session* session) {
  if (session == nullptr) return;
  inner().close(of(session).inner);
  delete &of(session);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const cw_implementation* chainwalk_implementation(
    std::uint32_t version) {
  static const cw_implementation table{sizeof(cw_implementation),
                                       CW_INTERFACE_VERSION,
                                       "misbehaving",
                                       "1",
                                       "the reference with one misdeed",
                                       CW_MEMORY_HOST,
                                       open,
                                       supports,
                                       plan,
                                       greatest_step,
                                       step,
                                       synchronize,
                                       release,
                                       close};
  return version == CW_INTERFACE_VERSION ? &table : nullptr;
}
