// SPDX-License-Identifier: Apache-2.0
// Archives by libarchive, hashes by OpenSSL.
#include "chainwalk/package/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <exception>
#include <memory>
#include <new>
#include <set>
#include <span>

#include "chainwalk/platform/atomic_file.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::package {
namespace {

constexpr std::size_t entries_max = 10000;
constexpr std::uint64_t total_max = std::uint64_t{8} << 30U;
constexpr std::uint64_t kept_max = std::uint64_t{256} << 20U;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw InputError(
      {"PACKAGE", std::nullopt, std::nullopt, fmt::format("package {}: {}", path.string(), what)});
}

class Hash {
 public:
  Hash() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    if (context_ == nullptr || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
      throw std::bad_alloc();
  }
  void add(const void* data, std::size_t bytes) {
    if (EVP_DigestUpdate(context_.get(), data, bytes) != 1) throw std::bad_alloc();
  }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    if (EVP_DigestFinal_ex(context_.get(), digest.data(), &length) != 1) throw std::bad_alloc();
    std::string text;
    for (unsigned index = 0; index < length; ++index) text += fmt::format("{:02x}", digest[index]);
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

// Where libarchive writes: exceptions may not pass through its C code.
struct Sink {
  explicit Sink(const std::filesystem::path& path) : file(path) {}
  platform::AtomicFile file;
  std::exception_ptr error;
};

la_ssize_t write_to_sink(struct archive* archive, void* client, const void* data,
                         std::size_t bytes) {
  auto& sink = *static_cast<Sink*>(client);
  try {
    sink.file.write(std::span(static_cast<const std::byte*>(data), bytes));
    return static_cast<la_ssize_t>(bytes);
  } catch (...) {
    sink.error = std::current_exception();
    archive_set_error(archive, EIO, "cannot write");
    return -1;
  }
}

using WriteHandle = std::unique_ptr<struct archive, decltype(&archive_write_free)>;
using ReadHandle = std::unique_ptr<struct archive, decltype(&archive_read_free)>;
using EntryHandle = std::unique_ptr<struct archive_entry, decltype(&archive_entry_free)>;

int choose_format(struct archive* archive, const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (name.ends_with(".zip")) return archive_write_set_format_zip(archive);
  if (!name.ends_with(".tar.gz")) {
    throw InputError(
        {"PACKAGE", std::nullopt, std::nullopt,
         fmt::format("package {}: its name must end in .tar.gz or .zip", path.string())});
  }
  const int status = archive_write_add_filter_gzip(archive);
  if (status != ARCHIVE_OK) return status;
  (void)archive_write_set_filter_option(archive, "gzip", "timestamp", nullptr);
  return archive_write_set_format_ustar(archive);
}

int write_entry(struct archive* archive, const ArchiveFile& file) {
  const EntryHandle entry(archive_entry_new(), archive_entry_free);
  if (entry == nullptr) throw std::bad_alloc();
  archive_entry_set_pathname(entry.get(), file.name.c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.content.size()));
  archive_entry_set_mtime(entry.get(), 0, 0);
  const int status = archive_write_header(archive, entry.get());
  if (status != ARCHIVE_OK) return status;
  const la_ssize_t written = archive_write_data(archive, file.content.data(), file.content.size());
  return written == static_cast<la_ssize_t>(file.content.size()) ? ARCHIVE_OK : ARCHIVE_FATAL;
}

bool is_plain_name(const std::string& name) {
  if (name.empty() || name.size() > 255 || name == "." || name == "..") return false;
  for (const char letter : name) {
    const auto code = static_cast<unsigned char>(letter);
    if (code <= 0x20U || code >= 0x7FU || letter == '/' || letter == '\\') return false;
  }
  return true;
}

// A name from outside may hold bytes that a terminal obeys.
std::string printable(std::string name) {
  for (char& letter : name) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 0x20U || code >= 0x7FU) letter = '?';
  }
  return name;
}

