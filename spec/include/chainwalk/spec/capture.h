// SPDX-License-Identifier: Apache-2.0
// Capture files: one problem with the outputs that some device left, as safetensors (chapter CAP of
// the specification).
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk {

// A capture in memory. `expected` holds the recorded outputs after the last step; `expected.bank`
// is bank_after. A file may carry inputs only: then every view of `expected` is empty and
// `has_expected` is false. Views point into the mapped file (or into copies where an offset is not
// aligned for its type); problem.storage keeps both alive.
struct Capture {
  Problem problem;
  bool has_expected = false;
  ConstOutputs expected;
  std::string device;                           // metadata "device"
  std::string source;                           // metadata "source"
  std::map<std::string, std::string> metadata;  // every other string of the header's metadata
};

// Maps and checks a file: header length, JSON, types, shapes, offsets (no gap, overlap or byte past
// the end), metadata; not the problem itself (validate() does). Throws InputError that names the
// file, the tensor or key, the value found and the value needed; std::system_error where the file
// cannot be read.
Capture read_capture(const std::filesystem::path& path);

// Writes a file that read_capture and any safetensors reader take, whole or not at all. Tensor data
// starts at a multiple of 64 bytes. Throws std::system_error.
void write_capture(const std::filesystem::path& path, const Capture& capture);

}  // namespace chainwalk
