// Memory of compiled code comes back. (Times are benchmarks: sinter bench call, compile.)
#include <fstream>

#include <unistd.h>

#include "tests/unit/host/harness.h"

namespace sinter::backends::testing {

using ir::LoopKind;
using ir::Op;

namespace {

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// out[i] = a[i] * factor + i
Program small_program(int factor, LoopKind kind) {
  Program program;
  const Symbol in = program.input("a", Memory{Float(32), std::vector<std::uint8_t>(400)});
  const Symbol out = program.output("out", Float(32), 100);
  const Symbol i = Symbol::named("i");
  const Expr x = ir::index_symbol(i);
  const Expr scaled =
      ir::binary(Op::Mul, ir::load(Float(32), in, x), ir::real_literal(Float(32), factor));
  const Expr value = ir::binary(Op::Add, scaled, ir::cast_to(Float(32), ir::cast_to(Int(32), x)));
  program.body(ir::for_loop(i, ir::index_literal(0), ir::index_literal(100), kind,
                            ir::store(out, value, x)));
  return program;
}

void compile_load_run(int cycles) {
  const auto cycle = [](int i) {
    Program program = small_program(i % 50, i % 2 ? LoopKind::Serial : LoopKind::Parallel);
    load(program.compile())->launch(program.arguments(), nullptr);
  };
  for (int i = 0; i < 300; ++i) cycle(i);  // caches and arenas fill
  const std::size_t before = resident_bytes();
  for (int i = 0; i < cycles; ++i) cycle(i);
  const std::size_t after = resident_bytes();
  EXPECT_LT(after, before + (std::size_t{4} << 20))
      << "before: " << before << ", after " << cycles << " cycles: " << after;
}

}  // namespace

TEST(Memory, CompiledCodeGivesItsMemoryBack) { compile_load_run(1000); }
TEST(Memory, DISABLED_TenThousandCompilationsLeaveMemoryFlat) { compile_load_run(10000); }

}  // namespace sinter::backends::testing
