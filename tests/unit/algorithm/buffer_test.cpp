// Buffers: views, sharing, strides, and the checks of their types.

#include <limits>

#include <gtest/gtest.h>
#include <sinter/sinter.h>

#include "dsl/algorithm/buffer_access.h"

namespace sinter {
namespace {

Buffer<int> numbered(int width, int height) {
  Buffer<int> b(width, height);
  b.for_each_element([&](int x, int y) { b(x, y) = 100 * y + x; });
  return b;
}

std::string reason_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const RuntimeError& e) {
    EXPECT_NE(e.diagnostic().remedy, "");
    return e.diagnostic().reason;
  }
  return "";
}

TEST(Buffer, IsDenseWithDimensionZeroInnermost) {
  const Buffer<int> b = numbered(4, 3);
  EXPECT_EQ(b.dimensions(), 2);
  EXPECT_EQ(b.width(), 4);
  EXPECT_EQ(b.height(), 3);
  EXPECT_EQ(b.channels(), 1);
  EXPECT_EQ(b.stride(0), 1);
  EXPECT_EQ(b.stride(1), 4);
  EXPECT_EQ(b.dim(1).max(), 2);
  EXPECT_EQ(b.number_of_elements(), 12u);
  EXPECT_EQ(b.size_in_bytes(), 48u);
  EXPECT_EQ(b.data()[4 * 2 + 3], 203);
  EXPECT_EQ(b(3, 2), 203);
  const int coordinates[] = {3, 2};
  EXPECT_EQ(b(coordinates), 203);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data()) % 64, 0u);
}

TEST(Buffer, LargeOnesStartAtAHugePage) {
  const auto address = [](const Buffer<std::uint8_t>& b) {
    return reinterpret_cast<std::uintptr_t>(b.data());
  };
  EXPECT_EQ(address(Buffer<std::uint8_t>(1024, 4096)) % (std::uintptr_t{2} << 20), 0u);
  EXPECT_EQ(address(Buffer<std::uint8_t>(1021, 4095)) % 128, 0u);
  EXPECT_EQ(address(Buffer<std::uint8_t>(0, 7)) % 128, 0u);
}

TEST(Buffer, MayBeMadeInManyWays) {
  EXPECT_EQ(Buffer<float>({5, 6}).height(), 6);
  EXPECT_EQ(Buffer<float>({5}).dimensions(), 1);
  EXPECT_EQ(Buffer<float>(5).dimensions(), 1);
  EXPECT_EQ((Buffer<float, 2>(5, 6).height()), 6);
  EXPECT_EQ(Buffer<float>::make_with_shape_of(numbered(2, 3).translated(1, 7)).min(1), 7);
  std::vector<float> memory(6);
  EXPECT_EQ(Buffer<float>(memory.data(), 2, 3).data(), memory.data());
  EXPECT_EQ((Buffer<float>(memory.data(), {2, 3}).extent(1)), 3);
}

TEST(Buffer, CopiesShareTheView) {
  Buffer<int> a = numbered(2, 2);
  Buffer<int> b = a;
  b(0, 0) = 5;
  EXPECT_EQ(a(0, 0), 5);
  b.set_min(10, 20);
  EXPECT_EQ(a.min(1), 20);
  EXPECT_EQ(a(10, 20), 5);
}

TEST(Buffer, ViewsShareOnlyTheMemory) {
  const Buffer<int> a = numbered(8, 6);
  const Buffer<int> moved = a.translated({-3, 2});
  EXPECT_EQ(moved(-3, 2), 0);
  EXPECT_EQ(moved(0, 3), 103);
  EXPECT_EQ(a.min(0), 0);
  const Buffer<int> part = a.cropped({{2, 3}, {1, 2}});
  EXPECT_EQ(part.min(0), 2);
  EXPECT_EQ(part.extent(0), 3);
  EXPECT_EQ(part(4, 2), 204);
  EXPECT_EQ(*part.data(), 102);
  const Buffer<int> row = a.sliced(1, 4);
  EXPECT_EQ(row.dimensions(), 1);
  EXPECT_EQ(row(7), 407);
  const Buffer<int> turned = a.transposed(0, 1);
  EXPECT_EQ(turned.extent(0), 6);
  EXPECT_EQ(turned(4, 7), 407);
  EXPECT_EQ(a.transposed({1, 0})(4, 7), 407);
  const Buffer<int> deeper = a.embedded(2, 9);
  EXPECT_EQ(deeper(7, 4, 9), 407);
  part(2, 1) = -1;
  EXPECT_EQ(a(2, 1), -1);
}

