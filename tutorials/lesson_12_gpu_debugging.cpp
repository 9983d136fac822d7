// Lesson 12: running and debugging a GPU schedule on the emulator. The page beside this file
// explains it.

#include <cstdio>
#include <functional>
#include <regex>
#include <string>

#include <sinter/sinter.h>

using namespace sinter;

namespace {

const Target gpu("emulated-nvptx-sm_90a");
const Var x("x"), xo("xo"), xi("xi");
int refusals = 0;

void refused(const char* title, const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    ++refusals;
    const Diagnostic& d = error.diagnostic();
    std::printf("%s\n  stage '%s', %s: %s\n  remedy: %s\n", title, d.stage.c_str(),
                d.directive.c_str(), d.reason.c_str(), d.remedy.c_str());
  }
}

/// Line numbers of the PTX, addresses and counts change with the compiler, folders with the
/// machine.
std::string without_numbers_of_the_day(const std::string& report) {
  const std::string lines =
      std::regex_replace(report, std::regex("PTX line [0-9]+"), "PTX line ..");
  const std::string files =
      std::regex_replace(lines, std::regex("[^ ]*/(lesson_12_gpu_debugging.cpp)"), "$1");
  const std::string places = std::regex_replace(files, std::regex("0x[0-9a-f]+"), "0x..");
  return places.substr(0, places.find("\ncompleted after"));
}

const char* newer_side(const Buffer<int>& b) {
  return b.device_dirty() ? "the device's" : b.host_dirty() ? "the host's" : "both are current";
}

}  // namespace

int main() {
  // --- Wrong schedules are refused before anything runs.
  refused("a step needs the one before:", [] {
    RDom r(1, 99, "r");
    Func running("running");
    running(x) = x;
    running(r) += running(r - 1);
    running.update().gpu_blocks(r);
    running.realize({100}, gpu);
  });
  refused("threads without a block around them:", [] {
    Func f("f");
    f(x) = x * x;
    f.bound_extent(x, 64).gpu_threads(x);
    f.realize({64}, gpu);
  });
  refused("more elements in registers than the thread's own:", [] {
    Func f("f"), g("g");
    f(x) = x * x;
    g(x) = f(x) + f(x + 40);
    g.gpu_tile(x, xo, xi, 64);
    f.compute_at(g, xo).store_in(MemoryType::Register).gpu_threads(x);
    g.realize({128}, gpu);
  });

  // --- A false promise cannot be refused: nobody knows the data. The emulator sees every access.
  Buffer<int> table(256), places(64);
  table.for_each_element([&](int i) { table(i) = i * i; });
  places.for_each_element([&](int i) { places(i) = i; });
  Func look_up("look_up");
  look_up(x) = table(unsafe_promise_clamped(places(x), 0, 255));
  look_up.gpu_tile(x, xo, xi, 32);
  look_up.realize({64}, gpu);
  places(40) = 300;
  bool found = false;
  try {
    look_up.realize({64}, gpu);
  } catch (const DeviceError& error) {
    found = true;
    std::printf("\n%s\n", without_numbers_of_the_day(error.diagnostic().reason).c_str());
  }

  // --- Results stay on the device until somebody looks.
  ImageParam in(Int(32), 1, "in");
  Func twice("twice");
  twice(x) = in(x) * 2;
  twice.gpu_tile(x, xo, xi, 32);
  Buffer<int> a(64), b(64);
  a.fill(3);
  in.set(a);
  std::printf("\nnewer before the call: %s\n", newer_side(b));
  twice.realize(b, gpu);
  std::printf("after it: %s\n", newer_side(b));
  const int seen = b.as<const int>()(7);
  std::printf("after a look: %s\n", newer_side(b));
  b(7) = seen + 1;
  std::printf("after a change: %s\n", newer_side(b));

  // --- On a stream, calls are enqueued one after the other; the result of one feeds the next.
  const Stream stream(gpu);
  Buffer<int> c(64);
  in.set(b);
  Pipeline(twice).realize(c, stream);
  in.set(c);
  Pipeline(twice).realize(a, stream);
  stream.synchronize();
  std::printf("(3 * 2 + 1) * 4 = %d\n", a(7));
  return refusals == 3 && found && a(7) == 28 ? 0 : 1;
}
