// SPDX-License-Identifier: Apache-2.0
// The table of subcommands.
#include "command.h"

namespace chainwalk::cli {

std::function<int()> set_up_verify(CLI::App& app);
std::function<int()> set_up_validate(CLI::App& app);
std::function<int()> set_up_info(CLI::App& app);
std::function<int()> set_up_run(CLI::App& app);
std::function<int()> set_up_generate(CLI::App& app);
std::function<int()> set_up_explain(CLI::App& app);
std::function<int()> set_up_draw(CLI::App& app);
std::function<int()> set_up_spec(CLI::App& app);
std::function<int()> set_up_bench(CLI::App& app);
std::function<int()> set_up_kernels(CLI::App& app);
std::function<int()> set_up_geometry(CLI::App& app);
std::function<int()> set_up_devices(CLI::App& app);
std::function<int()> set_up_doctor(CLI::App& app);
std::function<int()> set_up_conform(CLI::App& app);
std::function<int()> set_up_replay(CLI::App& app);
std::function<int()> set_up_compare(CLI::App& app);
std::function<int()> set_up_merge(CLI::App& app);
std::function<int()> set_up_export(CLI::App& app);
std::function<int()> set_up_mutants(CLI::App& app);
std::function<int()> set_up_package(CLI::App& app);
std::function<int()> set_up_check_package(CLI::App& app);
std::function<int()> set_up_fuzz(CLI::App& app);
std::function<int()> set_up_worker(CLI::App& app);
std::function<int()> set_up_fuzz_worker(CLI::App& app);

std::span<const Command> commands() {
  static constexpr Command table[] = {
      {"conform", "Give an implementation a verdict per rule", set_up_conform},
      {"fuzz", "Look for failures on random problems until it is stopped", set_up_fuzz},
      {"doctor", "Say what this machine has and lacks, and how to get it", set_up_doctor},
      {"replay", "Run the problem of a failure again", set_up_replay},
      {"export", "Turn a failure into a test that stands alone", set_up_export},
      {"verify", "Run an implementation on captures and compare every bit", set_up_verify},
      {"validate", "Check that files hold well-formed problems", set_up_validate},
      {"info", "Show the sizes, tensors and groups of a capture", set_up_info},
      {"run", "Run an implementation and write a capture with its outputs", set_up_run},
      {"generate", "Write a random problem as a capture", set_up_generate},
      {"explain", "Walk one column of one group, step by step, in hex", set_up_explain},
      {"draw", "Draw the records, groups and tiles of a chunk as SVG", set_up_draw},
      {"spec", "Print a rule of the specification, or the list of rules", set_up_spec},
      {"bench", "Measure the reference on this machine", set_up_bench},
      {"kernels", "List the kernels of the family and what each needs", set_up_kernels},
      {"geometry", "Show which kernel and launch a plan takes on a device, and why",
       set_up_geometry},
      {"devices", "List the GPUs of this machine", set_up_devices},
      {"compare", "Show what changed between two reports of 'conform'", set_up_compare},
      {"merge", "Put the shards of a run together to one report", set_up_merge},
      {"mutants", "Test the suite on implementations known to be wrong", set_up_mutants},
#ifdef CHAINWALK_HAS_PACKAGES
      {"package", "Pack a report folder as a submission", set_up_package},
      {"check-package", "Say what is missing or wrong in a submission", set_up_check_package},
#endif
      {"worker", "Run cases for 'conform' (started by it)", set_up_worker},
      {"fuzz-worker", "Run cases for 'fuzz' (started by it)", set_up_fuzz_worker},
  };
  return table;
}

}  // namespace chainwalk::cli
