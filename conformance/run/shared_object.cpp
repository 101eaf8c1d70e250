// SPDX-License-Identifier: Apache-2.0
// Loads an implementation under test from a shared object and checks its table.
#include <dlfcn.h>

#include <cfenv>
#include <filesystem>
#include <string>
#include <utility>

#include "chainwalk/conformance/harness.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::conformance {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw InputError({"IMPL", std::nullopt, std::nullopt, "implementation " + path + ": " + what});
}

std::string linker_error() {
  const char* text = ::dlerror();
  return text == nullptr ? "unknown error of the dynamic linker" : text;
}

void check_table(const std::string& path, const cw_implementation* table) {
  if (table == nullptr) {
    refuse(path, "chainwalk_implementation(" + std::to_string(CW_INTERFACE_VERSION) +
                     ") returned null: it does not serve this version of the interface");
  }
  if (table->interface_version != CW_INTERFACE_VERSION) {
    refuse(path, "its table has interface_version " + std::to_string(table->interface_version) +
                     "; this program speaks " + std::to_string(CW_INTERFACE_VERSION));
  }
  if (table->size < sizeof(cw_implementation)) {
    refuse(path, "its table has size " + std::to_string(table->size) + "; at least " +
                     std::to_string(sizeof(cw_implementation)) + " is needed");
  }
  if (table->name == nullptr || table->version == nullptr || table->description == nullptr) {
    refuse(path, "name, version and description must not be null");
  }
  if (table->memory != CW_MEMORY_HOST && table->memory != CW_MEMORY_CUDA) {
    refuse(path,
           "memory is " + std::to_string(table->memory) + "; it must be 0 (host) or 1 (CUDA)");
  }
  if (table->open == nullptr || table->supports == nullptr || table->plan == nullptr ||
      table->greatest_step == nullptr || table->step == nullptr || table->synchronize == nullptr ||
      table->release == nullptr || table->close == nullptr) {
    refuse(path, "every function of the table must be set");
  }
}

// While it lives, what is loaded may set floating-point modes (a library built with fast-math
// flushes subnormals from then on); afterwards this program's own are back.
class OwnEnvironment {
 public:
  OwnEnvironment() { (void)std::fegetenv(&before_); }
  OwnEnvironment(const OwnEnvironment&) = delete;
  OwnEnvironment& operator=(const OwnEnvironment&) = delete;
  ~OwnEnvironment() { (void)std::fesetenv(&before_); }

  static std::fenv_t now() {
    std::fenv_t environment;
    (void)std::fegetenv(&environment);
    return environment;
  }

 private:
  std::fenv_t before_{};
};

}  // namespace

Implementation load_shared_object(const std::string& path, std::vector<std::string> options) {
  // A name without a slash would be searched for in the system's library folders.
  const std::string place = path.find('/') == std::string::npos ? "./" + path : path;
  std::error_code error;
  if (!std::filesystem::is_regular_file(place, error)) refuse(path, "there is no such file");
  const OwnEnvironment own;
  void* handle = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) refuse(path, "it cannot be loaded: " + linker_error());
  std::shared_ptr<void> library(handle, [](void* loaded) { ::dlclose(loaded); });
  auto* entry =
      reinterpret_cast<chainwalk_implementation_fn>(::dlsym(handle, "chainwalk_implementation"));
  if (entry == nullptr) refuse(path, "it exports no symbol chainwalk_implementation");
  Implementation loaded;
  loaded.table = entry(CW_INTERFACE_VERSION);
  check_table(path, loaded.table);
  loaded.environment = OwnEnvironment::now();
  if (loaded.table->memory == CW_MEMORY_HOST) loaded.memory = host_memory();
  loaded.options = std::move(options);
  loaded.library = std::move(library);
  return loaded;
}

}  // namespace chainwalk::conformance
