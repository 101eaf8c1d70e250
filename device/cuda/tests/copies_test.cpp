// SPDX-License-Identifier: Apache-2.0
// What tensor and bulk copies leave in shared memory and credit to their barrier: boxes of the
// plan's own tensor maps within a matrix, past its rows, past its columns and past both (SRC-2,
// GEO-2, GEO-3, LCH-5).
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "chip.h"
#include "chip_copies.h"
#include "geometry.h"
#include "on_gpu.h"
#include "runtime.h"
#include "tensor_maps.h"

namespace chainwalk::cuda {
namespace {

// A matrix on the device, its content on the host too.
struct Matrix {
  std::int64_t rows, columns, element_bytes;
  std::vector<std::byte> content;
  DeviceBuffer memory;

  Matrix(std::int64_t row_count, std::int64_t column_count, std::int64_t bytes)
      : rows(row_count),
        columns(column_count),
        element_bytes(bytes),
        content(static_cast<std::size_t>((rows * columns * bytes + 15) / 16 * 16)),
        memory(0, content.size()) {
    fill_by_index(0, memory.data(), memory.size(), 9);  // no byte pair of it is zero
    memory.download(0, content);
  }
};

struct Box {
  std::int64_t column, row, width, height;
};

// The map that a launch of member `kernel` reads: of token rows, or of dense rows.
device::TensorMap map_of(const Matrix& matrix, const Box& box, std::size_t kernel) {
  const bool dense = device::kernel_family[kernel].source == device::BaseSource::dense_rows;
  plan::Plan plan;
  plan.kernel = kernel;
  plan::Request request;
  plan::Tensor& tensor = dense ? request.snapshot : request.delta_v;
  tensor.data = matrix.memory.data();
  tensor.rank = 2;
  tensor.shape = {matrix.rows, matrix.columns, 0};
  device::WalkParameters parameters{};
  parameters.head_dim = static_cast<std::int32_t>(matrix.columns);
  parameters.slice_width = static_cast<std::int32_t>(box.width);
  parameters.slices = 2;  // more than one: read by tensor copies
  parameters.chunk_size = static_cast<std::int32_t>(box.height);
  parameters.positions = 1;
  encode_tensor_maps(plan, request, parameters);
  return dense ? parameters.row_map : parameters.token_map;
}

// The first member that reads such a map.
std::size_t member_with(device::BaseSource source) {
  for (std::size_t kernel = 0; kernel < device::kernel_count; ++kernel) {
    const auto& traits = device::kernel_family[kernel];
    if (traits.source == source && device::uses_token_map(traits, 2)) return kernel;
  }
  return device::kernel_count;
}

// What is needed in the place of the box: the matrix's elements, zeros outside it.
std::vector<std::byte> content_of(const Matrix& matrix, const Box& box) {
  const auto bytes = static_cast<std::size_t>(matrix.element_bytes);
  std::vector<std::byte> content(static_cast<std::size_t>(box.width * box.height) * bytes);
  for (std::int64_t r = 0; r < box.height && box.row + r < matrix.rows; ++r) {
    for (std::int64_t c = 0; c < box.width && box.column + c < matrix.columns; ++c) {
      const std::int64_t source = (box.row + r) * matrix.columns + box.column + c;
      std::memcpy(content.data() + static_cast<std::size_t>(r * box.width + c) * bytes,
                  matrix.content.data() + static_cast<std::size_t>(source) * bytes, bytes);
    }
  }
  return content;
}

// Copies, and what they are compared by: bytes left in shared memory, and credits to barriers.
class Copies {
 public:
  explicit Copies(const std::string& what)
      : bytes_(what + ", bytes in shared memory"), credits_(what + ", credits to a barrier") {}

  void run(const CopyProblem& problem, const std::vector<std::byte>& needed,
           const std::string& place) {
    constexpr std::size_t guard = copy_guard_bytes;
    DeviceBuffer window(0, needed.size() + 2 * guard);
    DeviceBuffer verdict_buffer(0, sizeof(CopyVerdict));
    check(launch_copy(problem, reinterpret_cast<std::uint8_t*>(window.data()),
                      reinterpret_cast<CopyVerdict*>(verdict_buffer.data())),
          "launch_copy");
    synchronize(0, nullptr);
    CopyVerdict verdict{};
    verdict_buffer.download(0, std::as_writable_bytes(std::span(&verdict, 1)));
    credits_.compared(1);
    if (verdict.early || !verdict.complete) {
      const char* amount = verdict.early ? "more" : "fewer";
      credits_.differs(
          [&] { return place + ": " + amount + " than the copy's bytes were credited"; });
    }
    std::vector<std::byte> found(window.size());
    window.download(0, found);
    bytes_.compared(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool inside = i >= guard && i < guard + needed.size();
      const std::byte wanted = inside ? needed[i - guard] : std::byte{copy_guard_value};
      if (found[i] == wanted) continue;
      bytes_.differs([&] {
        return fmt::format("{}: byte {} from its place: found {:#04x}, needed {:#04x}", place,
                           static_cast<std::int64_t>(i) - static_cast<std::int64_t>(guard),
                           std::to_integer<int>(found[i]), std::to_integer<int>(wanted));
      });
    }
  }
  void report() const {
    bytes_.report();
    credits_.report();
  }

