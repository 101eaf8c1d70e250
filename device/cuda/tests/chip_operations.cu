// SPDX-License-Identifier: Apache-2.0
// The operations as the kernels of the family carry them out: their primitives, and what they build
// from them.
#include "chip_operations.h"
#include "member.h"
#include "quantize.h"

namespace chainwalk::cuda {
namespace {

using namespace device;

// A member that writes rows of `form`.
consteval std::size_t member_of(SnapshotForm form) {
  std::size_t index = 0;
  while (kernel_family[index].snapshot != form) ++index;
  return index;
}
using Fp8 = Member<member_of(SnapshotForm::fp8)>;
using Int4 = Member<member_of(SnapshotForm::int4)>;

// NUM-1: as an f32 bank stores it.
__device__ std::uint32_t stored(float value) { return pack<BankType::f32, 1>(&value).word[0]; }

__device__ std::uint32_t payload_codes(std::uint32_t x_and_scale) {
  const Divisor<BankType::bf16> divisor(widen_high(x_and_scale));
  const float q = widen(narrow(divisor.quotient(widen_low(x_and_scale))));
  return (e4m3_pair(q, 0.0F) & 0xFFU) | nibble(q) << 8U;
}

__device__ std::uint32_t evaluate(Operation operation, std::uint32_t a, std::uint32_t b,
                                  std::uint32_t c) {
  const float x = as_float(a);
  const float y = as_float(b);
  switch (operation) {
    case Operation::narrow: return narrow(x);
    case Operation::narrow_pair: return narrow_pair(x, y);
    case Operation::widen: return as_bits(widen(static_cast<std::uint16_t>(a)));
    case Operation::widen_low: return as_bits(widen_low(a));
    case Operation::widen_high: return as_bits(widen_high(a));
    case Operation::fma: return stored(fma_rn(x, y, as_float(c)));
    case Operation::multiply: return as_bits(multiply_rn(x, y));
    case Operation::divide: return as_bits(divide_rn(x, y));
    case Operation::reciprocal: return as_bits(reciprocal_rn(x));
    case Operation::max: return as_bits(max_number_rn(x, y));
    case Operation::e4m3_pair: return e4m3_pair(x, y);
    case Operation::nibble: return nibble(x);
    case Operation::nibble_pair: return nibble_pair(x, y);
    case Operation::scale_fp8: return as_bits(scale_of<Fp8>(x));
    case Operation::scale_int4: return as_bits(scale_of<Int4>(x));
    case Operation::payload_codes: return payload_codes(a);
  }
  return 0;
}

__global__ void operation_kernel(Operation operation, Operands operands, std::uint32_t* results,
                                 std::uint64_t count) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    std::uint32_t a = operands.first + static_cast<std::uint32_t>(i);
    std::uint32_t b = ~a;
    std::uint32_t c = 0;
    if (operands.a != nullptr) {
      a = operands.a[i];
      b = operands.b == nullptr ? 0 : operands.b[i];
      c = operands.c == nullptr ? 0 : operands.c[i];
    }
    results[i] = evaluate(operation, a, b, c);
  }
}

}  // namespace

cudaError_t launch_operation(Operation operation, const Operands& operands, std::uint32_t* results,
                             std::uint64_t count) {
  operation_kernel<<<4096, 256>>>(operation, operands, results, count);
  return cudaGetLastError();
}

}  // namespace chainwalk::cuda