class Reader {
 public:
  Reader(const std::filesystem::path& path, const std::function<bool(const std::string&)>& keep)
      : path_(path), keep_(keep), archive_(archive_read_new(), archive_read_free) {
    if (archive_ == nullptr) throw std::bad_alloc();
    (void)archive_read_support_filter_gzip(archive_.get());
    (void)archive_read_support_format_tar(archive_.get());
    (void)archive_read_support_format_zip_seekable(archive_.get());
    constexpr std::size_t block = 1U << 16U;
    if (archive_read_open_filename(archive_.get(), path.c_str(), block) != ARCHIVE_OK)
      refuse(path_, error());
  }

  std::vector<ArchiveFile> read() {
    std::vector<ArchiveFile> files;
    struct archive_entry* entry = nullptr;
    for (;;) {
      const int status = archive_read_next_header(archive_.get(), &entry);
      if (status == ARCHIVE_EOF) return files;
      if (status != ARCHIVE_OK) refuse(path_, error());
      if (files.size() == entries_max)
        refuse(path_, fmt::format("it has more than {} entries", entries_max));
      files.push_back(read_entry(entry));
    }
  }

 private:
  std::string error() const {
    const char* text = archive_error_string(archive_.get());
    return text == nullptr ? "it is no archive" : text;
  }

  ArchiveFile read_entry(struct archive_entry* entry) {
    const char* name = archive_entry_pathname(entry);
    ArchiveFile file;
    if (name != nullptr) file.name = name;
    if (!is_plain_name(file.name))
      refuse(path_, fmt::format("entry \"{}\" has no plain file name", printable(file.name)));
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != nullptr ||
        archive_entry_symlink(entry) != nullptr)
      refuse(path_, fmt::format("entry {} is not a regular file", file.name));
    if (!names_.insert(file.name).second)
      refuse(path_, fmt::format("entry {} is there twice", file.name));
    read_content(file);
    return file;
  }

  void read_content(ArchiveFile& file) {
    const bool kept = keep_(file.name);
    Hash hash;
    std::array<char, 1U << 16U> buffer{};
    for (;;) {
      const la_ssize_t count = archive_read_data(archive_.get(), buffer.data(), buffer.size());
      if (count < 0) refuse(path_, fmt::format("entry {}: {}", file.name, error()));
      if (count == 0) break;
      const auto bytes = static_cast<std::size_t>(count);
      hash.add(buffer.data(), bytes);
      file.bytes += bytes;
      total_ += bytes;
      if (total_ > total_max || (kept && file.bytes > kept_max))
        refuse(path_, fmt::format("entry {} makes it too large", file.name));
      if (kept) file.content.append(buffer.data(), bytes);
    }
    file.sha256 = hash.hex();
  }

  const std::filesystem::path& path_;
  const std::function<bool(const std::string&)>& keep_;
  ReadHandle archive_;
  std::set<std::string> names_;
  std::uint64_t total_ = 0;
};

}  // namespace

std::string sha256_of(std::string_view bytes) {
  Hash hash;
  hash.add(bytes.data(), bytes.size());
  return hash.hex();
}

void write_archive(const std::filesystem::path& path, const std::vector<ArchiveFile>& files) {
  const WriteHandle archive(archive_write_new(), archive_write_free);
  if (archive == nullptr) throw std::bad_alloc();
  int status = choose_format(archive.get(), path);
  Sink sink(path);
  if (status == ARCHIVE_OK)
    status = archive_write_open(archive.get(), &sink, nullptr, write_to_sink, nullptr);
  for (const ArchiveFile& file : files) {
    if (status == ARCHIVE_OK) status = write_entry(archive.get(), file);
  }
  if (status == ARCHIVE_OK) status = archive_write_close(archive.get());
  if (sink.error) std::rethrow_exception(sink.error);
  if (status != ARCHIVE_OK) {
    const char* text = archive_error_string(archive.get());
    refuse(path, text == nullptr ? "it cannot be written" : text);
  }
  sink.file.commit();
}

std::vector<ArchiveFile> read_archive(const std::filesystem::path& path,
                                      const std::function<bool(const std::string&)>& keep) {
  return Reader(path, keep).read();
}

}  // namespace chainwalk::package
