// SPDX-License-Identifier: Apache-2.0
// A kernel behind the C interface of Chainwalk: bf16 banks without snapshot rows; it refuses the
// rest with a reason. `chainwalk conform --on ./example.so --claim bf16,none` conforms. A C++
// compiler makes an implementation for the host of it, and `nvcc -x cu` one for a GPU.
#include <chainwalk/implementation.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#ifndef __CUDACC__
#define __device__
#endif

// ---- The kernel (ARI, REC, NUM): stands for yours ----
__device__ static float f32(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
__device__ static std::uint16_t bf16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  if (value != value) return 0x7FFF;
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16U) & 1U)) >> 16U);
}
// One column of one tile; tiles of a step are counted over all its chunks.
__device__ static void walk(const cw_request& r, std::int64_t step, std::int64_t tile,
                            std::int64_t column) {
  const std::int64_t hd = r.bank.shape[1], n = r.records.shape[1], bounds = r.tile_bounds.shape[1];
  const std::int64_t p = tile / (bounds - 1), chunk = step * r.num_parallel + p;
  const auto* bound = static_cast<const std::int32_t*>(r.tile_bounds.data) + chunk * bounds;
  const auto* record = static_cast<const std::uint32_t*>(r.records.data) + chunk * n * 4;
  float acc = 0.0F;
  for (std::int64_t i = bound[tile % (bounds - 1)]; i < bound[tile % (bounds - 1) + 1]; ++i) {
    const std::uint32_t* x = record + i * 4;
    const std::int64_t token = (x[0] >> 9U) & 255U, last = r.chunk_size - 1;
    const float* row =
        static_cast<const float*>(r.delta_v.data) +
        (step * r.delta_v_step_rows + p * r.chunk_size + (token < last ? token : last)) * hd;
    acc = fmaf(f32(x[2]), row[column], acc);
    if ((x[0] & 0x40000000U) == 0) continue;
    if ((x[0] & 0x20000U) == 0) {
      auto* base = static_cast<std::uint16_t*>(r.bank.data) + std::int64_t{x[1]} * hd + column;
      *base = bf16(fmaf(f32(std::uint32_t{*base} << 16U), f32(x[3]), acc));
    }
#ifdef EXAMPLE_FORGETS_TO_RESTART  // a fault to see the suite find: ARI-4
    if ((x[0] & 0x20000U) != 0) continue;
#endif
    acc = 0.0F;
  }
}
static std::int64_t tiles_of(const cw_request& r) {
  return r.num_parallel * (r.tile_bounds.shape[1] - 1);
}

// ---- Where it runs ----
static cw_result ok() { return {CW_OK, CW_REFUSAL_NONE, ""}; }
#ifdef __CUDACC__
constexpr std::int32_t memory_kind = CW_MEMORY_CUDA;
constexpr unsigned threads = 128;
static cw_result outcome(cudaError_t error) {
  if (error == cudaSuccess) return ok();
  return {CW_ERROR_STICKY, CW_REFUSAL_NONE, cudaGetErrorString(error)};
}
__global__ static void walk_tiles(cw_request r, std::int64_t step) {
  const std::int64_t column = std::int64_t{blockIdx.y} * threads + threadIdx.x;
  if (column < r.bank.shape[1]) walk(r, step, blockIdx.x, column);
}
static cw_result run(const cw_request& r, std::int64_t step) {
  const cudaError_t error = cudaSetDevice(r.device);
  if (error != cudaSuccess || tiles_of(r) == 0) return outcome(error);
  const dim3 grid(static_cast<unsigned>(tiles_of(r)),
                  static_cast<unsigned>((r.bank.shape[1] + threads - 1) / threads));
  walk_tiles<<<grid, threads, 0, static_cast<cudaStream_t>(r.stream)>>>(r, step);
  return outcome(cudaGetLastError());
}
static cw_result synchronize(cw_session*) { return outcome(cudaDeviceSynchronize()); }
#else
constexpr std::int32_t memory_kind = CW_MEMORY_HOST;
static cw_result run(const cw_request& r, std::int64_t step) {
  for (std::int64_t tile = 0; tile < tiles_of(r); ++tile)
    for (std::int64_t column = 0; column < r.bank.shape[1]; ++column) walk(r, step, tile, column);
  return ok();
}
static cw_result synchronize(cw_session*) { return ok(); }
#endif

// ---- The wrapping: forty lines ----
static cw_result open(const char* const*, std::int32_t option_count, cw_session** session) {
  static char only_session;  // a kernel without state needs no more
  *session = reinterpret_cast<cw_session*>(&only_session);
  return option_count == 0 ? ok() : cw_result{CW_ERROR, CW_REFUSAL_NONE, "it takes no options"};
}
#define NEED(condition, code)                 \
  if (!(condition)) return {                  \
      CW_REFUSED, code, "needed: " #condition \
    }
