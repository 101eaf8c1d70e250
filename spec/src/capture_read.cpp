// SPDX-License-Identifier: Apache-2.0
// Reading of capture files (CAP-5 to CAP-8).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

#include "capture_layout.h"
#include "chainwalk/platform/memory.h"
#include "chainwalk/spec/capture.h"
#include "safetensors_header.h"

namespace chainwalk {
namespace {

using safetensors::Contents;
using safetensors::Entry;
using safetensors::fail;
using safetensors::quote;
using safetensors::shape_text;

// What the views of a capture point into.
struct CaptureStorage {
  struct alignas(64) Block {
    std::byte bytes[64];
  };
  platform::Mapping file;
  std::vector<std::vector<Block>> copies;

  // `data`, or a copy of it where it is not aligned: a safetensors file may put a tensor anywhere.
  std::span<const std::byte> aligned(std::span<const std::byte> data, std::uintptr_t alignment) {
    if (data.empty() || reinterpret_cast<std::uintptr_t>(data.data()) % alignment == 0) return data;
    auto& copy = copies.emplace_back((data.size() + sizeof(Block) - 1) / sizeof(Block));
    std::memcpy(copy.data(), data.data(), data.size());
    return {copy.front().bytes, data.size()};
  }
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : name_(path.string()), storage_(std::make_shared<CaptureStorage>()) {
    storage_->file = platform::Mapping::read_file(path);
    contents_ = safetensors::parse(name_, std::as_const(storage_->file).bytes());
  }

  Capture read() {
    read_metadata();
    read_sizes();
    check_tensors();
    fill_views();
    capture_.problem.storage = std::move(storage_);
    return std::move(capture_);
  }

 private:
  std::string take(const char* key) {
    const auto found = contents_.metadata.find(key);
    if (found == contents_.metadata.end()) {
      fail(name_, "CAP-7", fmt::format("metadata has no \"{}\"", key));
    }
    std::string text = found->second;
    contents_.metadata.erase(found);
    return text;
  }

  std::string take_optional(const char* key) {
    return contents_.metadata.contains(key) ? take(key) : std::string();
  }

  void take_exactly(const char* key, const char* needed) {
    const std::string text = take(key);
    if (text != needed) {
      fail(name_, "CAP-7",
           fmt::format("metadata \"{}\" is {}; \"{}\" is needed", key, quote(text), needed));
    }
  }

  std::int64_t take_integer(const char* key) {
    const std::string text = take(key);
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end || std::to_string(value) != text ||
        value < 0) {
      fail(name_, "CAP-7",
           fmt::format("metadata \"{}\" is {}; a decimal integer in 0..2^63 - 1 is needed", key,
                       quote(text)));
    }
    return value;
  }

  void read_metadata() {
    take_exactly("format", capture::format_name);
    take_exactly("version", capture::format_version);
    for (const capture::IntegerKey& one : capture::integer_keys) {
      shape().*one.field = take_integer(one.key);
    }
    const std::string form = take("snapshot");
    const auto known = parse_snapshot_form(form);
    if (!known) {
      fail(name_, "CAP-7",
           fmt::format("metadata \"snapshot\" is {}; none, raw, bf16, fp8 or int4 is needed",
                       quote(form)));
    }
    shape().snapshot = *known;
    capture_.device = take_optional("device");
    capture_.source = take_optional("source");
    capture_.metadata = std::move(contents_.metadata);
  }

  const Entry* find(std::string_view name) const {
    const auto found = std::find_if(contents_.tensors.begin(), contents_.tensors.end(),
                                    [&](const Entry& entry) { return entry.name == name; });
    return found == contents_.tensors.end() ? nullptr : &*found;
  }

