// SPDX-License-Identifier: Apache-2.0
// Runs the suite on implementations that are known to be wrong, each until the first case that
// convicts it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "chainwalk/conformance/suite.h"

namespace chainwalk::cli {

// One implementation that the suite must convict.
struct Mutant {
  std::string id;           // "no-restart-after-invalid", "crash"
  std::string description;  // "no restart after an invalid LAST"
  std::string rule;         // "ARI-4"; empty where the misdeed breaks no single rule
  std::optional<conformance::Verdict> expected;  // of a misdeed; the others must fail
  std::vector<std::string> parts;                // ids of the wrong rules of a pair
  std::string kernel, kinds;                     // of a fault planted into a kernel
};

// conformance::wrong_rules(); misdeeds.def; what the shared object of faulty kernels has
// (planted_fault.h), else InputError.
std::vector<Mutant> wrong_rule_mutants();
std::vector<Mutant> misdeed_mutants();
std::vector<Mutant> kernel_fault_mutants(const std::filesystem::path& library);

struct Trial {
  Mutant mutant;
  // The first case that did not pass; nullopt: the mutant survives.
  std::optional<conformance::CaseResult> killed_by;
  conformance::Profile profile = conformance::Profile::quick;  // the smallest that kills it
  std::int64_t cases = 0;  // run, the one that kills it included
  double seconds = 0;

  // "yes": the report names this very fault. "rule": it names the rule broken. "no". Not for pairs:
  // see mutant_pairs.h.
  const char* named() const;
};

// The cases of a profile, those of the smaller profiles first.
std::vector<conformance::Case> cases_smallest_first(conformance::Profile profile,
                                                    std::uint64_t seed);

// The reference with a rule or a pair got wrong, in this process. Wrong rules stay inside their
// buffers.
Trial try_wrong_rule(const Mutant& mutant, const std::vector<conformance::Case>& cases);
// The reference as it is, which must survive.
Trial try_reference(const std::vector<conformance::Case>& cases);

struct MisdeedSettings {
  std::filesystem::path library;  // the shared object with option fault=ID
  std::string profile;
  std::uint64_t seed = 1;
  double case_seconds = 20;  // after which a case hangs
};
// A misbehaving implementation, in a worker process.
Trial try_misdeed(const Mutant& mutant, const std::vector<conformance::Case>& cases,
                  const MisdeedSettings& settings);

// A kernel with a fault under the emulator's checks, in a worker process, on the cases that its
// member of the family serves.
Trial try_kernel_fault(const Mutant& mutant, const std::vector<conformance::Case>& cases,
                       const MisdeedSettings& settings);

}  // namespace chainwalk::cli
