// SPDX-License-Identifier: Apache-2.0
// Fields of requests by name, and requests whose tensors nobody can read (PLN-1, PLN-2).
#include "chainwalk/fuzz/request_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>

#include "chainwalk/conformance/request.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::fuzz {
namespace {

struct Tensor {
  const char* name;
  cw_tensor cw_request::*member;
};
constexpr Tensor tensors[] = {{"bank", &cw_request::bank},
                              {"delta_v", &cw_request::delta_v},
                              {"records", &cw_request::records},
                              {"tile_bounds", &cw_request::tile_bounds},
                              {"group_prefix", &cw_request::group_prefix},
                              {"snapshot", &cw_request::snapshot},
                              {"payload", &cw_request::payload},
                              {"scale", &cw_request::scale}};

struct Field {
  std::string name;
  std::function<void(ProblemShape&, std::int64_t)> change_size;  // of sizes, else empty
  std::function<void(cw_request&, std::int64_t)> change;         // of all others
};

void* moved(void* data, std::int64_t bytes) {
  // The address is nobody's, so it is a number and no pointer into anything.
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(data) +
                                 static_cast<std::uintptr_t>(bytes));
}

void add_sizes(std::vector<Field>& fields) {
  const auto add = [&](const char* name, std::int64_t ProblemShape::*size) {
    fields.push_back({name, [size](auto& shape, std::int64_t value) { shape.*size = value; }, {}});
  };
  add("slots", &ProblemShape::slots);
  add("head_dim", &ProblemShape::head_dim);
  add("chunks", &ProblemShape::num_chunks);
  add("positions", &ProblemShape::positions);
  add("num_parallel", &ProblemShape::num_parallel);
  add("chunk_size", &ProblemShape::chunk_size);
  add("delta_v_rows", &ProblemShape::delta_v_rows);
  add("delta_v_step_rows", &ProblemShape::delta_v_step_rows);
  add("warps_per_block", &ProblemShape::warps_per_block);
  add("blocks_per_chunk", &ProblemShape::blocks_per_chunk);
}

void add_scalars(std::vector<Field>& fields) {
  const auto add = [&](const char* name, auto change) { fields.push_back({name, {}, change}); };
  const auto narrow = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
  add("size", [](auto& r, std::int64_t value) { r.size = static_cast<std::uint32_t>(value); });
  add("snapshot_form", [=](auto& r, auto value) { r.snapshot_form = narrow(value); });
  add("snapshot_step", [](auto& r, auto value) { r.snapshot_step = value; });
  add("geometry.slices_per_warp",
      [=](auto& r, auto value) { r.geometry.slices_per_warp = narrow(value); });
  add("geometry.offset_bits", [=](auto& r, auto value) { r.geometry.offset_bits = narrow(value); });
  add("geometry.portable", [=](auto& r, auto value) { r.geometry.portable = narrow(value); });
  add("geometry.quantizing_form",
      [=](auto& r, auto value) { r.geometry.quantizing_form = narrow(value); });
  add("geometry.shared_cap", [](auto& r, auto value) { r.geometry.shared_cap = value; });
}

void add_tensors(std::vector<Field>& fields) {
  for (const Tensor& tensor : tensors) {
    const auto member = tensor.member;
    const auto add = [&](const std::string& name, auto change) {
      fields.push_back({tensor.name + ("." + name), {}, [member, change](auto& r, auto value) {
                          change(r.*member, value);
                        }});
    };
    add("rank", [](cw_tensor& t, auto value) { t.rank = static_cast<std::int32_t>(value); });
    add("type", [](cw_tensor& t, auto value) { t.type = static_cast<std::int32_t>(value); });
    for (int index = 0; index < 3; ++index) {
      add(fmt::format("shape{}", index), [=](cw_tensor& t, auto value) { t.shape[index] = value; });
      add(fmt::format("stride{}", index),
          [=](cw_tensor& t, auto value) { t.stride[index] = value; });
    }
    add("shift", [](cw_tensor& t, auto value) { t.data = moved(t.data, value); });
    for (const Tensor& other : tensors) {
      fields.push_back({fmt::format("{}.onto.{}", tensor.name, other.name),
                        {},
                        [member, onto = other.member](auto& r, auto value) {
                          (r.*member).data = moved((r.*onto).data, value);
                        }});
    }
  }
}

