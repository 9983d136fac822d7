#include "tests/gpu/gpu_test.h"

#include <cstdlib>
#include <regex>
#include <sstream>

#include "backends/driver/compile_pipeline.h"
#include "dsl/lowering/passes.h"
#include "tests/unit/lowering/harness.h"

namespace sinter::test {

Target gpu_target() {
  const char* named = std::getenv("SINTER_TEST_TARGET");
  return Target(named ? named : "emulated-nvptx-sm_90a");
}

ImageParam random_image(Type type, const std::vector<int>& sizes, const std::string& name) {
  ImageParam image(type, static_cast<int>(sizes.size()), name);
  image.set(random_buffer(type, sizes, std::vector<int>(sizes.size(), 0), 17));
  return image;
}

namespace {

/// The bytes, all NaNs made one: which NaN comes out is not specified.
std::string bits_of(const Buffer<>& b) {
  std::string bytes = bytes_of(b);
  const Type t = b.type();
  if (!t.is_float()) return bytes;
  const int mantissa = t.kind == TypeKind::BFloat ? 7 : t.bits == 16 ? 10 : t.bits == 32 ? 23 : 52;
  for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(t.bytes())) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, static_cast<std::size_t>(t.bytes()));
    const std::uint64_t infinity = ((std::uint64_t{1} << (t.bits - 1 - mantissa)) - 1) << mantissa;
    const std::uint64_t magnitude = bits & ((std::uint64_t{1} << (t.bits - 1)) - 1);
    if (magnitude <= infinity) continue;
    bits = infinity + 1;
    std::memcpy(bytes.data() + at, &bits, static_cast<std::size_t>(t.bytes()));
  }
  return bytes;
}

}  // namespace

void expect_right_on_gpu(const std::vector<Func>& outputs, const std::vector<int>& sizes,
                         const std::vector<ImageParam>& inputs, int min, int row_alignment) {
  const auto scheduled = driver::resolve_pipeline(outputs, Schedule::of(outputs));
  Inputs given;
  for (const ImageParam& image : inputs) given.images.emplace_back(image, image.get());
  const std::vector<Buffer<>> expected = make_outputs(outputs, sizes, min),
                              got = make_outputs(outputs, sizes, min);
  evaluate(scheduled.algorithm, test::bind(scheduled.algorithm, given, expected));
  driver::CompileOptions options;
  options.verify = true;
  options.listings = true;
  options.alignment = row_alignment > 0 ? 16 : 0;
  options.input_rows = options.output_rows = row_alignment;
  const driver::Compiled compiled = driver::compile_pipeline(scheduled, gpu_target(), options);
  ASSERT_FALSE(compiled.code.kernel_calls.empty()) << "nothing runs on the GPU:\n"
                                                   << ir::print(compiled.module);
  try {
    compiled.executable->launch(test::bind(scheduled.algorithm, given, got), nullptr);
  } catch (const Error& e) {
    FAIL() << e.what() << "\n" << ir::print(compiled.module) << compiled.code.listings.at("asm");
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(bits_of(got[i]), bits_of(expected[i])) << "output " << i << " differs:\n"
                                                     << ir::print(compiled.module);
  }
}

std::string gpu_refusal(const std::vector<Func>& outputs) {
  try {
    driver::compile_pipeline(driver::resolve_pipeline(outputs, Schedule::of(outputs)),
                             Target("nvptx-sm_90a"));
  } catch (const DeviceError&) {  // no such device here
  } catch (const Error& e) {
    const Diagnostic& d = e.diagnostic();
    EXPECT_FALSE(d.remedy.empty()) << d.reason;
    return d.stage + ": " + d.directive + ": " + d.reason;
  }
  return "";
}

int count_lines(const std::vector<Func>& outputs, const std::string& word) {
  const auto scheduled = driver::resolve_pipeline(outputs, Schedule::of(outputs));
  std::istringstream text(ir::print(lowering::lower(scheduled)));
  int count = 0;
  for (std::string line; std::getline(text, line);) count += line.find(word) != std::string::npos;
  return count;
}

int count_ptx(const std::vector<Func>& outputs, const std::string& pattern, int row_alignment) {
  const Target target("nvptx-sm_90a");
  lowering::LowerOptions options;
  options.alignment = row_alignment > 0 ? 16 : 0;
  options.input_rows = options.output_rows = row_alignment;
  const ir::Module module =
      lowering::lower(driver::resolve_pipeline(outputs, Schedule::of(outputs)), options);
  const std::string text =
      backends::backend_for(target).compile(module, target, {}).kernels.at(0).variants.at(0).bytes;
  const std::regex wanted(pattern);
  return static_cast<int>(std::distance(std::sregex_iterator(text.begin(), text.end(), wanted),
                                        std::sregex_iterator()));
}

}  // namespace sinter::test
