// SPDX-License-Identifier: Apache-2.0
// Mutations of capture and replay files that keep the container whole: the header's length follows
// the header, and offsets and data follow the shapes (CAP-1 to CAP-4).
#include <algorithm>
#include <cstring>

#include "json_mutator.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace chainwalk::format_fuzz {
namespace {

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t tensor_bytes_max = 1U << 14U;

struct Container {
  std::string header, data;
};

bool split(std::string_view file, Container& container) {
  if (file.size() < length_bytes) return false;
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), length_bytes);
  if (length > file.size() - length_bytes) return false;
  container.header = file.substr(length_bytes, length);
  container.data = file.substr(length_bytes + length);
  return true;
}

// Bytes that a tensor's type and shape ask for, or -1 where it is not to be laid out.
std::int64_t wanted_bytes(const Json& tensor) {
  if (!tensor.is_object() || !tensor.contains("shape") || !tensor["shape"].is_array()) return -1;
  const std::string type = tensor.value("dtype", Json()).dump();
  std::uint64_t bytes = type == "\"BF16\"" ? 2 : type == "\"U8\"" ? 1 : 4;
  for (const Json& size : tensor["shape"]) {
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > tensor_bytes_max) return -1;
    bytes *= size.get<std::uint64_t>();
    if (bytes > tensor_bytes_max) return -1;
  }
  return static_cast<std::int64_t>(bytes);
}

// Gives each tensor the bytes that its shape asks for, one after the other.
void lay_out(Container& container) {
  if (!is_shallow_json(container.header)) return;
  Json header = Json::parse(container.header);
  if (!header.is_object()) return;
  std::string data;
  for (const auto& [name, tensor] : header.items()) {
    const std::int64_t bytes = wanted_bytes(tensor);
    if (bytes < 0) continue;
    std::string old;
    const Json offset = tensor.value("data_offsets", Json::array());
    if (offset.is_array() && !offset.empty() && offset[0].is_number_unsigned())
      old = container.data.substr(
          std::min<std::size_t>(offset[0].get<std::size_t>(), container.data.size()));
    old.resize(static_cast<std::size_t>(bytes));
    tensor["data_offsets"] = {data.size(), data.size() + old.size()};
    data += old;
  }
  container.header = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  container.data = data;
}

std::string mutated(std::string text) {
  const std::size_t size = text.size();
  text.resize(size + 64);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
  return text;
}

}  // namespace
}  // namespace chainwalk::format_fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  using namespace chainwalk::format_fuzz;
  Random random(seed);
  Container container;
  const std::string_view before(reinterpret_cast<const char*>(data), size);
  if (below(random, 8) == 0 || !split(before, container))
    return LLVMFuzzerMutate(data, size, size_max);
  switch (below(random, 4)) {
    case 0: container.header = mutated(container.header); break;
    case 1: container.data = mutated(container.data); break;
    default:
      if (!is_shallow_json(container.header)) return LLVMFuzzerMutate(data, size, size_max);
      container.header = changed_json(Json::parse(container.header), random);
      if (below(random, 4) != 0) lay_out(container);
  }
  const std::uint64_t length = container.header.size();
  const std::size_t after = length_bytes + container.header.size() + container.data.size();
  if (after > size_max) return LLVMFuzzerMutate(data, size, size_max);
  std::memcpy(data, &length, length_bytes);
  std::memcpy(data + length_bytes, container.header.data(), container.header.size());
  std::memcpy(data + length_bytes + container.header.size(), container.data.data(),
              container.data.size());
  return after;
}
