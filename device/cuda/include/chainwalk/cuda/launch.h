// SPDX-License-Identifier: Apache-2.0
// Plans on a GPU: bound once, launched per step, captured into graphs (PLN-6, LCH).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chainwalk/plan/plan.h"

namespace chainwalk::cuda {

// A cudaStream_t; null is the legacy default stream.
using Stream = void*;

// What the loaded image of a member says of itself.
struct KernelImage {
  int registers = 0;
  int local_bytes = 0;  // spilled bytes a thread
  std::int64_t static_shared = 0;
  int max_threads = 0;      // of a block
  int binary_version = 0;   // 90 for 9.0
  int virtual_version = 0;  // of the PTX it was made from
};
// nullopt: this build does not carry the member for this device; `reason` says why. Throws
// CudaError.
std::optional<KernelImage> kernel_image(std::size_t kernel, int device, std::string* reason);

// PLN-6: most clusters of a plan's launch that the device holds at once, 0 where none; one block
// counts as a cluster. Non-portable sizes are asked with their attribute. Throws CudaError.
int co_resident_clusters(const plan::Plan& plan, int device);

// A plan bound to a device: its image checked, its attributes set, its tensor maps encoded. It
// lives as long as the plan's buffers. Launching is thread-compatible; binding may run on any
// thread.
class BoundPlan {
 public:
  // A refusal of PLN-6 (image, cluster capacity) binds nothing. Throws CudaError.
  static std::optional<plan::Refusal> bind(const plan::Plan& plan, const plan::Request& request,
                                           int device, std::unique_ptr<BoundPlan>* bound);
  ~BoundPlan();

  const plan::Plan& plan() const;

  // Enqueues one step on the stream and returns (LCH-1, LCH-6). The caller's current device is
  // restored. `dependent` 1: programmatic dependent launch (LCH-2). A refusal launches nothing.
  std::optional<plan::Refusal> launch(std::int64_t step, int dependent, Stream stream) const;

 private:
  struct Impl;
  explicit BoundPlan(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Waits for a stream, and throws what went wrong meanwhile as CudaError.
void synchronize(int device, Stream stream);

// Steps [begin, end) of a plan as one graph, replayed at will.
class StepGraph {
 public:
  // Throws CudaError; std::out_of_range for steps that LCH-1 refuses.
  StepGraph(const BoundPlan& plan, int device, std::int64_t begin, std::int64_t end, int dependent);
  ~StepGraph();
  StepGraph(const StepGraph&) = delete;
  StepGraph& operator=(const StepGraph&) = delete;

  void replay(Stream stream) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace chainwalk::cuda
