// SPDX-License-Identifier: Apache-2.0
// Reports as JUnit XML: a test suite per chapter, a test case per case.
#include <fmt/format.h>

#include <map>

#include "chainwalk/conformance/markup.h"
#include "chainwalk/conformance/report.h"

namespace chainwalk::conformance {
namespace {

std::string chapter_of(const std::string& case_id) { return case_id.substr(0, case_id.find('/')); }

std::string case_xml(const CaseResult& result, const Waiver* waiver) {
  std::string xml =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\"",
                  escaped(chapter_of(result.case_id)), escaped(result.case_id), result.seconds);
  const std::string body = result.text + (result.diagnosis ? "\n" + *result.diagnosis : "");
  const char* verdict = to_string(result.verdict);
  // A reader of JUnit has no word for it: a run that conforms must not look red.
  if (waiver != nullptr) {
    return xml + fmt::format("><skipped message=\"{}, waived until {}: {}\"/></testcase>\n",
                             verdict, waiver->expires, escaped(waiver->reason));
  }
  switch (result.verdict) {
    case Verdict::pass: return xml + "/>\n";
    case Verdict::fail:
      return xml + fmt::format("><failure type=\"{}\" message=\"{}\">{}</failure></testcase>\n",
                               verdict, escaped(result.text), escaped(body));
    case Verdict::crash:
    case Verdict::hang:
      return xml + fmt::format("><error type=\"{}\" message=\"{}\">{}</error></testcase>\n",
                               verdict, escaped(result.text), escaped(body));
    case Verdict::unsupported:
    case Verdict::not_run:
      return xml + fmt::format("><skipped message=\"{}: {}\"/></testcase>\n", verdict,
                               escaped(result.text));
  }
  return xml + "/>\n";
}

}  // namespace

std::string report_junit(const Report& report) {
  struct Suite {
    std::string body;
    int tests = 0, failures = 0, errors = 0, skipped = 0;
    double seconds = 0;
  };
  std::map<std::string, Suite> suites;
  for (const CaseResult& result : report.run.results) {
    Suite& suite = suites[chapter_of(result.case_id)];
    const Waiver* waiver = waiver_of(report, result);
    suite.body += case_xml(result, waiver);
    suite.tests += 1;
    suite.seconds += result.seconds;
    if (waiver != nullptr || result.verdict == Verdict::unsupported ||
        result.verdict == Verdict::not_run) {
      suite.skipped += 1;
    } else if (result.verdict == Verdict::fail) {
      suite.failures += 1;
    } else if (result.verdict != Verdict::pass) {
      suite.errors += 1;
    }
  }
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"chainwalk\">\n";
  for (const auto& [name, suite] : suites) {
    xml += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
        "time=\"{:.6f}\">\n",
        escaped(name), suite.tests, suite.failures, suite.errors, suite.skipped, suite.seconds);
    xml += suite.body + "  </testsuite>\n";
  }
  return xml + "</testsuites>\n";
}

}  // namespace chainwalk::conformance
