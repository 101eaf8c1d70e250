// SPDX-License-Identifier: Apache-2.0
// The oracle's arithmetic over arrays of bit patterns (NUM).
#include "chainwalk/oracle/arithmetic.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "bindings.h"

namespace chainwalk::python {
namespace {

template <typename T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Out = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// out[i] = operation(in[i]...), all arrays of one length.
template <auto operation, typename Result, typename... Operand>
void bind_elementwise(nb::module_& module, const char* name) {
  module.def(name, [](const In<Operand>&... operands, const Out<Result>& result) {
    if (((operands.size() != result.size()) || ...)) {
      throw std::invalid_argument("operands and result have different lengths");
    }
    const nb::gil_scoped_release unlocked;
    Result* out = result.data();
    for (std::size_t index = 0; index < result.size(); ++index) {
      out[index] = operation(operands.data()[index]...);
    }
  });
}

}  // namespace

void bind_arithmetic(nb::module_& module) {
  using U8 = std::uint8_t;
  using U16 = std::uint16_t;
  using U32 = std::uint32_t;
  bind_elementwise<&oracle::fma_bits, U32, U32, U32, U32>(module, "fma_bits");
  bind_elementwise<&oracle::mul_bits, U32, U32, U32>(module, "mul_bits");
  bind_elementwise<&oracle::div_bits, U32, U32, U32>(module, "div_bits");
  bind_elementwise<&oracle::narrow_bits, U16, U32>(module, "narrow_bits");
  bind_elementwise<&oracle::widen_bits, U32, U16>(module, "widen_bits");
  bind_elementwise<&oracle::e4m3_bits, U8, U32>(module, "e4m3_bits");
  bind_elementwise<&oracle::nibble_bits, U8, U32>(module, "nibble_bits");
}

}  // namespace chainwalk::python
