// Calls that must not compile; CMake compiles this file once per CASE and matches what is said.

#include "tests/unit/signature/brighten.h"

void wrong_call(sinter::Typed<sinter::tests::Brighten>& brighten) {
  sinter::Buffer<float, 2> floats(3, 4);
  sinter::Buffer<float, 3> volume(3, 4, 5);
  sinter::Buffer<std::uint8_t, 2> bytes(3, 4);
  const sinter::Buffer<const float, 2> constant(floats);
#if CASE == 0
  call(brighten, floats, 2.0f,
       floats);  // right: shows that the other cases fail for their own reason
#elif CASE == 1
  call(brighten, bytes, 2.0f, floats);
#elif CASE == 2
  call(brighten, floats, 2.0f, volume);
#elif CASE == 3
  call(brighten, floats, 2, floats);
#elif CASE == 4
  call(brighten, floats, floats, floats);
#elif CASE == 5
  call(brighten, floats, 2.0f);
#elif CASE == 6
  call(brighten, floats, 2.0f, constant);
#elif CASE == 7
  call(brighten, 1.0f, 2.0f, floats);
#endif
}
