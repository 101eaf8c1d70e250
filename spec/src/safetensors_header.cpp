// SPDX-License-Identifier: Apache-2.0
// Parsing of a safetensors container, hostile ones included (CAP-1 to CAP-4).
#include "safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "chainwalk/spec/fault.h"

namespace chainwalk::safetensors {
namespace {

using nlohmann::json;

constexpr auto int64_max = std::numeric_limits<std::int64_t>::max();
constexpr int nesting_max = 3;  // the header, a tensor, its shape

std::string value_text(const json& value) {
  constexpr std::size_t shown = 60;
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > shown) text = text.substr(0, shown) + "...";
  return text;
}

// The header's text, once its length has been checked against the file.
std::string_view header_text(const std::string& file_name, std::span<const std::byte> file) {
  if (file.size() < length_bytes) {
    fail(file_name, "CAP-1",
         fmt::format("the file has {} bytes; at least {} are needed for the header's length",
                     file.size(), length_bytes));
  }
  std::uint64_t length = 0;
  for (unsigned i = 0; i < length_bytes; ++i) {
    length |= std::to_integer<std::uint64_t>(file[i]) << (8U * i);
  }
  if (length > header_bytes_max) {
    fail(file_name, "CAP-1",
         fmt::format("header length is {}; at most {} is allowed", length, header_bytes_max));
  }
  if (length > file.size() - length_bytes) {
    fail(file_name, "CAP-1",
         fmt::format("header length is {}, but only {} bytes follow it", length,
                     file.size() - length_bytes));
  }
  const std::string_view text(reinterpret_cast<const char*>(file.data() + length_bytes),
                              static_cast<std::size_t>(length));
  if (text.empty() || text.front() != '{') {
    fail(file_name, "CAP-2", "the header does not begin with '{'");
  }
  // The JSON parser takes a NUL for the end of its input and would pass over what follows.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    fail(file_name, "CAP-2", fmt::format("the header has a NUL at its byte {}", nul));
  }
  return text;
}

json parse_json(const std::string& file_name, std::string_view text) {
  std::vector<std::set<std::string>> keys;
  const json::parser_callback_t check = [&](int depth, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start || event == json::parse_event_t::array_start) {
      if (depth >= nesting_max) {
        fail(file_name, "CAP-2",
             fmt::format("the header nests deeper than {} levels", nesting_max));
      }
      if (event == json::parse_event_t::object_start) keys.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) {
        fail(file_name, "CAP-2", fmt::format("the header has the key {} twice", quote(key)));
      }
    }
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::exception& error) {
    const std::string_view what = error.what();
    const std::size_t prefix = what.find("] ");
    fail(file_name, "CAP-2",
         fmt::format("the header is not JSON: {}",
                     quote(prefix == std::string_view::npos ? what : what.substr(prefix + 2))));
  }
}

std::map<std::string, std::string> metadata_of(const std::string& file_name, const json& value) {
  if (!value.is_object()) {
    fail(file_name, "CAP-7",
         fmt::format("__metadata__ is {}; an object of strings is needed", value_text(value)));
  }
  std::map<std::string, std::string> metadata;
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) {
      fail(file_name, "CAP-7",
           fmt::format("metadata {} is {}; a string is needed", quote(key), value_text(text)));
    }
    metadata.emplace(key, text.get_ref<const std::string&>());
  }
  return metadata;
}

// A list of integers in 0..2^63 - 1.
std::vector<std::int64_t> integers_of(const std::string& file_name, const std::string& where,
                                      const json& value) {
  if (!value.is_array()) {
    fail(file_name, "CAP-3", fmt::format("{} is {}; a list is needed", where, value_text(value)));
  }
  std::vector<std::int64_t> integers;
  for (const json& one : value) {
    if (!one.is_number_unsigned() ||
        one.get<std::uint64_t>() > static_cast<std::uint64_t>(int64_max)) {
      fail(file_name, "CAP-3",
           fmt::format("{}[{}] is {}; an integer in 0..{} is needed", where, integers.size(),
                       value_text(one), int64_max));
    }
    integers.push_back(one.get<std::int64_t>());
  }
  return integers;
}

const json& member_of(const std::string& file_name, const std::string& tensor, const json& object,
                      const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) {
    fail(file_name, "CAP-3", fmt::format("tensor {} has no {}", tensor, key));
  }
  return *found;
}

struct Placed {
  Entry entry;
  std::int64_t begin;
  std::int64_t end;
};

