// SPDX-License-Identifier: Apache-2.0
// Ranges and tries in a worker.
#include "chainwalk/fuzz/serve.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "chainwalk/fuzz/decision.h"
#include "chainwalk/platform/edges.h"
#include "chainwalk/platform/write_all.h"
#include "json_fields.h"

namespace chainwalk::fuzz {
namespace {

using Json = nlohmann::ordered_json;

bool write_line(int output, const Json& json) {
  // An implementation's text may hold any bytes.
  return platform::write_all(output,
                             json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

// Lines of a descriptor that belongs to nobody else.
class LineReader {
 public:
  explicit LineReader(int input) : file_(::fdopen(::dup(input), "r")) {
    if (file_ == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot read requests");
  }
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader() {
    std::free(text_);
    std::fclose(file_);
  }
  bool next(std::string& line) {
    const ssize_t length = ::getline(&text_, &capacity_, file_);
    if (length < 0) return false;
    line.assign(text_, static_cast<std::size_t>(length));
    return true;
  }

 private:
  std::FILE* file_;
  char* text_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace

RangeOutcome run_range(const Campaign& campaign, std::uint64_t seed, const Range& range,
                       const Weights& weights, Examiner& examiner, PlaceFile* place) {
  RangeOutcome outcome;
  for (std::int64_t index = range.first; index < range.first + range.count; ++index) {
    if (place != nullptr && place->stop_wanted()) break;
    if (place != nullptr) place->begin(index);
    const CasePlace at{range.epoch, index};
    const FuzzCase fuzz_case = make_case(campaign, seed, at, weights);
    const PlaceFile::Known known{features_of(fuzz_case), fingerprint(fuzz_case)};
    if (place != nullptr) place->know(known);
    (void)platform::take_edges();
    Judgement judgement = examiner.examine(fuzz_case);
    const std::vector<std::uint32_t> edges = platform::take_edges();
    ++outcome.cases;
    outcome.fingerprints = add_fingerprints(outcome.fingerprints, known.fingerprint);
    outcome.refused += judgement.verdict == conformance::Verdict::unsupported;
    // What the implementation decided beyond what the rules ask for: its limits.
    FeatureSet features = known.features;
    if (const auto decided = feature_of_decision(judgement.refusal);
        decided && judgement.refusal != 0)
      features.set(index_of(*decided));
    outcome.coverage.add(at, features, edges);
    if (judgement.key.empty()) continue;
    const std::string key = judgement.key;
    merge(outcome.findings, {{key, Finding{std::move(judgement), at, 1}}});
  }
  return outcome;
}

void serve(const Campaign& campaign, std::uint64_t seed, Examiner& examiner, PlaceFile& place,
           int input, int output) {
  LineReader lines(input);
  Weights weights;
  std::string line;
  while (lines.next(line)) {
    const Json request = parse_json(line, "a request to a worker");
    Json answer;
    if (request.contains("weights")) {
      weights = weights_from_json(request["weights"]);
      continue;
    }
    if (request.contains("range")) {
      const Range range = range_from_json(request["range"]);
      answer = {{"outcome", to_json(run_range(campaign, seed, range, weights, examiner, &place))}};
    } else {
      const FuzzCase fuzz_case = read_scratch(request.at("try").get<std::string>());
      place.begin(0);
      answer = {{"judgement", to_json(examiner.examine(fuzz_case))}};
    }
    if (!write_line(output, answer)) return;
  }
}

}  // namespace chainwalk::fuzz