TEST(Buffer, StridesMayBeNegative) {
  int memory[] = {0, 1, 2, 3, 4, 5};
  const Buffer<int> reversed(memory + 5, std::vector<BufferDimension>{{0, 6, -1}});
  EXPECT_EQ(reversed(0), 5);
  EXPECT_EQ(reversed(5), 0);
  EXPECT_FALSE(reversed.owns_memory());
  std::vector<int> seen;
  reversed.for_each_value([&](int v) { seen.push_back(v); });
  EXPECT_EQ(seen, (std::vector<int>{5, 4, 3, 2, 1, 0}));
  const Buffer<int> dense = reversed.copy();
  EXPECT_TRUE(dense.owns_memory());
  EXPECT_EQ(dense.stride(0), 1);
  EXPECT_EQ(dense(1), 4);
  EXPECT_EQ(reversed.cropped(0, 2, 2)(3), 2);
}

TEST(Buffer, ExtentsMayBeZero) {
  Buffer<float> empty(0, 5);
  EXPECT_EQ(empty.number_of_elements(), 0u);
  int visits = 0;
  empty.for_each_element([&](int, int) { ++visits; });
  empty.for_each_value([&](float) { ++visits; });
  empty.fill(1.0f);
  EXPECT_EQ(visits, 0);
  EXPECT_EQ(empty.copy().extent(1), 5);
}

TEST(Buffer, SizesAndCoordinatesBeyondTheirTypesAreRefused) {
  constexpr int Large = 1 << 30, Most = std::numeric_limits<int>::max();
  const auto coordinates = [](const std::string& from, const std::string& extent) {
    return "coordinates of dimension 0, from " + from + " with extent " + extent +
           ", leave the range of int";
  };
  EXPECT_EQ(reason_of([] { Buffer<double>({Large, Large, 2}); }), "its size does not fit 64 bits");
  double element = 0;
  EXPECT_EQ(reason_of([&] { Buffer<double>(&element, {Large, Large, Large}); }),
            "its size does not fit 64 bits");
  EXPECT_EQ(reason_of([&] {
              Buffer<double>(&element, {BufferDimension{0, Large, std::int64_t{1} << 40}});
            }),
            "its elements are further apart than 64 bits say");
  EXPECT_EQ(reason_of([&] { Buffer<double>(&element, {BufferDimension{Most, 2, 1}}); }),
            coordinates("2147483647", "2"));
  Buffer<int> b(4);
  b.set_min(Most - 3);
  EXPECT_EQ(b.max(0), Most);
  EXPECT_EQ(reason_of([&] { b.set_min(Most - 2); }), coordinates("2147483645", "4"));
  EXPECT_EQ(reason_of([&] { b.translate(0, 1); }), coordinates("2147483645", "4"));
  b.set_min(-Most - 1);
  EXPECT_EQ(reason_of([&] { b.translate(0, -1); }), coordinates("-2147483649", "4"));
}

TEST(Buffer, OfNoDimensionsIsAScalar) {
  Buffer<double> scalar = Buffer<double>::make_scalar();
  scalar() = 2.5;
  EXPECT_EQ(scalar.number_of_elements(), 1u);
  EXPECT_EQ(*scalar.data(), 2.5);
  int value = 3;
  Buffer<int> borrowed = Buffer<int>::make_scalar(&value);
  borrowed() = 4;
  EXPECT_EQ(value, 4);
}

