// SPDX-License-Identifier: Apache-2.0
// Page mappings over mmap.
#include "chainwalk/platform/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

namespace chainwalk::platform {
namespace {

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path)
      : value_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (value_ < 0) fail(errno, "cannot open " + path.string());
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(value_); }
  int value() const noexcept { return value_; }

 private:
  int value_;
};

}  // namespace

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

Mapping Mapping::read_file(const std::filesystem::path& path) {
  const Descriptor file(path);
  struct stat status {};
  if (::fstat(file.value(), &status) != 0) fail(errno, "cannot examine " + path.string());
  if (!S_ISREG(status.st_mode)) fail(EINVAL, path.string() + " is not a regular file");
  if (status.st_size == 0) return {};
  const auto size = static_cast<std::size_t>(status.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.value(), 0);
  if (data == MAP_FAILED) fail(errno, "cannot map " + path.string());
  return {static_cast<std::byte*>(data), size};
}

Mapping Mapping::sparse(std::uint64_t bytes) {
  if (bytes == 0) return {};
  if (bytes > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max())) {
    fail(ENOMEM, "cannot map " + std::to_string(bytes) + " bytes");
  }
  const auto size = static_cast<std::size_t>(bytes);
  void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) fail(errno, "cannot map " + std::to_string(bytes) + " bytes");
  // One touched byte under a transparent huge page would make 512 pages resident. A kernel built
  // without huge pages refuses the advice, and then there is nothing to prevent.
  (void)::madvise(data, size, MADV_NOHUGEPAGE);
  return {static_cast<std::byte*>(data), size};
}

std::vector<std::uint64_t> Mapping::resident_pages() const {
  std::vector<std::uint64_t> pages;
  constexpr std::uint64_t window = std::uint64_t{1} << 30U;
  std::vector<unsigned char> flags;
  for (std::uint64_t start = 0; start < size_; start += window) {
    const std::uint64_t length = std::min<std::uint64_t>(window, size_ - start);
    flags.assign(static_cast<std::size_t>((length + page_size - 1) / page_size), 0);
    if (::mincore(data_ + start, static_cast<std::size_t>(length), flags.data()) != 0) {
      fail(errno, "cannot list resident pages");
    }
    for (std::size_t page = 0; page < flags.size(); ++page) {
      if ((flags[page] & 1U) != 0) pages.push_back(start + page * page_size);
    }
  }
  return pages;
}

}  // namespace chainwalk::platform
