// SPDX-License-Identifier: Apache-2.0
// Shared objects that no run can take, one fault each: compiled with -DODD_<fault>.
#include "chainwalk/implementation.h"

namespace {

cw_result open_nothing(const char* const*, int32_t, cw_session** session) {
  *session = nullptr;
  return {CW_ERROR, CW_REFUSAL_NONE, "this one never opens"};
}
cw_result refuse(cw_session*, const cw_request*) { return {CW_REFUSED, CW_GEO8_FORM, "no"}; }
cw_result refuse_plan(cw_session*, const cw_request*, cw_plan** plan) {
  *plan = nullptr;
  return {CW_REFUSED, CW_GEO8_FORM, "no"};
}
int64_t no_step(cw_session*, const cw_plan*) { return -1; }
cw_result refuse_step(cw_session*, cw_plan*, int64_t) { return {CW_ERROR, CW_REFUSAL_NONE, "no"}; }
cw_result nothing(cw_session*) { return {CW_OK, CW_REFUSAL_NONE, ""}; }
void release_nothing(cw_session*, cw_plan*) {}
void close_nothing(cw_session*) {}

[[maybe_unused]] cw_implementation odd_table() {
  cw_implementation table{sizeof(cw_implementation),
                          CW_INTERFACE_VERSION,
                          "odd",
                          "1",
                          "one fault",
                          CW_MEMORY_HOST,
                          open_nothing,
                          refuse,
                          refuse_plan,
                          no_step,
                          refuse_step,
                          nothing,
                          release_nothing,
                          close_nothing};
#if defined(ODD_wrong_version)
  table.interface_version = CW_INTERFACE_VERSION + 1;
#elif defined(ODD_short_table)
  table.size = 8;
#elif defined(ODD_null_name)
  table.name = nullptr;
#elif defined(ODD_memory)
  table.memory = 7;
#elif defined(ODD_null_function)
  table.step = nullptr;
#elif defined(ODD_null_text)
  table.open = [](const char* const*, int32_t, cw_session**) -> cw_result {
    return {CW_ERROR, CW_REFUSAL_NONE, nullptr};
  };
#elif defined(ODD_null_session)
  table.open = [](const char* const*, int32_t, cw_session** session) -> cw_result {
    *session = nullptr;
    return {CW_OK, CW_REFUSAL_NONE, ""};
  };
#endif
  return table;
}

}  // namespace

#if defined(ODD_no_symbol)
extern "C" __attribute__((visibility("default"))) const cw_implementation* another_symbol(
    uint32_t) {
#else
extern "C" __attribute__((visibility("default"))) const cw_implementation* chainwalk_implementation(
    uint32_t) {
#endif
#if defined(ODD_null_table)
  return nullptr;
#else
  static const cw_implementation table = odd_table();
  return &table;
#endif
}
