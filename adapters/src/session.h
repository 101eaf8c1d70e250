// SPDX-License-Identifier: Apache-2.0
// What every implementation behind the C interface does alike: opening a session, reports, and
// requests that cannot be read at all (PLN-3, PLN-10).
#pragma once

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <span>
#include <string>

#include "chainwalk/implementation.h"

namespace chainwalk::adapters {

// What a call says, beside plain success.
struct Report {
  cw_status status = CW_OK;
  cw_refusal refusal = CW_REFUSAL_NONE;
  std::string text;
};

// Makes a Session from the options; where its constructor throws, the message is the answer's text.
template <typename Session>
cw_result open_session(const char* const* options, std::int32_t option_count,
                       cw_session** session) {
  // Lives as long as the program: there is no session to hold it.
  thread_local std::string text;
  *session = nullptr;
  try {
    const std::span given(options, static_cast<std::size_t>(option_count));
    *session = reinterpret_cast<cw_session*>(new Session(given));
    return {CW_OK, CW_REFUSAL_NONE, ""};
  } catch (const std::exception& error) {
    text = error.what();
    return {CW_ERROR, CW_REFUSAL_NONE, text.c_str()};
  }
}

// The report of a request whose other fields may not be looked at; nothing for one that can be
// read.
inline std::optional<Report> unreadable(const cw_request& request) {
  if (request.size < sizeof(cw_request)) {
    return Report{CW_REFUSED, CW_PLN10_VERSION,
                  fmt::format("PLN-10: the request has size {}; {} is needed", request.size,
                              sizeof(cw_request))};
  }
  if (request.snapshot_form < CW_NONE || request.snapshot_form > CW_INT4) {
    return Report{CW_ERROR, CW_REFUSAL_NONE,
                  fmt::format("snapshot_form is {}; 0..4 is needed", request.snapshot_form)};
  }
  return std::nullopt;
}

}  // namespace chainwalk::adapters
