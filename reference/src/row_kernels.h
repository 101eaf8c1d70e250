// SPDX-License-Identifier: Apache-2.0
// Vectorised operations on whole rows, one table for each instruction set. They give the bits of
// the rules in chainwalk/reference/rules.h (ARI-1 to ARI-3, SNP-3, QNT-2, QNT-4 to QNT-6).
#pragma once

#include <cstdint>

namespace chainwalk::reference {

enum class InstructionSet : std::uint8_t;

// Plain data only: files built for one instruction set must not bring inline functions of other
// headers with them, for the linker may keep their copy for the whole program.
struct KernelMember {
  const float* token_row;  // ARI-7
  float scale;
};

// ARI-1 to ARI-3 over columns [begin, end) of one bank row, for some members of a group in order.
struct RowUpdate {
  void* bank_row;
  const KernelMember* members;
  std::int64_t member_count;
  std::int64_t begin;
  std::int64_t end;
  // The accumulators of the columns, from `begin` on: read where `resumes`, written where not
  // `finishes`, else not touched.
  float* accumulators;
  const void* row_ahead;  // a bank row that is due soon, to prefetch; or null
  float decay;
  bool resumes;
  bool finishes;
};

// The two entries of each array are for bf16 and f32 rows, by BankType.
struct RowKernels {
  void (*update[2])(const RowUpdate& update);
  // SNP-3: `columns` of an f32 row to bf16.
  void (*narrow)(const void* bank_row, std::int64_t columns, void* snapshot_row);
  // QNT-2.
  float (*amax[2])(const void* bank_row, std::int64_t columns);
  // QNT-4 and QNT-5: one byte a column.
  void (*e4m3[2])(const void* bank_row, std::int64_t columns, float scale, std::uint8_t* codes);
  // QNT-4 and QNT-6: one nibble a column, in bits 0..3 of a byte each.
  void (*nibble[2])(const void* bank_row, std::int64_t columns, float scale, std::uint8_t* codes);
};

#ifdef CHAINWALK_REFERENCE_X86
extern const RowKernels row_kernels_avx2;
extern const RowKernels row_kernels_avx512;
extern const RowKernels row_kernels_avx512_bf16;
#endif

// Null where `set` has no kernels of its own (portable), or is not available.
const RowKernels* row_kernels(InstructionSet set) noexcept;

}  // namespace chainwalk::reference
