// One kernel from end to end.

#include <gtest/gtest.h>

#include "tests/unit/emulator/harness.h"

namespace sinter::emulator::tests {
namespace {

TEST(Emulator, AddsVectors) {
  const std::string text = kernel_text(3, R"(
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    setp.ge.s32 %p1, %r4, 1000;
    @%p1 bra DONE;
    mul.wide.s32 %rd1, %r4, 4;
    add.s64 %rd2, %rd100, %rd1;
    add.s64 %rd3, %rd101, %rd1;
    add.s64 %rd4, %rd102, %rd1;
    ld.global.nc.f32 %f1, [%rd2];
    ld.global.nc.f32 %f2, [%rd3];
    add.rn.f32 %f3, %f1, %f2;
    st.global.f32 [%rd4], %f3;
DONE:
)");
  Device device;
  std::vector<float> a(1000), b(1000);
  for (int i = 0; i < 1000; ++i) {
    a[static_cast<std::size_t>(i)] = static_cast<float>(i);
    b[static_cast<std::size_t>(i)] = static_cast<float>(i * i);
  }
  const std::uint64_t out = device.memory.allocate(4000, "out");
  const Report report =
      device.launch(text, {8}, {128}, {device.upload(a, "a"), device.upload(b, "b"), out});
  EXPECT_TRUE(report.clean()) << to_string(report);
  const std::vector<float> result = device.download<float>(out, 1000);
  EXPECT_TRUE(device.read_faults.empty());
  for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(result[i], a[i] + b[i]);
}

}  // namespace
}  // namespace sinter::emulator::tests
