// SPDX-License-Identifier: Apache-2.0
// Capture files broken byte by byte: header lengths, text that is not JSON, every truncation, every
// flipped bit of the header (CAP-1, CAP-2).
#include <gtest/gtest.h>

#include "capture_bytes.h"
#include "chainwalk/spec/capture.h"
#include "chainwalk/spec/validate.h"
#include "safetensors_header.h"
#include "small_problem.h"

namespace chainwalk {
namespace {

using tests::CaptureBytes;

class CaptureFile : public testing::Test {
 protected:
  CaptureFile() : path_(folder_ / "one.safetensors") {
    tests::SmallProblem small;
    Capture capture;
    capture.problem = small.problem();
    const OutputBuffers outputs(capture.problem);
    capture.expected = outputs.views();
    capture.has_expected = true;
    write_capture(path_, capture);
    good_ = tests::read_file(path_);
    header_end_ = 8 + CaptureBytes::header_length(good_);
  }

  // The rule that refuses these bytes; "" where they are read. What the container's parser refuses
  // already needs no file, which keeps thousands of variations quick.
  std::string refusal(const std::string& file) {
    try {
      safetensors::parse("memory", std::as_bytes(std::span(file)));
      tests::write_file(path_, file);
      const Capture capture = read_capture(path_);
      validate(capture.problem);  // must not crash, whatever it finds
      return "";
    } catch (const InputError& error) {
      message_ = error.what();
      return error.fault().rule;
    }
  }

  tests::TemporaryFolder folder_;
  std::filesystem::path path_;
  std::string good_;
  std::size_t header_end_ = 0;
  std::string message_;
};

TEST_F(CaptureFile, TheWholeFileIsRead) { EXPECT_EQ(refusal(good_), ""); }

TEST_F(CaptureFile, RuleCAP1HeaderLengths) {
  EXPECT_EQ(refusal(""), "CAP-1");
  EXPECT_EQ(refusal(std::string(7, '\0')), "CAP-1");
  EXPECT_EQ(refusal(std::string(8, '\0')), "CAP-2");
  for (const std::uint64_t length :
       {good_.size() - 7, std::uint64_t{100'000'000}, std::uint64_t{100'000'001},
        std::uint64_t{1} << 62U, ~std::uint64_t{0}, ~std::uint64_t{0} - 7}) {
    std::string file = good_;
    std::memcpy(file.data(), &length, sizeof length);
    EXPECT_EQ(refusal(file), "CAP-1") << length;
    EXPECT_NE(message_.find(std::to_string(length)), std::string::npos) << message_;
  }
}

TEST_F(CaptureFile, RuleCAP2TextThatIsNotAHeader) {
  const std::string text = good_.substr(8, header_end_ - 8);
  const std::string data = good_.substr(header_end_);
  const auto with = [&](const std::string& changed) {
    return refusal(CaptureBytes::file_of(changed, data));
  };
  EXPECT_EQ(with(text), "");
  EXPECT_EQ(with(text + "   "), "");
  EXPECT_EQ(with(""), "CAP-2");
  EXPECT_EQ(with(" " + text), "CAP-2");
  EXPECT_EQ(with("\xEF\xBB\xBF" + text), "CAP-2");
  EXPECT_EQ(with(text + "x"), "CAP-2");
  EXPECT_EQ(with(text + std::string(1, '\0')), "CAP-2");
  EXPECT_EQ(with(text + std::string("\0{]", 3)), "CAP-2");
  EXPECT_EQ(with(text + "{}"), "CAP-2");
  EXPECT_EQ(with("[]"), "CAP-2");
  EXPECT_EQ(with("{"), "CAP-2");
  EXPECT_EQ(with("{\"a\":1,}"), "CAP-2");
  EXPECT_EQ(with("{\"a\":NaN}"), "CAP-2");
  EXPECT_EQ(with("{\"a\":1e999}"), "CAP-2");
  EXPECT_EQ(with("{\"a\":\"\xC3\x28\"}"), "CAP-2");
  EXPECT_EQ(with("{\"\xFF\":1}"), "CAP-2");
  EXPECT_EQ(with("{\"a\":\"\\ud800\"}"), "CAP-2");
  EXPECT_EQ(with("{/* */}"), "CAP-2");
  EXPECT_EQ(with("{\"a\":" + std::string(1'000'000, '[')), "CAP-2");
  EXPECT_EQ(with("{\"a\":" + std::string(1'000'000, '1') + "}"), "CAP-2");
  std::string objects = "{";
  for (int i = 0; i < 100'000; ++i) objects += "\"a\":{";
  EXPECT_EQ(with(objects), "CAP-2");
}

TEST_F(CaptureFile, RuleCAP2DuplicateKeys) {
  const std::string text = good_.substr(8, header_end_ - 8);
  const std::string data = good_.substr(header_end_);
  const auto doubled = [&](const std::string& before, const std::string& inserted) {
    std::string changed = text;
    changed.insert(changed.find(before) + before.size(), inserted);
    return refusal(CaptureBytes::file_of(changed, data));
  };
  EXPECT_EQ(doubled("{", "\"delta_v\":{},"), "CAP-2");
  EXPECT_NE(message_.find("\"delta_v\" twice"), std::string::npos) << message_;
  EXPECT_EQ(doubled("{", "\"__metadata__\":{},"), "CAP-2");
  EXPECT_EQ(doubled("\"__metadata__\":{", "\"chunk_size\":\"8\","), "CAP-2");
  EXPECT_EQ(doubled("\"delta_v\":{", "\"shape\":[32,4],"), "CAP-2");
  EXPECT_EQ(doubled("\"delta_v\":{", "\"sh\\u0061pe\":[32,4],"), "CAP-2");
}

TEST_F(CaptureFile, EveryTruncationIsRefused) {
  for (std::size_t size = 0; size < good_.size(); size += size < header_end_ + 16 ? 1 : 97) {
    EXPECT_NE(refusal(good_.substr(0, size)), "") << size;
  }
}

// A flipped bit of the header either changes nothing that is needed (a kept string) or is refused.
TEST_F(CaptureFile, EveryFlippedHeaderBitIsReadOrRefused) {
  std::size_t refused = 0;
  std::size_t read = 0;
  for (std::size_t at = 0; at < header_end_; ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string file = good_;
      file[at] = static_cast<char>(static_cast<unsigned char>(file[at]) ^ (1U << bit));
      (refusal(file).empty() ? read : refused) += 1;
    }
  }
  EXPECT_EQ(refused + read, header_end_ * 8);
  EXPECT_GT(refused, read * 5);
}

// Every byte replaced by characters that matter to a JSON parser.
TEST_F(CaptureFile, EveryReplacedHeaderByteIsReadOrRefused) {
  for (std::size_t at = 8; at < header_end_; ++at) {
    for (const char c :
         {'\0', '"', '\\', '{', '}', '[', ']', ',', ':', '-', '9', 'e', '\x80', '\xFF'}) {
      std::string file = good_;
      file[at] = c;
      refusal(file);
    }
  }
}

}  // namespace
}  // namespace chainwalk
