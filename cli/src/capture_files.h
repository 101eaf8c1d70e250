// SPDX-License-Identifier: Apache-2.0
// Capture files as arguments: folders expanded, contents checked, shapes described.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "chainwalk/spec/capture.h"
#include "chainwalk/spec/fault.h"
#include "output.h"

namespace chainwalk::cli {

// The files in the order given; a folder stands for its *.safetensors in the order of their names.
// InputError where a folder has none: nothing selected is an error.
std::vector<std::filesystem::path> expand_files(const std::vector<std::string>& arguments);

// Reads a capture and requires a well-formed problem.
Capture read_valid_capture(const std::filesystem::path& path);

// "bf16 [512, 64], raw rows, 4 chunks of 64 positions, P 2, C 16, tiles 2 x 8"
std::string describe(const ProblemShape& shape);
Json to_json(const ProblemShape& shape);
Json to_json(const InputFault& fault);

}  // namespace chainwalk::cli
