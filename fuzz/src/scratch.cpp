// SPDX-License-Identifier: Apache-2.0
// Problems handed to a worker of the same program on the same machine: sizes, then tensors.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "chainwalk/fuzz/serve.h"
#include "chainwalk/platform/memory.h"

namespace chainwalk::fuzz {
namespace {

struct alignas(64) Header {
  ProblemShape shape;
  std::int64_t big_slots;
  std::uint64_t lengths[8];  // bytes of the tensors, of big_rows, of the options and of the edits
};

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

std::string joined(const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& option : options) text += option + '\n';
  return text;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace

void write_scratch(const std::filesystem::path& path, const FuzzCase& fuzz_case) {
  const Problem& problem = fuzz_case.problem;
  const std::string options = joined(fuzz_case.options);
  const std::string edits = to_string(fuzz_case.edits);
  const std::span<const std::byte> parts[8] = {problem.bank_before,
                                               std::as_bytes(problem.delta_v),
                                               std::as_bytes(problem.records),
                                               std::as_bytes(problem.tile_bounds),
                                               std::as_bytes(problem.group_prefix),
                                               std::as_bytes(std::span(fuzz_case.big_rows)),
                                               std::as_bytes(std::span(options)),
                                               std::as_bytes(std::span(edits))};
  Header header{problem.shape, fuzz_case.big_slots, {}};
  std::vector<std::byte> bytes(sizeof(Header));
  for (std::size_t part = 0; part < std::size(parts); ++part) {
    header.lengths[part] = parts[part].size();
    bytes.insert(bytes.end(), parts[part].begin(), parts[part].end());
    bytes.resize(padded(bytes.size()));
  }
  std::memcpy(bytes.data(), &header, sizeof header);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                             &std::fclose);
  if (file == nullptr || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() ||
      std::fflush(file.get()) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot write " + path.string());
  }
}

FuzzCase read_scratch(const std::filesystem::path& path) {
  auto mapping = std::make_shared<platform::Mapping>(platform::Mapping::read_file(path));
  const std::span<const std::byte> bytes = std::as_const(*mapping).bytes();
  Header header;
  if (bytes.size() < sizeof header)
    throw std::runtime_error("scratch file " + path.string() + " is cut short");
  std::memcpy(&header, bytes.data(), sizeof header);
  std::size_t at = sizeof header;
  const auto next = [&](std::size_t part) {
    const std::size_t length = header.lengths[part];
    if (length > bytes.size() - at)
      throw std::runtime_error("scratch file " + path.string() + " is cut short");
    const std::byte* begin = bytes.data() + at;
    at = std::min(bytes.size(), at + padded(length));
    return std::pair(begin, length);
  };
  const auto tensor = [&]<typename T>(std::size_t part, std::span<const T>& view) {
    const auto [begin, length] = next(part);
    view = {reinterpret_cast<const T*>(begin), length / sizeof(T)};
  };
  FuzzCase fuzz_case;
  Problem& problem = fuzz_case.problem;
  problem.shape = header.shape;
  tensor(0, problem.bank_before);
  tensor(1, problem.delta_v);
  tensor(2, problem.records);
  tensor(3, problem.tile_bounds);
  tensor(4, problem.group_prefix);
  std::span<const std::int64_t> rows;
  tensor(5, rows);
  std::span<const char> options;
  tensor(6, options);
  std::span<const char> edits;
  tensor(7, edits);
  fuzz_case.big_rows.assign(rows.begin(), rows.end());
  fuzz_case.big_slots = header.big_slots;
  fuzz_case.options = split_lines({options.data(), options.size()});
  fuzz_case.edits = parse_request_edits({edits.data(), edits.size()});
  problem.storage = std::move(mapping);
  return fuzz_case;
}

}  // namespace chainwalk::fuzz
