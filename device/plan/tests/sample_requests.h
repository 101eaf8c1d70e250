// SPDX-License-Identifier: Apache-2.0
// Requests that pass every check, at addresses that nobody may read, and a family that does not
// change when the real one grows.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "chainwalk/plan/plan.h"

namespace chainwalk::plan::samples {

inline Tensor tensor(std::uintptr_t address, ElementType type,
                     std::initializer_list<std::int64_t> shape) {
  Tensor result;
  result.data = reinterpret_cast<void*>(address);
  result.type = type;
  result.rank = static_cast<std::int32_t>(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    result.shape[i] = shape.begin()[i];
    result.stride[i] = stride;
    stride *= result.shape[i];
  }
  return result;
}

// Tensors lie a TiB apart in the non-canonical half of the address space: a read would fault.
inline constexpr std::uintptr_t far_apart = std::uintptr_t{1} << 40U;
inline constexpr std::uintptr_t nowhere = std::uintptr_t{1} << 60U;
inline std::uintptr_t place(unsigned index) { return nowhere + index * far_apart; }

// P 2, C 16, n 64, N 6, K 3, nw 8; 1000 slots.
inline Request good_request(SnapshotForm form = SnapshotForm::none,
                            ElementType bank = ElementType::bf16, std::int64_t head_dim = 256) {
  Request request;
  request.form = form;
  request.bank = tensor(place(0), bank, {1000, head_dim});
  request.delta_v = tensor(place(1), ElementType::f32, {96, head_dim});
  request.records = tensor(place(2), ElementType::i32, {6, 64, 4});
  request.tile_bounds = tensor(place(3), ElementType::i32, {6, 25});
  request.group_prefix = tensor(place(4), ElementType::i32, {6, 25});
  if (is_dense(form)) {
    request.snapshot =
        tensor(place(5), form == SnapshotForm::bf16 ? ElementType::bf16 : bank, {384, head_dim});
  }
  if (is_quantized(form)) {
    const std::int64_t columns = form == SnapshotForm::fp8 ? head_dim : (head_dim + 1) / 2;
    request.payload = tensor(place(6), ElementType::u8, {384, columns});
    request.scale = tensor(place(7), ElementType::f32, {384});
  }
  request.num_parallel = 2;
  request.chunk_size = 16;
  request.delta_v_step_rows = 32;
  request.snapshot_step = form == SnapshotForm::none ? 0 : 2;
  request.warps_per_block = 8;
  request.blocks_per_chunk = 3;
  return request;
}

using device::BaseSource;
using device::Form;
using device::HeadSupport;
using device::Image;
using device::KernelTraits;
using device::Quantizing;

inline constexpr auto bf16 = BankType::bf16;
inline constexpr auto f32 = BankType::f32;
inline constexpr auto none = SnapshotForm::none;
inline constexpr auto fp8 = SnapshotForm::fp8;
inline constexpr auto direct = BaseSource::bank_direct;

inline constexpr std::array family{
    KernelTraits{"rows", Form::rows, bf16, none, HeadSupport::any, Quantizing::none, direct,
                 Image::portable, 64, 8, 1},
    KernelTraits{"rows_wide", Form::rows, bf16, none, HeadSupport::regular, Quantizing::none,
                 direct, Image::portable, 64, 8, 1},
    KernelTraits{"rows_raw", Form::rows, bf16, SnapshotForm::raw, HeadSupport::any,
                 Quantizing::none, direct, Image::portable, 64, 8, 1},
    KernelTraits{"rows_fp8", Form::rows, bf16, fp8, HeadSupport::any, Quantizing::whole_row, direct,
                 Image::portable, 64, 8, 8},
    KernelTraits{"rows_f32_bf16", Form::rows, f32, SnapshotForm::bf16, HeadSupport::any,
                 Quantizing::none, direct, Image::portable, 64, 8, 1},
    KernelTraits{"rows_f32", Form::rows, f32, none, HeadSupport::any, Quantizing::none, direct,
                 Image::portable, 64, 8, 1},
    KernelTraits{"slices", Form::slices, bf16, none, HeadSupport::regular, Quantizing::none, direct,
                 Image::async, 64, 0, 1},
    KernelTraits{"slices_32", Form::slices, bf16, none, HeadSupport::regular, Quantizing::none,
                 direct, Image::async, 32, 0, 1},
    KernelTraits{"slices_portable", Form::slices, bf16, none, HeadSupport::regular,
                 Quantizing::none, direct, Image::portable, 64, 0, 1},
    KernelTraits{"slices_dense", Form::slices, bf16, none, HeadSupport::regular, Quantizing::none,
                 BaseSource::dense_rows, Image::async, 64, 0, 1},
    KernelTraits{"slices_prefetch", Form::slices, bf16, none, HeadSupport::regular,
                 Quantizing::none, BaseSource::batch_prefetch, Image::portable, 64, 0, 1},
    KernelTraits{"two", Form::two_slices, bf16, none, HeadSupport::regular, Quantizing::none,
                 direct, Image::async, 64, 0, 1},
    KernelTraits{"two_full", Form::two_slices, bf16, none, HeadSupport::regular_full,
                 Quantizing::none, direct, Image::async, 64, 0, 1},
    KernelTraits{"walk_fp8", Form::slices, bf16, fp8, HeadSupport::regular, Quantizing::in_walk,
                 direct, Image::async, 64, 0, 1},
    KernelTraits{"cluster_fp8", Form::slices, bf16, fp8, HeadSupport::regular, Quantizing::cluster,
                 direct, Image::async, 64, 0, 1},
    KernelTraits{"all_fp8", Form::slices, bf16, fp8, HeadSupport::regular, Quantizing::all_slices,
                 direct, Image::portable, 64, 0, 1},
};

}  // namespace chainwalk::plan::samples
