// SPDX-License-Identifier: Apache-2.0
// Ledgers of campaigns that are continued, and shown: what is loaded is written and loaded again.
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "chainwalk/fuzz/corpus.h"
#include "chainwalk/fuzz/ledger.h"
#include "chainwalk/fuzz/status.h"
#include "chainwalk/platform/temporary_folder.h"
#include "chainwalk/spec/fault.h"
#include "file_in_memory.h"
#include "seed_ledger.h"

namespace {

using namespace chainwalk;

// A folder whose ledger is the input.
class Folder {
 public:
  explicit Folder(const std::string& file) {
    std::filesystem::create_symlink(file, fuzz::ledger_file(path()));
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove(fuzz::ledger_file(path())); }
  static const std::filesystem::path& path() {
    static const platform::TemporaryFolder folder("chainwalk-ledger");
    return folder.path();
  }
};

void show() {
  try {
    const auto state = fuzz::read_ledger(Folder::path());
    if (!state) std::abort();
    (void)fuzz::status_text(*state);
    (void)fuzz::status_html(*state);
  } catch (const InputError&) {
  }
}

void run_on() {
  try {
    fuzz::Ledger ledger(format_fuzz::seed_ledger_header(), Folder::path());
    for (const auto& [key, finding] : ledger.total().findings) (void)ledger.case_at(finding.first);
    const auto range = ledger.take(std::numeric_limits<std::int64_t>::max(), 16);
    if (!range) std::abort();  // some case of the epoch waits always
    ledger.give_back(*range);
    std::filesystem::remove(fuzz::ledger_file(Folder::path()));
    ledger.save();
    const fuzz::Ledger again(format_fuzz::seed_ledger_header(), Folder::path());
    if (to_json(again.total()) != to_json(ledger.total())) std::abort();
  } catch (const InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const format_fuzz::FileInMemory file(format_fuzz::text_of(data, size));
  const Folder folder(file.path());
  show();
  run_on();
  return 0;
}
