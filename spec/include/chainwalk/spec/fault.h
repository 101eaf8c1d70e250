// SPDX-License-Identifier: Apache-2.0
// What is wrong with a problem or a file, said so that a reader can go to the place.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace chainwalk {

// One fault of an input. `message` is a whole sentence that names the rule, the chunk and position
// where there is one, the value found and the value needed; the other fields let programs compare.
struct InputFault {
  std::string rule;                      // "REC-5"; "CAP-n" for capture files
  std::optional<std::int64_t> chunk;     // 0..N-1
  std::optional<std::int64_t> position;  // position in the chunk, or index of a tile bound
  std::string message;

  friend bool operator==(const InputFault&, const InputFault&) = default;
};

// Thrown for malformed input of any kind (command line tools exit with status 2).
class InputError : public std::runtime_error {
 public:
  explicit InputError(InputFault fault)
      : std::runtime_error(fault.message), fault_(std::move(fault)) {}
  const InputFault& fault() const noexcept { return fault_; }

 private:
  InputFault fault_;
};

}  // namespace chainwalk
