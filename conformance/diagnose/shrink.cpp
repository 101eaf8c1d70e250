// SPDX-License-Identifier: Apache-2.0
// Shrinking: passes over the parts of a problem, repeated until none drops anything more.
#include "chainwalk/conformance/shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/formats.h"
#include "sketch.h"

namespace chainwalk::conformance {
namespace {

using Clock = std::chrono::steady_clock;
using Numbers = std::vector<std::size_t>;

// More single values than this are not made plain one by one.
constexpr std::size_t plain_values_max = 64;

class Shrinker {
 public:
  Shrinker(const Problem& problem, const std::function<bool(const Problem&)>& still_fails,
           const ShrinkBudget& budget)
      : still_fails_(still_fails), budget_(budget), best_(sketch_of(problem)) {
    result_.problem = problem;
  }

  Shrunk run() {
    std::int64_t before = -1;
    while (before != result_.steps && !spent()) {
      before = result_.steps;
      drop_steps();
      drop_streams();
      drop_tiles();
      drop_groups();
      drop_members();
      drop_columns();
      fold_groups();  // where members stay because of their sum
      drop_slots();
      drop_tokens();
      make_plain();
    }
    return std::move(result_);
  }

 private:
  bool spent() const {
    return result_.tries >= budget_.tries ||
           std::chrono::duration<double>(Clock::now() - start_).count() >= budget_.seconds;
  }

  bool attempt(const Sketch& candidate) {
    if (spent()) return false;
    const Problem problem = build(candidate);
    if (fault_besides_flags(problem, true)) return false;
    ++result_.tries;
    if (!still_fails_(problem)) return false;
    ++result_.steps;
    best_ = candidate;
    best_.shape = problem.shape;
    result_.problem = problem;
    return true;
  }

  // Removes runs of [0, count), halves first and single numbers last, while attempt(make(kept))
  // holds; at least `least` numbers stay.
  template <typename Make>
  void minimize(std::size_t count, std::size_t least, const Make& make) {
    Numbers kept(count);
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    for (std::size_t length = std::max<std::size_t>(1, (count + 1) / 2); length != 0; length /= 2) {
      for (std::size_t start = 0; start < kept.size() && !spent();) {
        Numbers fewer(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(start));
        const std::size_t stop = std::min(kept.size(), start + length);
        fewer.insert(fewer.end(), kept.begin() + static_cast<std::ptrdiff_t>(stop), kept.end());
        if (fewer.size() >= least && attempt(make(fewer))) {
          kept = std::move(fewer);
        } else {
          start += length;
        }
      }
    }
  }

  // ---- Passes, the greatest first ----

  // The bank as it is before `step`.
  Sketch advanced_to(std::int64_t step) const {
    const Problem problem = build(best_);
    const OutputBuffers buffers(problem);
    for (std::int64_t earlier = 0; earlier < step; ++earlier)
      reference::run_step(problem, earlier, buffers.views(), {.threads = 1});
    Sketch sketch = best_;
    const auto bank = buffers.views().bank;
    sketch.bank = std::make_shared<const std::vector<std::byte>>(bank.begin(), bank.end());
    return sketch;
  }

  void drop_steps() {
    const std::int64_t steps = best_.shape.steps();
    for (std::int64_t step = 0; steps > 1 && step < steps; ++step) {
      Selection one = everything(best_.shape);
      one.steps = {step};
      if (attempt(select(advanced_to(step), one))) return;
    }
    // A failure that needs several steps may still do without the last ones.
    while (best_.shape.steps() > 1) {
      Sketch shorter = best_;
      shorter.chunks.resize(
          static_cast<std::size_t>((best_.shape.steps() - 1) * best_.shape.num_parallel));
      if (!attempt(shorter)) return;
    }
  }

  void drop_streams() {
    if (best_.shape.num_parallel == 1 || best_.shape.steps() == 0) return;
    const Sketch from = best_;
    minimize(static_cast<std::size_t>(from.shape.num_parallel), 1, [&](const Numbers& kept) {
      Selection fewer = everything(from.shape);
      fewer.streams.assign(kept.begin(), kept.end());
      return select(from, fewer);
    });
  }

  void drop_tiles() {
    // Other heads than regular ones take 8 warps or more (PLN-1).
    if (best_.shape.warps_per_block == 4) {
      Sketch wider = best_;
      wider.shape.warps_per_block = 8;
      (void)attempt(wider);
    }
    const auto tiled = [&](auto tile_of) {
      Sketch sketch = best_;
      sketch.shape.blocks_per_chunk = 1;
      for (auto& pieces : sketch.chunks) {
        for (Piece& piece : pieces) piece.tile = tile_of(piece.tile);
      }
      return sketch;
    };
    const std::int64_t blocks = best_.shape.blocks_per_chunk;
    bool spread = blocks > 1;
    for (const auto& pieces : best_.chunks)
      spread = spread || (!pieces.empty() && pieces.back().tile != 0);
    if (!spread || attempt(tiled([](std::int64_t) { return std::int64_t{0}; }))) return;
    if (blocks > 1) (void)attempt(tiled([&](std::int64_t tile) { return tile / blocks; }));
  }

