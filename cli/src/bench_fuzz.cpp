// SPDX-License-Identifier: Apache-2.0
// Rates of campaigns as `chainwalk fuzz` runs them.
#include "bench_fuzz.h"

#include <string>
#include <vector>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/fuzz/run.h"
#include "chainwalk/platform/temporary_folder.h"
#include "command.h"
#include "fuzz_choice.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

struct Row {
  std::string on, against, campaign;
  std::int64_t cases = 0, findings = 0;
  double seconds = 0;

  double rate() const { return seconds > 0 ? static_cast<double>(cases) / seconds : 0; }
};

void measure(Row& row, const FuzzBench& bench) {
  FuzzChoice choice;
  choice.choice.on = row.on;
  choice.against = row.against;
  choice.campaign = row.campaign;
  choice.settle();
  const platform::TemporaryFolder folder("chainwalk");
  fuzz::PoolSettings settings = choice.pool_settings(folder.path());
  settings.jobs = bench.jobs;
  fuzz::Pool pool(settings);
  fuzz::Ledger ledger(choice.header(), {});
  fuzz::RunLimits limits;
  limits.seconds = bench.seconds;
  // Cases of ranges in flight count: what was begun when the time was over.
  fuzz::run_campaign(
      ledger, pool, limits, [] { return false; },
      [&](const fuzz::RunProgress& now) {
        row.cases = now.here;
        row.seconds = now.seconds;
      });
  row.findings = static_cast<std::int64_t>(ledger.total().findings.size());
}

}  // namespace

int run_fuzz_bench(const FuzzBench& bench, bool json) {
  std::vector<Row> rows{{"reference", "oracle", "walk"},
                        {"reference", "oracle", "quantized"},
                        {"reference", "oracle", "boundaries"}};
  if (adapters::find_implementation("emulator") != nullptr)
    rows.push_back({"emulator", "reference", "schedules"});
  Progress progress(!json);
  std::int64_t done = 0;
  int status = status_ok;
  for (Row& row : rows) {
    progress.show(done++, static_cast<std::int64_t>(rows.size()), row.on + ", " + row.campaign);
    measure(row, bench);
    if (row.findings != 0) status = status_different;
  }
  progress.clear();
  Json list = Json::array();
  if (!json) say("{} workers, {:.0f} s each, worker start included\n", bench.jobs, bench.seconds);
  for (const Row& row : rows) {
    if (!json)
      say("{:<10} against {:<10} {:<11} {:>8.0f} cases a second{}\n", row.on, row.against,
          row.campaign, row.rate(), row.findings == 0 ? "" : "  (with findings)");
    list.push_back({{"implementation", row.on},
                    {"against", row.against},
                    {"campaign", row.campaign},
                    {"jobs", bench.jobs},
                    {"cases", row.cases},
                    {"seconds", row.seconds},
                    {"cases_per_second", row.rate()},
                    {"findings", row.findings}});
  }
  if (json) print_json({{"command", "bench"}, {"implementation", "fuzz"}, {"rows", list}});
  return status;
}

}  // namespace chainwalk::cli
