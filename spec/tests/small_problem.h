// SPDX-License-Identifier: Apache-2.0
// A hand-made well-formed problem that a test breaks in one place, and what tests need around it.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "chainwalk/spec/capture.h"
#include "chainwalk/spec/problem.h"
#include "chainwalk/spec/record.h"

namespace chainwalk::tests {

inline constexpr std::uint32_t one_f32 = 0x3F80'0000U;

// Element storage at 16-byte aligned addresses.
template <typename T>
class Aligned {
 public:
  void assign(std::size_t count, T value) {
    size_ = count;
    blocks_.assign((count * sizeof(T) + sizeof(Record) - 1) / sizeof(Record), Record{});
    for (std::size_t i = 0; i < count; ++i) data()[i] = value;
  }
  T* data() { return reinterpret_cast<T*>(blocks_.data()); }
  T& operator[](std::size_t i) { return data()[i]; }
  std::span<const T> view() { return {data(), size_}; }

 private:
  std::vector<Record> blocks_;
  std::size_t size_ = 0;
};

// Two streams, two steps and one chunk too many; n = 6, one column in four; f32 bank, raw rows.
// Chunk c: groups [0,3) valid, [3,4) INVALID, [4,6) valid; slots 2c' and 2c'+1 for its stream.
struct SmallProblem {
  ProblemShape shape{.bank_type = BankType::f32,
                     .snapshot = SnapshotForm::raw,
                     .slots = 4,
                     .head_dim = 4,
                     .num_chunks = 5,
                     .positions = 6,
                     .num_parallel = 2,
                     .chunk_size = 8,
                     .delta_v_rows = 32,
                     .delta_v_step_rows = 16,
                     .warps_per_block = 4,
                     .blocks_per_chunk = 1};
  Aligned<std::byte> bank;
  Aligned<float> delta_v;
  std::vector<Record> records;
  std::vector<std::int32_t> bounds;
  std::vector<std::int32_t> prefix;

  SmallProblem() {
    bank.assign(4 * 4 * 4, std::byte{0x3F});
    delta_v.assign(32 * 4, 0.5F);
    for (std::uint32_t chunk = 0; chunk < 5; ++chunk) {
      const std::uint32_t slot = chunk % 2 * 2;
      records.push_back({record_first | 0U << 9U, 900, one_f32, 0x7FC0'0000U});
      records.push_back({3U << 9U, 901, one_f32, one_f32});
      records.push_back({record_last | 5U << 9U, slot, one_f32, one_f32});
      records.push_back({record_first | record_last | record_invalid, 902, one_f32, one_f32});
      records.push_back({record_first | 2U << 9U, slot, one_f32, one_f32});
      records.push_back({record_last | 2U << 9U, slot + 1, one_f32, one_f32});
      bounds.insert(bounds.end(), {0, 3, 3, 4, 6});
      prefix.insert(prefix.end(), {0, 1, 1, 1, 2});
    }
  }

  Record& record(std::size_t chunk, std::size_t position) { return records[chunk * 6 + position]; }
  std::int32_t& bound(std::size_t chunk, std::size_t t) { return bounds[chunk * 5 + t]; }
  std::int32_t& prefix_at(std::size_t chunk, std::size_t t) { return prefix[chunk * 5 + t]; }

  // Views of this object's tensors.
  Problem problem() {
    Problem made;
    made.shape = shape;
    made.bank_before = bank.view();
    made.delta_v = delta_v.view();
    made.records = records;
    made.tile_bounds = bounds;
    made.group_prefix = prefix;
    return made;
  }
};

template <typename T, typename U>
bool same_bytes(std::span<const T> a, std::span<const U> b) {
  return a.size_bytes() == b.size_bytes() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

// A folder that is removed with what is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "chainwalk.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace chainwalk::tests