static cw_result supports(cw_session*, const cw_request* r) {
  const cw_tensor &b = r->bank, &v = r->delta_v, &x = r->records, &t = r->tile_bounds;
  const std::int64_t P = r->num_parallel, K = r->blocks_per_chunk, nw = r->warps_per_block;
  NEED(b.rank == 2, CW_PLN1_BANK_RANK);
  NEED(b.type == CW_BF16 || b.type == CW_F32, CW_PLN1_BANK_TYPE);
  NEED(b.stride[1] == 1 && b.stride[0] == b.shape[1], CW_PLN1_BANK_CONTIGUOUS);
  NEED(r->geometry.shared_cap >= 0 && r->geometry.shared_cap <= 232448, CW_PLN1_SHARED_CAP);
  NEED(r->chunk_size >= 1 && r->chunk_size <= 256, CW_PLN1_CHUNK_SIZE);
  NEED(b.shape[1] >= 1 && b.shape[1] <= 1 << 20, CW_PLN1_HEAD_DIM);
  NEED(b.shape[0] >= 0 && b.shape[0] <= 0x7FFFFFFF, CW_PLN1_SLOTS);
  NEED(P >= 0, CW_PLN1_NUM_PARALLEL);
  NEED(K >= 0, CW_PLN1_BLOCKS);
  NEED(nw == 4 || nw == 8 || nw == 16, CW_PLN1_WARPS);
  NEED(x.shape[1] >= 0 && x.shape[1] <= 1 << 30, CW_PLN1_POSITIONS);
  NEED(v.type == CW_F32, CW_PLN2_DELTA_V_TYPE);
  NEED(v.rank == 2 && v.stride[1] == 1 && v.stride[0] == v.shape[1], CW_PLN2_DELTA_V_CONTIGUOUS);
  NEED(P <= v.shape[0] / r->chunk_size, CW_PLN2_DELTA_V_ROWS);
  NEED(r->delta_v_step_rows >= 0 && r->delta_v_step_rows <= v.shape[0] * v.shape[1],
       CW_PLN2_STEP_ROWS);
  NEED(x.type == CW_I32, CW_PLN2_RECORDS_TYPE);
  NEED(x.rank == 3 && x.shape[2] == 4, CW_PLN2_RECORDS_SHAPE);
  NEED(t.type == CW_I32, CW_PLN2_BOUNDS_TYPE);
  NEED(t.rank == 2 && t.shape[0] == x.shape[0] && t.shape[1] == K * nw + 1, CW_PLN2_BOUNDS_SHAPE);
  NEED(!std::memcmp(r->group_prefix.shape, t.shape, sizeof t.shape), CW_PLN2_PREFIX_SHAPE);
  NEED(reinterpret_cast<std::uintptr_t>(b.data) % 16 == 0, CW_PLN2_ALIGNMENT);
  NEED(reinterpret_cast<std::uintptr_t>(v.data) % 16 == 0, CW_PLN2_ALIGNMENT);
  NEED(reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0, CW_PLN2_ALIGNMENT);
  NEED(b.type == CW_BF16 && r->snapshot_form == CW_NONE, CW_GEO8_FORM);  // what we do not serve
  return ok();
}
static cw_result plan(cw_session* session, const cw_request* request, cw_plan** plan) {
  const cw_result supported = supports(session, request);
  *plan =
      supported.status == CW_OK ? reinterpret_cast<cw_plan*>(new cw_request(*request)) : nullptr;
  return supported;
}
static std::int64_t greatest_step(cw_session*, const cw_plan* plan) {  // PLN-8
  const auto& r = *reinterpret_cast<const cw_request*>(plan);
  std::int64_t greatest = 0x7FFFFFFF;
  if (r.num_parallel > 0) greatest = std::min(greatest, r.records.shape[0] / r.num_parallel - 1);
  const std::int64_t spare = r.delta_v.shape[0] - r.num_parallel * r.chunk_size;
  return r.delta_v_step_rows > 0 ? std::min(greatest, spare / r.delta_v_step_rows) : greatest;
}
static cw_result step(cw_session* session, cw_plan* plan, std::int64_t step) {
  if (step < 0 || step > greatest_step(session, plan))
    return {CW_REFUSED, CW_LCH1_STEP, "there is no such step"};
  return run(*reinterpret_cast<const cw_request*>(plan), step);
}
static void release(cw_session*, cw_plan* plan) { delete reinterpret_cast<cw_request*>(plan); }
static void close(cw_session*) {}

extern "C" const cw_implementation* chainwalk_implementation(std::uint32_t version) {
  static const cw_implementation table{sizeof(cw_implementation),
                                       CW_INTERFACE_VERSION,
                                       "example",
                                       "1",
                                       "bf16 banks, no rows",
                                       memory_kind,
                                       open,
                                       supports,
                                       plan,
                                       greatest_step,
                                       step,
                                       synchronize,
                                       release,
                                       close};
  return version == CW_INTERFACE_VERSION ? &table : nullptr;
}
