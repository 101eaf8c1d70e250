// SPDX-License-Identifier: Apache-2.0
// What a device or the family cannot do (PLN-6, PLN-7, QNT-9, GEO-8).
#include "spoils.h"

namespace chainwalk::plan {

using samples::good_request;
using samples::place;
using samples::tensor;

std::vector<Spoil> device_spoils() {
  return {
      {Check::pln6_shared,
       none,
       "cap",
       [](Request& r) {
         r.wish.shared_cap = 1000;
         r.wish.kernel = "slices";
       },
       {"slices", "cap is 1000"}},
      {Check::pln6_cluster_size,
       fp8,
       "bank",
       [](Request& r) {
         r = good_request(fp8, ElementType::bf16, 17 * 128);
         r.wish.quantizing = device::Quantizing::cluster;
       },
       {"17 blocks", "16"}},
      {Check::pln6_cluster_capacity,
       fp8,
       "kernel",
       [](Request& r) { r.wish.kernel = "cluster_fp8"; },
       {"2 blocks", "a100", "at most 1"},
       "a100"},
      {Check::pln6_grid,
       none,
       "K",
       [](Request& r) {
         r.blocks_per_chunk = std::int64_t{1} << 29U;
         for (Tensor* tiles : {&r.tile_bounds, &r.group_prefix}) {
           *tiles = tensor(reinterpret_cast<std::uintptr_t>(tiles->data), ElementType::i32,
                           {r.records.shape[0], (std::int64_t{1} << 32U) + 1});
         }
       },
       {"2 * 2 * 536870912", "2147483647"}},
      {Check::pln6_image,
       none,
       "kernel",
       [](Request& r) { r.wish.kernel = "slices"; },
       {"slices", "async", "rtx4090"},
       "rtx4090"},
      {Check::pln6_device_class,
       none,
       "class",
       [](Request&) {},
       {"12.1", "not known", "override"},
       "cc 12.1"},
      {Check::pln7_overflow,
       none,
       "records",
       [](Request& r) {
         r.records = tensor(place(2), ElementType::i32, {1, 1 << 30, 4});
         r.records.shape[0] = std::int64_t{1} << 40U;
         r.records.stride[0] = std::int64_t{1} << 32U;
         for (Tensor* tiles : {&r.tile_bounds, &r.group_prefix}) {
           tiles->shape[0] = r.records.shape[0];
         }
       },
       {"records", "64 bits"}},
      {Check::pln7_overflow,
       none,
       "delta_v",
       [](Request& r) { r.delta_v.data = reinterpret_cast<void*>(~std::uintptr_t{15}); },
       {"delta_v", "last address"}},
      {Check::qnt9_head,
       fp8,
       "bank",
       [](Request& r) {
         r = good_request(fp8, ElementType::bf16, 200);
         r.wish.quantizing = device::Quantizing::cluster;
       },
       {"200", "even_tail", "regular head"}},
      {Check::qnt9_head,
       fp8,
       "bank",
       [](Request& r) {
         r = good_request(fp8, ElementType::bf16, 16512);
         r.wish.kernel = "all_fp8";
       },
       {"16512", "16384"}},
      {Check::geo8_form,
       none,
       "kernel",
       [](Request& r) { r.wish.kernel = "no_such"; },
       {"no_such", "16 members"}},
      {Check::geo8_form,
       raw,
       "kernel",
       [](Request& r) { r.wish.kernel = "slices"; },
       {"slices", "raw", "none"}},
      {Check::geo8_form,
       none,
       "kernel",
       [](Request& r) {
         r.wish.kernel = "rows";
         r.wish.offset_bits = 32;
       },
       {"rows", "32 bits", "64"}},
      {Check::geo8_form, none, "kernel", [](Request& r) { r.wish.offset_bits = 33; }, {"33 bits"}},
  };
}

}  // namespace chainwalk::plan
