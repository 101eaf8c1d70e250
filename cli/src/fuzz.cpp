// SPDX-License-Identifier: Apache-2.0
// chainwalk fuzz: campaigns that run until they are stopped and hand back ten lines.
#include <signal.h>

#include <charconv>
#include <csignal>
#include <memory>
#include <optional>

#include "chainwalk/fuzz/ranks.h"
#include "chainwalk/fuzz/run.h"
#include "chainwalk/platform/executor.h"
#include "chainwalk/platform/folder_lock.h"
#include "chainwalk/platform/temporary_folder.h"
#include "chainwalk/spec/fault.h"
#include "command.h"
#include "fuzz_choice.h"
#include "fuzz_findings.h"
#include "fuzz_ranks.h"
#include "fuzz_status.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

struct FuzzCommand {
  FuzzChoice fuzz;
  std::optional<double> minutes;
  std::optional<std::int64_t> cases;
  unsigned jobs = 0;
  double case_seconds = 20;
  double silence = 30;
  fuzz::ShrinkLimits shrink;
  std::string corpus;
  bool status = false, json = false;
};

constexpr int jobs_max = 1024;

volatile std::sig_atomic_t stop_wanted = 0;
void want_stop(int) { stop_wanted = 1; }

// SIGINT and SIGTERM end the campaign with what was found, once; a second one ends the program.
class StopSignals {
 public:
  StopSignals() {
    struct sigaction action {};
    action.sa_handler = want_stop;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGINT, &action, &interrupt_);
    ::sigaction(SIGTERM, &action, &terminate_);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGTERM, &terminate_, nullptr);
  }
  static bool wanted() { return stop_wanted != 0; }

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

int list_campaigns(bool json) {
  Json list = Json::array();
  for (const fuzz::Campaign& campaign : fuzz::campaigns()) {
    if (!json) say("{:<12}{}\n", campaign.name, campaign.description);
    list.push_back({{"name", campaign.name}, {"description", campaign.description}});
  }
  if (json) print_json({{"command", "fuzz"}, {"campaigns", list}});
  return status_ok;
}

fuzz::PoolSettings pool_settings(const FuzzCommand& command) {
  fuzz::PoolSettings settings = command.fuzz.pool_settings(command.corpus);
  settings.jobs = command.jobs == 0 ? platform::available_threads() : command.jobs;
  settings.case_seconds = command.case_seconds;
  return settings;
}

std::string progress_phrase(const fuzz::RunProgress& now) {
  return fmt::format("{:.0f} cases a second, epoch {}, {} finding{}",
                     now.seconds > 0 ? static_cast<double>(now.here) / now.seconds : 0, now.epoch,
                     now.findings, now.findings == 1 ? "" : "s");
}

// Every rank but 0: runs what it is dealt.
int run_as_rank(const FuzzCommand& command, const fuzz::LedgerHeader& header,
                fuzz::Transport& transport) {
  // Whoever stops a campaign stops rank 0, which ends the others.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  const platform::TemporaryFolder folder("chainwalk-rank");
  fuzz::PoolSettings settings = pool_settings(command);
  settings.folder = folder.path();
  fuzz::Pool pool(settings);
  try {
    fuzz::serve_rank(transport, header, pool, settings.jobs, command.silence);
  } catch (const std::runtime_error& error) {
    transport.leave(false);
    print_error(fmt::format("rank {}: {}", transport.rank(), error.what()));
    return status_malformed;
  }
  return status_ok;
}

// This process as rank 0, or alone; the seconds that it took.
double run_and_deal(const FuzzCommand& command, fuzz::Ledger& ledger, fuzz::Pool& pool,
                    fuzz::Transport* transport, Progress& progress) {
  fuzz::RunLimits limits;
  limits.cases = command.cases;
  if (command.minutes) limits.seconds = *command.minutes * 60;
  limits.last_case_seconds = command.case_seconds;
  std::optional<fuzz::RemoteRanks> others;
  if (transport != nullptr) others.emplace(*transport, ledger.header(), command.silence);
  const auto tell = [&] {
    const auto notes = others ? others->take_notes() : std::vector<std::string>();
    if (!notes.empty()) progress.clear();
    for (const std::string& note : notes) fmt::print(stderr, "chainwalk: note: {}\n", note);
  };
  double seconds = 0;
  fuzz::run_campaign(
      ledger, pool, limits, StopSignals::wanted,
      [&](const fuzz::RunProgress& now) {
        seconds = now.seconds;
        tell();
        progress.show(now.cases, command.cases.value_or(now.cases), progress_phrase(now));
      },
      others ? &*others : nullptr);
  if (others) others->dismiss();
  tell();
  return seconds;
}

