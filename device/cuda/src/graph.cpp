// SPDX-License-Identifier: Apache-2.0
// Steps of a plan captured into a CUDA graph (DET-1, LCH-3).
#include <stdexcept>

#include "chainwalk/cuda/device.h"
#include "chainwalk/cuda/launch.h"
#include "runtime.h"

namespace chainwalk::cuda {
namespace {

// A stream of its own, so that a capture disturbs no other work.
class OwnStream {
 public:
  OwnStream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  ~OwnStream() { (void)cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace

struct StepGraph::Impl {
  int device = 0;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;

  ~Impl() {
    if (executable != nullptr) {
      (void)cudaGraphExecDestroy(executable);
    }
    if (graph != nullptr) {
      (void)cudaGraphDestroy(graph);
    }
  }
};

StepGraph::StepGraph(const BoundPlan& plan, int device, std::int64_t begin, std::int64_t end,
                     int dependent)
    : impl_(std::make_unique<Impl>()) {
  for (std::int64_t step = begin; step < end; ++step) {
    if (const auto refusal = plan::check_step(plan.plan(), step, dependent)) {
      throw std::out_of_range(refusal->message);
    }
  }
  const CurrentDevice current(device);
  impl_->device = device;
  const OwnStream stream;
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
        "cudaStreamBeginCapture");
  try {
    for (std::int64_t step = begin; step < end; ++step) {
      // The first step of a graph has no launch of this plan before it to depend on.
      (void)plan.launch(step, step > begin ? dependent : 0, stream.get());
    }
  } catch (...) {
    cudaGraph_t broken = nullptr;
    (void)cudaStreamEndCapture(stream.get(), &broken);
    (void)cudaGetLastError();
    throw;
  }
  check(cudaStreamEndCapture(stream.get(), &impl_->graph), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&impl_->executable, impl_->graph, 0), "cudaGraphInstantiate");
}

StepGraph::~StepGraph() = default;

void StepGraph::replay(Stream stream) const {
  const CurrentDevice current(impl_->device);
  check(cudaGraphLaunch(impl_->executable, static_cast<cudaStream_t>(stream)), "cudaGraphLaunch");
}

}  // namespace chainwalk::cuda
