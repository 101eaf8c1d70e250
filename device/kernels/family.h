// SPDX-License-Identifier: Apache-2.0
// The family as data: one entry per line of family.def, with what each member is and needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "chainwalk/spec/types.h"

namespace chainwalk::device {

// How a member cuts a row over threads.
enum class Form : std::uint8_t {
  rows,        // a warp, or a few, keeps every column of a group in registers
  slices,      // one column slice per warp, token rows in shared memory
  two_slices,  // two column slices per warp
};

// Which heads a member serves (GEO-2). `even` serves even_tail heads; `any` serves all.
enum class HeadSupport : std::uint8_t { regular, regular_full, even, uneven, scalar, any };

// How a member makes quantized rows, if it does.
enum class Quantizing : std::uint8_t { none, in_walk, cluster, all_slices, whole_row };

// SRC-1, SRC-2, SRC-3.
enum class BaseSource : std::uint8_t { bank_direct, dense_rows, batch_prefetch };

// LCH-4. async needs bulk copies, transaction barriers, clusters and dependent launch (cc >= 9.0).
enum class Image : std::uint8_t { async, portable };

struct KernelTraits {
  std::string_view name;
  Form form;
  BankType bank;
  SnapshotForm snapshot;
  HeadSupport head;
  Quantizing quantizing;
  BaseSource source;
  Image image;
  int offset_bits;       // 32 or 64
  int columns_per_lane;  // rows form: register columns of a lane; 0 elsewhere
  int warps_per_row;     // rows form: warps that share a row; 1 elsewhere
};

inline constexpr std::array kernel_family{
#define CW_KERNEL(name, form, bank, snapshot, head, quantizing, source, image, offset, columns, \
                  warps)                                                                        \
  KernelTraits{#name,                                                                           \
               Form::form,                                                                      \
               BankType::bank,                                                                  \
               SnapshotForm::snapshot,                                                          \
               HeadSupport::head,                                                               \
               Quantizing::quantizing,                                                          \
               BaseSource::source,                                                              \
               Image::image,                                                                    \
               offset,                                                                          \
               columns,                                                                         \
               warps},
#include "family.def"
#undef CW_KERNEL
};
inline constexpr std::size_t kernel_count = kernel_family.size();
static_assert(kernel_count <= 150, "the family has at most 150 instantiations");

}  // namespace chainwalk::device
