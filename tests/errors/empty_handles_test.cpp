// Whatever is done with an object that was never given anything is either fine or a refusal: an
// Error, never InternalError, an exception of the standard library, or a crash.

#include <sinter/sinter.h>

#include <sinter/inline_reductions.h>
#include <sinter/schedule.h>

#include "tests/errors/refusals.h"

namespace sinter::test {
namespace {

struct Use {
  const char* text;
  std::function<void()> run;
};

enum class Outcome { Fine, Refused };

Outcome outcome_of(const Use& use) {
  try {
    use.run();
    return Outcome::Fine;
  } catch (const Error& refusal) {
    EXPECT_FALSE(refusal.diagnostic().reason.empty()) << use.text;
    EXPECT_FALSE(refusal.diagnostic().remedy.empty()) << use.text;
    EXPECT_EQ(std::string(refusal.what()).find("/dsl/"), std::string::npos) << refusal.what();
    return Outcome::Refused;
  } catch (const std::exception& other) {
    ADD_FAILURE() << use.text << ": " << other.what();
    return Outcome::Refused;
  }
}

void expect_all(Outcome wanted, const std::vector<Use>& uses) {
  for (const Use& use : uses) {
    EXPECT_EQ(outcome_of(use), wanted) << use.text;
  }
}

#define USE(...)                              \
  Use {                                       \
    #__VA_ARGS__, [] { (void)(__VA_ARGS__); } \
  }

const Var x("x"), y("y"), xo("xo"), xi("xi"), yo("yo"), yi("yi");
const RVar r("r");

Func defined() {
  Func f("defined");
  f(x) = x;
  return f;
}
Func summed() {
  Func f("summed");
  RDom d(0, 4, "d");
  f(x) = 0;
  f(x) += d;
  return f;
}

TEST(EmptyHandleErrors, WhatIsKnownOfAnUndefinedFunc) {
  expect_all(Outcome::Fine, {USE(Func().name()), USE(Func().defined()), USE(Func().dimensions()),
                             USE(Func().outputs()), USE(Func().has_update_definition()),
                             USE(Func().num_update_definitions()), USE(Func()(x)),
                             USE(Func()(x)[0]), USE(Func()(x).size())});
  expect_all(Outcome::Refused,
             {USE(Func().type()), USE(Func().types()), USE(Func().args()), USE(Func().rvars()),
              USE(Func().rvars(-1)), USE(Func().update()), USE(summed().update(1)),
              USE(summed().rvars(1)), USE(summed().rvars(-1)), USE(summed().update(-1))});
}

TEST(EmptyHandleErrors, CallsAndDefinitions) {
  expect_all(Outcome::Refused, {USE(Expr(Func()(x))),
                                USE(Expr(Func()(x)[0])),
                                USE(Tuple(Func()(x))),
                                USE(Func()(x) + 1),
                                USE(Func()(x) = Tuple()),
                                USE(Func()(x) += Tuple()),
                                USE(Func()(x) = Expr()),
                                USE(Func()(x) += Expr()),
                                USE(Func()(x)[0] = 1),
                                USE(defined()(x)[1] = 1),
                                USE(defined()(x) = Tuple()),
                                USE(Expr(defined()(Expr()))),
                                USE(Func()(Expr()) = 1),
                                USE(defined()(Expr()) = 1),
                                USE(Func()(x) = Func()(x)),
                                USE(Func()(x) += Func()(x)),
                                USE(Func()(x) = Tuple(Func()(x))),
                                USE(Func(Expr())),
                                USE(Func(Buffer<int>())),
                                USE(Func(Func(ImageParam()))),
                                USE(Expr(defined()(x)[2])),
                                USE(Expr(defined()(RVar()))),
                                USE(defined()(RDom())),
                                USE(Func()(_) = ImageParam()(_))});
}

TEST(EmptyHandleErrors, DirectivesOfAnUndefinedFunc) {
  expect_all(Outcome::Refused, {USE(Func().split(x, xo, xi, 8)),
                                USE(Func().fuse(x, y, xo)),
                                USE(Func().tile(x, y, xi, yi, 8, 8)),
                                USE(Func().tile(x, y, xo, yo, xi, yi, 8, 8)),
                                USE(Func().reorder(x, y)),
                                USE(Func().rename(x, y)),
                                USE(Func().serial(x)),
                                USE(Func().parallel(x)),
                                USE(Func().parallel(x, 8)),
                                USE(Func().vectorize(x)),
                                USE(Func().vectorize(x, 8)),
                                USE(Func().unroll(x)),
                                USE(Func().unroll(x, 2)),
                                USE(Func().partition(x, Partition::Never)),
                                USE(Func().atomic()),
                                USE(Func().specialize(true)),
                                USE(Func().specialize_fail("no")),
                                USE(Func().compute_inline()),
                                USE(Func().compute_root()),
                                USE(Func().compute_at(defined(), x)),
                                USE(Func().compute_at(LoopLevel::root())),
                                USE(Func().compute_at(LoopLevel(Func(), x))),
                                USE(Func().store_root()),
                                USE(Func().store_at(defined(), x)),
                                USE(Func().store_at(LoopLevel::root())),
                                USE(Func().store_in(MemoryType::Stack)),
                                USE(Func().bound(x, 0, 8)),
                                USE(Func().bound_extent(x, 8)),
                                USE(Func().align_bounds(x, 8)),
                                USE(Func().align_storage(x, 8)),
                                USE(Func().set_estimate(x, 0, 8)),
                                USE(Func().set_estimates({})),
                                USE(Func().set_estimates({{0, 8}})),
                                USE(Func().in()),
                                USE(Func().in(defined())),
                                USE(Func().in(std::vector<Func>{}))});
}

TEST(EmptyHandleErrors, DirectivesWithEmptyArguments) {
  expect_all(Outcome::Refused, {USE(defined().split(x, xo, xi, Expr())),
                                USE(defined().split(Var(), xo, xi, 8)),
                                USE(defined().split(RDom(), xo, xi, 8)),
                                USE(defined().tile(x, x, xi, yi, Expr(), Expr())),
                                USE(defined().parallel(x, Expr())),
                                USE(defined().parallel(RVar())),
                                USE(defined().vectorize(x, Expr())),
                                USE(defined().unroll(x, Expr())),
                                USE(defined().specialize(Expr())),
                                USE(defined().bound(x, Expr(), 8)),
                                USE(defined().bound(x, 0, Expr())),
                                USE(defined().bound(Var(), 0, 8)),
                                USE(defined().bound_extent(x, Expr())),
                                USE(defined().align_bounds(x, Expr())),
                                USE(defined().align_bounds(x, 8, Expr())),
                                USE(defined().align_storage(x, Expr())),
                                USE(defined().align_storage(x, 8, Expr())),
                                USE(defined().set_estimate(x, Expr(), 8)),
                                USE(defined().set_estimates({{Expr(), Expr()}})),
                                USE(defined().set_estimates({})),
                                USE(summed().update().rfactor(RVar(), Var())),
                                USE(summed().update().rfactor({})),
                                USE(summed().update().reduce_across(RVar(), {1, 2})),
                                USE(summed().update().reduce_across(r, {})),
                                USE(defined().compute_at(Func(), x).realize({4})),
                                USE(defined().in(Func()).realize({4}))});
  expect_all(Outcome::Fine, {USE(defined().reorder(std::vector<VarOrRVar>{}))});
}

TEST(EmptyHandleErrors, RunningAnUndefinedFunc) {
  expect_all(Outcome::Refused,
             {USE(Func().print_loop_nest()), USE(Func().compile_jit()), USE(Func().realize()),
              USE(Func().realize({4})), USE(Func().realize(Buffer<int>())),
              USE(Func().realize(Buffer<int>(4))), USE(Func().infer_input_bounds({4})),
              USE(Func().infer_input_bounds(Buffer<int>(4))), USE(defined().realize()),
              USE(defined().realize(Buffer<int>())),
              USE(defined().realize(Realization(std::vector<Buffer<>>{}))),
              USE(defined().infer_input_bounds(Buffer<int>()))});
}

TEST(EmptyHandleErrors, Pipelines) {
  expect_all(Outcome::Fine, {USE(Pipeline()), USE(Pipeline(Func()))});
  expect_all(Outcome::Refused,
             {USE(Pipeline().outputs()), USE(Pipeline().with(Schedule())),
              USE(Pipeline().compile()), USE(Pipeline().realize()), USE(Pipeline().realize({4})),
              USE(Pipeline().realize(Buffer<int>(4))), USE(Pipeline().infer_input_bounds({4})),
              USE(Pipeline().infer_input_bounds(Buffer<int>(4))), USE(Pipeline().print_loop_nest()),
              USE(Pipeline(std::vector<Func>{})), USE(Pipeline(Func()).compile()),
              USE(Pipeline(Func()).realize({4})), USE(Pipeline(Func()).print_loop_nest()),
              USE(Pipeline(std::vector<Func>{defined(), Func()}).compile()),
              USE(Schedule::parse("f.compute_root();", {})),
              USE(Schedule::parse("f.compute_root();", {Func()})),
              USE(Schedule().to_string({Func()})), USE(Schedule::root({Func()}))});
  expect_all(Outcome::Fine,
             {USE(Schedule::of({})), USE(Schedule::of({Func()})), USE(Schedule::root({})),
              USE(Schedule().to_string({})), USE(Schedule::parse("", {}))});
}

TEST(EmptyHandleErrors, Realizations) {
  static const Realization none(std::vector<Buffer<>>{});
  expect_all(Outcome::Fine, {USE(none.size()), USE(none.buffers()), USE(none.defined())});
  expect_all(Outcome::Refused, {USE(none[0]), USE(defined().realize({4})[4])});
}

TEST(EmptyHandleErrors, Expressions) {
  const Expr none;
  expect_all(Outcome::Fine, {USE(Expr().defined()), USE(Expr().type()), USE(Expr().node()),
                             USE(Expr().same_as(Expr())), USE(to_string(Expr()))});
  using Binary = Expr (*)(const Expr&, const Expr&);
  const std::vector<Binary> binary = {
      [](const Expr& a, const Expr& b) { return a + b; },
      [](const Expr& a, const Expr& b) { return a - b; },
      [](const Expr& a, const Expr& b) { return a * b; },
      [](const Expr& a, const Expr& b) { return a / b; },
      [](const Expr& a, const Expr& b) { return a % b; },
      [](const Expr& a, const Expr& b) { return a & b; },
      [](const Expr& a, const Expr& b) { return a | b; },
      [](const Expr& a, const Expr& b) { return a ^ b; },
      [](const Expr& a, const Expr& b) { return a << b; },
      [](const Expr& a, const Expr& b) { return a >> b; },
      [](const Expr& a, const Expr& b) { return a == b; },
      [](const Expr& a, const Expr& b) { return a != b; },
      [](const Expr& a, const Expr& b) { return a < b; },
      [](const Expr& a, const Expr& b) { return a <= b; },
      [](const Expr& a, const Expr& b) { return a > b; },
      [](const Expr& a, const Expr& b) { return a >= b; },
      [](const Expr& a, const Expr& b) { return a && b; },
      [](const Expr& a, const Expr& b) { return a || b; },
      [](const Expr& a, const Expr& b) {
        Expr c = a;
        return c += b;
      },
      [](const Expr& a, const Expr& b) {
        Expr c = a;
        return c -= b;
      },
      [](const Expr& a, const Expr& b) {
        Expr c = a;
        return c *= b;
      },
      [](const Expr& a, const Expr& b) {
        Expr c = a;
        return c /= b;
      },
      [](const Expr& a, const Expr& b) { return min(a, b); },
      [](const Expr& a, const Expr& b) { return max(a, b); },
      [](const Expr& a, const Expr& b) { return absd(a, b); },
      [](const Expr& a, const Expr& b) { return pow(a, b); },
      [](const Expr& a, const Expr& b) { return hypot(a, b); },
      [](const Expr& a, const Expr& b) { return clamp(a, b, b); },
      [](const Expr& a, const Expr& b) { return clamp(1, a, b); },
      [](const Expr& a, const Expr& b) { return select(a > 0, b, b); },
      [](const Expr& a, const Expr& b) { return select(a, b, b); },
      [](const Expr& a, const Expr& b) { return mux(a, {b, b}); },
      [](const Expr& a, const Expr& b) { return fma(a, b, 1.0f); },
      [](const Expr& a, const Expr& b) { return lerp(a, a, b); },
      [](const Expr& a, const Expr& b) { return lerp(a, b, 0.5f); },
      [](const Expr& a, const Expr& b) { return promise_clamped(a, b, b); },
      [](const Expr& a, const Expr& b) { return unsafe_promise_clamped(a, b, 1); },
      [](const Expr& a, const Expr& b) { return require(a, b, "text"); },
      [](const Expr& a, const Expr& b) { return widening_add(a, b); },
      [](const Expr& a, const Expr& b) { return widening_sub(a, b); },
      [](const Expr& a, const Expr& b) { return widening_mul(a, b); },
      [](const Expr& a, const Expr& b) { return widening_shift_left(a, b); },
      [](const Expr& a, const Expr& b) { return saturating_add(a, b); },
      [](const Expr& a, const Expr& b) { return saturating_sub(a, b); },
      [](const Expr& a, const Expr& b) { return halving_add(a, b); },
      [](const Expr& a, const Expr& b) { return halving_sub(a, b); },
      [](const Expr& a, const Expr& b) { return rounding_halving_add(a, b); },
      [](const Expr& a, const Expr& b) { return rounding_shift_right(a, b); },
      [](const Expr& a, const Expr& b) { return rounding_shift_left(a, b); },
      [](const Expr& a, const Expr& b) { return mul_shift_right(a, b, 8); },
      [](const Expr& a, const Expr& b) { return mul_shift_right(x, a, b); },
      [](const Expr& a, const Expr& b) { return rounding_mul_shift_right(a, b, 8); },
      [](const Expr& a, const Expr& b) { return rounding_mul_shift_right(x, a, b); },
  };
  for (std::size_t i = 0; i < binary.size(); ++i) {
    for (const auto& operands :
         {std::pair{none, none}, std::pair{Expr(x), none}, std::pair{none, Expr(x)}}) {
      const Use use{"a binary operator", [&] { binary[i](operands.first, operands.second); }};
      EXPECT_EQ(outcome_of(use), Outcome::Refused) << "number " << i;
    }
  }
  expect_all(Outcome::Refused, {USE(-Expr()),
                                USE(~Expr()),
                                USE(!Expr()),
                                USE(abs(Expr())),
                                USE(cast<float>(Expr())),
                                USE(cast(Type(), x)),
                                USE(reinterpret(Float(32), Expr())),
                                USE(saturating_cast<float>(Expr())),
                                USE(u8(Expr())),
                                USE(i64(Expr())),
                                USE(f16(Expr())),
                                USE(bf16(Expr())),
                                USE(u8_sat(Expr())),
                                USE(strict(Expr())),
                                USE(floor(Expr())),
                                USE(ceil(Expr())),
                                USE(round(Expr())),
                                USE(trunc(Expr())),
                                USE(fract(Expr())),
                                USE(is_nan(Expr())),
                                USE(is_inf(Expr())),
                                USE(is_finite(Expr())),
                                USE(sqrt(Expr())),
                                USE(rsqrt(Expr())),
                                USE(exp(Expr())),
                                USE(exp2(Expr())),
                                USE(log(Expr())),
                                USE(log2(Expr())),
                                USE(sin(Expr())),
                                USE(cos(Expr())),
                                USE(tan(Expr())),
                                USE(tanh(Expr())),
                                USE(erf(Expr())),
                                USE(count_leading_zeros(Expr())),
                                USE(count_trailing_zeros(Expr())),
                                USE(popcount(Expr())),
                                USE(mux(x, {})),
                                USE(sum(Expr())),
                                USE(product(Expr())),
                                USE(minimum(Expr())),
                                USE(maximum(Expr())),
                                USE(argmin(Expr())),
                                USE(argmax(Expr())),
                                USE(sum(x + 1)),
                                USE(sum(RDom(), x)),
                                USE(sum(RDom(), RDom(0, 4))),
                                USE(argmin(RDom(), RDom(0, 4)))});
}

TEST(EmptyHandleErrors, Tuples) {
  expect_all(Outcome::Fine,
             {USE(Tuple().size()), USE(Tuple().as_vector()), USE(select(x > 0, Tuple(), Tuple()))});
  expect_all(Outcome::Refused,
             {USE(Tuple()[0]), USE(Tuple(x, y)[2]), USE(select(Expr(), Tuple(x, y), Tuple(x, y))),
              USE(select(x > 0, Tuple(x, y), Tuple()))});
}

TEST(EmptyHandleErrors, Variables) {
  expect_all(Outcome::Fine,
             {USE(Var().name()), USE(Expr(Var())), USE(RVar().name()), USE(RVar().min()),
              USE(RVar().extent()), USE(Var(Symbol())), USE(RVar(Symbol(), nullptr).min())});
  expect_all(Outcome::Refused,
             {USE(Expr(RVar())), USE(Expr(RVar("r"))), USE(RVar() + 1), USE(RVar().extent() + 1)});
}

TEST(EmptyHandleErrors, ReductionDomains) {
  expect_all(Outcome::Fine,
             {USE(RDom().defined()), USE(RDom().dimensions()), USE(RDom().name()), USE(RDom().x)});
  expect_all(Outcome::Refused,
             {USE(RDom()[0]), USE(RDom(0, 4)[1]), USE(RDom(0, 4)[-1]), USE(RDom().where(x > 0)),
              USE(RDom(0, 4).where(Expr())), USE(RVar(RDom())), USE(Expr(RDom())),
              USE(Expr(RDom().x)), USE(RDom(Expr(), 4)), USE(RDom(0, Expr())),
              USE(RDom(Buffer<int>())), USE(RDom(ImageParam())),
              USE(RDom(std::vector<std::pair<Expr, Expr>>{})), USE(RDom(0, 1, 2))});
}

TEST(EmptyHandleErrors, Parameters) {
  expect_all(Outcome::Fine, {USE(Param<int>().name()), USE(Param<int>().type()),
                             USE(Expr(Param<int>())), USE(Param<int>().get()), USE(Param<int>("")),
                             USE(ImageParam().defined()), USE(ImageParam().dimensions())});
  expect_all(Outcome::Refused, {USE(ImageParam().name()),
                                USE(ImageParam().type()),
                                USE(ImageParam().dim(0).min()),
                                USE(ImageParam().dim(0).extent()),
                                USE(ImageParam().dim(0).max()),
                                USE(ImageParam().dim(0).stride()),
                                USE(ImageParam().left()),
                                USE(ImageParam().right()),
                                USE(ImageParam().top()),
                                USE(ImageParam().bottom()),
                                USE(ImageParam().width()),
                                USE(ImageParam().height()),
                                USE(ImageParam().channels()),
                                USE(ImageParam().set(Buffer<int>())),
                                USE(ImageParam().set(Buffer<int>(4))),
                                USE(ImageParam().get()),
                                USE(ImageParam().reset()),
                                USE(ImageParam().dim(0).set_min(0)),
                                USE(ImageParam(Int(32), 1).dim(0).set_min(Expr())),
                                USE(ImageParam(Int(32), 1).dim(1).set_extent(0)),
                                USE(ImageParam(Int(32), 1).dim(0).set_stride(Expr())),
                                USE(ImageParam(Int(32), 1).dim(0).set_bounds(0, Expr())),
                                USE(ImageParam().in()),
                                USE(ImageParam().in(defined())),
                                USE(ImageParam().in(std::vector<Func>{defined()})),
                                USE(ImageParam()(x)),
                                USE(ImageParam()()),
                                USE(ImageParam()(std::vector<Expr>{x})),
                                USE(Func(ImageParam())),
                                USE(ImageParam(Int(32), 1)(Expr())),
                                USE(ImageParam(Int(32), 1).dim(1).min()),
                                USE(ImageParam(Int(32), 1).dim(-1).min()),
                                USE(ImageParam(Int(32), 1)(x, y)),
                                USE(ImageParam(Int(32), -1)),
                                USE(ImageParam(Type(), 1))});
}

TEST(EmptyHandleErrors, Buffers) {
  expect_all(Outcome::Fine, {USE(Buffer<>().defined()),
                             USE(Buffer<int>().type()),
                             USE(Buffer<int>().dimensions()),
                             USE(Buffer<int>().name()),
                             USE(Buffer<int>().width()),
                             USE(Buffer<int>().height()),
                             USE(Buffer<int>().channels()),
                             USE(Buffer<int>().number_of_elements()),
                             USE(Buffer<int>().size_in_bytes()),
                             USE(Buffer<int>().contains({0})),
                             USE(Buffer<int>().owns_memory()),
                             USE(Buffer<int>().raw_data()),
                             USE(Buffer<int>().data()),
                             USE(Buffer<int>().begin()),
                             USE(Buffer<int>().same_as(Buffer<int>())),
                             USE(Buffer<float>(Buffer<int>())),
                             USE(Buffer<int>().as<float>()),
                             USE(Buffer<int>().copy()),
                             USE(Buffer<>().copy()),
                             USE(Buffer<int>().has_device_allocation()),
                             USE(Buffer<int>().host_dirty()),
                             USE(Buffer<int>().device_dirty())});
  expect_all(Outcome::Refused,
             {USE(Buffer<int>().set_name("b")),
              USE(Buffer<int>().set_host_dirty()),
              USE(Buffer<int>().set_device_dirty()),
              USE(Buffer<int>().copy_to_host()),
              USE(Buffer<int>().copy_to_device("emulated-nvptx-sm_90a")),
              USE(Buffer<int>().device_free()),
              USE(Buffer<int>().device_sync()),
              USE(Buffer<int>().device_data("emulated-nvptx-sm_90a")),
              USE(Buffer<int>(4).copy_to_device(Target())),
              USE(Stream(Target())),
              USE(Stream::wrap("emulated-nvptx-sm_90a", nullptr)),
              USE(dlpack::export_buffer(Buffer<>())),
              USE(Buffer<int>().dim(0)),
              USE(Buffer<int>().min(0)),
              USE(Buffer<int>().extent(0)),
              USE(Buffer<int>().max(0)),
              USE(Buffer<int>().stride(0)),
              USE(Buffer<int>().left()),
              USE(Buffer<int>().right()),
              USE(Buffer<int>().top()),
              USE(Buffer<int>().bottom()),
              USE(Buffer<int>().set_min(1)),
              USE(Buffer<int>().translate(0, 1)),
              USE(Buffer<int>().translate({1})),
              USE(Buffer<int>().crop(0, 0, 1)),
              USE(Buffer<int>().crop({{0, 1}})),
              USE(Buffer<int>().slice(0)),
              USE(Buffer<int>().slice(0, 0)),
              USE(Buffer<int>().transpose(0, 1)),
              USE(Buffer<int>().transpose({})),
              USE(Buffer<int>().add_dimension()),
              USE(Buffer<int>().embed(0, 0)),
              USE(Buffer<int>().translated(0, 1)),
              USE(Buffer<int>().translated({1})),
              USE(Buffer<int>().cropped(0, 0, 1)),
              USE(Buffer<int>().cropped({})),
              USE(Buffer<int>().sliced(0)),
              USE(Buffer<int>().sliced(0, 0)),
              USE(Buffer<int>().transposed(0, 1)),
              USE(Buffer<int>().transposed({})),
              USE(Buffer<int>().embedded(0)),
              USE(Buffer<int>()()),
              USE(Buffer<int>()(0)),
              USE(Buffer<int>()(0, 0)),
              USE(Buffer<int>()(x)),
              USE(Buffer<>()(x)),
              USE(Buffer<>()(std::vector<Expr>{})),
              USE(Buffer<int>().access({})),
              USE(Buffer<int>().fill(1)),
              USE(Buffer<int>().all_equal(1)),
              USE(Buffer<int>().for_each_value([](int) {})),
              USE(Buffer<int>().for_each_element([](int) {})),
              USE(Buffer<int>().for_each_value([](int, int) {}, Buffer<int>(1))),
              USE(Buffer<int>(1).for_each_value([](int, int) {}, Buffer<int>())),
              USE(Buffer<int>(2).for_each_value([](int, int) {}, Buffer<int>(1))),
              USE(Buffer<int>(2).for_each_value([](int, int) {}, Buffer<int>(2, 2))),
              USE(Buffer<int>().copy_from(Buffer<int>(1))),
              USE(Buffer<int>(1).copy_from(Buffer<int>())),
              USE(Buffer<>().copy_from(Buffer<>())),
              USE(Buffer<>::make_with_shape_of(Buffer<int>())),
              USE(Buffer<int>::make_with_shape_of(Buffer<>())),
              USE(Buffer<>(Type(), std::vector<int>{3})),
              USE(Buffer<>::make_scalar(Type())),
              USE(Buffer<int>(-1)),
              USE(Buffer<int>(static_cast<int*>(nullptr), -1)),
              USE(Buffer<int>(4).sliced(1)),
              USE(Buffer<int>(4).embedded(2)),
              USE(Buffer<int>(4).for_each_element([](int, int) {})),
              USE(Buffer<int, 2>(4)),
              USE(Buffer<int, 2>(Buffer<int>(4))),
              USE(Buffer<float>(Buffer<int>(4)))});
}

TEST(EmptyHandleErrors, BoundaryConditionsOfNothing) {
  using namespace BoundaryConditions;
  expect_all(
      Outcome::Refused,
      {USE(repeat_edge(Func())), USE(repeat_edge(Func(), 0, 4)), USE(repeat_edge(defined())),
       USE(repeat_edge(defined(), 0, Expr(), 1)), USE(repeat_edge(ImageParam())),
       USE(repeat_edge(Buffer<int>())), USE(repeat_image(Func())), USE(mirror_image(ImageParam())),
       USE(mirror_interior(Buffer<int>())), USE(constant_exterior(Func(), 0)),
       USE(constant_exterior(ImageParam(Int(32), 1), Expr())),
       USE(constant_exterior(ImageParam(Int(32), 1), Tuple()))});
}

TEST(EmptyHandleErrors, TypesAndTargets) {
  expect_all(Outcome::Fine,
             {USE(Type().bytes()), USE(to_string(Type())), USE(Target().to_string()),
              USE(Schedule()), USE(Func(std::vector<Type>{}, 1)), USE(Func(Int(32), -1))});
  expect_all(Outcome::Refused,
             {USE(Target("")), USE(Func(Type(), 1)), USE(Func({Int(32), Type()}, 1))});
}

}  // namespace
}  // namespace sinter::test
