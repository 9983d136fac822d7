// Kernels of loops that no schedule text can ask for.
#include <gtest/gtest.h>

#include "dsl/lowering/gpu/map_to_grid.h"

namespace sinter::test {
namespace {

std::string kernel_of_threads(std::int64_t extent) {
  const Symbol block = Symbol::fresh("b"), thread = Symbol::fresh("t"), out = Symbol::fresh("out");
  const ir::Stmt store =
      ir::store(out, ir::literal(Int(32), 7), ir::index_symbol(block) + ir::index_symbol(thread));
  const ir::Stmt threads = ir::for_loop(thread, ir::index_literal(0), ir::index_literal(extent),
                                        ir::LoopKind::GpuThread, store);
  ir::Module module;
  module.body = ir::for_loop(block, ir::index_literal(0), ir::index_literal(2),
                             ir::LoopKind::GpuBlock, threads);
  return ir::print(lowering::map_to_grid(std::move(module), {}).body);
}

TEST(MapToGrid, ALoopOverNoThreadsDoesNothing) {
  EXPECT_EQ(kernel_of_threads(32).find("if "), std::string::npos) << kernel_of_threads(32);
  EXPECT_NE(kernel_of_threads(0).find("if false"), std::string::npos) << kernel_of_threads(0);
}

}  // namespace
}  // namespace sinter::test
