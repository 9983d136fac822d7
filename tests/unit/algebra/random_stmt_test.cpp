// Random loop nests write the same memory before and after simplification.

#include "support.h"

#include <sinter/diagnostic.h>

#include "dsl/ir/interpret.h"

namespace sinter::algebra::testing {
namespace {

using ir::Op;
using ir::Stmt;

constexpr std::int64_t elements = 64;
const Symbol buffer = Symbol::named("buffer");

/// Draws statements that write some elements of `buffer`; a b c d are bound by loops and lets or
/// are arguments.
class StatementSource {
 public:
  explicit StatementSource(ExpressionSource& source) : source_(source) {}

  Stmt statement(int depth) {
    const std::int64_t kind = depth <= 0 ? 0 : source_.between(0, 9);
    if (kind <= 1) return write();
    if (kind <= 3) return ir::block({statement(depth - 1), statement(depth - 1)});
    if (kind <= 6) {
      const Expr extent = source_.between(0, 1) == 0 ? ir::index_literal(source_.between(0, 9))
                                                     : bounded(source_.index(2), 9);
      const Expr min = source_.between(0, 1) == 0 ? ir::index_literal(source_.between(-4, 4))
                                                  : bounded(source_.index(1), 9);
      return with_variable([&](const Symbol& v) {
        return ir::for_loop(v, min, extent, ir::LoopKind::Serial, statement(depth - 1));
      });
    }
    if (kind == 7) {
      const Expr value = bounded(source_.index(3), 30);
      return with_variable(
          [&](const Symbol& v) { return ir::let(v, value, statement(depth - 1)); });
    }
    const Expr condition = rename(source_.boolean(3));
    return ir::if_then(condition, statement(depth - 1),
                       source_.between(0, 1) == 0 ? statement(depth - 1) : Stmt());
  }

 private:
  /// Binders are unique: a drawn name stands for the innermost variable bound for it.
  template <typename Body>
  Stmt with_variable(Body body) {
    static const char* names[] = {"a", "b", "c", "d"};
    const Symbol name = Symbol::named(names[source_.between(0, 3)]),
                 fresh = Symbol::fresh(name.name());
    const auto before = bound_;
    bound_[name] = ir::index_symbol(fresh);
    const Stmt result = body(fresh);
    bound_ = before;
    return result;
  }
  Expr rename(const Expr& e) { return ir::substitute(e, bound_); }
  Expr bounded(const Expr& e, std::int64_t limit) {
    return ir::binary(Op::Mod, rename(e), ir::index_literal(limit));
  }
  Stmt write() {
    const Expr value = ir::cast_to(
        Int(32), ir::binary(Op::Mod, rename(source_.index(4)), ir::index_literal(1 << 20)));
    const Expr at = bounded(source_.index(3), elements);
    if (source_.between(0, 2) == 0) return ir::store(buffer, value, at);
    return ir::store(buffer, ir::binary(Op::Add, ir::load(Int(32), buffer, at), value), at);
  }

  ExpressionSource& source_;
  ir::Substitution bound_;
};

std::vector<std::int32_t> run(const Stmt& body, const Point& point) {
  ir::Module module;
  module.name = "random";
  ir::Arguments arguments;
  for (const char* name : {"a", "b", "c", "d"}) {
    const Symbol s = Symbol::named(name);
    ir::Argument argument;
    argument.symbol = s;
    argument.name = name;
    argument.type = Index();
    module.arguments.push_back(argument);
    arguments.scalars[s] = ir::Scalar::of_integer(Index(), point.at(s));
  }
  std::vector<std::int32_t> memory(elements, 1);
  ir::Argument output;
  output.kind = ir::Argument::Kind::Output;
  output.symbol = buffer;
  output.name = "buffer";
  output.type = Int(32);
  output.dimensions = {{Symbol::fresh("min"), Symbol::fresh("extent"), Symbol::fresh("stride")}};
  module.arguments.push_back(output);
  ir::BufferView view;
  view.host = memory.data();
  view.type = Int(32);
  view.dimensions = {{0, elements, 1}};
  arguments.buffers[buffer] = view;
  module.body = body;
  ir::interpret(module, arguments);
  return memory;
}

TEST(RandomSimplify, KeepsTheMeaningOfStatements) {
  const std::uint64_t seed = random_seed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  ExpressionSource source(seed);
  int compared = 0;
  for (int i = 0; i < 2500 && !::testing::Test::HasFailure(); ++i) {
    const Stmt before = StatementSource(source).statement(6);
    const Stmt after = simplify(before);
    EXPECT_EQ(ir::print(simplify(after)), ir::print(after)) << ir::print(before);
    for (int k = 0; k < 2; ++k) {
      const Point point = source.point({});
      try {
        const auto expected = run(before, point);
        ++compared;
        EXPECT_EQ(run(after, point), expected) << ir::print(before) << "\nbecame\n"
                                               << ir::print(after);
      } catch (const InternalError&) {  // a coordinate left 64 bits
      }
    }
  }
  EXPECT_GT(compared, 1500);
}

}  // namespace
}  // namespace sinter::algebra::testing
