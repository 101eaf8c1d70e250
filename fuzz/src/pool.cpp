// SPDX-License-Identifier: Apache-2.0
// The parent's side: deals ranges to workers and tells crashes and hangs.
#include "chainwalk/fuzz/pool.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <stdexcept>

#include "chainwalk/conformance/worker.h"
#include "chainwalk/fuzz/serve.h"
#include "json_fields.h"

namespace chainwalk::fuzz {
namespace {

using Json = nlohmann::ordered_json;
using conformance::Verdict;
using conformance::Worker;
using Clock = std::chrono::steady_clock;

constexpr int failed_starts_max = 3;
constexpr auto look_at_places = std::chrono::milliseconds(50);

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

Judgement hang_judgement(double limit) {
  Judgement judgement;
  judgement.verdict = Verdict::hang;
  judgement.key = "hang";
  judgement.text = fmt::format("no result within {} s", limit);
  return judgement;
}

std::filesystem::path scratch_file(const PoolSettings& settings) {
  return settings.folder / (settings.name + "-try.scratch");
}

// "signal 11 (...)", "exit status 3" as a key.
Judgement crash_judgement(const std::string& end) {
  Judgement judgement;
  judgement.verdict = Verdict::crash;
  judgement.key = "crash";
  for (const char letter : end.substr(0, end.find(" (")))
    judgement.key +=
        letter == ' ' ? (judgement.key.back() == '-' ? "" : "-") : std::string(1, letter);
  judgement.key.insert(5, "-");
  judgement.text = "the worker ended with " + end;
  return judgement;
}

}  // namespace

// One worker process and what it works on.
struct Pool::Slot {
  Slot(const PoolSettings& pool, const std::string& name)
      : settings(pool), place_path(pool.folder / (name + ".place")), place(place_path) {}

  const PoolSettings& settings;
  std::filesystem::path place_path;
  PlaceFile place;
  std::unique_ptr<Worker> worker;
  std::string weights;  // line that the worker was told last
  std::string wanted;   // line of the range's epoch
  std::optional<Range> range;
  std::deque<Range> left;  // parts of the range, the first one in work
  RangeOutcome outcome;
  bool stopping = false;    // no further part is begun
  bool finished = false;    // the range is done, or as much of it as will be
  std::uint64_t begun = 0;  // as last seen
  Clock::time_point since{};
  int failed_starts = 0;

  void start_worker() {
    auto command = settings.worker_command;
    command.insert(command.end(), {"--place", place_path.string()});
    place.reset();
    begun = 0;
    worker = std::make_unique<Worker>(command, settings.memory_limit);
    weights.clear();
  }

