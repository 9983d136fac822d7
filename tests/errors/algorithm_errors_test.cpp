// Refusals of algorithms: definitions, calls, types.

#include <sinter/sinter.h>

#include "tests/errors/refusals.h"

namespace sinter::test {
namespace {

const Var x("x"), y("y");

TEST(AlgorithmErrors, CallWithTooFewCoordinates) {
  Func g("g"), f("f");
  g(x, y) = x;
  expect_refused<AlgorithmError>(
      message("g", "call", "it has 2 dimensions and is called with 1 coordinate",
              "give one coordinate per dimension"),
      [&] {
        f(x) = g(x);  // refused
      });
}

TEST(AlgorithmErrors, ImageCalledWithTooFewCoordinates) {
  ImageParam in(UInt(8), 2, "in");
  Func f("f");
  expect_refused<AlgorithmError>(
      message("in", "call", "it has 2 dimensions and is called with 1 coordinate",
              "give one coordinate per dimension"),
      [&] {
        f(x) = in(x);  // refused
      });
}

TEST(AlgorithmErrors, FloatCoordinate) {
  Func g("g"), f("f");
  g(x) = x;
  expect_refused<AlgorithmError>(
      message("g", "call", "coordinate 0 is f32, not an integer", "cast it: i32(...)"), [&] {
        f(x) = g(f32(x) * 0.5f);  // refused
      });
}

TEST(AlgorithmErrors, DefinitionOfAnotherRank) {
  Func f("f");
  f(x) = x;
  expect_refused<AlgorithmError>(
      message("f.update(0)", "definition", "it has 1 dimension and is defined with 2 arguments",
              "give one argument per dimension"),
      [&] {
        f(x, y) = 2;  // refused
      });
}

TEST(AlgorithmErrors, CallBeforeTheDefinition) {
  Func f("f"), g("g");
  expect_refused<AlgorithmError>(
      message("f", "call", "it is called before it is defined", "define it first"), [&] {
        g(x) = f(x);  // refused
      });
  expect_refused<AlgorithmError>(
      message("f", "call", "it is called before it is defined", "define it first"), [&] {
        f(x) = f(x - 1) + 1;  // refused
      });
}

TEST(AlgorithmErrors, CallOfAFuncThatIsDeclaredOnly) {
  Func f(Int(32), 1, "f"), g("g");
  expect_refused<AlgorithmError>(
      message("g", "definition", "it calls 'f', which is declared but not defined",
              "define it first"),
      [&] {
        g(x) = f(x) + 1;  // refused
      });
}

TEST(AlgorithmErrors, FirstDefinitionThatCallsItself) {
  Func f(Int(32), 1, "f");
  expect_refused<AlgorithmError>(
      message(
          "f", "definition", "the first definition calls the Func itself",
          "define a start for every element first, then write the rest as an update over an RDom"),
      [&] {
        f(x) = f(x - 1) + 1;  // refused
      });
}

TEST(AlgorithmErrors, VariableNotAmongTheArguments) {
  Func f("f");
  expect_refused<AlgorithmError>(
      message("f", "definition", "the Var 'y' is not among its arguments",
              "add it to the left side, or use a reduction variable"),
      [&] {
        f(x) = y;  // refused
      });
}

TEST(AlgorithmErrors, VariableOfTwoDimensions) {
  Func f("f");
  expect_refused<AlgorithmError>(message("f", "definition", "the Var 'x' stands for two dimensions",
                                         "use a Var for each dimension"),
                                 [&] {
                                   f(x, x) = x;  // refused
                                 });
}

TEST(AlgorithmErrors, TwoReductionDomains) {
  Func f("f");
  RDom a(0, 4, "a"), b(0, 4, "b");
  f(x) = 0;
  expect_refused<AlgorithmError>(
      message("f.update(0)", "definition", "it mentions two reduction domains, 'a.x' and 'b.x'",
              "use one RDom with all dimensions"),
      [&] {
        f(x) += a + b;  // refused
      });
}

TEST(AlgorithmErrors, ReductionInTheFirstDefinition) {
  Func f("f");
  RDom r(0, 4, "r");
  expect_refused<AlgorithmError>(
      message("f", "definition", "the first definition mentions the reduction variable 'r.x'",
              "define the Func with Vars only, then update it over the reduction domain"),
      [&] {
        f(x) = r + x;  // refused
      });
}

TEST(AlgorithmErrors, DomainWithABoundFromData) {
  ImageParam in(Int(32), 1, "in");
  RDom r(0, in(0), "r");
  Func f("f");
  f(x) = 0;
  expect_refused<AlgorithmError>(
      message(
          "f.update(0)", "definition",
          "the bound 'in(0)' of the reduction variable 'r.x' is not known before the pipeline runs",
          "use Params, sizes of images and constants, and leave points out with where()"),
      [&] {
        f(x) += r;  // refused
      });
}

TEST(AlgorithmErrors, DefinitionAfterUse) {
  Func f("f"), g("g");
  f(x) = x;
  g(x) = f(x);
  g.realize({2});
  expect_refused<AlgorithmError>(message("f.update(0)", "definition",
                                         "it has been used by another Func or a pipeline already, "
                                         "and a definition is frozen at its first use",
                                         "write all definitions of 'f' before it is used"),
                                 [&] {
                                   f(x) += 1;  // refused
                                 });
}

TEST(AlgorithmErrors, TupleOfAnotherSize) {
  Func f("f");
  f(x) = Tuple(x, x);
  expect_refused<AlgorithmError>(
      message("f.update(0)", "definition", "it has 2 components and is given 3 values",
              "give one value per component"),
      [&] {
        f(x) = Tuple(x, x, x);  // refused
      });
}

TEST(AlgorithmErrors, TupleWhereOneValueIsWanted) {
  Func f("f"), g("g");
  f(x) = Tuple(x, x);
  expect_refused<AlgorithmError>(
      message("f", "call", "it has 2 components, where one value is wanted",
              "choose a component: f(x)[0]"),
      [&] {
        g(x) = f(x) + 1;  // refused
      });
}

TEST(AlgorithmErrors, UpdateThatIsNotThere) {
  Func f("f");
  f(x) = x;
  expect_refused<AlgorithmError>(message("f", "update(1)", "the Func has 0 update definitions",
                                         "use an index below that; the first update is update(0)"),
                                 [&] {
                                   f.update(1);  // refused
                                 });
}

// Operators and functions name the line they are written on.

TEST(AlgorithmErrors, LiteralThatItsTypeCannotHold) {
  expect_refused<AlgorithmError>(
      message("", "operator +",
              "the literal 300 is not representable in the other operand's type, u8",
              "cast the other operand to a type that holds both"),
      [&] {
        u8(x) + 300;  // refused
      });
  Func f("f");
  f(x) = u8(x);
  expect_refused<AlgorithmError>(
      message("", "operator +",
              "the literal 300 is not representable in the other operand's type, u8",
              "cast the other operand to a type that holds both"),
      [&] {
        f(x) += 2 * (f(x) + 300);  // refused
      });
  expect_refused<AlgorithmError>(
      message("f", "operator *",
              "the literal 300 is not representable in the other operand's type, u8",
              "cast the other operand to a type that holds both"),
      [&] {
        f(x) *= 300;  // refused
      });
}

TEST(AlgorithmErrors, ConditionThatIsNoBool) {
  expect_refused<AlgorithmError>(message("", "select", "it needs a bool, and is given i32",
                                         "write a comparison, such as e != 0"),
                                 [&] {
                                   select(x, u8(1), u8(2));  // refused
                                 });
  expect_refused<AlgorithmError>(message("", "select", "it needs a bool, and is given i32",
                                         "write a comparison, such as e != 0"),
                                 [&] {
                                   select(x > 0, u8(1), x, u8(2), u8(3));  // refused
                                 });
}

TEST(AlgorithmErrors, OperandOfAWrongType) {
  const std::string integers = "cast the operand to an integer type";
  Func f("f");
  RDom r(0, 4, "r");
  expect_refused<AlgorithmError>(
      message("", "operator &", "it works on integers, and an operand is f32", integers), [&] {
        f(x) = (x + 1) * (f32(x) & 1);  // refused
      });
  expect_refused<AlgorithmError>(message("", "operator !", "it needs a bool, and is given i32",
                                         "write a comparison, such as e != 0"),
                                 [&] {
                                   !(x + 1);  // refused
                                 });
  expect_refused<AlgorithmError>(
      message("", "popcount", "it works on integers, and an operand is f32", integers), [&] {
        sum(popcount(f32(r)));  // refused
      });
  const std::string wide = "there is no integer type wider than i64",
                    narrow = "use operands of at most 32 bits";
  expect_refused<AlgorithmError>(message("", "mul_shift_right", wide, narrow), [&] {
    mul_shift_right(i64(x), i64(x), 8);  // refused
  });
  expect_refused<AlgorithmError>(message("", "rounding_mul_shift_right", wide, narrow), [&] {
    rounding_mul_shift_right(i64(x), i64(x), 8);  // refused
  });
  expect_refused<AlgorithmError>(message("", "sum", "its operand mentions no reduction domain",
                                         "use a variable of an RDom in it"),
                                 [&] {
                                   f(x) = sum(x * x);  // refused
                                 });
}

TEST(AlgorithmErrors, OperandThatIsUndefined) {
  Func f("f");
  const auto undefined = [](const std::string& what) {
    return message("", what, "an operand is an undefined Expr",
                   "give every operand a value before it is used");
  };
  expect_refused<AlgorithmError>(undefined("min"), [&] {
    f(x) = x + min(x, 3, Expr());  // refused
  });
  expect_refused<AlgorithmError>(undefined("saturating_cast"), [&] {
    f(x) = saturating_cast<std::uint8_t>(Expr());  // refused
  });
  Expr total;
  expect_refused<AlgorithmError>(undefined("operator +"), [&] {
    total += x;  // refused
  });
}

TEST(AlgorithmErrors, ExpressionsThatNestTooDeep) {
  const std::string remedy =
      "give a part of it to a Func of its own, or write it as a reduction over an RDom";
  Func f("f");
  Expr e = x;
  for (int i = 1; i < 4000; ++i) e = e + i;
  const Expr fits = e;
  e += 1;
  expect_refused<AlgorithmError>(
      message("f", "definition", "an expression nests 4001 operations deep; the limit is 4000",
              remedy),
      [&] {
        f(x) = e;  // refused
      });
  expect_refused<AlgorithmError>(
      message("", "", "the expression nests deeper than 16000 operations", remedy), [&] {
        for (int i = 0; i < 100000; ++i) e = e * 2;  // refused
      });
  Func g("g");
  g(x) = fits;
  EXPECT_EQ(g.realize({2}).as<int>()(1), 1 + 3999 * 4000 / 2);
}

TEST(AlgorithmErrors, ImageSetToABufferOfAnotherType) {
  ImageParam in(UInt(8), 2, "in");
  const std::string remedy = "give a Buffer of the image's type and number of dimensions";
  expect_refused<AlgorithmError>(
      message("in", "set", "the image is u8 with 2 dimensions, and the Buffer is f32 with 2",
              remedy),
      [&] {
        in.set(Buffer<float>(4, 4));  // refused
      });
  expect_refused<AlgorithmError>(
      message("in", "set", "the image is u8 with 2 dimensions, and the Buffer is u8 with 1",
              remedy),
      [&] {
        in.set(Buffer<std::uint8_t>(4));  // refused
      });
}

}  // namespace
}  // namespace sinter::test
