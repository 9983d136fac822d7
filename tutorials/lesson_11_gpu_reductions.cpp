// Lesson 11: reductions over a block and over a grid. The page beside this file explains it.

#include <cmath>
#include <cstdio>

#include <sinter/sinter.h>

using namespace sinter;

namespace {

constexpr int Width = 1024, Height = 5, Count = 100000;

/// What reduce_across({16, 32, 4, 8}) says, in plain C++.
float tree_in_cpp(const Buffer<float>& values) {
  static float p[8][4][32];
  for (int i = 0; i < Count; ++i) p[i / 2048 % 8][i / 512 % 4][i / 16 % 32] += values(i);
  for (auto& block : p) {
    for (auto& warp : block) {
      for (int s = 16; s >= 1; s /= 2) {
        for (int i = 0; i < s; ++i) warp[i] += warp[i + s];
      }
    }
    for (int s = 2; s >= 1; s /= 2) {
      for (int i = 0; i < s; ++i) block[i][0] += block[i + s][0];
    }
  }
  for (int s = 4; s >= 1; s /= 2) {
    for (int i = 0; i < s; ++i) p[i][0][0] += p[i + s][0][0];
  }
  return 0.0f + p[0][0][0];
}

}  // namespace

int main() {
  const Target gpu("emulated-nvptx-sm_90a");
  const Var x("x"), y("y"), xo("xo"), xi("xi"), i1("i1"), i2("i2"), i3("i3");
  const RVar i0("i0"), t("t");
  bool good = true;

  // --- A block takes a row: its sum, and what the row does with it.
  Buffer<float> matrix(Width, Height);
  matrix.for_each_element([&](int i, int j) { matrix(i, j) = std::sin(float(i * (j + 3))); });
  RDom k(0, Width, "k");
  Func sum("sum"), centred("centred");
  sum(y) = 0.0f;
  sum(y) += matrix(k, y);
  centred(x, y) = matrix(x, y) - sum(y) / float(Width);

  // The algorithm: runs of 4 elements, 32 lanes, 4 warps.
  Func partial = sum.update().reduce_across(k, {4, 32, 4});
  Func warps = partial.tree_level(1);
  sum.compute_at(centred, y);
  warps.compute_at(centred, y);
  partial.compute_at(centred, y);
  Buffer<float> on_host = centred.realize({Width, Height});

  // The schedule: who computes which part, and where it is kept.
  centred.split(x, xo, xi, 128).gpu_blocks(y).gpu_threads(xi);
  partial.store_in(MemoryType::Register).gpu_lanes(i1).gpu_warps(i2);
  partial.update().gpu_lanes(i1).gpu_warps(i2).unroll(i0);
  warps.store_in(MemoryType::GPUShared).gpu_warps(i2);
  sum.store_in(MemoryType::Register);
  std::printf("a block for each row\n");
  std::fflush(stdout);
  centred.print_loop_nest();
  Buffer<float> on_gpu = centred.realize({Width, Height}, gpu);
  on_gpu.for_each_element([&](int i, int j) { good = good && on_gpu(i, j) == on_host(i, j); });
  std::printf("the same bits on GPU and host: %s\n", good ? "yes" : "no");

  // --- A grid takes a long vector: one more level, of blocks.
  Buffer<float> values(Count);
  for (int i = 0; i < Count; ++i) values(i) = std::sin(float(i)) * 100.0f;
  RDom r(0, Count, "r");
  Func total("total");
  total() = 0.0f;
  total() += values(r);
  Func lanes = total.update().reduce_across(r, {16, 32, 4, 8});
  Func blocks = lanes.tree_level(2), block_warps = lanes.tree_level(1);
  blocks.compute_root().gpu_blocks(i3);
  block_warps.compute_at(blocks, i3).store_in(MemoryType::GPUShared).gpu_warps(i2);
  lanes.compute_at(blocks, i3).store_in(MemoryType::Register).gpu_lanes(i1).gpu_warps(i2);
  lanes.update().gpu_lanes(i1).gpu_warps(i2).unroll(i0);
  total.gpu_single_thread();
  total.update().gpu_single_thread();
  Pipeline(total).fuse({total});
  std::printf("\na grid for a vector\n");
  std::fflush(stdout);
  total.print_loop_nest();
  Buffer<float> by_grid = total.realize({}, gpu);
  const bool tree = by_grid() == tree_in_cpp(values);
  std::printf("the tree that is written down in C++: %s\n", tree ? "yes" : "no");

  // --- A float sum that is not declared a tree has one order, and threads cannot share it.
  bool refused = false;
  try {
    Func serial("serial");
    serial(y) = 0.0f;
    serial(y) += matrix(k, y);
    serial.gpu_tile(y, xi, 8);
    serial.update().gpu_blocks(y).gpu_threads(k);
    serial.realize({Height}, gpu);
  } catch (const ScheduleError& error) {
    refused = true;
    std::printf("\nrefused: %s\nremedy: %s\n", error.diagnostic().reason.c_str(),
                error.diagnostic().remedy.c_str());
  }
  return good && tree && refused ? 0 : 1;
}
