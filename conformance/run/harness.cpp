// SPDX-License-Identifier: Apache-2.0
// One session of an implementation: guarded buffers in, steps, and what changed out.
#include "chainwalk/conformance/harness.h"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <utility>

#include "chainwalk/conformance/request.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::conformance {
namespace {

enum Place : std::size_t {
  place_bank,
  place_delta_v,
  place_records,
  place_bounds,
  place_prefix,
  place_snapshot,
  place_payload,
  place_scale,
  place_count
};
constexpr std::array<const char*, place_count> place_names{
    "bank", "delta_v", "records", "tile_bounds", "group_prefix", "snapshot", "payload", "scale"};

std::string text_of(const cw_result& result) {
  return result.text == nullptr ? "(the implementation gave no text)" : result.text;
}

// The buffers and the request of one problem.
struct Binding {
  std::array<std::unique_ptr<GuardedBuffer>, place_count> buffers;
  std::array<std::uint64_t, place_count> fingerprints{};
  cw_request request{};
};

std::span<const std::byte> input_bytes(const Problem& problem, std::size_t place) {
  switch (place) {
    case place_bank: return problem.bank_before;
    case place_delta_v: return std::as_bytes(problem.delta_v);
    case place_records: return std::as_bytes(problem.records);
    case place_bounds: return std::as_bytes(problem.tile_bounds);
    case place_prefix: return std::as_bytes(problem.group_prefix);
    default: return {};
  }
}

std::span<const std::byte> sparse_row(const ProblemShape& shape, const SparseRows& bank,
                                      std::size_t index) {
  const auto row_bytes = static_cast<std::size_t>(shape.bank_row_bytes());
  return std::span(bank.content).subspan(index * row_bytes, row_bytes);
}

void* bind_sparse(Binding& binding, const ProblemShape& shape, MemoryKind& memory,
                  const SparseRows& bank) {
  auto& buffer = binding.buffers[place_bank];
  buffer = memory.allocate(static_cast<std::uint64_t>(shape.slots * shape.bank_row_bytes()), true);
  for (std::size_t index = 0; index < bank.rows.size(); ++index) {
    buffer->upload(static_cast<std::uint64_t>(bank.rows[index] * shape.bank_row_bytes()),
                   sparse_row(shape, bank, index));
  }
  return buffer->data();
}

// `sparse`, where given, is the bank instead of problem.bank_before.
Binding bind(const Problem& problem, MemoryKind& memory, const RunOptions& options,
             std::int32_t device, const SparseRows* sparse = nullptr) {
  const ProblemShape& shape = problem.shape;
  Binding binding;
  const auto make = [&](std::size_t place, std::uint64_t bytes) -> void* {
    auto& buffer = binding.buffers[place];
    buffer = memory.allocate(bytes);
    const auto content = input_bytes(problem, place);
    if (content.empty()) {
      buffer->fill(options.poison);
    } else {
      buffer->upload(0, content);
    }
    return buffer->data();
  };
  const auto size = [](std::span<const std::byte> bytes) {
    return static_cast<std::uint64_t>(bytes.size());
  };
  cw_request& request = binding.request;
  fill_sizes(request, shape, options.geometry);
  request.device = device;
  const cw_type bank_type = shape.bank_type == BankType::bf16 ? CW_BF16 : CW_F32;
  const std::int64_t bounds = shape.tiles_per_chunk() + 1;
  void* bank = sparse == nullptr ? make(place_bank, size(problem.bank_before))
                                 : bind_sparse(binding, shape, memory, *sparse);
  request.bank = contiguous_tensor(bank, bank_type, {shape.slots, shape.head_dim});
  request.delta_v = contiguous_tensor(make(place_delta_v, problem.delta_v.size_bytes()), CW_F32,
                                      {shape.delta_v_rows, shape.head_dim});
  request.records = contiguous_tensor(make(place_records, problem.records.size_bytes()), CW_I32,
                                      {shape.num_chunks, shape.positions, 4});
  request.tile_bounds = contiguous_tensor(make(place_bounds, problem.tile_bounds.size_bytes()),
                                          CW_I32, {shape.num_chunks, bounds});
  request.group_prefix = contiguous_tensor(make(place_prefix, problem.group_prefix.size_bytes()),
                                           CW_I32, {shape.num_chunks, bounds});
  const std::int64_t rows = shape.snapshot_rows();
  const auto row_bytes = shape.snapshot_row_bytes();
  const auto all_bytes = static_cast<std::uint64_t>(rows * row_bytes);
  if (is_dense(shape.snapshot)) {
    const cw_type type = shape.snapshot == SnapshotForm::bf16 ? CW_BF16 : bank_type;
    request.snapshot =
        contiguous_tensor(make(place_snapshot, all_bytes), type, {rows, shape.head_dim});
  } else if (is_quantized(shape.snapshot)) {
    request.payload = contiguous_tensor(make(place_payload, all_bytes), CW_U8, {rows, row_bytes});
    request.scale =
        contiguous_tensor(make(place_scale, static_cast<std::uint64_t>(rows) * 4U), CW_F32, {rows});
  }
  for (std::size_t place = place_delta_v; place <= place_prefix; ++place) {
    binding.fingerprints[place] = binding.buffers[place]->fingerprint();
  }
  return binding;
}

std::optional<Difference> find_stray(const Binding& binding) {
  for (std::size_t place = 0; place < place_count; ++place) {
    const auto& buffer = binding.buffers[place];
    if (buffer == nullptr) continue;
    if (const auto offset = buffer->broken_guard()) {
      return Difference{fmt::format("guard of {}", place_names[place]),
                        0,
                        *offset,
                        "guard pattern",
                        "overwritten",
                        1};
    }
  }
  for (std::size_t place = place_delta_v; place <= place_prefix; ++place) {
    if (binding.buffers[place] == nullptr) continue;  // nothing is bound yet
    if (binding.buffers[place]->fingerprint() != binding.fingerprints[place]) {
      return Difference{
          fmt::format("input {}", place_names[place]), 0, 0, "unchanged", "changed", 1};
    }
  }
  return std::nullopt;
}

void collect(const Binding& binding, const Outputs& outputs) {
  const auto take = [&](std::size_t place, std::span<std::byte> bytes) {
    if (binding.buffers[place] != nullptr) binding.buffers[place]->download(0, bytes);
  };
  take(place_bank, outputs.bank);
  take(place_snapshot, outputs.snapshot);
  take(place_payload, outputs.payload);
  take(place_scale, std::as_writable_bytes(outputs.scale));
}

}  // namespace

