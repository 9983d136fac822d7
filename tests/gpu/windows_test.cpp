// Loads of a stencil that overlap are one access each 16 bytes.
#include "tests/gpu/gpu_test.h"

namespace sinter::test {

namespace {

struct Stencil {
  Var x{"x"}, y{"y"}, v{"v"}, t{"t"}, r{"r"};
  ImageParam in;
  Func out{"out"};

  Stencil(Type type, int lanes, int rows, int stride) : in(random_image(type, {stride, 9}, "in")) {
    out(x, y) = in(x, y) + in(x + 1, y) + in(x + 2, y) + in(x + 1, y + 1);
    out.split(x, x, v, lanes).vectorize(v).split(y, y, r, rows).unroll(r).reorder(v, r, x, y);
    out.split(x, x, t, 32).gpu_blocks(x, y).gpu_threads(t);
  }
};

}  // namespace

TEST(Windows, AreSharedWhereRowsAreAligned) {
  Stencil p(UInt(16), 8, 1, 80);
  expect_right_on_gpu({p.out}, {72, 8}, {p.in}, 0, 16);
  // The copy without guards: a row of ten elements, and one of eight that starts at an odd one.
  EXPECT_EQ(count_ptx({p.out}, "ld.global.nc.v4.u32", 16), 1);
  EXPECT_EQ(count_ptx({p.out}, "ld.global.nc.u32", 16), 1);
}

TEST(Windows, OfEveryTypeAndAlignment) {
  for (const Type type : {UInt(8), UInt(16), Int(32), Float(32)}) {
    for (const int row_alignment : {0, 4, 16}) {
      for (const int lanes : {2, 4, 8}) {
        SCOPED_TRACE(to_string(type) + ", " + std::to_string(lanes) +
                     " lanes, rows at multiples of " + std::to_string(row_alignment));
        const int bytes = static_cast<int>(type.bytes());
        // 80 elements are whole vectors; rows of the others are a word, or an element, more.
        const int stride = 80 + (row_alignment == 16 ? 0 : row_alignment == 4 ? 4 / bytes : 1);
        Stencil p(type, lanes, 4, stride);
        expect_right_on_gpu({p.out}, {row_alignment == 0 ? 71 : 64, 8}, {p.in}, 0, row_alignment);
      }
    }
  }
}

TEST(Windows, OfSharedMemoryKeepTheirPlaceAmongStores) {
  Var x{"x"}, y{"y"}, v{"v"}, t{"t"};
  const ImageParam in = random_image(UInt(16), {144, 4}, "in");
  Func tile{"tile"}, out{"out"};
  tile(x, y) = in(x, y) * u16(3);
  out(x, y) = tile(x, y) + tile(x + 1, y) + tile(x + 2, y);
  out.split(x, x, t, 64).split(t, t, v, 8).vectorize(v).gpu_blocks(x, y).gpu_threads(t);
  tile.compute_at(out, x).store_in(MemoryType::GPUShared).gpu_threads(x);
  expect_right_on_gpu({out}, {136, 4}, {in}, 0, 16);
}

}  // namespace sinter::test