  // A tensor of `rank` sizes that the shape of the problem is taken from.
  const Entry& sized(const char* name, std::size_t rank) const {
    const Entry* entry = find(name);
    if (entry == nullptr) fail(name_, "CAP-5", fmt::format("tensor \"{}\" is missing", name));
    if (entry->shape.size() != rank) {
      fail(name_, "CAP-6",
           fmt::format("tensor \"{}\" has shape {}; {} sizes are needed", name,
                       shape_text(entry->shape), rank));
    }
    return *entry;
  }

  void read_sizes() {
    const Entry& bank = sized("bank_before", 2);
    if (bank.type != "BF16" && bank.type != "F32") {
      fail(name_, "CAP-6",
           fmt::format("tensor \"bank_before\" is {}; BF16 or F32 is needed", bank.type));
    }
    shape().bank_type = bank.type == "BF16" ? BankType::bf16 : BankType::f32;
    shape().slots = bank.shape[0];
    shape().head_dim = bank.shape[1];
    shape().delta_v_rows = sized("delta_v", 2).shape[0];
    const Entry& records = sized("records", 3);
    shape().num_chunks = records.shape[0];
    shape().positions = records.shape[1];
  }

  void check_tensors() {
    const auto needed = capture::tensors_of(shape());
    std::vector<const capture::Tensor*> present;
    for (const Entry& entry : contents_.tensors) {
      const auto known =
          std::find_if(needed.begin(), needed.end(),
                       [&](const capture::Tensor& one) { return entry.name == one.name; });
      if (known == needed.end()) {
        fail(name_, "CAP-5",
             fmt::format("tensor {} does not belong in a capture with snapshot \"{}\"",
                         quote(entry.name), to_string(shape().snapshot)));
      }
      check_tensor(entry, *known);
      capture_.has_expected = capture_.has_expected || known->output;
    }
    for (const capture::Tensor& tensor : needed) {
      if (find(tensor.name) != nullptr || (tensor.output && !capture_.has_expected)) continue;
      fail(name_, "CAP-5",
           fmt::format("tensor \"{}\" is missing{}", tensor.name,
                       tensor.output ? ", but other outputs are there" : ""));
    }
  }

  void check_tensor(const Entry& entry, const capture::Tensor& needed) const {
    if (entry.type != needed.type) {
      fail(name_, "CAP-6",
           fmt::format("tensor \"{}\" is {}; {} is needed", needed.name, entry.type, needed.type));
    }
    if (std::find(needed.shape.begin(), needed.shape.end(), -1) != needed.shape.end()) {
      fail(name_, "CAP-6",
           fmt::format("tensor \"{}\" has shape {}; the size needed does not fit in 63 bits",
                       needed.name, shape_text(entry.shape)));
    }
    if (entry.shape != needed.shape) {
      fail(name_, "CAP-6",
           fmt::format("tensor \"{}\" has shape {}; {} is needed", needed.name,
                       shape_text(entry.shape), shape_text(needed.shape)));
    }
  }

  std::span<const std::byte> bytes(const char* name) {
    const Entry* entry = find(name);
    constexpr std::uintptr_t alignment = 16;
    return entry == nullptr ? std::span<const std::byte>()
                            : storage_->aligned(entry->data, alignment);
  }

  template <typename T>
  std::span<const T> elements(const char* name) {
    const auto data = bytes(name);
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }

  void fill_views() {
    capture_.problem.bank_before = bytes("bank_before");
    capture_.problem.delta_v = elements<float>("delta_v");
    capture_.problem.records = elements<Record>("records");
    capture_.problem.tile_bounds = elements<std::int32_t>("tile_bounds");
    capture_.problem.group_prefix = elements<std::int32_t>("group_prefix");
    capture_.expected = {bytes("bank_after"), bytes("snapshot"), bytes("payload"),
                         elements<float>("scale")};
  }

  ProblemShape& shape() { return capture_.problem.shape; }

  std::string name_;
  std::shared_ptr<CaptureStorage> storage_;
  Contents contents_;
  Capture capture_;
};

}  // namespace

Capture read_capture(const std::filesystem::path& path) { return Reader(path).read(); }

}  // namespace chainwalk
