// SPDX-License-Identifier: Apache-2.0
// The kernels on a real GPU: recorded and random problems over every kernel that serves each,
// against the reference (GEO-4, DET-1, LCH-2, PLN-6). Without a GPU every case is skipped and says
// so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/conformance/compare.h"
#include "chainwalk/conformance/harness.h"
#include "chainwalk/cuda/error.h"
#include "chainwalk/cuda/launch.h"
#include "chainwalk/generate/generate.h"
#include "chainwalk/plan/plan.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/capture.h"
#include "draw_case.h"
#include "on_gpu.h"

namespace chainwalk::cuda {
namespace {

using conformance::Harness;

std::int64_t number_from(const char* variable, std::int64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoll(text);
}

conformance::Implementation on_device(int device, std::vector<std::string> options) {
  conformance::Implementation implementation;
  implementation.table = adapters::cuda_implementation();
  implementation.memory = adapters::cuda_memory(device);
  implementation.options = std::move(options);
  implementation.options.push_back("device=" + std::to_string(device));
  implementation.device = device;
  return implementation;
}

// One open session a kernel, opened when first asked for.
class Sessions {
 public:
  explicit Sessions(int device, std::string extra = "")
      : device_(device), extra_(std::move(extra)) {}
  Harness& of(std::size_t kernel) {
    auto& harness = harnesses_[kernel];
    if (harness == nullptr) {
      std::vector<std::string> options{"kernel=" + std::string(device::kernel_family[kernel].name)};
      if (!extra_.empty()) options.push_back(extra_);
      harness = std::make_unique<Harness>(on_device(device_, std::move(options)));
    }
    return *harness;
  }

