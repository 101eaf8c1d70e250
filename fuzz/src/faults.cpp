// SPDX-License-Identifier: Apache-2.0
// Values on both sides of each border of the plan checks.
#include "faults.h"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "chainwalk/spec/head.h"
#include "layout.h"

namespace chainwalk::fuzz {
namespace {

using generate::Random;
using Values = std::initializer_list<std::int64_t>;

constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t two_31 = std::int64_t{1} << 31U;

class Faults {
 public:
  Faults(const ProblemShape& shape, Random& random) : shape_(shape), random_(random) {}

  void add(Feature fault) {
    switch (info(fault).axis == Axis::fault ? fault : Feature::fault_none) {
      case Feature::fault_delta_v_type:
      case Feature::fault_delta_v_stride:
      case Feature::fault_delta_v_rows:
      case Feature::fault_step_rows:
      case Feature::fault_records:
      case Feature::fault_bounds:
      case Feature::fault_prefix:
      case Feature::fault_alignment: return add_input_fault(fault);
      case Feature::fault_snapshot:
      case Feature::fault_given:
      case Feature::fault_snapshot_step:
      case Feature::fault_form:
      case Feature::fault_payload:
      case Feature::fault_scale:
      case Feature::fault_overlap: return add_output_fault(fault);
      case Feature::fault_slices:
      case Feature::fault_quantizing:
      case Feature::fault_grid:
      case Feature::fault_overflow:
      case Feature::fault_geometry: return add_limit_fault(fault);
      default: return add_class_fault(fault);
    }
  }

  std::vector<RequestEdit> take() { return std::move(edits_); }

 private:
  void set(std::string_view field, std::int64_t value) {
    edits_.push_back(request_edit(field, value));
  }
  void set_one(std::string_view field, Values values) {
    set(field, values.begin()[random_.below(values.size())]);
  }
  // One of the fields, a little more or less than `value`.
  void set_near(std::string_view field, std::int64_t value) {
    set_one(field, {value - 1, value, value + 1});
  }
  std::int64_t tiles() const { return shape_.tiles_per_chunk(); }
  std::int64_t rows() const { return shape_.snapshot_rows(); }
  std::int64_t step_rows() const { return shape_.num_parallel * shape_.chunk_size; }

  void add_class_fault(Feature fault) {
    switch (fault) {
      case Feature::fault_version:
        return set_one("size", {0, sizeof(cw_request) - 1, sizeof(cw_request) + 8});
      case Feature::fault_bank_rank: return set_one("bank.rank", {-1, 0, 1, 3, 4});
      case Feature::fault_bank_type: return set_one("bank.type", {-1, CW_BF16, CW_F32, CW_I32, 4});
      case Feature::fault_bank_stride:
        if (random_.one_in(3)) return set_one("bank.stride1", {0, 1, 2});
        return set_near("bank.stride0", shape_.head_dim);
      case Feature::fault_portable: return set_one("geometry.portable", {-2, -1, 0, 1, 2});
      case Feature::fault_shared_cap:
        // A kernel that needs shared memory, where none would do as well.
        if (random_.one_in(2)) set_one("geometry.slices_per_warp", {1, 2});
        return set_one("geometry.shared_cap", {-1, 0, 1, 512, 4096, 16384, 49152, 101376, 232447,
                                               232448, 232449, greatest});
      case Feature::fault_chunk_size:
        if (random_.one_in(2)) set("delta_v_rows", shape_.num_parallel * 257);
        return set_one("chunk_size", {-1, 0, 1, 2, 255, 256, 257, greatest});
      case Feature::fault_head:
        return set_one("head_dim",
                       {-1, 0, 1, 2, 4, 127, 128, 129, 136, 16376, 16384, 16392, max_head_dim - 8,
                        max_head_dim - 1, max_head_dim, max_head_dim + 1});
      case Feature::fault_slots:
        return set_one("slots", {-1, 0, 1, two_31 - 1, two_31, 2 * two_31});
      case Feature::fault_streams:
        set_one("num_parallel",
                {-1, 0, 1, shape_.num_chunks, shape_.num_chunks + 1, two_31, greatest});
        return;
      case Feature::fault_blocks:
        return set_one("blocks_per_chunk",
                       {-1, 0, 1, two_31 / 16, two_31 / 8, two_31, greatest / 16, greatest});
      case Feature::fault_warps:
        return set_one("warps_per_block", {-8, 0, 1, 3, 4, 4, 4, 5, 8, 12, 16, 17, 32});
      case Feature::fault_positions:
        return set_one("positions", {-1, 0, 1, two_31 / 2 - 1, two_31 / 2, two_31 / 2 + 1});
      default: return;
    }
  }

