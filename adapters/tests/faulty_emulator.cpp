// SPDX-License-Identifier: Apache-2.0
// A shared object that runs one kernel of the family, with one line of it wrong, under the
// emulator's checks: what the suite must convict. Options: fault=NAME of fault_cases.def; others go
// to the emulator.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/conformance/planted_fault.h"
#include "family.h"
#include "fault_cases.h"
#include "src/kernel_table.h"

namespace {

using chainwalk::conformance::PlantedFault;
using chainwalk::device::FaultCase;

// The fault of the session that was opened last.
const FaultCase* planted = nullptr;

std::vector<FaultCase> all_cases() {
  std::vector<FaultCase> all;
  for (const auto& part : {chainwalk::device::fault_cases_0(), chainwalk::device::fault_cases_1(),
                           chainwalk::device::fault_cases_2()}) {
    for (std::size_t index = 0; index < part.count; ++index) {
      if (part.cases[index].entry != nullptr) all.push_back(part.cases[index]);
    }
  }
  return all;
}

const std::vector<FaultCase>& cases() {
  static const std::vector<FaultCase> all = all_cases();
  return all;
}

const char* what_of(std::string_view fault) {
#define CW_FAULT(name, what) \
  if (fault == #name) return what;
#include "faults.def"
#undef CW_FAULT
  return "";
}

const cw_implementation& inner() { return *chainwalk::adapters::emulator_implementation(); }

// What the emulator is to be asked for so that the planted kernel runs, whatever its image and
// source.
std::vector<std::string> options_of(const FaultCase& fault) {
  const auto& traits =
      chainwalk::device::kernel_family[chainwalk::device::kernel_named(fault.member)];
  std::vector<std::string> options{"kernel=" + std::string(fault.member), "checked=1", "threads=1"};
  if (fault.dependent) options.emplace_back("dependent=1");
  if (traits.source == chainwalk::device::BaseSource::dense_rows)
    options.emplace_back("source=dense_rows");
  if (traits.image == chainwalk::device::Image::portable) options.emplace_back("device=a100");
  return options;
}

cw_result open(const char* const* options, std::int32_t count, cw_session** session) {
  *session = nullptr;
  planted = nullptr;
  std::vector<std::string> words;
  for (std::int32_t index = 0; index < count; ++index) {
    const std::string word = options[index];
    if (word.rfind("fault=", 0) != 0) {
      words.push_back(word);
      continue;
    }
    for (const FaultCase& one : cases()) {
      if (word.substr(6) == one.fault) planted = &one;
    }
  }
  if (planted == nullptr)
    return {CW_ERROR, CW_REFUSAL_NONE, "fault= names no fault of fault_cases.def"};
  for (const std::string& word : options_of(*planted)) words.push_back(word);
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  return inner().open(pointers.data(), static_cast<std::int32_t>(pointers.size()), session);
}

}  // namespace

// Of the family's kernels this shared object has the planted one alone: these stand in for the
// emulator's own tables.
namespace chainwalk::emulator {

KernelEntry plain_kernel(std::size_t) { return nullptr; }

KernelEntry checked_kernel(std::size_t index) {
  const bool is_planted = planted != nullptr && device::kernel_named(planted->member) == index;
  return is_planted ? planted->entry : nullptr;
}

}  // namespace chainwalk::emulator

extern "C" __attribute__((visibility("default"))) const PlantedFault* chainwalk_planted_faults(
    std::size_t* count) {
  static const std::vector<PlantedFault> list = [] {
    std::vector<PlantedFault> all;
    for (const FaultCase& one : cases())
      all.push_back({one.fault.data(), what_of(one.fault), one.member.data(), one.kinds.data()});
    return all;
  }();
  *count = list.size();
  return list.data();
}

extern "C" __attribute__((visibility("default"))) const cw_implementation* chainwalk_implementation(
    std::uint32_t version) {
  static const cw_implementation table = [] {
    cw_implementation copy = inner();
    copy.name = "faulty emulator";
    copy.description = "one kernel with one fault planted, under the emulator's checks";
    copy.open = open;
    return copy;
  }();
  return version == CW_INTERFACE_VERSION ? &table : nullptr;
}
