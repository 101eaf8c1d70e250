// SPDX-License-Identifier: Apache-2.0
// Classes of head sizes: a table by hand, and the definitions over a range (GEO-1, GEO-2).
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "chainwalk/spec/head.h"

namespace chainwalk {
namespace {

struct Case {
  std::int64_t head_dim;
  BankType bank_type;
  std::int64_t slices;
  std::int64_t width;
  HeadClass head_class;
};

constexpr auto bf16 = BankType::bf16;
constexpr auto f32 = BankType::f32;

TEST(Head, RuleGEO2Table) {
  const Case cases[] = {
      {1, bf16, 1, 1, HeadClass::scalar_tail},       {1, f32, 1, 1, HeadClass::scalar_tail},
      {4, bf16, 1, 4, HeadClass::even_tail},         {4, f32, 1, 4, HeadClass::regular},
      {8, bf16, 1, 8, HeadClass::regular},           {30, bf16, 1, 30, HeadClass::scalar_tail},
      {64, bf16, 1, 64, HeadClass::regular},         {64, f32, 1, 64, HeadClass::regular},
      {100, bf16, 1, 100, HeadClass::even_tail},     {100, f32, 1, 100, HeadClass::regular},
      {127, f32, 1, 127, HeadClass::scalar_tail},    {128, bf16, 1, 128, HeadClass::regular},
      {129, f32, 2, 128, HeadClass::scalar_tail},    {130, bf16, 2, 128, HeadClass::scalar_tail},
      {132, bf16, 2, 128, HeadClass::uneven_tail},   {132, f32, 2, 128, HeadClass::uneven_tail},
      {136, bf16, 2, 68, HeadClass::even_tail},      {136, f32, 2, 68, HeadClass::regular},
      {256, bf16, 2, 128, HeadClass::regular},       {260, bf16, 3, 128, HeadClass::uneven_tail},
      {300, bf16, 3, 100, HeadClass::even_tail},     {384, bf16, 3, 128, HeadClass::regular},
      {480, bf16, 4, 120, HeadClass::regular},       {16384, f32, 128, 128, HeadClass::regular},
      {1 << 20, bf16, 8192, 128, HeadClass::regular}};
  for (const Case& one : cases) {
    const Head head = make_head(one.head_dim, one.bank_type);
    SCOPED_TRACE(std::to_string(one.head_dim) + " " + to_string(one.bank_type));
    EXPECT_EQ(head.head_dim, one.head_dim);
    EXPECT_EQ(head.slices, one.slices);
    EXPECT_EQ(head.slice_width, one.width);
    EXPECT_EQ(head.head_class, one.head_class) << to_string(head.head_class);
  }
}

TEST(Head, RuleGEO1SlicesCoverEveryColumn) {
  for (std::int64_t head_dim = 1; head_dim <= 2000; ++head_dim) {
    for (const BankType type : {bf16, f32}) {
      const Head head = make_head(head_dim, type);
      ASSERT_LE(head.slice_width, 128);
      ASSERT_GE(head.slices * head.slice_width, head_dim);
      ASSERT_LT((head.slices - 1) * head.slice_width, head_dim);
      const bool equal = head.slices * head.slice_width == head_dim;
      const std::int64_t size = element_size(type);
      const bool wide = head.slice_width * size % 16 == 0 && head_dim * size % 16 == 0;
      ASSERT_EQ(head.head_class == HeadClass::regular, equal && wide) << head_dim;
      ASSERT_EQ(head.head_class == HeadClass::scalar_tail, head_dim % 4 != 0) << head_dim;
      if (head.head_class == HeadClass::even_tail) {
        ASSERT_TRUE(type == bf16 && equal && head.slice_width % 4 == 0) << head_dim;
      }
    }
  }
}

TEST(Head, RuleGEO1OutOfRangeNamesTheValue) {
  for (const std::int64_t head_dim :
       {std::int64_t{0}, std::int64_t{-5}, (std::int64_t{1} << 20) + 1}) {
    try {
      make_head(head_dim, bf16);
      FAIL() << head_dim;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(std::to_string(head_dim)), std::string::npos);
    }
  }
}

TEST(Types, NamesGoThereAndBack) {
  for (const BankType type : {bf16, f32}) EXPECT_EQ(parse_bank_type(to_string(type)), type);
  for (const SnapshotForm form : {SnapshotForm::none, SnapshotForm::raw, SnapshotForm::bf16,
                                  SnapshotForm::fp8, SnapshotForm::int4}) {
    EXPECT_EQ(parse_snapshot_form(to_string(form)), form);
  }
  EXPECT_EQ(parse_bank_type("fp8"), std::nullopt);
  EXPECT_EQ(parse_snapshot_form("f32"), std::nullopt);
  EXPECT_EQ(parse_snapshot_form(""), std::nullopt);
}

}  // namespace
}  // namespace chainwalk
