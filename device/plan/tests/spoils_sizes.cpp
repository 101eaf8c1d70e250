// SPDX-License-Identifier: Apache-2.0
// Spoilt forms, sizes and overlaps (PLN-3, PLN-4, PLN-5).
#include "spoils.h"

namespace chainwalk::plan {

using samples::good_request;
using samples::place;
using samples::tensor;

std::vector<Spoil> form_spoils() {
  return {
      {Check::pln3_two_slices,
       none,
       "slices",
       [](Request& r) { r.wish.slices_per_warp = 3; },
       {"is 3", "1 or 2"}},
      {Check::pln3_two_slices,
       none,
       "bank",
       [](Request& r) {
         r = good_request(none, ElementType::bf16, 384);
         r.wish.slices_per_warp = 2;
       },
       {"3 column slices", "even"}},
      {Check::pln3_two_slices,
       none,
       "bank",
       [](Request& r) {
         r = good_request(none, ElementType::f32, 256);
         r.wish.slices_per_warp = 2;
       },
       {"f32", "bf16"}},
      {Check::pln3_two_slices,
       none,
       "bank",
       [](Request& r) {
         r = good_request(none, ElementType::bf16, 200);
         r.wish.kernel = "two";
       },
       {"even_tail", "regular"}},
      {Check::pln3_rows_step,
       raw,
       "snapshot_step",
       [](Request& r) { r.snapshot_step = 0; },
       {"is 0", "num_parallel, 2"}},
      {Check::pln3_quantized_step,
       fp8,
       "snapshot_step",
       [](Request& r) { r.snapshot_step = 0; },
       {"is 0", "num_parallel, 2"}},
      {Check::pln3_quantized_and_raw,
       fp8,
       "snapshot",
       [](Request& r) {
         r.snapshot = tensor(place(5), ElementType::bf16, {384, 256});
       },
       {"fp8", "snapshot", "not both"}},
      {Check::pln3_quantized_and_raw,
       raw,
       "payload",
       [](Request& r) {
         r.payload = tensor(place(6), ElementType::u8, {384, 256});
       },
       {"raw", "payload", "not both"}},
      {Check::pln3_bf16_rows_bank,
       none,
       "bank",
       [](Request& r) { r = good_request(SnapshotForm::bf16, ElementType::bf16); },
       {"bf16", "f32 bank"}},
      {Check::pln3_all_slices,
       fp8,
       "bank",
       [](Request& r) {
         r = good_request(fp8, ElementType::bf16, 128);
         r.wish.quantizing = device::Quantizing::all_slices;
       },
       {"1 column slice", "2 or more"}},
      {Check::pln3_portable_form,
       fp8,
       "portable",
       [](Request& r) {
         r.wish.portable = 1;
         r.wish.quantizing = device::Quantizing::cluster;
       },
       {"portable is 1", "no clusters"}},
      {Check::pln3_portable_form,
       none,
       "portable",
       [](Request& r) {
         r.wish.portable = 1;
         r.wish.kernel = "slices";
       },
       {"portable is 1", "slices", "no tensor maps"}},
  };
}

std::vector<Spoil> size_spoils() {
  return {
      {Check::pln4_snapshot_rows,
       raw,
       "snapshot",
       [](Request& r) {
         r.snapshot = tensor(place(5), ElementType::bf16, {383, 256});
       },
       {"383 rows", "6 * 64"}},
      {Check::pln4_snapshot_rows,
       none,
       "snapshot",
       [](Request& r) {
         r.wish.source = device::BaseSource::dense_rows;
         r.snapshot = tensor(place(5), ElementType::bf16, {127, 256});
       },
       {"127 rows", "2 * 64"}},
      {Check::pln4_payload,
       fp8,
       "payload",
       [](Request& r) {
         r.payload = tensor(place(6), ElementType::u8, {383, 256});
       },
       {"[383, 256]", "6 * 64"}},
      {Check::pln4_payload,
       fp8,
       "payload",
       [](Request& r) {
         r.payload = tensor(place(6), ElementType::u8, {384, 128});
       },
       {"[384, 128]", "[>= N * n, 256]"}},
      {Check::pln4_payload,
       none,
       "payload",
       [](Request& r) {
         r.payload = tensor(place(6), ElementType::u8, {384, 256});
       },
       {"[384, 256]", "form none has none"}},
      {Check::pln4_scale,
       fp8,
       "scale",
       [](Request& r) {
         r.scale = tensor(place(7), ElementType::f32, {19, 20});
       },
       {"[19, 20]", "6 * 64"}},
      {Check::pln4_scale, fp8, "scale", [](Request& r) { r.scale = Tensor{}; }, {"rank 0"}},
      {Check::pln4_tensor_map_rows,
       none,
       "delta_v",
       [](Request& r) {
         r.delta_v = tensor(place(1), ElementType::f32, {std::int64_t{1} << 31U, 256});
         r.bank.data = reinterpret_cast<void*>(place(9));
         r.wish.kernel = "slices";
       },
       {"2147483648", "slices", "2147483647"}},
      {Check::pln4_tensor_map_rows,
       none,
       "snapshot",
       [](Request& r) {
         r.snapshot = tensor(place(9), ElementType::bf16, {std::int64_t{1} << 31U, 256});
         r.wish.kernel = "slices_dense";
       },
       {"snapshot", "2147483648", "slices_dense", "2147483647"}},
      {Check::pln5_snapshot_bank,
       raw,
       "snapshot",
       [](Request& r) { r.snapshot.data = r.bank.data; },
       {"snapshot", "bank", "disjoint"}},
      {Check::pln5_snapshot_delta_v,
       raw,
       "snapshot",
       [](Request& r) { r.snapshot.data = reinterpret_cast<void*>(place(1) + 96 * 1024 - 16); },
       {"snapshot", "delta_v"}},
      {Check::pln5_payload_bank,
       fp8,
       "payload",
       [](Request& r) { r.payload.data = reinterpret_cast<void*>(place(0) - 384 * 256 + 16); },
       {"payload", "bank"}},
      {Check::pln5_payload_delta_v,
       fp8,
       "payload",
       [](Request& r) { r.payload.data = r.delta_v.data; },
       {"payload", "delta_v"}},
      {Check::pln5_scale_bank,
       fp8,
       "scale",
       [](Request& r) { r.scale.data = r.bank.data; },
       {"scale", "bank"}},
      {Check::pln5_scale_delta_v,
       fp8,
       "scale",
       [](Request& r) { r.scale.data = r.delta_v.data; },
       {"scale", "delta_v"}},
      {Check::pln5_payload_scale,
       fp8,
       "scale",
       [](Request& r) { r.scale.data = reinterpret_cast<void*>(place(6) + 384 * 256 - 4); },
       {"payload", "scale"}},
  };
}

}  // namespace chainwalk::plan