  void drop_groups() {
    const Sketch from = best_;
    std::size_t count = 0;
    for (const auto& pieces : from.chunks) count += pieces.size();
    minimize(count, 0, [&](const Numbers& kept) {
      Sketch sketch = from;
      std::size_t number = 0;
      for (auto& pieces : sketch.chunks) {
        std::erase_if(pieces, [&](const Piece&) {
          return !std::binary_search(kept.begin(), kept.end(), number++);
        });
      }
      return sketch;
    });
  }

  void drop_members() {
    const Sketch from = best_;
    std::size_t count = 0;
    for (const auto& pieces : from.chunks) {
      for (const Piece& piece : pieces) count += piece.records.size() - 1;
    }
    minimize(count, 0, [&](const Numbers& kept) {
      Sketch sketch = from;
      std::size_t number = 0;
      for (auto& pieces : sketch.chunks) {
        for (Piece& piece : pieces) {
          const std::uint32_t first = piece.records.front().x & record_first;
          const Record last = piece.records.back();
          piece.records.pop_back();
          std::erase_if(piece.records, [&](const Record&) {
            return !std::binary_search(kept.begin(), kept.end(), number++);
          });
          piece.records.push_back(last);
          piece.records.front().x |= first;
        }
      }
      return sketch;
    });
  }

  void fold_groups() {
    const auto chunks = static_cast<std::size_t>(best_.shape.steps() * best_.shape.num_parallel);
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      for (std::size_t piece = 0; piece < best_.chunks[chunk].size() && !spent(); ++piece) {
        if (best_.chunks[chunk][piece].records.size() > 1)
          (void)attempt(fold_members(best_, chunk, piece));
      }
    }
  }

  void drop_columns() {
    const Sketch from = best_;
    minimize(static_cast<std::size_t>(from.shape.head_dim), 1,
             [&](const Numbers& kept) { return select_columns(from, kept); });
  }

  void drop_slots() {
    const Sketch compact = compact_slots(best_);
    if (compact.shape.slots < best_.shape.slots) (void)attempt(compact);
  }

  void drop_tokens() {
    if (best_.shape.chunk_size == 1 || best_.shape.steps() == 0) return;
    std::vector<bool> used(static_cast<std::size_t>(best_.shape.chunk_size), false);
    for (const auto& pieces : best_.chunks) {
      for (const Piece& piece : pieces) {
        for (const Record& record : piece.records) {
          used[static_cast<std::size_t>(
              clamped_token(record, static_cast<std::int32_t>(best_.shape.chunk_size)))] = true;
        }
      }
    }
    Selection fewer = everything(best_.shape);
    std::erase_if(fewer.tokens,
                  [&](std::int64_t token) { return !used[static_cast<std::size_t>(token)]; });
    if (fewer.tokens.empty()) fewer.tokens = {0};
    const auto rows = best_.shape.steps() * best_.shape.num_parallel *
                      static_cast<std::int64_t>(fewer.tokens.size());
    if (rows < best_.shape.delta_v_rows) (void)attempt(select(best_, fewer));
  }

  // ---- Values ----

  // Simpler values for f32 bits, the simplest first: 0, 1, and the power of two below (or above,
  // where the sign is set). Nothing for what is that simple already.
  static std::vector<std::uint32_t> simpler(std::uint32_t bits, std::uint32_t simplest) {
    const std::uint32_t one = f32_bits(1.0F);
    const std::uint32_t other = simplest == one ? 0U : one;
    std::vector<std::uint32_t> values;
    for (const std::uint32_t value : {simplest, other, bits & 0x7F80'0000U, bits & 0xFF80'0000U}) {
      if (value == bits) break;
      values.push_back(value);
    }
    return values;
  }

  template <typename Edit>
  bool edit_record(std::size_t chunk, std::size_t piece, std::size_t index, const Edit& edit) {
    Sketch sketch = best_;
    Record& record = sketch.chunks[chunk][piece].records[index];
    const Record before = record;
    edit(record);
    return !(record == before) && attempt(sketch);
  }

  void make_record_plain(std::size_t chunk, std::size_t piece, std::size_t at) {
    const std::uint32_t one = f32_bits(1.0F);
    edit_record(chunk, piece, at, [](Record& r) { r.x &= record_meaningful; });
    const Record record = best_.chunks[chunk][piece].records[at];
    for (const std::uint32_t value : simpler(record.scale, one)) {
      if (edit_record(chunk, piece, at, [&](Record& r) { r.scale = value; })) break;
    }
    for (const std::uint32_t value : simpler(record.decay, one)) {
      if (edit_record(chunk, piece, at, [&](Record& r) { r.decay = value; })) break;
    }
  }

