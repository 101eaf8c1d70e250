// SPDX-License-Identifier: Apache-2.0
// Shared memory of a file between a worker and the process that started it.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include "chainwalk/fuzz/serve.h"

namespace chainwalk::fuzz {

struct PlaceFile::Shared {
  std::atomic<std::uint64_t> begun;
  std::atomic<std::int64_t> index;
};

PlaceFile::PlaceFile(const std::filesystem::path& path) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  const auto fail = [&] {
    throw std::system_error(errno, std::generic_category(), "cannot map " + path.string());
  };
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) fail();
  void* memory = MAP_FAILED;
  if (::ftruncate(descriptor, sizeof(Shared)) == 0)
    memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  const int code = errno;
  ::close(descriptor);
  errno = code;
  if (memory == MAP_FAILED) fail();
  shared_ = static_cast<Shared*>(memory);
}

PlaceFile::~PlaceFile() { ::munmap(shared_, sizeof(Shared)); }

void PlaceFile::begin(std::int64_t index) noexcept {
  shared_->index.store(index);
  shared_->begun.fetch_add(1);
}
std::uint64_t PlaceFile::begun() const noexcept { return shared_->begun.load(); }
std::int64_t PlaceFile::index() const noexcept { return shared_->index.load(); }
void PlaceFile::reset() noexcept {
  shared_->begun.store(0);
  shared_->index.store(0);
}

}  // namespace chainwalk::fuzz