const std::vector<Field>& field_list() {
  static const std::vector<Field> list = [] {
    std::vector<Field> fields;
    add_sizes(fields);
    add_scalars(fields);
    add_tensors(fields);
    return fields;
  }();
  return list;
}

std::int64_t times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max()
                                                : product;
}
std::int64_t plus_one(std::int64_t value) {
  return value == std::numeric_limits<std::int64_t>::max() ? value : value + 1;
}

// Nobody's addresses: 2^60 to 2^63, 2^60 apart (PLN-2's 16 bytes divide them).
void place(cw_request& request, std::size_t index, std::int32_t type,
           std::initializer_list<std::int64_t> shape) {
  void* const address = reinterpret_cast<void*>((std::uintptr_t{index} + 1) << 60U);
  request.*tensors[index].member = conformance::contiguous_tensor(address, type, shape);
}

cw_request request_of(const ProblemShape& shape) {
  cw_request request{};
  conformance::fill_sizes(request, shape, {0, 0, -1, 0, 0});
  const std::int32_t bank_type = shape.bank_type == BankType::bf16 ? CW_BF16 : CW_F32;
  const std::int64_t bounds = plus_one(times(shape.warps_per_block, shape.blocks_per_chunk));
  const std::int64_t rows = times(shape.num_chunks, shape.positions);
  place(request, 0, bank_type, {shape.slots, shape.head_dim});
  place(request, 1, CW_F32, {shape.delta_v_rows, shape.head_dim});
  place(request, 2, CW_I32, {shape.num_chunks, shape.positions, 4});
  place(request, 3, CW_I32, {shape.num_chunks, bounds});
  place(request, 4, CW_I32, {shape.num_chunks, bounds});
  for (const std::size_t absent : {5U, 6U, 7U}) place(request, absent, CW_U8, {});
  if (is_dense(shape.snapshot)) {
    const std::int32_t type = shape.snapshot == SnapshotForm::bf16 ? +CW_BF16 : bank_type;
    place(request, 5, type, {rows, shape.head_dim});
  } else if (is_quantized(shape.snapshot)) {
    const bool bytes = shape.snapshot == SnapshotForm::fp8;
    place(request, 6, CW_U8, {rows, bytes ? shape.head_dim : plus_one(shape.head_dim) / 2});
    place(request, 7, CW_F32, {rows});
  }
  return request;
}

}  // namespace

RequestEdit request_edit(std::string_view field, std::int64_t value) {
  static const std::map<std::string_view, std::uint16_t> by_name = [] {
    std::map<std::string_view, std::uint16_t> map;
    for (const Field& one : field_list())
      map.emplace(one.name, static_cast<std::uint16_t>(map.size()));
    return map;
  }();
  const auto found = by_name.find(field);
  if (found == by_name.end()) {
    throw InputError(
        {"FUZZ", std::nullopt, std::nullopt, fmt::format("'{}' is no field of a request", field)});
  }
  return {found->second, value};
}

std::string to_string(std::span<const RequestEdit> edits) {
  std::string text;
  for (const RequestEdit& edit : edits)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", field_list().at(edit.field).name,
                        edit.value);
  return text;
}

std::vector<RequestEdit> parse_request_edits(std::string_view text) {
  std::vector<RequestEdit> edits;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view number = word.substr(std::min(word.size(), equals + 1));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc() || end != number.data() + number.size()) {
      throw InputError({"FUZZ", std::nullopt, std::nullopt,
                        fmt::format("change of a request '{}': field=number is needed", word)});
    }
    edits.push_back(request_edit(word.substr(0, equals), value));
  }
  return edits;
}

cw_request sketch_request(const ProblemShape& shape, std::span<const RequestEdit> edits) {
  ProblemShape sizes = shape;
  for (const RequestEdit& edit : edits) {
    const Field& field = field_list().at(edit.field);
    if (field.change_size) field.change_size(sizes, edit.value);
  }
  cw_request request = request_of(sizes);
  for (const RequestEdit& edit : edits) {
    const Field& field = field_list().at(edit.field);
    if (field.change) field.change(request, edit.value);
  }
  return request;
}

}  // namespace chainwalk::fuzz
