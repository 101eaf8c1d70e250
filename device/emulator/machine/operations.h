// SPDX-License-Identifier: Apache-2.0
// What the primitives ask of the emulator. Each runs on the calling fiber, may switch to others
// before it returns, and does not return when it reports a finding: the cluster is abandoned.
#pragma once

#include <cstdint>

#include "parameters.h"

namespace chainwalk::emulator {

void sync_warp(unsigned mask);
std::uint32_t ballot(unsigned mask, bool vote);
std::uint32_t shuffle(unsigned mask, std::uint32_t value, int source_lane);
std::uint32_t shuffle_xor(unsigned mask, std::uint32_t value, int lane_bits);

void sync_block();
[[noreturn]] void trap();

void async_copy_16(void* shared, const void* global, int source_bytes);
void async_copy_commit();
void async_copy_wait(int pending);

std::uint32_t shared_address(const void* pointer);
void barrier_init(std::uint64_t* barrier, int arrivals);
void barrier_init_fence();
void barrier_invalidate(std::uint64_t* barrier);
void barrier_arrive_expect(std::uint64_t* barrier, std::uint32_t bytes);
void barrier_arrive(std::uint64_t* barrier);
bool barrier_try_wait(std::uint64_t* barrier, int parity);

void fence_proxy_async();
void bulk_copy(void* shared, const void* global, std::uint32_t bytes, std::uint64_t* barrier);
void tensor_copy_2d(void* shared, const device::TensorMap* map, int column, int row,
                    std::uint64_t* barrier);
void prefetch_tensor_map(const device::TensorMap* map);

int cluster_rank();
int cluster_blocks();
void cluster_arrive();
void cluster_wait();
float load_peer(const float* shared, int rank);

void dependent_wait();
void dependent_trigger();

}  // namespace chainwalk::emulator
