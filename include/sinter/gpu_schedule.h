#pragma once
// The directives of GPU loops, for Func and Stage alike. Names and order of arguments are Halide's.

#include <source_location>
#include <string>
#include <vector>

#include <sinter/expr.h>
#include <sinter/schedule_types.h>

namespace sinter {

/// What a GPU loop runs on. Of a stage's loops the innermost one varies fastest: over blocks of the
/// grid, and over the threads of a block (lanes first, then warps, then threads).
enum class GpuLevel { Blocks, Threads, Lanes, Warps };
/// What a kernel may be held to; see gpu_max_registers and gpu_min_blocks.
enum class GpuLimit { MaxRegisters, MinBlocks };

template <typename Self>
class GpuSchedule {
  using Location = std::source_location;
  using Loops = std::vector<VarOrRVar>;

 public:
  /// Each iteration is a block of the grid; up to three loops.
  template <typename... Rest>
    requires(std::is_convertible_v<Rest, VarOrRVar> && ...)
  Self& gpu_blocks(const VarOrRVar& first, const Rest&... rest) {
    return self().gpu_loops(GpuLevel::Blocks, Loops{first, VarOrRVar(rest)...});
  }
  /// Each iteration is a thread of the block.
  template <typename... Rest>
    requires(std::is_convertible_v<Rest, VarOrRVar> && ...)
  Self& gpu_threads(const VarOrRVar& first, const Rest&... rest) {
    return self().gpu_loops(GpuLevel::Threads, Loops{first, VarOrRVar(rest)...});
  }
  /// Each iteration is a lane of a warp; the extent divides the target's lanes.
  Self& gpu_lanes(const VarOrRVar& loop) { return self().gpu_loops(GpuLevel::Lanes, Loops{loop}); }
  /// Each iteration is a warp (all its lanes).
  Self& gpu_warps(const VarOrRVar& loop) { return self().gpu_loops(GpuLevel::Warps, Loops{loop}); }
  /// Runs on one thread of one block.
  Self& gpu_single_thread(Location where = Location::current()) {
    return self().gpu_one_thread(where);
  }
  /// Each thread of the kernel that these blocks are gets at most so many registers; what does not
  /// fit goes to memory.
  Self& gpu_max_registers(const Expr& registers, Location where = Location::current()) {
    return self().gpu_limit(GpuLimit::MaxRegisters, registers, where);
  }
  /// At least so many blocks run on a multiprocessor at a time, or as many as it holds if that is
  /// fewer: the compiler takes no more registers than that leaves.
  Self& gpu_min_blocks(const Expr& blocks, Location where = Location::current()) {
    return self().gpu_limit(GpuLimit::MinBlocks, blocks, where);
  }

  /// gpu_blocks(block) and gpu_threads(thread) for one, two or three dimensions.
  Self& gpu(const VarOrRVar& block, const VarOrRVar& thread) {
    self().gpu_loops(GpuLevel::Blocks, Loops{block});
    return self().gpu_loops(GpuLevel::Threads, Loops{thread});
  }
  Self& gpu(const VarOrRVar& bx, const VarOrRVar& by, const VarOrRVar& tx, const VarOrRVar& ty) {
    self().gpu_loops(GpuLevel::Blocks, Loops{bx, by});
    return self().gpu_loops(GpuLevel::Threads, Loops{tx, ty});
  }
  Self& gpu(const VarOrRVar& bx, const VarOrRVar& by, const VarOrRVar& bz, const VarOrRVar& tx,
            const VarOrRVar& ty, const VarOrRVar& tz) {
    self().gpu_loops(GpuLevel::Blocks, Loops{bx, by, bz});
    return self().gpu_loops(GpuLevel::Threads, Loops{tx, ty, tz});
  }

  /// tile, gpu_blocks of the outer loops and gpu_threads of the inner ones. Without names for the
  /// outer loops they keep those of the tiled ones.
  Self& gpu_tile(const VarOrRVar& x, const VarOrRVar& bx, const VarOrRVar& tx, const Expr& x_size,
                 TailStrategy tail = TailStrategy::Auto, Location where = Location::current()) {
    return self().gpu_tiles({x}, {bx}, {tx}, {x_size}, tail, where);
  }
  Self& gpu_tile(const VarOrRVar& x, const VarOrRVar& tx, const Expr& x_size,
                 TailStrategy tail = TailStrategy::Auto, Location where = Location::current()) {
    return self().gpu_tiles({x}, {x}, {tx}, {x_size}, tail, where);
  }
  Self& gpu_tile(const VarOrRVar& x, const VarOrRVar& y, const VarOrRVar& bx, const VarOrRVar& by,
                 const VarOrRVar& tx, const VarOrRVar& ty, const Expr& x_size, const Expr& y_size,
                 TailStrategy tail = TailStrategy::Auto, Location where = Location::current()) {
    return self().gpu_tiles({x, y}, {bx, by}, {tx, ty}, {x_size, y_size}, tail, where);
  }
  Self& gpu_tile(const VarOrRVar& x, const VarOrRVar& y, const VarOrRVar& tx, const VarOrRVar& ty,
                 const Expr& x_size, const Expr& y_size, TailStrategy tail = TailStrategy::Auto,
                 Location where = Location::current()) {
    return self().gpu_tiles({x, y}, {x, y}, {tx, ty}, {x_size, y_size}, tail, where);
  }
  Self& gpu_tile(const VarOrRVar& x, const VarOrRVar& y, const VarOrRVar& z, const VarOrRVar& bx,
                 const VarOrRVar& by, const VarOrRVar& bz, const VarOrRVar& tx, const VarOrRVar& ty,
                 const VarOrRVar& tz, const Expr& x_size, const Expr& y_size, const Expr& z_size,
                 TailStrategy tail = TailStrategy::Auto, Location where = Location::current()) {
    return self().gpu_tiles({x, y, z}, {bx, by, bz}, {tx, ty, tz}, {x_size, y_size, z_size}, tail,
                            where);
  }
  Self& gpu_tile(const VarOrRVar& x, const VarOrRVar& y, const VarOrRVar& z, const VarOrRVar& tx,
                 const VarOrRVar& ty, const VarOrRVar& tz, const Expr& x_size, const Expr& y_size,
                 const Expr& z_size, TailStrategy tail = TailStrategy::Auto,
                 Location where = Location::current()) {
    return self().gpu_tiles({x, y, z}, {x, y, z}, {tx, ty, tz}, {x_size, y_size, z_size}, tail,
                            where);
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace sinter