int run_fuzz(FuzzCommand& command) {
  if (command.fuzz.campaign == "list") return list_campaigns(command.json);
  command.fuzz.settle();
  if (command.corpus.empty()) command.corpus = "chainwalk-fuzz/" + command.fuzz.campaign;
  if (command.status) return show_fuzz_status(command.corpus, command.json);
  // The same on every rank, whichever GPU it gets.
  const fuzz::LedgerHeader header = command.fuzz.header();
  const auto transport = open_transport();
  if (transport != nullptr) {
    deal_device(command.fuzz.choice, *transport);
    if (command.jobs == 0) command.jobs = jobs_of_rank();
  }
  // What cannot be opened is said before anything is written.
  (void)conformance::Harness(command.fuzz.choice.open());
  if (transport != nullptr && transport->rank() != 0)
    return run_as_rank(command, header, *transport);
  std::filesystem::create_directories(command.corpus);
  const platform::FolderLock lock(command.corpus);
  if (!lock.held()) {
    throw InputError({"FUZZ", std::nullopt, std::nullopt,
                      fmt::format("{}: a campaign runs in this folder; name another one with "
                                  "--corpus, or wait for it to end",
                                  command.corpus)});
  }
  fuzz::Ledger ledger(header, command.corpus);
  const std::int64_t before = ledger.total().cases;
  fuzz::Pool pool(pool_settings(command));
  const StopSignals signals;
  Progress progress(!command.json);
  const double seconds = run_and_deal(command, ledger, pool, transport.get(), progress);
  fuzz::ShrinkLimits shrink = command.shrink;
  shrink.hang_seconds = command.case_seconds;
  write_findings(ledger, pool, command.corpus, shrink, StopSignals::wanted,
                 [&](const std::string& what) { progress.note(ledger.total().cases, what); });
  write_cases(ledger, command.corpus);
  progress.clear();
  const FuzzSummary summary{ledger.total().cases - before, seconds, StopSignals::wanted()};
  print_fuzz_summary(ledger, command.corpus, summary, command.json);
  return ledger.total().findings.empty() ? status_ok : status_different;
}

// The parser's own check passes "nan", and numbers that it cannot hold.
std::string refuse_seconds(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value > 0 && value <= 1e9 ? std::string()
                                            : text + " is no number above 0 and up to 1e9";
}
std::string refuse_count(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value > 0 ? std::string() : text + " is no whole number above 0 and below 2^63";
}

void add_options(CLI::App& app, FuzzCommand& command) {
  command.fuzz.add_to(app);
  auto* minutes = app.add_option("--minutes", command.minutes, "Stop after so many minutes")
                      ->check(refuse_seconds)
                      ->type_name("M");
  app.add_option("--cases", command.cases,
                 "Stop when the campaign has run so many cases, earlier parts included")
      ->check(refuse_count)
      ->type_name("N")
      ->excludes(minutes);
  app.add_option("--jobs", command.jobs, "Worker processes side by side (0: one a hardware thread)")
      ->check(CLI::Range(0, jobs_max))
      ->type_name("J")
      ->capture_default_str();
  app.add_option("--corpus", command.corpus,
                 "Folder of the campaign: its ledger, findings and cases. Where there is one "
                 "already, it is continued (default: chainwalk-fuzz/CAMPAIGN)")
      ->type_name("DIR");
  app.add_option("--case-seconds", command.case_seconds, "Time after which a case hangs")
      ->check(refuse_seconds)
      ->capture_default_str();
  app.add_option(
         "--silence", command.silence,
         "Under mpirun: seconds after which a rank that says nothing is lost, and its cases "
         "are run by others")
      ->check(refuse_seconds)
      ->capture_default_str();
  app.add_option("--shrink-seconds", command.shrink.seconds, "Time for shrinking one finding")
      ->check(CLI::Range(0.0, 1e9))
      ->capture_default_str();
  app.add_flag("--status", command.status,
               "Run nothing: show what has been covered, and write DIR/status.html");
  app.add_flag("--json", command.json, "One JSON document: the summary, or the status");
}

}  // namespace

std::function<int()> set_up_fuzz(CLI::App& app) {
  auto command = std::make_shared<FuzzCommand>();
  add_options(app, *command);
  std::string campaigns;
  for (const fuzz::Campaign& campaign : fuzz::campaigns())
    campaigns += fmt::format("  {:<12}{}\n", campaign.name, campaign.description);
  app.footer(
      "Draws problems, runs an implementation on them and compares every bit with a model. It "
      "runs\n"
      "until it is stopped (Ctrl-C), or as long as --minutes or --cases say, and can be "
      "continued.\n"
      "Crashes and hangs cost one case each. What it finds is shrunk, diagnosed and written to\n"
      "DIR/findings: a file for 'chainwalk replay' and a page of text.\n\n"
      "Campaigns (default: walk; for the emulator, schedules):\n" +
      campaigns +
      "\nExamples:\n"
      "  chainwalk fuzz --minutes 10                        the reference against the oracle\n"
      "  chainwalk fuzz --on ./libmine.so --campaign quantized\n"
      "  chainwalk fuzz --on emulator --cases 5000\n"
      "  mpirun --enable-recovery -np 8 chainwalk fuzz ...  the same campaign on eight ranks\n"
      "  chainwalk fuzz --status                            what has been covered\n\n"
      "Exit status: 0 nothing found, 1 findings, 2 malformed input or usage.");
  return [command] { return run_fuzz(*command); };
}

}  // namespace chainwalk::cli
