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

// Which heads a member serves (GEO-2), by the widest access that every row of the head allows.
// rows form:
//   regular  16-byte accesses: hd * element size is a multiple of 16
//   even     4 columns an access: hd % 4 == 0
//   pairs    2 columns an access: hd % 2 == 0
//   any      1 column an access: every head
// sliced forms:
//   regular       GEO-2's regular heads, lanes past the slice masked
//   regular_full  regular heads of 128-wide slices: no column masks
//   uneven        hd % 4 == 0: regular, EVEN and UNEVEN heads
//   scalar        SCALAR heads: hd % 4 != 0
// serves_head() of geometry.h decides.
enum class HeadSupport : std::uint8_t {
  regular,
  regular_full,
  even,
  uneven,
  scalar,
  any,
  pairs,
};

// How a member makes quantized rows, if it does.
//   in_walk     one slice a row: a warp has every column of the row
//   cluster     one block a slice (or pair); amax is exchanged through peers' shared memory (TIL-3)
//   all_slices  one block walks every slice; scales are made in a first pass over the rows
//   whole_row   rows form: amax from the registers that hold the row
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
  int offset_bits;       // 32: every byte offset into the bank is below 2^32; or 64
  int columns_per_lane;  // rows form: register columns of a lane; 0 elsewhere
  int warps_per_row;     // rows form: most warps of a block that join amax of one row; 1 elsewhere
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

// The index of the member of that name; kernel_count where there is none.
constexpr std::size_t kernel_named(std::string_view name) {
  std::size_t index = 0;
  while (index < kernel_count && kernel_family[index].name != name) ++index;
  return index;
}

}  // namespace chainwalk::device
