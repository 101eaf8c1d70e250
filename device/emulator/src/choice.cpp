// SPDX-License-Identifier: Apache-2.0
// Streams of choices, and the text of schedules.
#include "src/choice.h"

#include <charconv>
#include <stdexcept>
#include <string_view>

namespace chainwalk::emulator {
namespace {

// SplitMix64's finalizer: a bijection whose outputs of successive inputs look independent.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D0'49BB'1331'11EBU;
  return value ^ (value >> 31U);
}
constexpr std::uint64_t golden = 0x9E37'79B9'7F4A'7C15U;
constexpr std::size_t max_choices = std::size_t{1} << 28U;

template <typename T>
T parse_number(std::string_view text, std::string_view what) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    throw std::invalid_argument("schedule: '" + std::string(text) + "' is not a valid " +
                                std::string(what));
  }
  return value;
}

// Calls `use` for each part of `text` between `separator`s; none for an empty text.
template <typename Use>
void for_each_part(std::string_view text, char separator, const Use& use) {
  while (!text.empty()) {
    const std::size_t at = text.find(separator);
    use(text.substr(0, at));
    text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  }
}

void parse_field(std::string_view field, Schedule& schedule) {
  const std::size_t equals = field.find('=');
  const std::string_view key = field.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : field.substr(equals + 1);
  if (key == "seed") {
    schedule.seed = parse_number<std::uint64_t>(value, "seed");
  } else if (key == "points" && schedule.kind == ScheduleKind::priority_change) {
    schedule.change_points = parse_number<int>(value, "number of change points");
    if (schedule.change_points < 0) {
      throw std::invalid_argument("schedule: points is " + std::string(value) +
                                  "; it must be 0 or more");
    }
  } else {
    throw std::invalid_argument("schedule: unknown part '" + std::string(field) + "'");
  }
}

}  // namespace

void ChoiceStream::start(const Schedule& schedule, ChoiceScope scope,
                         const std::vector<std::uint32_t>* replayed,
                         std::vector<std::uint32_t>* record) {
  next_ = 0;
  replayed_ = replayed;
  record_ = record;
  switch (schedule.kind) {
    case ScheduleKind::round_robin: source_ = Source::none; break;
    case ScheduleKind::replay: source_ = Source::replay; break;
    default: source_ = Source::random; break;
  }
  state_ = mix(schedule.seed + golden);
  state_ = mix(state_ ^ mix(static_cast<std::uint64_t>(scope.step) + 2 * golden));
  state_ = mix(state_ ^ mix(static_cast<std::uint64_t>(scope.cluster) + 3 * golden));
}

std::uint32_t ChoiceStream::draw(std::uint32_t count) {
  if (source_ != Source::random) return 0;
  state_ += golden;
  return static_cast<std::uint32_t>(((mix(state_) >> 32U) * count) >> 32U);
}

std::uint32_t ChoiceStream::next_recorded() {
  return replayed_ != nullptr && next_ < replayed_->size() ? (*replayed_)[next_++] : 0;
}

std::uint32_t ChoiceStream::choose_from_source(std::uint32_t count) {
  const std::uint32_t chosen = source_ == Source::random ? draw(count) : next_recorded() % count;
  note(chosen);
  return chosen;
}

bool ChoiceStream::throw_coin(std::uint32_t odds) {
  const bool heads = source_ == Source::random ? draw(odds) == 0 : next_recorded() != 0;
  note(heads ? 1 : 0);
  return heads;
}

std::string format_choices(const RecordedChoices& choices) {
  std::string text;
  for (const auto& [scope, values] : choices) {
    std::size_t length = values.size();
    while (length > 0 && values[length - 1] == 0) --length;
    if (length == 0) continue;
    if (!text.empty()) text += ';';
    text += std::to_string(scope.step) + '.' + std::to_string(scope.cluster) + ':';
    for (std::size_t index = 0; index < length;) {
      if (index > 0) text += ',';
      std::size_t zeros = 0;
      while (values[index + zeros] == 0) ++zeros;  // ends: the last one is not 0
      if (zeros > 1) text += '*';
      text += std::to_string(zeros > 1 ? zeros : values[index]);
      index += zeros > 1 ? zeros : 1;
    }
  }
  return text;
}

RecordedChoices parse_choices(const std::string& text) {
  RecordedChoices result;
  for_each_part(text, ';', [&](std::string_view part) {
    const std::size_t colon = part.find(':');
    const std::size_t dot = part.find('.');
    if (colon == std::string_view::npos || dot == std::string_view::npos || dot > colon) {
      throw std::invalid_argument("schedule: '" + std::string(part) +
                                  "' is not step.cluster:choices");
    }
    const ChoiceScope scope{
        parse_number<std::int64_t>(part.substr(0, dot), "step"),
        parse_number<std::int64_t>(part.substr(dot + 1, colon - dot - 1), "cluster")};
    if (result.contains(scope)) {
      throw std::invalid_argument("schedule: '" + std::string(part.substr(0, colon)) +
                                  "' is given twice");
    }
    std::vector<std::uint32_t>& values = result[scope];
    for_each_part(part.substr(colon + 1), ',', [&](std::string_view value) {
      if (value.starts_with('*')) {
        const auto zeros = parse_number<std::uint32_t>(value.substr(1), "number of zeros");
        if (values.size() + zeros > max_choices) {
          throw std::invalid_argument("schedule: more than " + std::to_string(max_choices) +
                                      " choices of one cluster");
        }
        values.insert(values.end(), zeros, 0U);
      } else {
        values.push_back(parse_number<std::uint32_t>(value, "choice"));
      }
    });
  });
  return result;
}

std::string to_string(const Schedule& schedule) {
  switch (schedule.kind) {
    case ScheduleKind::round_robin: return "round-robin";
    case ScheduleKind::random: return "random:seed=" + std::to_string(schedule.seed);
    case ScheduleKind::priority_change:
      return "pct:seed=" + std::to_string(schedule.seed) +
             ":points=" + std::to_string(schedule.change_points);
    case ScheduleKind::replay: return "replay:" + schedule.choices;
  }
  throw std::invalid_argument("schedule: no such kind");
}

Schedule parse_schedule(const std::string& text) {
  Schedule schedule;
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? std::string() : text.substr(colon + 1);
  if (kind == "replay") {
    schedule.kind = ScheduleKind::replay;
    parse_choices(rest);  // refuses a bad text now, not in the middle of a run
    schedule.choices = rest;
    return schedule;
  }
  if (kind == "round-robin") {
    schedule.kind = ScheduleKind::round_robin;
  } else if (kind == "random") {
    schedule.kind = ScheduleKind::random;
  } else if (kind == "pct") {
    schedule.kind = ScheduleKind::priority_change;
  } else if (!kind.empty() && kind.find_first_not_of("0123456789") == std::string::npos &&
             colon == std::string::npos) {
    schedule.kind = ScheduleKind::random;  // a bare number is a seed
    schedule.seed = parse_number<std::uint64_t>(kind, "seed");
  } else {
    throw std::invalid_argument("schedule: '" + kind +
                                "' is not round-robin, random, pct, replay or a seed");
  }
  for_each_part(rest, ':', [&](std::string_view field) { parse_field(field, schedule); });
  return schedule;
}

}  // namespace chainwalk::emulator
