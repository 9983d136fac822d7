#include "backends/emulator/ptx/fused.h"

#include "backends/emulator/ptx/lanes.h"

namespace sinter::emulator::ptx {

#if defined(__x86_64__)

namespace {
template <class T>
__attribute__((target("avx2,fma"))) void fused(std::byte* registers, const Instruction& i,
                                               LaneMask mask) {
  const auto* a = lanes_of<T>(registers, i.source[0]);
  const auto* b = lanes_of<T>(registers, i.source[1]);
  const auto* c = lanes_of<T>(registers, i.source[2]);
  auto* result = lanes_of<T>(registers, i.destination);
  const auto one = [](T x, T y, T z) __attribute__((target("avx2,fma"), always_inline)) {
    if constexpr (sizeof(T) == 4) return __builtin_fmaf(x, y, z);
    else return __builtin_fma(x, y, z);
  };
  if (mask == ~LaneMask{0}) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (unsigned lane = 0; lane < Lanes; ++lane) result[lane] = one(a[lane], b[lane], c[lane]);
  } else {
    for (unsigned lane = 0; lane < Lanes; ++lane) {
      if (mask >> lane & 1) result[lane] = one(a[lane], b[lane], c[lane]);
    }
  }
}
}  // namespace

Handler fused_handler(Type type) {
  if (!__builtin_cpu_supports("fma") || !__builtin_cpu_supports("avx2")) return nullptr;
  return type == Type::F32 ? &fused<float> : type == Type::F64 ? &fused<double> : nullptr;
}

#else

Handler fused_handler(Type) { return nullptr; }

#endif

}  // namespace sinter::emulator::ptx
