// SPDX-License-Identifier: Apache-2.0
// Files through a mapping on the way in and a temporary name on the way out.
#include "text_file.h"

#include "chainwalk/platform/atomic_file.h"
#include "chainwalk/platform/memory.h"

namespace chainwalk::cli {

std::string read_text(const std::filesystem::path& path) {
  const platform::Mapping file = platform::Mapping::read_file(path);
  const auto bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  platform::AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace chainwalk::cli