  void add_input_fault(Feature fault) {
    switch (fault) {
      case Feature::fault_delta_v_type:
        return set_one("delta_v.type", {-1, CW_BF16, CW_I32, CW_U8, 4});
      case Feature::fault_delta_v_stride: return add_delta_v_stride();
      case Feature::fault_delta_v_rows:
        if (random_.one_in(3)) {
          set("geometry.slices_per_warp", 1);
          return set_near("delta_v_rows", two_31);
        }
        return set_one("delta_v_rows", {-1, 0, step_rows() - 1, step_rows(), step_rows() + 1});
      case Feature::fault_step_rows:
        if (random_.one_in(2))
          return set_near("delta_v_step_rows", shape_.delta_v_rows * shape_.head_dim);
        return set_one("delta_v_step_rows", {-1, 0, 1, greatest});
      case Feature::fault_records:
        if (random_.one_in(4)) return set_one("records.type", {CW_F32, CW_BF16, CW_U8, 4});
        if (random_.one_in(2)) return set_near("records.shape2", 4);
        if (random_.one_in(2)) return set_one("records.rank", {-1, 0, 2, 4});
        if (random_.one_in(2)) return set_near("records.stride1", 4);
        return set_near("chunks", 0);
      case Feature::fault_bounds: return add_tile_fault("tile_bounds.");
      case Feature::fault_prefix: return add_tile_fault("group_prefix.");
      case Feature::fault_alignment: return add_alignment();
      default: return;
    }
  }

  // Rows of token rows are floor(elements / hd): one dimension will do, too.
  void add_delta_v_stride() {
    switch (random_.below(4)) {
      case 0: return set_near("delta_v.stride0", shape_.head_dim);
      case 1: return set_one("delta_v.stride1", {0, 1, 2});
      case 2: return set_one("delta_v.rank", {-1, 0, 3, 4});
      default:
        set("delta_v.rank", 1);
        set("delta_v.stride0", 1);
        return set_near("delta_v.shape0", step_rows() * shape_.head_dim);
    }
  }

  void add_tile_fault(const std::string& tensor) {
    switch (random_.below(5)) {
      case 0: return set_one(tensor + "type", {CW_F32, CW_BF16, CW_U8, 4});
      case 1: return set_near(tensor + "shape1", tiles() + 1);
      case 2: return set_near(tensor + "shape0", shape_.num_chunks);
      case 3: return set_near(tensor + "stride0", tiles() + 1);
      default: return set_one(tensor + "rank", {-1, 0, 1, 3, 4});
    }
  }

  // Other tensors than those of PLN-2 are aligned as their elements are.
  void add_alignment() {
    if (random_.one_in(4)) {
      static constexpr const char* any[] = {"tile_bounds.shift", "group_prefix.shift",
                                            "scale.shift"};
      return set_one(random_.pick(any), {4, 8, 16});
    }
    static constexpr const char* aligned[] = {"bank.shift", "delta_v.shift", "records.shift",
                                              "snapshot.shift", "payload.shift"};
    set_one(random_.pick(aligned), {1, 2, 4, 8, 15, 16, 32});
  }

  void add_output_fault(Feature fault) {
    switch (fault) {
      case Feature::fault_snapshot: return add_rows_fault("snapshot.", shape_.head_dim);
      case Feature::fault_payload:
        return add_rows_fault("payload.", shape_.snapshot == SnapshotForm::int4
                                              ? (shape_.head_dim + 1) / 2
                                              : shape_.head_dim);
      case Feature::fault_scale:
        if (random_.one_in(4)) return set_one("scale.type", {CW_BF16, CW_I32, CW_U8});
        if (random_.one_in(3)) return set_one("scale.stride0", {0, 1, 2});
        if (random_.one_in(3)) return set_one("scale.rank", {-1, 0, 2, 3});
        return set_near("scale.shape0", rows());
      case Feature::fault_given: return add_given();
      case Feature::fault_snapshot_step:
        return set_one("snapshot_step", {-1, 0, 0, 1, shape_.num_parallel - 1, shape_.num_parallel,
                                         shape_.num_parallel + 1});
      case Feature::fault_form: return set_one("snapshot_form", {0, 1, 2, 3, 4});
      case Feature::fault_overlap: return add_overlap();
      default: return;
    }
  }

  void add_rows_fault(const std::string& tensor, std::int64_t columns) {
    switch (random_.below(6)) {
      case 0: return set_one(tensor + "type", {CW_BF16, CW_F32, CW_I32, CW_U8, 4});
      case 1: return set_near(tensor + "shape1", columns);
      case 2: return set_near(tensor + "stride0", columns);
      case 3: return set_one(tensor + "rank", {-1, 0, 1, 3});
      default: return set_near(tensor + "shape0", rows());
    }
  }

