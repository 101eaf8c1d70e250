// SPDX-License-Identifier: Apache-2.0
// A capture file taken apart, so that a test can put it together again in another way (CAP-1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "small_problem.h"

namespace chainwalk::tests {

struct CaptureBytes {
  nlohmann::json header;
  std::string data;

  static std::uint64_t header_length(const std::string& file) {
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), sizeof length);
    return length;
  }

  static CaptureBytes load(const std::filesystem::path& path) {
    const std::string file = read_file(path);
    const std::uint64_t length = header_length(file);
    return {nlohmann::json::parse(file.substr(8, length)), file.substr(8 + length)};
  }

  static std::string file_of(const std::string& text, const std::string& data) {
    const std::uint64_t length = text.size();
    std::string file(sizeof length, '\0');
    std::memcpy(file.data(), &length, sizeof length);
    return file + text + data;
  }

  std::string file(std::size_t padding = 0) const {
    return file_of(header.dump() + std::string(padding, ' '), data);
  }
  void save(const std::filesystem::path& path, std::size_t padding = 0) const {
    write_file(path, file(padding));
  }

  std::vector<std::string> tensor_names() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : header.items()) {
      if (name != "__metadata__") names.push_back(name);
    }
    return names;
  }

  // Puts the tensors one after another in this order.
  void reorder(const std::vector<std::string>& names) {
    std::string moved;
    for (const std::string& name : names) {
      auto& offsets = header[name]["data_offsets"];
      const auto begin = offsets[0].get<std::size_t>();
      const auto size = offsets[1].get<std::size_t>() - begin;
      offsets = {moved.size(), moved.size() + size};
      moved += data.substr(begin, size);
    }
    data = moved;
  }
};

}  // namespace chainwalk::tests