TEST(Buffer, InterleavedImagesHaveChannelsInnermost) {
  Buffer<std::uint8_t> image = Buffer<std::uint8_t>::make_interleaved(5, 4, 3);
  EXPECT_EQ(image.stride(2), 1);
  EXPECT_EQ(image.stride(0), 3);
  EXPECT_EQ(image.stride(1), 15);
  image.fill(0);
  image(1, 0, 2) = 9;
  EXPECT_EQ(image.data()[5], 9);
  EXPECT_EQ(image.copy().stride(2), 1);
}

TEST(Buffer, CopyFromTakesTheCommonBox) {
  Buffer<int> a(4, 4);
  a.fill(0);
  const Buffer<int> b = numbered(3, 3).translated({2, 2});
  a.copy_from(b);
  EXPECT_EQ(a(2, 2), 0);
  EXPECT_EQ(a(3, 3), 101);
  EXPECT_EQ(a(3, 2), 1);
  EXPECT_EQ(a(1, 1), 0);
  Buffer<int> turned(4, 4);
  turned.transpose(0, 1);
  turned.fill(-1);
  turned.copy_from(b);
  EXPECT_EQ(turned(3, 2), 1);
  EXPECT_EQ(turned(0, 0), -1);
}

TEST(Buffer, ForEachVisitsSeveralBuffersTogether) {
  const Buffer<int> a = numbered(3, 2);
  Buffer<int> b = a.copy();
  b.for_each_value([](int& to, int from) { to = 2 * from; }, a);
  EXPECT_EQ(b(2, 1), 204);
  std::vector<int> order;
  a.for_each_element([&](const int* c) { order.push_back(10 * c[1] + c[0]); });
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 10, 11, 12}));
  EXPECT_FALSE(b.all_equal(0));
}

TEST(Buffer, TypesAreCheckedWhenTheyBecomeKnown) {
  const Buffer<> any = numbered(2, 2);
  EXPECT_EQ(any.type(), Int(32));
  const Buffer<int> back = any;
  EXPECT_EQ(back(1, 1), 101);
  const Buffer<const int> read_only = any;
  EXPECT_EQ(read_only(1, 1), 101);
  EXPECT_EQ((any.as<int, 2>()(1, 0)), 1);
  EXPECT_EQ(reason_of([&] { Buffer<float> wrong = any; }), "its elements are i32, not f32");
  EXPECT_EQ(reason_of([&] { Buffer<int, 3> wrong = any; }), "it has 2 dimensions, not 3");
  EXPECT_EQ(reason_of([&] { back.dim(2); }), "the buffer has 2 dimensions");
  EXPECT_EQ(reason_of([&] { back.cropped(0, 1, 2); }), "dimension 0 covers min 0, extent 2");
  EXPECT_EQ(reason_of([] { Buffer<int> b({3, -1}); }), "extent -1 of dimension 1 is negative");
  EXPECT_EQ(reason_of([&] { back.transposed({0, 0}); }),
            "the order is not a permutation of the buffer's dimensions");
}

TEST(Buffer, OfRunTimeTypeKnowsItsSize) {
  const Buffer<> b(UInt(16), {7, 3}, "b");
  EXPECT_EQ(b.type(), UInt(16));
  EXPECT_EQ(b.size_in_bytes(), 42u);
  EXPECT_EQ(b.name(), "b");
  EXPECT_TRUE(b.contains({6, 2}));
  EXPECT_FALSE(b.contains({7, 2}));
  EXPECT_FALSE(Buffer<>().defined());
}

TEST(Buffer, TheViewForTheCompilerIsTheSameElements) {
  const Buffer<int> part = numbered(8, 6).cropped(0, 2, 3);
  const auto view = shared_view_of(part);
  EXPECT_EQ(view->type, Int(32));
  ASSERT_EQ(view->dimensions.size(), 2u);
  EXPECT_EQ(view->dimensions[0].min, 2);
  EXPECT_EQ(view->dimensions[0].extent, 3);
  EXPECT_EQ(view->dimensions[1].stride, 8);
  EXPECT_EQ(*static_cast<const int*>(view->host), 2);
}

}  // namespace
}  // namespace sinter
