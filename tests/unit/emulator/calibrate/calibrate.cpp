// Runs the table of instructions on a GPU, through the CUDA driver found at run time, and writes
// the results that the unit test replays on the emulator: calibrate_emulator OUTPUT

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "tests/unit/emulator/instruction_cases.h"

namespace {

using namespace sinter::emulator::tests;

// The part of the driver's interface that is used here.
struct Driver {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  template <class F>
  F find(const char* name) {
    void* symbol = library ? dlsym(library, name) : nullptr;
    if (!symbol) {
      std::fprintf(stderr, "no CUDA driver: %s is missing\n", name);
      std::exit(1);
    }
    return reinterpret_cast<F>(symbol);
  }
};

void check(int code, const std::string& what) {
  if (code == 0) return;
  std::fprintf(stderr, "%s: error %d of the driver\n", what.c_str(), code);
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s OUTPUT\n", argv[0]);
    return 2;
  }
  Driver d;
  using Address = unsigned long long;
  const auto init = d.find<int (*)(unsigned)>("cuInit");
  const auto get_device = d.find<int (*)(int*, int)>("cuDeviceGet");
  const auto device_name = d.find<int (*)(char*, int, int)>("cuDeviceGetName");
  const auto retain = d.find<int (*)(void**, int)>("cuDevicePrimaryCtxRetain");
  const auto set_current = d.find<int (*)(void*)>("cuCtxSetCurrent");
  const auto load = d.find<int (*)(void**, const void*)>("cuModuleLoadData");
  const auto get_function = d.find<int (*)(void**, void*, const char*)>("cuModuleGetFunction");
  const auto allocate = d.find<int (*)(Address*, std::size_t)>("cuMemAlloc_v2");
  const auto to_device = d.find<int (*)(Address, const void*, std::size_t)>("cuMemcpyHtoD_v2");
  const auto to_host = d.find<int (*)(void*, Address, std::size_t)>("cuMemcpyDtoH_v2");
  const auto launch = d.find<int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned,
                                     unsigned, unsigned, void*, void**, void**)>("cuLaunchKernel");
  int device = 0;
  void* context = nullptr;
  char name[128] = {};
  check(init(0), "cuInit");
  check(get_device(&device, 0), "cuDeviceGet");
  check(device_name(name, sizeof name, device), "cuDeviceGetName");
  check(retain(&context, device), "cuDevicePrimaryCtxRetain");
  check(set_current(context), "cuCtxSetCurrent");

  std::ofstream out(argv[1]);
  out << "# recorded on: " << name << "\n";
  Address places[4];
  for (Address& place : places) check(allocate(&place, GoldenCount * 8), "cuMemAlloc");
  for (const InstructionCase& one : instruction_cases()) {
    const auto operands = operands_of(one, GoldenCount);
    void* module = nullptr;
    void* function = nullptr;
    const std::string text = PtxHeader + kernel_of(one, "k");
    check(load(&module, text.c_str()), one.text);
    check(get_function(&function, module, "k"), one.text);
    std::vector<void*> arguments;
    for (std::size_t o = 0; o <= one.operands.size(); ++o) arguments.push_back(&places[o]);
    for (std::size_t o = 0; o < one.operands.size(); ++o) {
      const unsigned width = width_of(one.operands[o]);
      std::vector<unsigned char> bytes(GoldenCount * width);
      for (std::size_t i = 0; i < GoldenCount; ++i) {
        std::memcpy(&bytes[i * width], &operands[i][o], width);
      }
      check(to_device(places[o], bytes.data(), bytes.size()), one.text);
    }
    check(launch(function, GoldenCount / 64, 1, 1, 64, 1, 1, 0, nullptr, arguments.data(), nullptr),
          one.text);
    const unsigned width = width_of(one.result);
    std::vector<unsigned char> bytes(GoldenCount * width);
    check(to_host(bytes.data(), places[one.operands.size()], bytes.size()), one.text);
    out << one.text << "\n";
    for (std::size_t i = 0; i < GoldenCount; ++i) {
      std::uint64_t value = 0;
      std::memcpy(&value, &bytes[i * width], width);
      out << std::hex << value << (i + 1 < GoldenCount ? " " : "\n");
    }
  }
  return out.good() ? 0 : 1;
}
