// SPDX-License-Identifier: Apache-2.0
// Write to a temporary name, flush, rename.
#include "chainwalk/platform/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "chainwalk/platform/write_all.h"

namespace chainwalk::platform {
namespace {

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

mode_t file_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<mode_t>(0666) & ~mask;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
  std::error_code ignored;
  const auto type = std::filesystem::status(target_, ignored).type();
  using Type = std::filesystem::file_type;
  if (type == Type::directory) fail(EISDIR, "cannot write " + target_.string());
  if (type != Type::regular && type != Type::not_found && type != Type::none) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail(errno, "cannot write " + target_.string());
    return;
  }
  // A link stays a link: what it leads to is replaced.
  place_ = std::filesystem::weakly_canonical(target_, ignored);
  if (place_.empty()) place_ = target_;
  std::string name = place_.string() + ".XXXXXX";
  descriptor_ = ::mkstemp(name.data());
  if (descriptor_ < 0) fail(errno, "cannot write " + target_.string());
  temporary_ = name;
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  write(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void AtomicFile::write(std::string_view text) {
  if (!write_all(descriptor_, text)) fail(errno, "cannot write " + target_.string());
}

void AtomicFile::commit() {
  if (!temporary_.empty()) {
    if (::fchmod(descriptor_, file_mode()) != 0 || ::fsync(descriptor_) != 0 ||
        ::rename(temporary_.c_str(), place_.c_str()) != 0) {
      fail(errno, "cannot write " + target_.string());
    }
  }
  ::close(descriptor_);
  descriptor_ = -1;
}

}  // namespace chainwalk::platform