 private:
  int device_;
  std::string extra_;
  std::map<std::size_t, std::unique_ptr<Harness>> harnesses_;
};

class Gpu : public OnGpu {
 protected:
  // Runs a problem on a kernel where it serves it; false where it does not. Other bits are a
  // failure.
  static bool agrees(Sessions& sessions, std::size_t kernel, const Problem& problem,
                     const ConstOutputs& expected, const std::string& what, bool recorded = false) {
    const auto& traits = device::kernel_family[kernel];
    // Most kernels are told apart without buffers.
    if (traits.bank != problem.shape.bank_type || traits.snapshot != problem.shape.snapshot) {
      return false;
    }
    const conformance::Outcome outcome = sessions.of(kernel).run(problem);
    if (outcome.status == CW_REFUSED) return false;
    const std::string place = fmt::format("{} on {}", what, traits.name);
    EXPECT_EQ(outcome.status, CW_OK) << place << ": " << outcome.text;
    if (outcome.status != CW_OK) return true;
    EXPECT_FALSE(outcome.stray) << place << ": " << (outcome.stray ? outcome.stray->tensor : "");
    conformance::CompareOptions options;
    if (!recorded) options.poison = outcome.outputs->poison();
    const auto comparison =
        conformance::compare(problem, expected, outcome.outputs->views(), options);
    for (const auto& difference : comparison.differences) {
      ADD_FAILURE() << place << ": " << difference.tensor << " row " << difference.row << " column "
                    << difference.column << ": expected " << difference.expected << ", got "
                    << difference.actual << "; " << difference.count << " differ";
    }
    return true;
  }
};

TEST_F(Gpu, RecordedProblemsOnEveryKernel) {
  const char* folder = std::getenv("CHAINWALK_VECTORS");
  const std::filesystem::path vectors = folder == nullptr ? CHAINWALK_VECTORS_FOLDER : folder;
  Sessions sessions(0);
  std::int64_t files = 0;
  std::int64_t runs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(vectors)) {
    if (entry.path().extension() != ".safetensors") continue;
    const Capture capture = read_capture(entry.path());
    ++files;
    std::int64_t served = 0;
    for (std::size_t kernel = 0; kernel < device::kernel_count; ++kernel) {
      const bool ran = agrees(sessions, kernel, capture.problem, capture.expected,
                              entry.path().filename().string(), true);
      served += ran ? 1 : 0;
    }
    EXPECT_GT(served, 0) << entry.path() << " is served by no kernel";
    runs += served;
    if (process_is_lost()) return;
  }
  EXPECT_GT(files, 0) << "no recorded problem in " << vectors;
  fmt::print("{} recorded problems, {} runs\n", files, runs);
}

TEST_F(Gpu, RandomProblemsOnEveryKernel) {
  const std::int64_t cases = number_from("CHAINWALK_GPU_CASES", 300);
  const auto seed = static_cast<std::uint64_t>(number_from("CHAINWALK_GPU_SEED", 1));
  const std::int64_t largest = number_from("CHAINWALK_GPU_LARGEST", 1 << 15);
  Sessions sessions(0);
  std::vector<std::int64_t> served(device::kernel_count, 0);
  std::int64_t runs = 0;
  for (std::int64_t i = 0; i < cases && !HasFailure(); ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    generate::Parameters parameters = generate::draw_parameters(seed, index, largest);
    // Most kernels take 8 or 16 warps only (PLN-1).
    if (i % 8 != 0 && parameters.warps_per_block == 4) parameters.warps_per_block = 8;
    const Problem problem = generate::make_problem(parameters, seed, index);
    const OutputBuffers expected(problem);
    reference::run(problem, expected.views());
    for (std::size_t kernel = 0; kernel < device::kernel_count; ++kernel) {
      if (agrees(sessions, kernel, problem, expected.views(),
                 fmt::format("problem {} of seed {}", i, seed))) {
        ++served[kernel];
        ++runs;
      }
    }
  }
  fmt::print("{} random problems, {} runs\n", cases, runs);
  for (std::size_t kernel = 0; kernel < device::kernel_count; ++kernel) {
    if (served[kernel] == 0) fmt::print("never: {}\n", device::kernel_family[kernel].name);
  }
}

// What the tools of the toolkit are run on: every kernel of which this device loads an image, on
// the least problems that reach all of it.
TEST_F(Gpu, EveryKernelOnItsSmallProblems) {
  Sessions sessions(0);
  std::int64_t loaded = 0;
  std::int64_t ran = 0;
  std::int64_t runs = 0;
  for (std::size_t kernel = 0; kernel < device::kernel_count && !process_is_lost(); ++kernel) {
    const std::string name(device::kernel_family[kernel].name);
    std::string reason;
    if (!kernel_image(kernel, 0, &reason)) {
      fmt::print("{} does not run on this device: {}\n", name, reason);
      continue;
    }
    ++loaded;
    bool served = true;
    for (const generate::Parameters& parameters : device::small_cases(kernel)) {
      const Problem problem = generate::make_problem(parameters, 1, 0);
      const OutputBuffers expected(problem);
      reference::run(problem, expected.views());
      const bool agreed = agrees(sessions, kernel, problem, expected.views(),
                                 fmt::format("{} columns", parameters.head_dim));
      EXPECT_TRUE(agreed) << name << " refuses " << generate::to_json(parameters);
      served = served && agreed;
      ++runs;
    }
    ran += served ? 1 : 0;
  }
  fmt::print("{} of {} kernels run, {} problems\n", ran, loaded, runs);
  EXPECT_GT(loaded, 0);
  EXPECT_EQ(ran, loaded);
}

// DET-1, LCH-2: the same bits again, from a replayed graph, and with dependent launch.
TEST_F(Gpu, RepeatsAndDependentLaunchGiveTheSameBits) {
  Sessions plain(0);
  Sessions graph(0, "graph=1");
  Sessions dependent(0, "dependent=1");
  std::int64_t runs = 0;
  for (std::uint64_t i = 0; i < 40 && !HasFailure(); ++i) {
    generate::Parameters parameters = generate::draw_parameters(7, i, 1 << 15);
    parameters.warps_per_block = 8;
    parameters.steps = 4;
    const Problem problem = generate::make_problem(parameters, 7, i);
    const OutputBuffers expected(problem);
    reference::run(problem, expected.views());
    for (std::size_t kernel = 0; kernel < device::kernel_count; ++kernel) {
      if (!agrees(plain, kernel, problem, expected.views(), fmt::format("first {}", i))) continue;
      agrees(plain, kernel, problem, expected.views(), fmt::format("again {}", i));
      agrees(graph, kernel, problem, expected.views(), fmt::format("graph {}", i));
      ++runs;
      const auto& traits = device::kernel_family[kernel];
      const bool gathered = traits.source == device::BaseSource::dense_rows;
      if (traits.image == device::Image::async && !gathered) {
        agrees(dependent, kernel, problem, expected.views(), fmt::format("dependent {}", i));
      }
    }
  }
  fmt::print("{} runs repeated\n", runs);
}

// All at once, each from a thread of its own.
TEST_F(Gpu, EveryGpuGivesTheSameBits) {
  if (device_count() < 2) GTEST_SKIP() << "1 case not run: there is one GPU";
  generate::Parameters parameters = generate::draw_parameters(9, 3, 1 << 16);
  parameters.warps_per_block = 8;  // quantized rows take 8 or 16 (PLN-1)
  const Problem problem = generate::make_problem(parameters, 9, 3);
  const OutputBuffers expected(problem);
  reference::run(problem, expected.views());
  std::vector<std::thread> threads;
  for (int device = 0; device < device_count(); ++device) {
    threads.emplace_back([&problem, &expected, device] {
      Harness harness(on_device(device, {}));
      for (int turn = 0; turn < 50; ++turn) {
        const conformance::Outcome outcome = harness.run(problem);
        EXPECT_EQ(outcome.status, CW_OK) << "device " << device << ": " << outcome.text;
        if (outcome.status != CW_OK) return;
        EXPECT_TRUE(
            conformance::compare(problem, expected.views(), outcome.outputs->views()).equal())
            << "device " << device;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  fmt::print("{} GPUs at once, 50 runs each\n", device_count());
}

}  // namespace
}  // namespace chainwalk::cuda
