// SPDX-License-Identifier: Apache-2.0
// Messages are JSON objects of one key each, named after what they say:
//   to rank 0:    hello {runs, jobs} | alive | done {range, outcome, left} | bye
//   from rank 0:  alive | weights W | range R | stop SECONDS | leave (true: in step) | away TEXT
#include "chainwalk/fuzz/ranks.h"

#include <fmt/format.h>

#include <chrono>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "json_fields.h"

namespace chainwalk::fuzz {
namespace {

using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

constexpr double alive_every = 1;  // seconds
constexpr auto idle_nap = 2ms;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Two ranks with equal texts have the same cases and judge them alike.
std::string campaign_text(const LedgerHeader& header) {
  return fmt::format("campaign {} version {} with seed {} on {} against {}, specification {}",
                     header.campaign, campaign_version, header.seed, header.implementation,
                     header.against, header.specification_version);
}

std::string text_of(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

RemoteRanks::RemoteRanks(Transport& transport, const LedgerHeader& header, double silence_max)
    : transport_(transport),
      runs_(campaign_text(header)),
      silence_max_(silence_max),
      roster_(silence_max) {
  // Whoever never comes is lost like one that falls silent.
  for (int rank = 1; rank < transport.size(); ++rank) roster_.join(rank, 0, seconds_now());
}

void RemoteRanks::start(const Range& range, const Weights& weights) {
  const int rank = roster_.with_room().value();
  roster_.dealt(rank, range);
  const auto told = told_epoch_.find(rank);
  if (told == told_epoch_.end() || told->second != range.epoch) {
    transport_.send(rank, text_of({{"weights", to_json(weights)}}));
    told_epoch_[rank] = range.epoch;
  }
  transport_.send(rank, text_of({{"range", to_json(range)}}));
}

void RemoteRanks::send_away(int rank, const std::string& why, News& news) {
  transport_.send(rank, text_of({{"away", why}}));
  notes_.push_back(fmt::format("rank {} was sent away: {}", rank, why));
  const auto ranges = roster_.leave(rank);
  news.lost.insert(news.lost.end(), ranges.begin(), ranges.end());
}

void RemoteRanks::take(const Message& message, News& news) {
  const int rank = message.from;
  const Json said = parse_json(message.text, "what it says");
  roster_.heard(rank, seconds_now());
  if (said.contains("hello")) {
    const std::string runs = said["hello"].at("runs");
    if (runs != runs_)
      return send_away(rank, fmt::format("it runs {}, and rank 0 {}", runs, runs_), news);
    roster_.join(rank, said["hello"].at("jobs").get<std::size_t>() * ranges_a_job, seconds_now());
  } else if (said.contains("done")) {
    RangeDone done = done_from_json(said["done"]);
    roster_.returned(done.range);
    news.done.push_back(std::move(done));
  } else if (said.contains("bye")) {
    gone_.insert(rank);
  }
  // Whoever comes late, or was thought lost, has not been told.
  if (stopping_ && !gone_.contains(rank)) transport_.send(rank, text_of({{"stop", *stopping_}}));
}

void RemoteRanks::send_to_all(const std::string& text) {
  for (const int rank : roster_.present()) transport_.send(rank, text);
}

RemoteRanks::News RemoteRanks::news() {
  News news;
  while (const auto message = transport_.receive()) {
    try {
      read_json("what it says", [&] { take(*message, news); });
    } catch (const InputError& error) {
      send_away(message->from, error.what(), news);
    }
  }
  const double now = seconds_now();
  // After every message that has arrived: whoever calls may have been busy itself.
  for (Roster::Loss& loss : roster_.lose_silent(now)) {
    told_epoch_.erase(loss.member);
    notes_.push_back(fmt::format("rank {} has said nothing for {} s; its {} ranges go to others",
                                 loss.member, silence_max_, loss.ranges.size()));
    news.lost.insert(news.lost.end(), loss.ranges.begin(), loss.ranges.end());
  }
  if (now - last_alive_ >= alive_every) {
    send_to_all(text_of({{"alive", true}}));
    last_alive_ = now;
  }
  return news;
}

void RemoteRanks::ask_to_stop(double seconds) {
  stopping_ = seconds;
  send_to_all(text_of({{"stop", seconds}}));
}

void RemoteRanks::dismiss() {
  if (!stopping_) ask_to_stop(0);
  const auto all_gone = [&] {
    for (const int rank : roster_.present()) {
      if (!gone_.contains(rank)) return false;
    }
    return true;
  };
  do {
    (void)news();
    std::this_thread::sleep_for(idle_nap);
  } while (!all_gone());
  const auto everybody = static_cast<std::size_t>(transport_.size()) - 1;
  const bool together = roster_.present().size() == everybody;
  send_to_all(text_of({{"leave", together}}));
  transport_.leave(together);
}

namespace {

// A rank's own state while it serves.
class ServingRank {
 public:
  ServingRank(Transport& transport, Pool& pool, double silence_max)
      : transport_(transport), pool_(pool), silence_max_(silence_max) {}

  void say_hello(const LedgerHeader& header, std::size_t jobs) {
    say({{"hello", {{"runs", campaign_text(header)}, {"jobs", jobs}}}});
  }

  // Until rank 0 lets it go.
  void serve() {
    for (;;) {
      listen();
      if (left_) return;
      if (stop_at_) wind_up();
      while (!waiting_.empty() && pool_.has_idle()) {
        pool_.start(waiting_.front().first, *waiting_.front().second);
        waiting_.pop_front();
      }
      if (pool_.running() == 0) std::this_thread::sleep_for(idle_nap);
      if (pool_.running() != 0) bring(pool_.wait(20ms));
      check_times();
    }
  }

 private:
  void say(const Json& message) {
    transport_.send(0, text_of(message));
    last_said_ = seconds_now();
  }

  void bring(const RangeDone& done) { say({{"done", to_json(done)}}); }
  void bring(const std::vector<RangeDone>& done) {
    for (const RangeDone& one : done) bring(one);
  }

  // Says goodbye when nothing is at work any more.
  void wind_up() {
    for (const auto& [range, weights] : waiting_) {
      RangeDone nothing;
      nothing.range = range;
      nothing.left = {range};
      bring(nothing);
    }
    waiting_.clear();
    if (seconds_now() >= *stop_at_) bring(pool_.cut());
    if (pool_.running() != 0 || said_bye_) return;
    say({{"bye", true}});
    said_bye_ = true;
  }

  void listen() {
    while (!left_) {
      const auto message = transport_.receive();
      if (!message) return;
      last_heard_ = seconds_now();
      take(parse_json(message->text, "a message of rank 0"));
    }
  }

  void take(const Json& said) {
    if (said.contains("weights")) {
      weights_ = std::make_shared<Weights>(weights_from_json(said["weights"]));
    } else if (said.contains("range")) {
      if (weights_ == nullptr) throw std::runtime_error("rank 0 sent a range before its weights");
      waiting_.emplace_back(range_from_json(said["range"]), weights_);
    } else if (said.contains("stop")) {
      if (!stop_at_) pool_.ask_to_stop();
      stop_at_ = stop_at_.value_or(seconds_now() + said["stop"].get<double>());
    } else if (said.contains("leave")) {
      left_ = true;
      transport_.leave(said["leave"].get<bool>());
    } else if (said.contains("away")) {
      throw std::runtime_error("sent away: " + said["away"].get<std::string>());
    }
  }

  void check_times() {
    const double now = seconds_now();
    if (now - last_heard_ > silence_max_)
      throw std::runtime_error(fmt::format(
          "rank 0 has said nothing for {} s; the same line continues the campaign", silence_max_));
    if (now - last_said_ >= alive_every) say({{"alive", true}});
  }

  Transport& transport_;
  Pool& pool_;
  double silence_max_;
  std::shared_ptr<const Weights> weights_;
  std::deque<std::pair<Range, std::shared_ptr<const Weights>>> waiting_;
  double last_said_ = seconds_now();
  double last_heard_ = seconds_now();
  std::optional<double> stop_at_;  // when what is still at work is cut
  bool said_bye_ = false;
  bool left_ = false;
};

}  // namespace

void serve_rank(Transport& transport, const LedgerHeader& header, Pool& pool, std::size_t jobs,
                double silence_max) {
  ServingRank rank(transport, pool, silence_max);
  rank.say_hello(header, jobs);
  rank.serve();
}

}  // namespace chainwalk::fuzz