  void make_records_plain() {
    for (std::size_t chunk = 0; chunk < best_.chunks.size(); ++chunk) {
      for (std::size_t piece = 0; piece < best_.chunks[chunk].size(); ++piece) {
        for (std::size_t at = 0; at < best_.chunks[chunk][piece].records.size(); ++at) {
          if (spent()) return;
          make_record_plain(chunk, piece, at);
        }
      }
    }
  }

  bool try_token_value(std::size_t at, std::uint32_t value) {
    auto rows = std::make_shared<std::vector<float>>(*best_.delta_v);
    (*rows)[at] = f32_from_bits(value);
    Sketch sketch = best_;
    sketch.delta_v = std::move(rows);
    return attempt(sketch);
  }

  // bf16 is the upper half of f32, and so are its 0, 1 and powers of two.
  bool try_bank_value(std::size_t at, std::uint32_t value) {
    auto bank = std::make_shared<std::vector<std::byte>>(*best_.bank);
    if (best_.shape.bank_type == BankType::bf16) {
      const auto half = static_cast<std::uint16_t>(value >> 16U);
      std::memcpy(bank->data() + at * sizeof half, &half, sizeof half);
    } else {
      std::memcpy(bank->data() + at * sizeof value, &value, sizeof value);
    }
    Sketch sketch = best_;
    sketch.bank = std::move(bank);
    return attempt(sketch);
  }

  std::uint32_t bank_value(std::size_t at) const {
    if (best_.shape.bank_type == BankType::bf16) {
      std::uint16_t half = 0;
      std::memcpy(&half, best_.bank->data() + at * sizeof half, sizeof half);
      return static_cast<std::uint32_t>(half) << 16U;
    }
    std::uint32_t bits = 0;
    std::memcpy(&bits, best_.bank->data() + at * sizeof bits, sizeof bits);
    return bits;
  }

  void make_tensors_plain() {
    for (std::size_t at = 0; at < std::min(best_.delta_v->size(), plain_values_max); ++at) {
      for (const std::uint32_t value : simpler(f32_bits((*best_.delta_v)[at]), 0U)) {
        if (try_token_value(at, value)) break;
      }
    }
    const auto elements =
        best_.bank->size() / static_cast<std::size_t>(element_size(best_.shape.bank_type));
    for (std::size_t at = 0; at < std::min(elements, plain_values_max); ++at) {
      for (const std::uint32_t value : simpler(bank_value(at), 0U)) {
        if (try_bank_value(at, value)) break;
      }
    }
  }

  void make_plain() {
    if (best_.shape.snapshot != SnapshotForm::none) {
      Sketch bare = best_;
      bare.shape.snapshot = SnapshotForm::none;
      (void)attempt(bare);
    }
    make_records_plain();
    make_tensors_plain();
  }

  const std::function<bool(const Problem&)>& still_fails_;
  ShrinkBudget budget_;
  Clock::time_point start_ = Clock::now();
  Sketch best_;
  Shrunk result_;
};

std::string counted(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

Shrunk shrink(const Problem& problem, const std::function<bool(const Problem&)>& still_fails,
              const ShrinkBudget& budget) {
  return Shrinker(problem, still_fails, budget).run();
}

bool fails_alike(const CaseResult& first, const CaseResult& other) {
  if (first.verdict != other.verdict) return false;
  if (first.difference.has_value() != other.difference.has_value()) return false;
  if (!first.difference) {
    return first.text.substr(0, first.text.find(':')) == other.text.substr(0, other.text.find(':'));
  }
  // A sentence that names no rule is no diagnosis to keep.
  const bool explained = first.diagnosis && first.diagnosis->starts_with("reproduced by");
  return explained ? first.diagnosis == other.diagnosis
                   : first.difference->tensor == other.difference->tensor;
}

SmallFailure shrink_failure(const Problem& problem,
                            const std::function<CaseResult(const Problem&)>& judge,
                            const ShrinkBudget& budget) {
  const CaseResult first = judge(problem);
  SmallFailure small{problem, first};
  if (!is_failure(first)) return small;
  small.problem = shrink(
                      problem,
                      [&](const Problem& candidate) {
                        CaseResult result = judge(candidate);
                        const bool alike = fails_alike(first, result);
                        if (alike) small.result = std::move(result);
                        return alike;
                      },
                      budget)
                      .problem;
  return small;
}

std::string size_phrase(const ProblemShape& shape) {
  const std::int64_t steps = shape.num_parallel == 0 ? 0 : shape.steps();
  return fmt::format(
      "{} of {}, {}, head size {}, {}, snapshot {}", counted(steps, "step", "steps"),
      counted(shape.num_parallel, "stream", "streams"),
      counted(shape.positions, "position", "positions"), shape.head_dim,
      counted(shape.slots, (std::string(to_string(shape.bank_type)) + " row").c_str(),
              (std::string(to_string(shape.bank_type)) + " rows").c_str()),
      to_string(shape.snapshot));
}

}  // namespace chainwalk::conformance
