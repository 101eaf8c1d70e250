// SPDX-License-Identifier: Apache-2.0
// The kernels under the emulator as an implementation under test.
#include "chainwalk/emulator/emulator.h"

#include <cstring>
#include <vector>

#include "chainwalk/adapters/adapters.h"
#include "device_options.h"
#include "host_implementation.h"
#include "planned_implementation.h"

namespace chainwalk::adapters {
namespace {

// Bytes of a tensor that a plan has passed: the product fits (PLN-7).
std::size_t bytes_of(const plan::Tensor& tensor) {
  std::int64_t elements = tensor.rank == 0 ? 0 : 1;
  for (std::int32_t i = 0; i < tensor.rank; ++i) {
    elements *= tensor.shape[static_cast<std::size_t>(i)];
  }
  const bool wide = tensor.type == plan::ElementType::f32 || tensor.type == plan::ElementType::i32;
  const std::int64_t element = wide ? 4 : tensor.type == plan::ElementType::bf16 ? 2 : 1;
  return static_cast<std::size_t>(elements * element);
}

class EmulatorMachine {
 public:
  static constexpr const char* name = "emulator";
  static constexpr const char* version = "1";
  static constexpr const char* description = "the kernels of the family on an emulated GPU";
  static constexpr std::int32_t memory = CW_MEMORY_HOST;

  struct Bound {
    plan::Plan plan;
    plan::Request request;
    std::vector<emulator::Buffer> buffers;
    std::vector<std::byte> dense_rows;
    std::vector<std::int32_t> prefixes;  // of a dense-row walk's tiles
    // Steps [begin, end) that wait to run as one sequence of dependent launches.
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  explicit EmulatorMachine(std::span<const char* const> options) {
    device_ = *plan::find_device("h100");
    for (const char* option : options) take(option);
  }

  const SessionWish& wish() const { return wish_; }
  const plan::DeviceClass& device_class() const { return device_; }

  Report bind(const plan::Plan& plan, const plan::Request& request, void*,
              std::unique_ptr<Bound>* bound) {
    if (options_.dependent && device::kernel_family[plan.kernel].image != device::Image::async) {
      // The step itself would be refused; said here, since nothing has run yet.
      const auto refusal = plan::check_step(plan, 0, 1);
      if (refusal && refusal->check == plan::Check::lch2_dependent) {
        return {CW_REFUSED, refusal_of(refusal->check), refusal->message};
      }
    }
    auto result = std::make_unique<Bound>();
    result->plan = plan;
    result->request = request;
    if (reads_dense_rows(plan) && !plan.empty) {
      result->dense_rows.resize(static_cast<std::size_t>(dense_rows_bytes(request)));
      result->request.snapshot.data = result->dense_rows.data();
      result->plan.parameters.snapshot = result->dense_rows.data();
      result->prefixes = prefixes_of(request);
      result->request.group_prefix = request.tile_bounds;
      result->request.group_prefix.data = result->prefixes.data();
      result->plan.parameters.group_prefix = result->prefixes.data();
    }
    list_buffers(*result);
    *bound = std::move(result);
    return {};
  }

  Report step(Bound& bound, std::int64_t step) {
    Report report;
    if (bound.begin < bound.end && bound.end != step) report = flush(bound);
    if (report.status != CW_OK) return report;
    if (bound.begin == bound.end) bound.begin = step;
    bound.end = step + 1;
    waiting_ = &bound;
    return options_.dependent && bound.dense_rows.empty() ? Report{} : flush(bound);
  }

  Report synchronize() { return waiting_ == nullptr ? Report{} : flush(*waiting_); }
  void release(Bound& bound) {
    if (waiting_ == &bound) waiting_ = nullptr;
  }
  static bool is_lost(const std::exception&) { return false; }

 private:
  void take(std::string_view option) {
    const auto [key, value] = split_option(option);
    if (key == "schedule") {
      options_.schedule = emulator::parse_schedule(std::string(value));
    } else if (key == "checked") {
      options_.checked = integer_option(key, value, 0, 1) == 1;
    } else if (key == "dependent") {
      options_.dependent = integer_option(key, value, 0, 1) == 1;
    } else if (key == "threads") {
      options_.threads = static_cast<unsigned>(integer_option(key, value, 0, 1024));
    } else if (key == "device") {
      const plan::DeviceClass* found = plan::find_device(value);
      if (found == nullptr) {
        refuse(
            fmt::format("option device is '{}'; h100, a100, rtx4090, b200, ... is needed", value));
      }
      device_ = *found;
    } else if (!take_wish_option(key, value, wish_)) {
      refuse_option(option,
                    "schedule=SCHEDULE, checked=0|1, threads=N, device=NAME, dependent=0|1, " +
                        std::string(wish_options));
    }
  }

  static void list_buffers(Bound& bound) {
    const plan::Request& request = bound.request;
    const auto add = [&](const char* buffer, const plan::Tensor& tensor, bool writable) {
      const std::size_t bytes = bytes_of(tensor);
      if (bytes != 0) bound.buffers.push_back({buffer, tensor.data, bytes, writable});
    };
    add("bank", request.bank, true);
    add("delta_v", request.delta_v, false);
    add("records", request.records, false);
    add("tile_bounds", request.tile_bounds, false);
    add("group_prefix", request.group_prefix, false);
    add("snapshot", request.snapshot, is_dense(request.form));
    add("payload", request.payload, true);
    add("scale", request.scale, true);
  }

  template <typename T>
  static std::span<const T> elements_of(const plan::Tensor& tensor) {
    return {static_cast<const T*>(tensor.data), bytes_of(tensor) / sizeof(T)};
  }

  static std::vector<std::int32_t> prefixes_of(const plan::Request& request) {
    return dense_row_prefixes(request, elements_of<Record>(request.records),
                              elements_of<std::int32_t>(request.tile_bounds));
  }

  static void gather(Bound& bound, std::int64_t step) {
    const plan::Request& request = bound.request;
    const auto row_bytes = static_cast<std::size_t>(
        request.bank.shape[1] * (request.bank.type == plan::ElementType::bf16 ? 2 : 4));
    const auto records = elements_of<Record>(request.records);
    const auto* bank = static_cast<const std::byte*>(request.bank.data);
    for_each_base_row(request, records, step, [&](std::int64_t slot, std::int64_t row) {
      std::memcpy(bound.dense_rows.data() + static_cast<std::size_t>(row) * row_bytes,
                  bank + static_cast<std::size_t>(slot) * row_bytes, row_bytes);
    });
  }

  Report flush(Bound& bound) {
    const std::int64_t begin = bound.begin;
    const std::int64_t end = bound.end;
    bound.begin = bound.end = 0;
    if (waiting_ == &bound) waiting_ = nullptr;
    if (begin == end) return {};
    if (!bound.dense_rows.empty()) gather(bound, begin);
    emulator::Options options = options_;
    if (!bound.dense_rows.empty()) options.dependent = false;
    const auto findings =
        emulator::run_steps(bound.plan, device_, bound.buffers, begin, end, options);
    if (findings.empty()) return {};
    return {CW_FINDING, CW_REFUSAL_NONE,
            findings.size() == 1 ? findings.front().message
                                 : fmt::format("{} (and {} more findings)",
                                               findings.front().message, findings.size() - 1)};
  }

  SessionWish wish_;
  plan::DeviceClass device_;
  emulator::Options options_;
  Bound* waiting_ = nullptr;
};

}  // namespace

const cw_implementation* emulator_implementation() noexcept {
  return &PlannedImplementation<EmulatorMachine>::table;
}

}  // namespace chainwalk::adapters
