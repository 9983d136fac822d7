// Typed pipelines: names, the registry's entry, calls, and outputs that contradict their
// declaration.

#include <string>

#include <gtest/gtest.h>

#include "tests/unit/signature/brighten.h"

namespace sinter::tests {
namespace {

struct Broken {
  BOOST_HANA_DEFINE_STRUCT(Broken, (Input<float, 2>, in), (Output<std::uint8_t, 2>, out));
  Var x{"x"}, y{"y"};
  void algorithm() { out(x, y) = in(x, y); }
};

struct Undefined {
  BOOST_HANA_DEFINE_STRUCT(Undefined, (Input<float, 2>, in), (Output<float, 2>, out));
  void algorithm() {}
};

template <typename P>
std::string refusal() {
  try {
    Typed<P> typed;
  } catch (const AlgorithmError& error) {
    return error.diagnostic().stage + ": " + error.diagnostic().reason;
  }
  return "accepted";
}

TEST(Signature, FieldsBearTheirDeclaredNames) {
  Typed<Brighten> brighten;
  EXPECT_EQ(brighten->in.name(), "in");
  EXPECT_EQ(brighten->by.name(), "by");
  EXPECT_EQ(brighten->out.name(), "out");
}

TEST(Signature, RegistryEntryListsFieldsInOrder) {
  Registry registry;
  registry.add<Brighten>();
  const RegisteredPipeline* entry = registry.find("brighten");
  ASSERT_NE(entry, nullptr);
  ASSERT_EQ(entry->fields.size(), 3u);
  EXPECT_EQ(entry->fields[0].name, "in");
  EXPECT_EQ(entry->fields[0].kind, FieldKind::Input);
  EXPECT_EQ(entry->fields[0].type, Float(32));
  EXPECT_EQ(entry->fields[0].rank, 2);
  EXPECT_EQ(entry->fields[1].name, "by");
  EXPECT_EQ(entry->fields[1].kind, FieldKind::Parameter);
  EXPECT_EQ(entry->fields[2].name, "out");
  EXPECT_EQ(entry->fields[2].kind, FieldKind::Output);
  EXPECT_EQ(registry.find("darken"), nullptr);
  EXPECT_EQ(entry->find("none"), nullptr);
}

TEST(Signature, ASecondPipelineOfOneNameIsRefused) {
  Registry registry;
  registry.add<Brighten>();
  EXPECT_THROW(registry.add<Brighten>(), AlgorithmError);
}

TEST(Signature, AnOutputOfAnotherTypeIsNamed) {
  EXPECT_EQ(refusal<Broken>(), "out: its value is f32, and the Func is u8");
  EXPECT_EQ(refusal<Undefined>(),
            "out: output 'out' is declared but algorithm() does not define it");
}

TEST(Signature, CallComputes) {
  Typed<Brighten> brighten;
  Buffer<float, 2> in(40, 30), out(40, 30);
  in.for_each_element([&](int x, int y) { in(x, y) = float(x + 100 * y); });
  call(brighten, in, 3.0f, out);
  EXPECT_EQ(out(7, 11), 3.0f * (7 + 1100));
  EXPECT_EQ(out(39, 29), 3.0f * (39 + 2900));
}

TEST(Signature, ErasedProgramTakesFieldsByName) {
  Registry registry;
  registry.add<Brighten>();
  const std::unique_ptr<Program> program = registry.find("brighten")->make();
  program->set_parameter("by", 0.5);
  program->set_input("in", Buffer<float, 2>(4, 4));
  EXPECT_THROW(program->set_parameter("in", 1.0), RuntimeError);
  EXPECT_THROW(program->set_input("by", Buffer<float, 2>(4, 4)), RuntimeError);
}

}  // namespace
}  // namespace sinter::tests
