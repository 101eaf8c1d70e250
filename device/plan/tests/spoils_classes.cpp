// SPDX-License-Identifier: Apache-2.0
// Spoilt classes and flags (PLN-1).
#include "spoils.h"

namespace chainwalk::plan {

using samples::good_request;
using samples::place;
using samples::tensor;

std::vector<Spoil> class_spoils() {
  return {
      {Check::pln1_bank_rank,
       none,
       "bank",
       [](Request& r) { r.bank.rank = 3; },
       {"rank 3", "rank 2"}},
      {Check::pln1_bank_type,
       none,
       "bank",
       [](Request& r) { r.bank.type = ElementType::i32; },
       {"int32", "bf16 or f32"}},
      {Check::pln1_bank_contiguous,
       none,
       "bank",
       [](Request& r) { r.bank.stride[0] = 264; },
       {"264", "[256, 1]"}},
      {Check::pln1_portable,
       none,
       "portable",
       [](Request& r) { r.wish.portable = 2; },
       {"portable is 2", "0 or 1"}},
      {Check::pln1_shared_cap,
       none,
       "cap",
       [](Request& r) { r.wish.shared_cap = 232449; },
       {"232449", "1..232448"}},
      {Check::pln1_shared_cap, none, "cap", [](Request& r) { r.wish.shared_cap = 0; }, {"is 0"}},
      {Check::pln1_chunk_size,
       none,
       "C",
       [](Request& r) { r.chunk_size = 257; },
       {"257", "1..256"}},
      {Check::pln1_chunk_size, none, "C", [](Request& r) { r.chunk_size = 0; }, {"is 0"}},
      {Check::pln1_head_dim,
       none,
       "bank",
       [](Request& r) {
         r.bank = tensor(place(0), ElementType::bf16, {2, (1 << 20) + 1});
       },
       {"1048577", "1..1048576"}},
      {Check::pln1_head_dim, none, "bank", [](Request& r) { r.bank.shape[1] = -1; }, {"is -1"}},
      {Check::pln1_slots,
       none,
       "bank",
       [](Request& r) {
         r.bank = tensor(place(0), ElementType::bf16, {std::int64_t{1} << 31U, 256});
       },
       {"2147483648", "0..2147483647"}},
      {Check::pln1_slots, none, "bank", [](Request& r) { r.bank.shape[0] = -5; }, {"is -5"}},
      {Check::pln1_num_parallel,
       none,
       "P",
       [](Request& r) { r.num_parallel = -1; },
       {"is -1", "at least 0"}},
      {Check::pln1_num_parallel,
       raw,
       "P",
       [](Request& r) { r.num_parallel = 0; },
       {"is 0", "at least 1"}},
      {Check::pln1_blocks,
       none,
       "K",
       [](Request& r) { r.blocks_per_chunk = -2; },
       {"is -2", "at least 0"}},
      {Check::pln1_warps,
       none,
       "nw",
       [](Request& r) { r.warps_per_block = 5; },
       {"is 5", "4, 8 or 16"}},
      {Check::pln1_warps,
       fp8,
       "nw",
       [](Request& r) { r.warps_per_block = 4; },
       {"is 4", "quantized", "8 or 16"}},
      {Check::pln1_positions,
       none,
       "records",
       [](Request& r) { r.records.shape[1] = (std::int64_t{1} << 30U) + 1; },
       {"1073741825", "0..1073741824"}},
      {Check::pln1_positions, none, "records", [](Request& r) { r.records.shape[1] = -1; }, {"-1"}},
  };
}

}  // namespace chainwalk::plan