struct Harness::Impl {
  Implementation implementation;
  cw_session* session = nullptr;
  Binding binding;
  std::function<void(bool)> watch = [](bool) {};
  std::fenv_t environment{};  // floating-point environment of the implementation

  // The implementation has the word while it lives.
  class Inside {
   public:
    explicit Inside(Impl& impl) : impl_(impl) {
      impl_.watch(true);
      (void)std::fesetenv(&impl_.environment);
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() {
      (void)std::fegetenv(&impl_.environment);
      (void)std::fesetenv(FE_DFL_ENV);
      impl_.watch(false);
    }

   private:
    Impl& impl_;
  };

  cw_result open() {
    (void)std::fegetenv(&environment);
    if (implementation.environment) environment = *implementation.environment;
    std::vector<const char*> options;
    for (const std::string& option : implementation.options) options.push_back(option.c_str());
    const Inside inside(*this);
    return table().open(options.data(), static_cast<std::int32_t>(options.size()), &session);
  }

  const cw_implementation& table() const { return *implementation.table; }

  Outcome outcome_of(const cw_result& result) const {
    Outcome outcome;
    outcome.status = result.status;
    outcome.refusal = result.refusal;
    outcome.text = text_of(result);
    return outcome;
  }

  // Steps a plan and waits; the first call that is not CW_OK ends it.
  Outcome run_steps(cw_plan* plan, std::span<const std::int64_t> steps) const {
    for (const std::int64_t step : steps) {
      const cw_result result = table().step(session, plan, step);
      if (result.status != CW_OK) return outcome_of(result);
    }
    return outcome_of(table().synchronize(session));
  }

  Outcome supports(const cw_request& request) {
    const Inside inside(*this);
    return outcome_of(table().supports(session, &request));
  }

  Outcome plan_only(const cw_request& request) {
    const Inside inside(*this);
    cw_plan* plan = nullptr;
    Outcome outcome = outcome_of(table().plan(session, &request, &plan));
    if (outcome.status == CW_OK) outcome.greatest_step = table().greatest_step(session, plan);
    table().release(session, plan);
    return outcome;
  }

