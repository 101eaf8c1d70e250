// SPDX-License-Identifier: Apache-2.0
// A shared object is opened in a worker process before a run begins: what cannot be opened is an
// error of usage, and nothing has been written then.
#include "probe.h"

#include <fmt/format.h>

#include "chainwalk/conformance/run.h"
#include "chainwalk/conformance/worker.h"
#include "chainwalk/platform/write_all.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

Opened open_here(const ImplementationChoice& choice) {
  const conformance::Implementation implementation = choice.open();
  (void)conformance::Harness(implementation);
  return {implementation.table->memory, implementation.device};
}

Opened opened_from(const std::string& line) {
  const Json answer = Json::parse(line, nullptr, false);
  if (!answer.is_object())
    refuse_implementation("the implementation has written to descriptor 3: " + line);
  if (answer.contains("error")) refuse_implementation(answer["error"].get<std::string>());
  return {answer.value("memory", 0), answer.value("device", 0)};
}

}  // namespace

Opened probe(const ImplementationChoice& choice, double seconds) {
  if (!choice.is_shared_object()) return open_here(choice);
  const conformance::IgnoredPipeSignal ignored;
  std::vector<std::string> command{"/proc/self/exe", "worker", "--probe"};
  for (const std::string& word : choice.arguments()) command.push_back(word);
  conformance::Worker worker(command, 0);
  (void)worker.send("");  // starts the clock
  if (const auto line = worker.wait(seconds)) return opened_from(*line);
  if (worker.at_end()) {
    refuse_implementation(fmt::format("implementation {} ends the process that opens it, with {}",
                                      choice.on, worker.stop()));
  }
  refuse_implementation(
      fmt::format("implementation {} is not open after {} s", choice.on, seconds));
}

void answer_probe(const ImplementationChoice& choice, int output) {
  conformance::write_mark(output, true);
  Json answer;
  try {
    const Opened opened = open_here(choice);
    answer = {{"memory", opened.memory}, {"device", opened.device}};
  } catch (const std::exception& error) {
    answer = {{"error", error.what()}};
  }
  (void)platform::write_all(output,
                            answer.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace chainwalk::cli