  bool send(const Json& request) {
    return worker->send(request.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  // A worker that is gone shows as the end of its pipe.
  void send_next() {
    if (worker == nullptr || worker->at_end()) start_worker();
    if (weights != wanted) {
      (void)worker->send(wanted);
      weights = wanted;
    }
    (void)send({{"range", to_json(left.front())}});
    since = Clock::now();
  }

  // How the case in work ended, where it ended badly; nothing while it runs.
  std::optional<Judgement> bad_end(double hang_seconds) {
    if (worker->at_end()) return crash_judgement(worker->stop());
    const std::uint64_t now_begun = place.begun();
    if (now_begun != begun) {
      begun = now_begun;
      since = Clock::now();
    }
    const double limit = begun == 0 ? settings.start_seconds : hang_seconds;
    if (Clock::now() < since + seconds(limit)) return std::nullopt;
    (void)worker->stop();
    return hang_judgement(limit);
  }

  void begin(const Range& all) {
    range = all;
    left = {all};
    outcome = {};
    stopping = finished = false;
    place.want_stop(false);
    send_next();
  }

  void go_on() {
    finished = left.empty() || stopping;
    if (!finished) send_next();
  }

  // The case at the place gets the judgement; what lies before and behind it is run again.
  void blame(const Judgement& judgement) {
    worker.reset();
    if (place.begun() == 0) {
      if (++failed_starts >= failed_starts_max)
        throw std::runtime_error("a worker cannot start: " + judgement.text);
      return go_on();
    }
    failed_starts = 0;
    const Range part = left.front();
    const std::int64_t index = place.index();
    left.pop_front();
    const CasePlace at{part.epoch, index};
    RangeOutcome one;
    one.cases = 1;
    if (const auto known = place.known()) {
      one.fingerprints = known->fingerprint;
      one.coverage.add(at, known->features);
    }
    one.findings[judgement.key] = Finding{judgement, at, 1};
    outcome.merge(one);
    const std::int64_t end = part.first + part.count;
    if (index + 1 < end) left.push_front({part.epoch, index + 1, end - index - 1});
    if (index > part.first) left.push_front({part.epoch, part.first, index - part.first});
    go_on();
  }

  void take_answer(const Json& answer) {
    const RangeOutcome of_part = outcome_from_json(answer.at("outcome"));
    outcome.merge(of_part);
    failed_starts = 0;
    Range part = left.front();
    left.pop_front();
    part.first += of_part.cases;
    part.count -= of_part.cases;
    if (part.count > 0) left.push_front(part);
    go_on();
  }

  void listen() {
    while (const auto line = worker->receive()) {
      take_answer(parse_json(*line, "an answer of a worker"));
      if (finished) return;
    }
    if (const auto judgement = bad_end(settings.case_seconds)) blame(*judgement);
  }

  RangeDone take_done() {
    RangeDone done{*range, std::move(outcome), {left.begin(), left.end()}};
    range.reset();
    return done;
  }
};

Pool::Pool(PoolSettings settings) : settings_(std::move(settings)) {
  for (unsigned job = 0; job < std::max(1U, settings_.jobs); ++job)
    slots_.push_back(std::make_unique<Slot>(settings_, fmt::format("{}-{}", settings_.name, job)));
}

Pool::~Pool() {
  std::error_code ignored;
  for (const auto& slot : slots_) std::filesystem::remove(slot->place_path, ignored);
  if (tries_ == nullptr) return;
  std::filesystem::remove(tries_->place_path, ignored);
  std::filesystem::remove(scratch_file(settings_), ignored);
}

bool Pool::has_idle() const {
  return std::any_of(slots_.begin(), slots_.end(), [](const auto& slot) { return !slot->range; });
}

std::size_t Pool::running() const {
  return static_cast<std::size_t>(
      std::count_if(slots_.begin(), slots_.end(), [](const auto& slot) { return slot->range; }));
}

std::int64_t Pool::begun() const {
  std::int64_t all = 0;
  for (const auto& slot : slots_) {
    if (slot->range)
      all += slot->outcome.cases +
             std::max<std::int64_t>(0, slot->place.index() - slot->left.front().first);
  }
  return all;
}

void Pool::start(const Range& range, const Weights& weights) {
  for (const auto& slot : slots_) {
    if (slot->range) continue;
    slot->wanted = Json{{"weights", to_json(weights)}}.dump();
    slot->begin(range);
    return;
  }
  throw std::logic_error("no worker is idle");
}

std::vector<RangeDone> Pool::wait(std::chrono::milliseconds limit) {
  std::vector<pollfd> polled;
  for (const auto& slot : slots_) {
    if (slot->range) polled.push_back({slot->worker->result_descriptor(), POLLIN, 0});
  }
  const auto patience = std::min(limit, look_at_places);
  (void)::poll(polled.data(), polled.size(), static_cast<int>(patience.count()));
  std::vector<RangeDone> done;
  for (const auto& slot : slots_) {
    if (!slot->range) continue;
    slot->listen();
    if (slot->finished) done.push_back(slot->take_done());
  }
  return done;
}

void Pool::ask_to_stop() {
  for (const auto& slot : slots_) {
    if (!slot->range) continue;
    slot->stopping = true;
    slot->place.want_stop(true);
  }
}

std::vector<RangeDone> Pool::cut() {
  std::vector<RangeDone> done;
  for (const auto& slot : slots_) {
    if (!slot->range) continue;
    slot->worker.reset();
    done.push_back(slot->take_done());
  }
  return done;
}

Judgement Pool::try_case(const FuzzCase& fuzz_case, double hang_seconds) {
  if (tries_ == nullptr) tries_ = std::make_unique<Slot>(settings_, settings_.name + "-try");
  Slot& slot = *tries_;
  if (slot.worker == nullptr || slot.worker->at_end()) slot.start_worker();
  const std::filesystem::path scratch = scratch_file(settings_);
  write_scratch(scratch, fuzz_case);
  (void)slot.send({{"try", scratch.string()}});
  slot.since = Clock::now();
  const std::uint64_t before = slot.place.begun();
  const double limit = hang_seconds > 0 ? hang_seconds : settings_.case_seconds;
  for (;;) {
    pollfd polled{slot.worker->result_descriptor(), POLLIN, 0};
    (void)::poll(&polled, 1, static_cast<int>(look_at_places.count()));
    if (const auto line = slot.worker->receive())
      return judgement_from_json(parse_json(*line, "an answer of a worker").at("judgement"));
    if (const auto judgement = slot.bad_end(limit)) {
      const bool started = slot.place.begun() != before;
      slot.worker.reset();
      if (started) return *judgement;
      throw std::runtime_error("a worker cannot run a problem: " + judgement->text);
    }
  }
}

}  // namespace chainwalk::fuzz
