// SPDX-License-Identifier: Apache-2.0
// The problems that are measured.
#include <initializer_list>

#include "chainwalk/cuda/bench.h"

namespace chainwalk::cuda {
namespace {

constexpr auto none = SnapshotForm::none;
constexpr auto raw = SnapshotForm::raw;
constexpr auto bf16_rows = SnapshotForm::bf16;
constexpr auto fp8 = SnapshotForm::fp8;
constexpr auto int4 = SnapshotForm::int4;

void add(std::vector<BenchCase>& cases, BenchCase problem,
         std::initializer_list<SnapshotForm> forms) {
  for (const SnapshotForm form : forms) {
    problem.form = form;
    cases.push_back(problem);
  }
}

BenchCase make(std::string name, std::int64_t head_dim, std::int64_t streams,
               BankType bank = BankType::bf16) {
  BenchCase problem;
  problem.name = std::move(name);
  problem.bank_type = bank;
  problem.head_dim = head_dim;
  problem.num_parallel = streams;
  return problem;
}

}  // namespace

std::vector<BenchCase> published_cases() {
  std::vector<BenchCase> cases;
  add(cases, make("flagship P2 hd1024", 1024, 2), {none, raw, fp8, int4});
  add(cases, make("flagship P8 hd1024", 1024, 8), {none, raw, fp8, int4});
  add(cases, make("flagship P32 hd1024", 1024, 32), {none, raw, fp8});
  add(cases, make("f32 P2 hd1024", 1024, 2, BankType::f32), {none, raw, bf16_rows, fp8, int4});
  add(cases, make("f32 P8 hd1024", 1024, 8, BankType::f32), {none, raw});
  add(cases, make("hd128 P16", 128, 16), {none, raw, fp8, int4});
  add(cases, make("hd64 P32", 64, 32), {none, raw});
  add(cases, make("hd480 P4", 480, 4), {none, raw, fp8});
  add(cases, make("hd384 P4 (3 slices)", 384, 4), {none, raw, fp8});
  add(cases, make("tail hd300 P4", 300, 4), {none, raw});
  add(cases, make("tail hd130 P4", 130, 4), {none, raw});
  BenchCase long_chunks = make("C256 W32 hd1024 P2", 1024, 2);
  long_chunks.chunk_size = 256;
  long_chunks.writes_per_token = 32;
  add(cases, long_chunks, {none, fp8});
  BenchCase collisions = make("collisions hd1024 P2", 1024, 2);
  collisions.writes_per_token = 256;
  collisions.slots_per_stream = 512;
  add(cases, collisions, {none, raw});
  BenchCase hot = make("hot keys hd1024 P8", 1024, 8);
  hot.hot_slots = 64;
  add(cases, hot, {none, raw});
  add(cases, make("hd2048 P2", 2048, 2), {none, fp8, int4});
  return cases;
}

std::vector<BenchCase> scaling_cases() {
  std::vector<BenchCase> cases;
  for (const std::int64_t streams : {1, 2, 4, 8, 16, 32, 64}) {
    add(cases, make("streams", 1024, streams), {none, raw, fp8});
  }
  for (const std::int64_t head_dim : {64, 128, 256, 512, 1024, 2048, 4096}) {
    add(cases, make("columns", head_dim, 4), {none, raw, fp8, int4});
  }
  // Half of a token's writes on 64 slots.
  for (const std::int64_t streams : {2, 8, 32}) {
    BenchCase problem = make("hot keys", 1024, streams);
    problem.hot_slots = 64;
    add(cases, problem, {none, raw, fp8});
  }
  // 64 tokens of 64 writes on so many slots: groups of about 64 * 64 / slots members.
  for (const std::int64_t members : {1, 2, 4, 8, 16, 32, 64}) {
    BenchCase problem = make("members " + std::to_string(members), 1024, 4);
    problem.slots_per_stream = members == 1 ? 65536 : 4096 / members;
    add(cases, problem, {none, raw, fp8});
  }
  return cases;
}

}  // namespace chainwalk::cuda
