// SPDX-License-Identifier: Apache-2.0
// Archives of packages, as bytes: tar, tar.gz and zip.
#include <algorithm>

#include "chainwalk/package/archive.h"
#include "chainwalk/spec/fault.h"
#include "file_in_memory.h"
#include "tar.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

// What a broken checksum would hide is the more interesting part of a tar header.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  const std::size_t after = LLVMFuzzerMutate(data, size, size_max);
  const auto text = chainwalk::format_fuzz::text_of(data, after);
  const bool is_tar = !text.starts_with("PK") && !text.starts_with("\x1F\x8B");
  if (is_tar && seed % 8 != 0) chainwalk::format_fuzz::mend_checksums({data, after});
  return after;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace chainwalk;
  const format_fuzz::FileInMemory file(format_fuzz::text_of(data, size));
  try {
    (void)package::read_archive(file.path(), [](const std::string& name) {
      return name == "manifest.json" || name == "report.json";
    });
  } catch (const InputError&) {
  }
  return 0;
}