 private:
  Tally bytes_;
  Tally credits_;
};

class GpuCopies : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    if (const int capability = device_info(0).compute_capability; capability < 90) {
      GTEST_SKIP() << "1 case not run: bulk copies need compute capability 9.0, not " << capability;
    }
  }

  // Boxes of one size at the matrix's start, across its end in rows, in columns and in both, and
  // beyond it.
  static void copy_boxes(Copies& copies, const Matrix& matrix, std::int64_t width,
                         std::int64_t height, std::size_t kernel) {
    const std::int64_t last_column = (matrix.columns - 1) / width * width;
    // As every slice of the walk, boxes begin at 16 bytes of a row.
    const std::int64_t last_piece = matrix.columns - 16 / matrix.element_bytes;
    for (const std::int64_t row : {std::int64_t{0}, std::int64_t{3}, matrix.rows - height,
                                   matrix.rows - 1, matrix.rows, matrix.rows + 100}) {
      if (row < 0) continue;
      for (const std::int64_t column : {std::int64_t{0}, last_column, last_piece, matrix.columns}) {
        const Box box{column, row, width, height};
        const std::vector<std::byte> needed = content_of(matrix, box);
        CopyProblem problem{};
        problem.map = map_of(matrix, box, kernel);
        problem.source = matrix.memory.data();
        problem.bytes = static_cast<std::uint32_t>(needed.size());
        problem.column = static_cast<std::int32_t>(column);
        problem.row = static_cast<std::int32_t>(row);
        problem.tensor = true;
        copies.run(
            problem, needed,
            fmt::format("matrix [{}, {}] of {}-byte elements, box [{}, {}] at row {}, column {}",
                        matrix.rows, matrix.columns, matrix.element_bytes, height, width, row,
                        column));
      }
    }
  }
};

TEST_F(GpuCopies, BoxesOfTokenRows) {
  const std::size_t kernel = member_with(device::BaseSource::bank_direct);
  ASSERT_LT(kernel, device::kernel_count);
  Copies copies("tensor boxes of token rows");
  // Regular heads, then tails whose last slice ends past the row.
  const struct {
    std::int64_t columns, width;
  } heads[] = {{256, 128}, {480, 120}, {136, 68}, {132, 128}, {260, 128}};
  for (const auto& head : heads) {
    const Matrix matrix(40, head.columns, 4);
    for (const std::int64_t height : {1, 16, 40, 64}) {
      copy_boxes(copies, matrix, head.width, height, kernel);
    }
  }
  const Matrix long_matrix(300, 256, 4);
  copy_boxes(copies, long_matrix, 128, 256, kernel);
  copies.report();
}

TEST_F(GpuCopies, BoxesOfDenseRows) {
  const std::size_t kernel = member_with(device::BaseSource::dense_rows);
  ASSERT_LT(kernel, device::kernel_count);
  Copies copies("tensor boxes of dense rows");
  for (const auto& [columns, width] :
       {std::pair<std::int64_t, std::int64_t>{256, 128}, {480, 120}}) {
    const Matrix matrix(21, columns, 2);
    copy_boxes(copies, matrix, width, device::ring_unit_rows, kernel);
  }
  copies.report();
}

TEST_F(GpuCopies, BulkCopies) {
  Copies copies("bulk copies");
  const Matrix matrix(1, 1 << 15, 4);
  for (const std::int64_t bytes : {16, 32, 48, 128, 240, 1024, 4096, 65536, 131072}) {
    for (const std::int64_t offset : {0, 16, 112}) {
      if (offset + bytes > static_cast<std::int64_t>(matrix.content.size())) continue;
      const auto begin = matrix.content.begin() + offset;
      CopyProblem problem{};
      problem.source = matrix.memory.data() + offset;
      problem.bytes = static_cast<std::uint32_t>(bytes);
      copies.run(problem, std::vector<std::byte>(begin, begin + bytes),
                 fmt::format("{} bytes from offset {}", bytes, offset));
    }
  }
  copies.report();
}

}  // namespace
}  // namespace chainwalk::cuda
