// SPDX-License-Identifier: Apache-2.0
// PLN-3: which forms go together.
#include "checks.h"
#include "tensor.h"

namespace chainwalk::plan {
namespace {

Outcome check_two_slices(const Request& request, Kernel forced, const Head& head) {
  const int slices = request.wish.slices_per_warp.value_or(1);
  if (slices != 1 && slices != 2) {
    return refuse(Check::pln3_two_slices, "slices_per_warp is {}; it must be 1 or 2", slices);
  }
  const bool two = slices == 2 || (forced != nullptr && forced->form == device::Form::two_slices);
  if (!two) {
    return std::nullopt;
  }
  if (head.slices % 2 != 0) {
    return refuse(Check::pln3_two_slices,
                  "head_dim {} has {} column slices; two slices per warp need an even number",
                  head.head_dim, head.slices);
  }
  if (request.bank.type != ElementType::bf16) {
    return refuse(Check::pln3_two_slices, "bank elements are {}; two slices per warp need bf16",
                  type_name(request.bank.type));
  }
  if (head.head_class != HeadClass::regular) {
    return refuse(Check::pln3_two_slices,
                  "head_dim {} is of class {}; two slices per warp need a regular head",
                  head.head_dim, to_string(head.head_class));
  }
  return std::nullopt;
}

Outcome check_rows(const Request& request) {
  const SnapshotForm form = request.form;
  if (is_dense(form) && request.snapshot_step != request.num_parallel) {
    return refuse(Check::pln3_rows_step, "snapshot_step is {}; {} rows need num_parallel, {}",
                  request.snapshot_step, to_string(form), request.num_parallel);
  }
  if (is_quantized(form) && request.snapshot_step != request.num_parallel) {
    return refuse(Check::pln3_quantized_step, "snapshot_step is {}; {} rows need num_parallel, {}",
                  request.snapshot_step, to_string(form), request.num_parallel);
  }
  const bool quantized = is_given(request.payload) || is_given(request.scale);
  if ((is_quantized(form) && is_given(request.snapshot)) || (is_dense(form) && quantized)) {
    return refuse(Check::pln3_quantized_and_raw,
                  "form {} is given a {} too; a walk writes quantized rows or dense rows, not both",
                  to_string(form), is_dense(form) ? "payload or scale" : "snapshot");
  }
  if (form == SnapshotForm::bf16 && request.bank.type != ElementType::f32) {
    return refuse(Check::pln3_bf16_rows_bank, "bank elements are {}; bf16 rows need an f32 bank",
                  type_name(request.bank.type));
  }
  return std::nullopt;
}

Outcome check_quantizing(const Request& request, Kernel forced, const Head& head) {
  const GeometryWish& wish = request.wish;
  const auto quantizing =
      forced != nullptr ? forced->quantizing : wish.quantizing.value_or(device::Quantizing::none);
  if (quantizing == device::Quantizing::all_slices && head.slices < 2) {
    return refuse(Check::pln3_all_slices,
                  "head_dim {} has {} column slice; a block that walks all slices needs 2 or more",
                  head.head_dim, head.slices);
  }
  if (wish.portable.value_or(0) == 1) {
    if (forced != nullptr && forced->image == device::Image::async) {
      return refuse(Check::pln3_portable_form,
                    "portable is 1 and kernel is {}, of the async image; the portable image takes "
                    "no tensor maps and no clusters",
                    forced->name);
    }
    if (quantizing == device::Quantizing::cluster) {
      return refuse(Check::pln3_portable_form,
                    "portable is 1 and the quantizing form is by cluster; the portable image takes "
                    "no clusters");
    }
  }
  return std::nullopt;
}

}  // namespace

Outcome check_forms(const Request& request, Kernel forced) {
  const BankType type = request.bank.type == ElementType::bf16 ? BankType::bf16 : BankType::f32;
  const Head head = make_head(request.bank.shape[1], type);
  if (auto refusal = check_two_slices(request, forced, head)) {
    return refusal;
  }
  if (auto refusal = check_rows(request)) {
    return refusal;
  }
  return check_quantizing(request, forced, head);
}

}  // namespace chainwalk::plan