  // Plans the bound request and runs its steps (every one where none is named).
  Outcome plan_and_run(const Problem& problem, std::vector<std::int64_t> steps) {
    Outcome outcome = steps_of_plan(problem, std::move(steps));
    if (outcome.status != CW_ERROR_STICKY) outcome.stray = find_stray(binding);
    return outcome;
  }

 private:
  Outcome steps_of_plan(const Problem& problem, std::vector<std::int64_t> steps) {
    const Inside inside(*this);
    cw_plan* plan = nullptr;
    Outcome outcome = outcome_of(table().plan(session, &binding.request, &plan));
    if (outcome.status == CW_OK) {
      const std::int64_t greatest = table().greatest_step(session, plan);
      if (steps.empty()) {
        steps.resize(static_cast<std::size_t>(problem.shape.steps()));
        std::iota(steps.begin(), steps.end(), std::int64_t{0});
      }
      outcome = run_steps(plan, steps);
      outcome.greatest_step = greatest;
    }
    table().release(session, plan);
    return outcome;
  }
};

Harness::Harness(const Implementation& implementation) : impl_(std::make_unique<Impl>()) {
  impl_->implementation = implementation;
  const cw_result result = impl_->open();
  if (result.status != CW_OK || impl_->session == nullptr) {
    throw InputError({"IMPL", std::nullopt, std::nullopt,
                      fmt::format("implementation {} cannot be opened: {}", impl_->table().name,
                                  text_of(result))});
  }
  if (impl_->implementation.memory == nullptr) {
    impl_->table().close(impl_->session);
    throw InputError(
        {"IMPL", std::nullopt, std::nullopt,
         fmt::format(
             "implementation {} asks for CUDA memory, which this build or machine does not have",
             impl_->table().name)});
  }
}

Harness::~Harness() {
  if (impl_ != nullptr && impl_->session != nullptr) impl_->table().close(impl_->session);
}

cw_request& Harness::request_for(const Problem& problem, const RunOptions& options) {
  impl_->binding =
      bind(problem, *impl_->implementation.memory, options, impl_->implementation.device);
  return impl_->binding.request;
}

std::optional<std::string> Harness::unsupported(const Problem& problem, const RunOptions& options) {
  const Outcome outcome = impl_->supports(request_for(problem, options));
  if (outcome.status == CW_OK) return std::nullopt;
  return outcome.text;
}

Outcome Harness::supports_only(const cw_request& request) { return impl_->supports(request); }

Outcome Harness::plan_only(const cw_request& request) {
  Outcome outcome = impl_->plan_only(request);
  outcome.stray = find_stray(impl_->binding);
  return outcome;
}

void Harness::watch(std::function<void(bool inside)> watch) { impl_->watch = std::move(watch); }

Outcome Harness::run(const Problem& problem, const RunOptions& options) {
  (void)request_for(problem, options);
  Outcome outcome = impl_->plan_and_run(problem, options.steps);
  if (outcome.status == CW_OK) {
    outcome.outputs = std::make_unique<OutputBuffers>(problem, options.poison);
    collect(impl_->binding, outcome.outputs->views());
  }
  return outcome;
}

SparseOutcome Harness::run_sparse(const Problem& problem, const SparseRows& bank) {
  impl_->binding =
      bind(problem, *impl_->implementation.memory, {}, impl_->implementation.device, &bank);
  SparseOutcome result;
  result.outcome = impl_->plan_and_run(problem, {});
  if (result.outcome.status != CW_OK) return result;
  result.outcome.outputs = std::make_unique<OutputBuffers>(problem);
  collect(impl_->binding, result.outcome.outputs->views());
  const GuardedBuffer& buffer = *impl_->binding.buffers[place_bank];
  result.rows.resize(bank.content.size());
  const auto row_bytes = static_cast<std::size_t>(problem.shape.bank_row_bytes());
  for (std::size_t index = 0; index < bank.rows.size(); ++index) {
    buffer.download(static_cast<std::uint64_t>(bank.rows[index]) * row_bytes,
                    std::span(result.rows).subspan(index * row_bytes, row_bytes));
  }
  result.nonzero_pages = buffer.nonzero_pages();
  return result;
}

Outcome Harness::step_only(const Problem& problem, std::int64_t step, const RunOptions& options) {
  RunOptions one = options;
  one.steps = {step};
  return run(problem, one);
}

}  // namespace chainwalk::conformance
