// SPDX-License-Identifier: Apache-2.0
// Shared memory of a file between a worker and the process that started it.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>

#include "chainwalk/fuzz/serve.h"

namespace chainwalk::fuzz {

struct PlaceFile::Shared {
  std::atomic<std::uint64_t> begun;
  std::atomic<std::int64_t> index;
  std::atomic<std::uint64_t> known;  // the value of `begun` of the case that the next two are of
  std::atomic<std::int64_t> fingerprint;
  std::array<std::atomic<std::uint64_t>, (feature_count + 63) / 64> features;
  std::atomic<std::uint64_t> stop_wanted;
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
  shared_->known.store(0);
  shared_->stop_wanted.store(0);
}

void PlaceFile::know(const Known& known) noexcept {
  for (auto& word : shared_->features) word.store(0);
  for (std::size_t index = 0; index < feature_count; ++index) {
    if (known.features[index])
      shared_->features[index / 64].fetch_or(std::uint64_t{1} << (index % 64));
  }
  shared_->fingerprint.store(known.fingerprint);
  shared_->known.store(shared_->begun.load());
}

std::optional<PlaceFile::Known> PlaceFile::known() const noexcept {
  if (shared_->known.load() == 0 || shared_->known.load() != shared_->begun.load())
    return std::nullopt;
  Known known;
  for (std::size_t index = 0; index < feature_count; ++index)
    known.features[index] = ((shared_->features[index / 64].load() >> (index % 64)) & 1U) != 0;
  known.fingerprint = shared_->fingerprint.load();
  return known;
}

void PlaceFile::want_stop(bool wanted) noexcept { shared_->stop_wanted.store(wanted ? 1 : 0); }
bool PlaceFile::stop_wanted() const noexcept { return shared_->stop_wanted.load() != 0; }

}  // namespace chainwalk::fuzz
