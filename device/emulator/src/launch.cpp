// SPDX-License-Identifier: Apache-2.0
// Sequences of launches: clusters side by side, dependents ahead of their primary.
#include "src/launch.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "chainwalk/platform/executor.h"
#include "src/cluster.h"
#include "src/findings.h"
#include "src/global_watch.h"

namespace chainwalk::emulator {
namespace {

constexpr std::size_t max_early_clusters = 2;
constexpr std::int64_t early_scope = -1;  // of the choice which clusters start early

std::int64_t cluster_count(const Launch& launch) {
  return launch.grid_blocks / launch.cluster_blocks;
}

// What clusters hand back, gathered from every worker.
class Results {
 public:
  explicit Results(std::size_t most) : most_(most) {}

  void take(Cluster& cluster) {
    const std::lock_guard lock(mutex_);
    if (cluster.launch->record && !cluster.recorded.empty()) {
      choices_[{cluster.launch->step, cluster.index}] = std::move(cluster.recorded);
    }
    if (!cluster.finding.has_value()) return;
    found_.emplace(cluster.index, std::move(*cluster.finding));
    if (found_.size() > most_) found_.erase(std::prev(found_.end()));
  }
  void note(ChoiceScope scope, std::vector<std::uint32_t> choices) {
    if (!choices.empty()) choices_[scope] = std::move(choices);
  }
  // Findings of the launch that has ended, by cluster.
  void move_findings(std::vector<Finding>& to) {
    for (auto& [cluster, finding] : found_) to.push_back(std::move(finding));
    found_.clear();
  }
  RecordedChoices& choices() { return choices_; }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::map<std::int64_t, Finding> found_;
  RecordedChoices choices_;
};

// Clusters that stand at their dependent-launch wait, or ended before it, by index.
using EarlyClusters = std::map<std::int64_t, std::unique_ptr<Cluster>>;

class Runner {
 public:
  Runner(const Sequence& sequence, Results& results)
      : sequence_(sequence), results_(results), workers_(worker_count(sequence)) {}

  void start_early(const Launch& launch) {
    ChoiceStream choices;
    std::vector<std::uint32_t> recorded;
    const ChoiceScope scope{launch.step, early_scope};
    const std::vector<std::uint32_t>* replayed = nullptr;
    if (launch.replayed != nullptr) {
      const auto found = launch.replayed->find(scope);
      if (found != launch.replayed->end()) replayed = &found->second;
    }
    choices.start(launch.schedule, scope, replayed, launch.record ? &recorded : nullptr);
    const auto clusters =
        static_cast<std::uint32_t>(std::min(cluster_count(launch), std::int64_t{1} << 30U));
    const std::uint32_t count = choices.choose(max_early_clusters + 1);
    for (std::uint32_t turn = 0; turn < count; ++turn) {
      const std::int64_t index = choices.choose(clusters);
      if (early_.contains(index)) continue;
      std::unique_ptr<Cluster> cluster = std::make_unique<Cluster>();
      cluster->start(launch, index);
      cluster->run(true);
      early_.emplace(index, std::move(cluster));
    }
    results_.note(scope, std::move(recorded));
  }

  // The launch whose clusters start_early() has started comes next.
  void next_launch() {
    started_ = std::move(early_);
    early_.clear();
  }

  void run(const Launch& launch) {
    const std::int64_t count = cluster_count(launch);
    platform::parallel_for(0, count, sequence_.threads, [&](std::int64_t index, unsigned worker) {
      const auto found = started_.find(index);
      if (found != started_.end()) {
        Cluster& cluster = *found->second;
        if (!cluster.finding.has_value() && cluster.alive > 0) cluster.run(false);
        results_.take(cluster);
        return;
      }
      std::unique_ptr<Cluster>& mine = workers_[worker];
      if (!mine) mine = std::make_unique<Cluster>();
      mine->start(launch, index);
      mine->run(false);
      results_.take(*mine);
    });
  }

 private:
  static std::size_t worker_count(const Sequence& sequence) {
    return sequence.threads != 0 ? sequence.threads : platform::available_threads();
  }

  const Sequence& sequence_;
  Results& results_;
  std::vector<std::unique_ptr<Cluster>> workers_;
  EarlyClusters early_;    // of the launch after the current one
  EarlyClusters started_;  // of the current launch
};

[[noreturn]] void refuse(const Launch& launch, const std::string& what) {
  throw std::invalid_argument("launch of " + launch.kernel + ": " + what);
}

}  // namespace

void check_launch(const Launch& launch) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  if (launch.entry == nullptr || launch.parameters == nullptr) refuse(launch, "no kernel");
  if (launch.block_threads < 32 || launch.block_threads > 1024 || launch.block_threads % 32 != 0) {
    refuse(launch, number(launch.block_threads) + " threads a block; whole warps, 32..1024");
  }
  if (launch.shared_bytes < 0 || launch.shared_bytes > launch.limits.shared_cap) {
    refuse(launch, number(launch.shared_bytes) + " bytes of shared memory a block; at most " +
                       number(launch.limits.shared_cap) + " on this device class");
  }
  const int greatest = launch.limits.async_image ? std::min(launch.limits.max_cluster, 16) : 1;
  if (launch.cluster_blocks < 1 || launch.cluster_blocks > greatest) {
    refuse(launch, "clusters of " + number(launch.cluster_blocks) + " blocks; 1.." +
                       number(greatest) + " on this device class");
  }
  if (launch.grid_blocks < 1 || launch.grid_blocks > 0x7FFF'FFFF ||
      launch.grid_blocks % launch.cluster_blocks != 0) {
    refuse(launch, "a grid of " + number(launch.grid_blocks) +
                       " blocks; 1..2147483647, whole clusters of " +
                       number(launch.cluster_blocks));
  }
  if (launch.dependent && !launch.limits.async_image) {
    refuse(launch, "programmatic dependent launch, which this device class lacks");
  }
}

SequenceResult run_sequence(Sequence sequence) {
  for (const Launch& launch : sequence.launches) check_launch(launch);
  std::unique_ptr<GlobalWatch> watch;
  std::uint32_t number = 0;
  for (Launch& launch : sequence.launches) {
    launch.number = ++number;
    if (!launch.checked) continue;
    if (!watch) watch = std::make_unique<GlobalWatch>(launch.buffers, sequence.early);
    launch.watch = watch.get();
  }
  SequenceResult result;
  Results results(std::max<std::size_t>(sequence.max_findings, 1));
  Runner runner(sequence, results);
  for (std::size_t index = 0; index < sequence.launches.size(); ++index) {
    runner.next_launch();
    if (index + 1 < sequence.launches.size() && sequence.early &&
        sequence.launches[index + 1].dependent) {
      runner.start_early(sequence.launches[index + 1]);
    }
    runner.run(sequence.launches[index]);
    results.move_findings(result.findings);
    if (watch && result.findings.empty()) {
      result.findings = watch->conflicts(sequence.launches[index]);
    }
    if (!result.findings.empty()) break;
  }
  result.choices = std::move(results.choices());
  return result;
}

}  // namespace chainwalk::emulator