Placed placed_of(const std::string& file_name, const std::string& name, const json& object) {
  const std::string tensor = quote(name);
  if (!object.is_object()) {
    fail(file_name, "CAP-3",
         fmt::format("tensor {} is {}; an object is needed", tensor, value_text(object)));
  }
  for (const auto& [key, unused] : object.items()) {
    if (key != "dtype" && key != "shape" && key != "data_offsets") {
      fail(file_name, "CAP-3",
           fmt::format("tensor {} has the key {}; only dtype, shape and data_offsets are known",
                       tensor, quote(key)));
    }
  }
  const json& type = member_of(file_name, tensor, object, "dtype");
  if (!type.is_string() || element_bytes(type.get_ref<const std::string&>()) == 0) {
    fail(file_name, "CAP-3",
         fmt::format("tensor {}: dtype is {}; BF16, F32, I32 or U8 is needed", tensor,
                     value_text(type)));
  }
  auto shape = integers_of(file_name, fmt::format("tensor {}: shape", tensor),
                           member_of(file_name, tensor, object, "shape"));
  const auto offsets = integers_of(file_name, fmt::format("tensor {}: data_offsets", tensor),
                                   member_of(file_name, tensor, object, "data_offsets"));
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    fail(file_name, "CAP-3",
         fmt::format("tensor {}: data_offsets is {}; a begin and an end not before it are needed",
                     tensor, shape_text(offsets)));
  }
  const auto& type_name = type.get_ref<const std::string&>();
  const std::int64_t needed = tensor_bytes(shape, element_bytes(type_name));
  if (needed < 0) {
    fail(file_name, "CAP-3",
         fmt::format("tensor {}: shape {} of {} does not fit in 63 bits", tensor, shape_text(shape),
                     type_name));
  }
  if (offsets[1] - offsets[0] != needed) {
    fail(file_name, "CAP-3",
         fmt::format("tensor {}: data_offsets {} hold {} bytes; shape {} of {} needs {}", tensor,
                     shape_text(offsets), offsets[1] - offsets[0], shape_text(shape), type_name,
                     needed));
  }
  return {{name, type_name, std::move(shape), {}}, offsets[0], offsets[1]};
}

// CAP-4: the tensors cover the data without a gap, an overlap or a byte left over.
void place(const std::string& file_name, std::vector<Placed>& tensors,
           std::span<const std::byte> data) {
  std::sort(tensors.begin(), tensors.end(), [](const Placed& a, const Placed& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::int64_t next = 0;
  for (Placed& tensor : tensors) {
    const std::string name = quote(tensor.entry.name);
    if (tensor.begin != next) {
      fail(file_name, "CAP-4",
           fmt::format("tensor {} begins at byte {} of the data; the one before it ends at {}: {}",
                       name, tensor.begin, next, tensor.begin < next ? "an overlap" : "a gap"));
    }
    if (static_cast<std::uint64_t>(tensor.end) > data.size()) {
      fail(file_name, "CAP-4",
           fmt::format("tensor {} ends at byte {} of the data, which has {} bytes", name,
                       tensor.end, data.size()));
    }
    tensor.entry.data = data.subspan(static_cast<std::size_t>(tensor.begin),
                                     static_cast<std::size_t>(tensor.end - tensor.begin));
    next = tensor.end;
  }
  if (static_cast<std::uint64_t>(next) != data.size()) {
    fail(file_name, "CAP-4",
         fmt::format("the tensors end at byte {} of the data, which has {} bytes", next,
                     data.size()));
  }
}

}  // namespace

void fail(const std::string& file_name, const std::string& rule, const std::string& what) {
  throw InputError({rule, {}, {}, fmt::format("{}: {}: {}", rule, file_name, what)});
}

std::string quote(std::string_view text) { return value_text(json(std::string(text))); }

std::int64_t element_bytes(std::string_view type) noexcept {
  if (type == "BF16") return 2;
  if (type == "F32" || type == "I32") return 4;
  return type == "U8" ? 1 : 0;
}

std::int64_t tensor_bytes(std::span<const std::int64_t> shape,
                          std::int64_t element_bytes) noexcept {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t bytes = element_bytes;
  for (const std::int64_t size : shape) {
    if (bytes > int64_max / size) return -1;
    bytes *= size;
  }
  return bytes;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  constexpr std::size_t shown = 8;
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(shape.size(), shown); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + (shape.size() > shown ? ", ...]" : "]");
}

Contents parse(const std::string& file_name, std::span<const std::byte> file) {
  const std::string_view text = header_text(file_name, file);
  const json header = parse_json(file_name, text);
  Contents contents;
  std::vector<Placed> tensors;
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") {
      contents.metadata = metadata_of(file_name, value);
    } else {
      tensors.push_back(placed_of(file_name, name, value));
    }
  }
  place(file_name, tensors, file.subspan(length_bytes + text.size()));
  for (Placed& tensor : tensors) contents.tensors.push_back(std::move(tensor.entry));
  return contents;
}

}  // namespace chainwalk::safetensors
