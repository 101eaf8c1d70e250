// SPDX-License-Identifier: Apache-2.0
// Capture files with one thing wrong: each is refused with the rule and the place, none crashes
// (CAP-1 to CAP-7).
#include <gtest/gtest.h>

#include <functional>

#include "capture_bytes.h"
#include "chainwalk/spec/capture.h"
#include "chainwalk/spec/validate.h"
#include "small_problem.h"

namespace chainwalk {
namespace {

using nlohmann::json;
using tests::CaptureBytes;

// A well-formed file with the small problem and its outputs.
const CaptureBytes& well_formed() {
  static const CaptureBytes bytes = [] {
    const tests::TemporaryFolder folder;
    tests::SmallProblem small;
    Capture capture;
    capture.problem = small.problem();
    const OutputBuffers outputs(capture.problem);
    capture.expected = outputs.views();
    capture.has_expected = true;
    capture.device = "none";
    write_capture(folder / "one.safetensors", capture);
    return CaptureBytes::load(folder / "one.safetensors");
  }();
  return bytes;
}

void expect_refused(const std::string& file, const std::string& rule, const std::string& words) {
  const tests::TemporaryFolder folder;
  const auto path = folder / "hostile.safetensors";
  tests::write_file(path, file);
  try {
    read_capture(path);
    FAIL() << "was read";
  } catch (const InputError& error) {
    const std::string& message = error.fault().message;
    EXPECT_EQ(error.fault().rule, rule) << message;
    EXPECT_TRUE(message.starts_with(rule + ": " + path.string() + ": ")) << message;
    EXPECT_NE(message.find(words), std::string::npos) << "'" << words << "' is not in: " << message;
    EXPECT_LT(message.size(), 700U);
  }
}

struct Case {
  const char* name;
  const char* rule;
  const char* words;
  std::function<void(json&, std::string&)> change;
};

// Names the case in messages and in the list of tests.
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

json& offsets(json& header, const char* tensor) { return header[tensor]["data_offsets"]; }

json nested(int depth) {
  json value = 1;
  for (int i = 0; i < depth; ++i) value = json::array({value});
  return value;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"no_format", "CAP-7", "no \"format\"",
       [](json& h, auto&) { h["__metadata__"].erase("format"); }},
      {"other_format", "CAP-7", "\"chainwalk-capture\" is needed",
       [](json& h, auto&) { h["__metadata__"]["format"] = "other"; }},
      {"other_version", "CAP-7", "\"version\" is \"2\"; \"1\"",
       [](json& h, auto&) { h["__metadata__"]["version"] = "2"; }},
      {"no_metadata", "CAP-7", "no \"format\"", [](json& h, auto&) { h.erase("__metadata__"); }},
      {"metadata_list", "CAP-7", "an object of strings",
       [](json& h, auto&) { h["__metadata__"] = json::array(); }},
      {"metadata_number", "CAP-7", "\"num_parallel\" is 2; a string",
       [](json& h, auto&) { h["__metadata__"]["num_parallel"] = 2; }},
      {"metadata_null", "CAP-7", "\"note\" is null",
       [](json& h, auto&) { h["__metadata__"]["note"] = nullptr; }},
      {"streams_12x", "CAP-7", "\"num_parallel\" is \"12x\"",
       [](json& h, auto&) { h["__metadata__"]["num_parallel"] = "12x"; }},
      {"streams_empty", "CAP-7", "\"num_parallel\" is \"\"",
       [](json& h, auto&) { h["__metadata__"]["num_parallel"] = ""; }},
      {"streams_space", "CAP-7", "\" 2\"",
       [](json& h, auto&) { h["__metadata__"]["num_parallel"] = " 2"; }},
      {"streams_plus", "CAP-7", "\"+2\"",
       [](json& h, auto&) { h["__metadata__"]["num_parallel"] = "+2"; }},
      {"streams_minus", "CAP-7", "\"-2\"",
       [](json& h, auto&) { h["__metadata__"]["num_parallel"] = "-2"; }},
      {"streams_minus_0", "CAP-7", "\"-0\"",
       [](json& h, auto&) { h["__metadata__"]["num_parallel"] = "-0"; }},
      {"streams_zeros", "CAP-7", "\"02\"",
       [](json& h, auto&) { h["__metadata__"]["num_parallel"] = "02"; }},
      {"streams_hex", "CAP-7", "\"0x2\"",
       [](json& h, auto&) { h["__metadata__"]["num_parallel"] = "0x2"; }},
      {"streams_fraction", "CAP-7", "\"2.0\"",
       [](json& h, auto&) { h["__metadata__"]["num_parallel"] = "2.0"; }},
      {"streams_huge", "CAP-7", "\"9223372036854775808\"",
       [](json& h, auto&) { h["__metadata__"]["num_parallel"] = "9223372036854775808"; }},
      {"no_chunk_size", "CAP-7", "no \"chunk_size\"",
       [](json& h, auto&) { h["__metadata__"].erase("chunk_size"); }},
      {"snapshot_unknown", "CAP-7", "\"snapshot\" is \"RAW\"",
       [](json& h, auto&) { h["__metadata__"]["snapshot"] = "RAW"; }},
      {"snapshot_other_form", "CAP-5",
       "\"snapshot\" does not belong in a capture with snapshot \"fp8\"",
       [](json& h, auto&) { h["__metadata__"]["snapshot"] = "fp8"; }},
      {"blocks_do_not_match", "CAP-6", "has shape [5, 5]; [5, 9] is needed",
       [](json& h, auto&) { h["__metadata__"]["blocks_per_chunk"] = "2"; }},
      {"blocks_overflow", "CAP-6", "does not fit in 63 bits",
       [](json& h, auto&) { h["__metadata__"]["blocks_per_chunk"] = "9223372036854775807"; }},
      {"blocks_just_overflow", "CAP-6", "does not fit in 63 bits",
       [](json& h, auto&) {
         h["__metadata__"]["blocks_per_chunk"] = "9223372036854775807";
         h["__metadata__"]["warps_per_block"] = "1";
       }},
      {"unknown_tensor", "CAP-5", "\"extra\" does not belong",
       [](json& h, std::string& data) {
         h["extra"] = {
             {"dtype", "U8"}, {"shape", {1}}, {"data_offsets", {data.size(), data.size() + 1}}};
         data += 'x';
       }},
      {"missing_output", "CAP-5", "\"bank_after\" is missing, but other outputs are there",
       [](json& h, std::string& data) {
         CaptureBytes bytes{h, data};
         std::vector<std::string> names = bytes.tensor_names();
         std::erase(names, "bank_after");
         bytes.header.erase("bank_after");
         bytes.reorder(names);
         h = bytes.header;
         data = bytes.data;
       }},
      {"missing_snapshot", "CAP-5", "\"snapshot\" is missing, but",
       [](json& h, std::string& data) {
         CaptureBytes bytes{h, data};
         std::vector<std::string> names = bytes.tensor_names();
         std::erase(names, "snapshot");
         bytes.header.erase("snapshot");
         bytes.reorder(names);
         h = bytes.header;
         data = bytes.data;
       }},
      {"missing_input", "CAP-5", "\"group_prefix\" is missing",
       [](json& h, std::string& data) {
         CaptureBytes bytes{h, data};
         std::vector<std::string> names = bytes.tensor_names();
         std::erase(names, "group_prefix");
         bytes.header.erase("group_prefix");
         bytes.reorder(names);
         h = bytes.header;
         data = bytes.data;
       }},
      {"no_tensor_at_all", "CAP-5", "\"bank_before\" is missing",
       [](json& h, std::string& data) {
         h = {{"__metadata__", h["__metadata__"]}};
         data.clear();
       }},
      {"tensor_is_a_list", "CAP-3", "\"delta_v\" is []",
       [](json& h, auto&) { h["delta_v"] = json::array(); }},
      {"no_dtype", "CAP-3", "\"delta_v\" has no dtype",
       [](json& h, auto&) { h["delta_v"].erase("dtype"); }},
      {"no_shape", "CAP-3", "\"delta_v\" has no shape",
       [](json& h, auto&) { h["delta_v"].erase("shape"); }},
      {"no_offsets", "CAP-3", "\"delta_v\" has no data_offsets",
       [](json& h, auto&) { h["delta_v"].erase("data_offsets"); }},
      {"extra_member", "CAP-3", "\"delta_v\" has the key \"stride\"",
       [](json& h, auto&) { h["delta_v"]["stride"] = 4; }},
      {"dtype_F16", "CAP-3", "dtype is \"F16\"",
       [](json& h, auto&) { h["delta_v"]["dtype"] = "F16"; }},
      {"dtype_number", "CAP-3", "dtype is 7", [](json& h, auto&) { h["delta_v"]["dtype"] = 7; }},
      {"dtype_lower_case", "CAP-3", "dtype is \"f32\"",
       [](json& h, auto&) { h["delta_v"]["dtype"] = "f32"; }},
      {"delta_v_is_I32", "CAP-6", "\"delta_v\" is I32; F32",
       [](json& h, auto&) { h["delta_v"]["dtype"] = "I32"; }},
      {"records_are_F32", "CAP-6", "\"records\" is F32; I32",
       [](json& h, auto&) { h["records"]["dtype"] = "F32"; }},
      {"bank_is_I32", "CAP-6", "\"bank_before\" is I32; BF16 or F32",
       [](json& h, auto&) { h["bank_before"]["dtype"] = "I32"; }},
      {"banks_differ", "CAP-6", "\"bank_after\" is I32; F32",
       [](json& h, auto&) { h["bank_after"]["dtype"] = "I32"; }},
      {"bank_after_transposed", "CAP-6", "has shape [2, 8]; [4, 4]",
       [](json& h, auto&) {
         h["bank_after"]["shape"] = {2, 8};
       }},
      {"records_rank_2", "CAP-6", "has shape [30, 4]; 3 sizes",
       [](json& h, auto&) {
         h["records"]["shape"] = {30, 4};
       }},
      {"records_of_2_words", "CAP-6", "\"records\" has shape [5, 12, 2]",
       [](json& h, auto&) {
         h["records"]["shape"] = {5, 12, 2};
       }},
      {"bank_rank_1", "CAP-6", "has shape [16]; 2 sizes",
       [](json& h, auto&) { h["bank_before"]["shape"] = {16}; }},
      {"bank_rank_0", "CAP-3", "shape [] of F32 needs 4",
       [](json& h, auto&) { h["bank_before"]["shape"] = json::array(); }},
      {"shape_text", "CAP-3", "shape is \"4\"",
       [](json& h, auto&) { h["delta_v"]["shape"] = "4"; }},
      {"shape_negative", "CAP-3", "shape[0] is -32",
       [](json& h, auto&) {
         h["delta_v"]["shape"] = {-32, 4};
       }},
      {"shape_fraction", "CAP-3", "shape[1] is 4.5",
       [](json& h, auto&) {
         h["delta_v"]["shape"] = {32, 4.5};
       }},
      {"shape_float", "CAP-3", "shape[1] is 4.0",
       [](json& h, auto&) {
         h["delta_v"]["shape"] = {32, 4.0};
       }},
      {"shape_true", "CAP-3", "shape[0] is true",
       [](json& h, auto&) {
         h["delta_v"]["shape"] = {true, 4};
       }},
      {"shape_over_63_bits", "CAP-3", "shape[0] is 9223372036854775808",
       [](json& h, auto&) {
         h["delta_v"]["shape"] = {0x8000'0000'0000'0000ULL, 4};
       }},
      {"shape_product_overflows", "CAP-3", "does not fit in 63 bits",
       [](json& h, auto&) {
         h["delta_v"]["shape"] = {std::int64_t{1} << 62, 4};
       }},
      {"shape_product_wraps_to_it", "CAP-3", "does not fit in 63 bits",
       [](json& h, auto&) {
         h["delta_v"]["shape"] = {(std::int64_t{1} << 62) + 32, 4};
       }},
      {"shape_does_not_fit_offsets", "CAP-3", "hold 512 bytes; shape [32, 5] of F32 needs 640",
       [](json& h, auto&) {
         h["delta_v"]["shape"] = {32, 5};
       }},
      {"offsets_backwards", "CAP-3", "a begin and an end",
       [](json& h, auto&) { std::swap(offsets(h, "delta_v")[0], offsets(h, "delta_v")[1]); }},
      {"offsets_of_three", "CAP-3", "a begin and an end",
       [](json& h, auto&) { offsets(h, "delta_v").push_back(1); }},
      {"offsets_negative", "CAP-3", "data_offsets[0] is -1",
       [](json& h, auto&) { offsets(h, "delta_v")[0] = -1; }},
      {"overlap", "CAP-4", "an overlap",
       [](json& h, auto&) { offsets(h, "bank_after") = offsets(h, "bank_before"); }},
      {"gap", "CAP-4", "a gap",
       [](json& h, std::string& data) {
         for (auto& [name, value] : h.items()) {
           if (name == "__metadata__") continue;
           for (json& offset : value["data_offsets"]) offset = offset.get<std::uint64_t>() + 16;
         }
         data.insert(0, 16, 'x');
       }},
      {"bytes_past_the_end", "CAP-4", "the tensors end at byte",
       [](json&, std::string& data) { data += 'x'; }},
      {"data_cut_by_one", "CAP-4", "ends at byte",
       [](json&, std::string& data) { data.pop_back(); }},
      {"no_data", "CAP-4", "which has 0 bytes", [](json&, std::string& data) { data.clear(); }},
      {"nested", "CAP-2", "nests deeper",
       [](json& h, auto&) { h["delta_v"]["shape"] = nested(2); }},
      {"nested_deeply", "CAP-2", "nests deeper",
       [](json& h, auto&) { h["delta_v"] = nested(2000); }},
      {"long_values_are_cut", "CAP-3", "...",
       [](json& h, auto&) { h["delta_v"] = std::string(1 << 20, 'x'); }},
      {"long_names_are_cut", "CAP-3", "...",
       [](json& h, auto&) { h[std::string(1 << 20, 'x')] = 1; }}};
  return all;
}

class HostileCapture : public testing::TestWithParam<Case> {};

TEST_P(HostileCapture, IsRefused) {
  CaptureBytes bytes = well_formed();
  GetParam().change(bytes.header, bytes.data);
  expect_refused(bytes.file(), GetParam().rule, GetParam().words);
}

INSTANTIATE_TEST_SUITE_P(Captures, HostileCapture, testing::ValuesIn(cases()),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace chainwalk
