// Shared memory: its layout is derived, and free of bank conflicts where one can be; what does not
// fit is refused when compiled.

#include <gtest/gtest.h>

#include "backends/driver/compile_pipeline.h"
#include "backends/driver/gpu_devices.h"
#include "tests/gpu/gpu_test.h"
#include "tests/unit/lowering/harness.h"

namespace sinter::test {
namespace {

/// out(i, j) = tile(j, i), the tile in shared memory: rows of `vector` elements in and out.
struct Turned {
  Var i{"i"}, j{"j"}, io{"io"}, jo{"jo"}, ii{"ii"}, ji{"ji"}, v{"v"};
  ImageParam in;
  Func tile{"tile"}, out{"out"};
  Turned(Type type, int columns, int rows, int tile_i, int tile_j, int vector)
      : in(random_image(type, {columns, rows}, "in")) {
    tile(i, j) = in(i, j);
    out(i, j) = tile(j, i);
    out.tile(i, j, io, jo, ii, ji, tile_i, tile_j).gpu_blocks(io, jo);
    tile.compute_at(out, io).store_in(MemoryType::GPUShared);
    if (vector > 1) {
      out.split(ii, ii, v, vector).vectorize(v);
      tile.split(i, i, v, vector).vectorize(v);
    }
    out.gpu_threads(ii, ji);
    tile.gpu_threads(i, j);
  }
};

/// Bank conflicts of a call, by stage. Of the emulator, whatever the tests' target is.
std::map<std::string, std::uint64_t> conflicts(const Turned& p, const std::vector<int>& sizes,
                                               bool derived = true) {
  const Target target("emulated-nvptx-sm_90a");
  const auto scheduled = driver::resolve_pipeline({p.out}, Schedule::of({p.out}));
  driver::CompileOptions options;
  options.alignment = options.input_rows = options.output_rows = 16;
  options.aligned_mins = true;
  if (!derived) options.disabled = {"arrange_shared"};
  const driver::Compiled compiled = driver::compile_pipeline(scheduled, target, options);
  Inputs given;
  given.images.emplace_back(p.in, p.in.get());
  const std::vector<Buffer<>> got = make_outputs({p.out}, sizes),
                              expected = make_outputs({p.out}, sizes);
  const auto& machine = backends::gpu_device_for(target)->gpu()->machine;
  machine->take_statistics();
  compiled.executable->launch(test::bind(scheduled.algorithm, given, got), nullptr);
  evaluate(scheduled.algorithm, test::bind(scheduled.algorithm, given, expected));
  EXPECT_TRUE(bytes_of(got[0]) == bytes_of(expected[0]));
  const auto statistics = machine->take_statistics();
  EXPECT_EQ(statistics.size(), 1u);
  EXPECT_EQ(statistics.at(0).launches, 1u);
  EXPECT_GT(statistics.at(0).global_requests, 0u);
  std::uint64_t sum = 0;
  for (const auto& [stage, count] : statistics.at(0).bank_conflicts_of) sum += count;
  EXPECT_EQ(sum, statistics.at(0).bank_conflicts);
  return statistics.at(0).bank_conflicts_of;
}

using Counted = std::map<std::string, std::uint64_t>;

TEST(SharedMemory, TurningTilesMeetNoBank) {
  // 16 bytes a thread: 8 lanes read a column whose elements are 8 rows apart.
  const Turned halves(UInt(16), 128, 64, 64, 64, 8);
  EXPECT_EQ(conflicts(halves, {64, 128}), Counted{});
  // A warp has 8 loads of 8 words in one bank each, in each of 2 tiles of 16 warps.
  EXPECT_EQ(conflicts(halves, {64, 128}, false), (Counted{{"tile", 2 * 16 * 8 * 7}}));

  // Scalars: a warp reads a whole column.
  const Turned words(Int(32), 32, 32, 32, 32, 1);
  EXPECT_EQ(conflicts(words, {32, 32}), Counted{});
  EXPECT_EQ(conflicts(words, {32, 32}, false), (Counted{{"tile", 32 * 31}}));

  EXPECT_EQ(conflicts(Turned(Int(32), 64, 32, 32, 32, 4), {32, 64}), Counted{});
  EXPECT_EQ(conflicts(Turned(UInt(8), 64, 64, 32, 32, 4), {64, 64}), Counted{});
  EXPECT_EQ(conflicts(Turned(Int(64), 32, 32, 16, 16, 2), {32, 32}), Counted{});
}

TEST(SharedMemory, LayoutsChangeNoResult) {
  const auto check = [](const Turned& p, const std::vector<int>& sizes) {
    expect_right_on_gpu({p.out}, sizes, {p.in});
    expect_right_on_gpu({p.out}, sizes, {p.in}, 0, 16);
  };
  const Turned cut(BFloat(16), 67, 41, 64, 64, 8);
  expect_right_on_gpu({cut.out}, {41, 67}, {cut.in});
  check(Turned(BFloat(16), 72, 48, 64, 64, 8), {48, 72});
  check(Turned(Float(32), 40, 40, 24, 24, 4), {40, 40});  // rows of no power of two
  check(Turned(UInt(8), 48, 48, 20, 12, 4), {48, 48});
  check(Turned(Float(64), 40, 40, 16, 32, 2), {40, 40});
}

TEST(SharedMemory, AccessesOfAllKinds) {
  // Read by rows, columns, backwards and at what data say, one kind of access beside the other.
  Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi");
  ImageParam in = random_image(Int(32), {32, 32}, "in");
  Func tile("tile"), out("out");
  tile(x, y) = in(x, y) * 3;
  out(x, y) = tile(y % 32, x % 32) + tile(31 - y % 32, 31 - x % 32) +
              tile(clamp(in(y % 32, x % 32) & 31, 0, 31), y % 32);
  out.gpu_tile(x, y, xo, yo, xi, yi, 32, 8);
  tile.compute_at(out, xo).store_in(MemoryType::GPUShared).gpu_threads(x);
  expect_right_on_gpu({out}, {32, 32}, {in});

  // Indivisible updates of elements that data name, and of columns.
  RDom r(0, 32, 0, 32, "r");
  Var b("b"), t("t");
  RVar ro("ro");
  Func table("table"), sums("sums");
  table(x, y) = 0;
  table(clamp(in(r.y, r.x) & 31, 0, 31), r.y) += r.x;
  sums(x, y) = table(y % 32, x % 32);
  sums.gpu_tile(x, y, xo, yo, xi, yi, 32, 8);
  table.compute_at(sums, xo).store_in(MemoryType::GPUShared).gpu_threads(x);
  table.update().atomic().gpu_threads(r.x);
  expect_right_on_gpu({sums}, {32, 32}, {in});
}

TEST(SharedMemory, VectorsOfWidthsThatDoNotDivideStayTogether) {
  // Written three at a time, read four at a time by columns: three may lie in two runs of four. And
  // there is no room to pad.
  Var i("i"), j("j"), io("io"), jo("jo"), ii("ii"), ji("ji"), jj("jj"), v("v");
  ImageParam in = random_image(Float(32), {48, 1200}, "in");
  Func tile("tile"), out("out");
  tile(i, j) = in(i, j);
  out(i, j) = tile(i, j) * 2.0f;
  out.tile(i, j, io, jo, ii, ji, 48, 1200).gpu_blocks(io, jo).split(ii, ii, v, 4).vectorize(v);
  out.split(ji, ji, jj, 40).reorder(v, ji, jj, ii).gpu_threads(jj, ii);
  tile.compute_at(out, io).store_in(MemoryType::GPUShared).split(i, i, v, 3).vectorize(v);
  tile.split(j, j, jj, 40).reorder(v, j, i, jj).gpu_threads(i, jj);
  expect_right_on_gpu({out}, {48, 1200}, {in});
}

TEST(SharedMemory, AlignStorageShapesWhatTheLayoutStartsFrom) {
  Turned p(Int(32), 40, 40, 32, 32, 1);
  p.tile.align_storage(p.i, 32, 1);
  EXPECT_EQ(conflicts(p, {40, 40}, false), Counted{});
  EXPECT_EQ(conflicts(p, {40, 40}), Counted{});
}

/// A stage of so many bytes in a block.
Func large(int bytes) {
  Var x("x"), xo("xo"), xi("xi"), t("t");
  Func big("big"), sum("sum");
  big(x) = x * 3;
  sum(x) = big(x) + big(x + bytes / 4 - 32);
  sum.gpu_tile(x, xo, xi, 32);
  big.compute_at(sum, xo).store_in(MemoryType::GPUShared).split(x, x, t, 32).gpu_threads(t);
  return sum;
}

TEST(SharedMemory, MoreThanItTakesWithoutAskingWorks) {
  expect_right_on_gpu({large(50'000)}, {32});
  EXPECT_EQ(gpu_refusal({large(60'000)}), "");
}

std::string refused(int bytes, const std::string& target) {
  const Func f = large(bytes);
  try {
    driver::compile_pipeline(driver::resolve_pipeline({f}, Schedule::of({f})), Target(target));
  } catch (const CompileError& e) {
    EXPECT_NE(e.diagnostic().file.find("shared_memory_test.cpp"), std::string::npos)
        << e.diagnostic().file;
    EXPECT_FALSE(e.diagnostic().remedy.empty());
    return e.diagnostic().stage + ": " + e.diagnostic().directive + ": " + e.diagnostic().reason;
  }
  return "";
}

TEST(SharedMemory, MoreThanABlockMayHaveIsRefusedByTarget) {
  EXPECT_EQ(refused(64'000, "emulated-nvptx-sm_75"), "");
  EXPECT_EQ(
      refused(65'540, "emulated-nvptx-sm_75"),
      "big: store_in(MemoryType::GPUShared): a block of the kernel 'sum' needs 65552 bytes of "
      "shared memory (big 65552), and sm_75 has 65536");
  EXPECT_EQ(refused(65'540, "emulated-nvptx-sm_80"), "");
}

TEST(SharedMemory, AllStagesOfABlockCount) {
  Var x("x"), xo("xo"), xi("xi"), t("t");
  Func a("a"), b("b"), sum("sum");
  a(x) = x * 3;
  b(x) = x * 5;
  sum(x) = a(x) + a(x + 8000) + b(x) + b(x + 9000);
  sum.gpu_tile(x, xo, xi, 32);
  for (Func* f : {&a, &b})
    f->compute_at(sum, xo).store_in(MemoryType::GPUShared).split(x, x, t, 32).gpu_threads(t);
  try {
    driver::compile_pipeline(driver::resolve_pipeline({sum}, Schedule::of({sum})),
                             Target("emulated-nvptx-sm_75"));
    FAIL() << "68 KB fit into 64 KiB";
  } catch (const CompileError& e) {
    EXPECT_EQ(e.diagnostic().stage, "b");
    EXPECT_EQ(e.diagnostic().reason,
              "a block of the kernel 'sum' needs 68256 bytes of shared memory (a 32128 + b 36128), "
              "and sm_75 has 65536");
  }
}

}  // namespace
}  // namespace sinter::test