  void add_given() {
    static constexpr const char* outputs[] = {"snapshot.", "payload.", "scale."};
    const std::string tensor = random_.pick(outputs);
    set_one(tensor + "rank", {1, 2});
    set_one(tensor + "shape0", {0, 1, rows()});
    set(tensor + "stride1", 1);
  }

  // From just before the other tensor to just behind it.
  void add_overlap() {
    struct Pair {
      const char* written;
      const char* other;
    };
    static constexpr Pair quantized[] = {{"payload", "bank"},    {"payload", "delta_v"},
                                         {"scale", "bank"},      {"scale", "delta_v"},
                                         {"scale", "payload"},   {"payload", "scale"},
                                         {"payload", "records"}, {"scale", "tile_bounds"}};
    static constexpr Pair dense[] = {
        {"snapshot", "bank"}, {"snapshot", "delta_v"}, {"snapshot", "records"}};
    const Pair pair = is_quantized(shape_.snapshot) ? random_.pick(quantized) : random_.pick(dense);
    const auto in_16 = [](std::int64_t bytes) { return (bytes + 15) / 16 * 16; };
    const std::int64_t other = in_16(bytes_of(pair.other));
    const std::int64_t own = in_16(bytes_of(pair.written));
    set_one(fmt::format("{}.onto.{}", pair.written, pair.other),
            {-own, -own + 16, 0, 16, other - 16, other, other + 16});
  }

  std::int64_t bytes_of(std::string_view tensor) const {
    if (tensor == "bank") return shape_.slots * shape_.bank_row_bytes();
    if (tensor == "delta_v") return shape_.delta_v_rows * shape_.head_dim * 4;
    if (tensor == "records") return shape_.num_chunks * shape_.positions * 16;
    if (tensor == "tile_bounds") return shape_.num_chunks * (tiles() + 1) * 4;
    return rows() * (tensor == "scale" ? 4 : shape_.snapshot_row_bytes());
  }

  void add_limit_fault(Feature fault) {
    switch (fault) {
      case Feature::fault_slices:
        if (random_.one_in(2)) set_one("head_dim", {128, 256, 264, 384, 512});
        return set_one("geometry.slices_per_warp", {-1, 0, 1, 2, 2, 2, 3});
      case Feature::fault_quantizing:
        if (random_.one_in(4)) set("geometry.portable", 1);
        if (random_.one_in(4)) set_one("geometry.slices_per_warp", {1, 2});
        if (random_.one_in(2))
          set_one("head_dim", {120, 128, 136, 256, 1024, 2048, 2056, 4096, 16384, 16512});
        return set_one("geometry.quantizing_form", {-1, 1, 1, 2, 2, 3, 4});
      case Feature::fault_grid: {
        const std::int64_t slices = (shape_.head_dim - 1) / slice_columns_max + 1;
        return set_near("blocks_per_chunk", (two_31 - 1) / (shape_.num_parallel * slices));
      }
      case Feature::fault_overflow: return add_overflow();
      case Feature::fault_geometry:
        if (random_.one_in(3)) set_near("slots", 2 * two_31 / shape_.bank_row_bytes());
        return set_one("geometry.offset_bits", {-1, 0, 16, 32, 32, 33, 64});
      default: return;
    }
  }

  void add_overflow() {
    const std::int64_t positions = std::max<std::int64_t>(shape_.positions, 1);
    switch (random_.below(4)) {
      case 0: return set_near("chunks", greatest / (16 * positions));
      case 1: return set_near("chunks", greatest / (4 * (tiles() + 1)));
      case 2: return set_near("delta_v_rows", greatest / (4 * shape_.head_dim));
      // One row and one element past the end of the address space: the last tensor ends there.
      default: return set_one("scale.shift", {-(greatest - 3), -(greatest - 3) - 4 * rows()});
    }
  }

  const ProblemShape& shape_;
  Random& random_;
  std::vector<RequestEdit> edits_;
};

}  // namespace

std::vector<RequestEdit> draw_faults(const Draw& draw, const ProblemShape& shape) {
  Random random = words_of(draw, Use::faults);
  Faults faults(shape, random);
  const Feature fault = draw.of(Axis::fault);
  if (fault == Feature::fault_none) return {};
  const auto& all = features_of(Axis::fault);
  if (random.one_in(4)) faults.add(all[random.below(all.size())]);
  faults.add(fault);
  return faults.take();
}

}  // namespace chainwalk::fuzz
