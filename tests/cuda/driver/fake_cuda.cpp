// A stand-in for libcuda: the functions that Sinter opens, on the emulator. Streams run at once;
// everything is written down, and any call can be made to fail.
#include "tests/cuda/driver/fake_cuda.h"

#include <cstring>
#include <functional>
#include <memory>
#include <mutex>

#include "backends/emulator/launch.h"

extern "C" bool fake_cuda_sleeps;

namespace {

using sinter::emulator::Launch;
using sinter::emulator::Memory;
using sinter::emulator::PtxModule;
using sinter::test::FakeCuda;

constexpr int OutOfMemory = 2, NoDevice = 100, InvalidImage = 200, InvalidPtx = 218, NotFound = 500;

struct Stream {
  bool capturing = false;
  std::vector<std::function<int()>> captured;
};
struct Graph {
  std::vector<std::function<int()>> work;
};
struct Module {
  std::shared_ptr<PtxModule> ptx;
};
struct Function {
  std::shared_ptr<PtxModule> ptx;
  std::string name;
  int dynamic_shared = 48 * 1024;
};

// Never torn down: buffers may outlive main(), as with the driver itself.
FakeCuda& state = *new FakeCuda;
Memory& memory = *new Memory;
std::recursive_mutex& mutex = *new std::recursive_mutex;
auto& functions = *new std::vector<std::unique_ptr<Function>>;
int context;  // its address stands for the primary context

/// Writes the call down, and says how it ends before it does anything.
int enter(const char* name) {
  if (fake_cuda_sleeps) return 0;
  state.calls.emplace_back(name);
  if (const auto planned = state.failures.find(name); planned != state.failures.end()) {
    const int result = planned->second;
    state.failures.erase(planned);
    return result;
  }
  return state.lost;
}

#define ENTER                        \
  const std::lock_guard lock(mutex); \
  if (const int failed = enter(__func__); failed != 0) return failed

}  // namespace

extern "C" {

FakeCuda* fake_cuda() { return &state; }
/// For measuring: nothing is written down, and kernels do not run.
bool fake_cuda_sleeps = false;

int cuInit(unsigned) {
  ENTER;
  return state.devices == 0 ? NoDevice : 0;
}
int cuDriverGetVersion(int* version) {
  ENTER;
  *version = state.version;
  return 0;
}
int cuGetErrorName(int error, const char** name) {
  *name = error == OutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == 700       ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                               : "CUDA_ERROR_OF_THE_TEST";
  return 0;
}
int cuGetErrorString(int, const char** text) {
  *text = "as the test planned";
  return 0;
}
int cuDeviceGetCount(int* count) {
  ENTER;
  *count = state.devices;
  return 0;
}
int cuDeviceGet(int* device, int ordinal) {
  ENTER;
  *device = ordinal;
  return 0;
}
int cuDeviceGetName(char* name, int bytes, int) {
  ENTER;
  std::strncpy(name, "Fake GPU", static_cast<std::size_t>(bytes));
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  ENTER;
  *value = attribute == 75   ? state.capability / 10
           : attribute == 76 ? state.capability % 10
           : attribute == 97 ? state.most_shared
                             : 4;
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  ENTER;
  *bytes = state.memory;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** made, int) {
  ENTER;
  *made = &context;
  return 0;
}
int cuCtxSetCurrent(void*) { return 0; }
int cuCtxSynchronize() {
  ENTER;
  return 0;
}
int cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  ENTER;
  if (state.allocated + bytes > state.memory) return OutOfMemory;
  *address = memory.allocate(bytes, "device memory");
  state.allocated += bytes;
  ++state.live_allocations;
  return 0;
}
int cuMemFree_v2(std::uint64_t address) {
  ENTER;
  state.allocated -= memory.find(address)->size;
  memory.free(address);
  --state.live_allocations;
  return 0;
}
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *free = state.memory - state.allocated;
  *total = state.memory;
  return 0;
}
int cuPointerGetAttributes(unsigned count, int* attributes, void** values, std::uint64_t address) {
  ENTER;
  const sinter::emulator::Allocation* found = memory.find(address);
  for (unsigned i = 0; i < count; ++i) {
    if (attributes[i] == 2) *static_cast<unsigned*>(values[i]) = found ? 2 : 0;
    if (attributes[i] == 9)
      *static_cast<int*>(values[i]) = found && found->name == "of device 1" ? 1 : 0;
    if (attributes[i] == 11) *static_cast<std::uint64_t*>(values[i]) = found ? found->address : 0;
    if (attributes[i] == 12) *static_cast<std::size_t*>(values[i]) = found ? found->size : 0;
  }
  return 0;
}
/// Memory of another device of the same machine.
std::uint64_t fake_memory_of_device_1(std::size_t bytes) {
  return memory.allocate(bytes, "of device 1");
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, Stream*) {
  ENTER;
  memory.write(to, {static_cast<const std::byte*>(from), bytes});
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, Stream*) {
  ENTER;
  static_cast<void>(memory.read(from, {static_cast<std::byte*>(to), bytes}));
  return 0;
}
int cuMemHostAlloc(void** made, std::size_t bytes, unsigned) {
  ENTER;
  *made = ::operator new(bytes);
  return 0;
}
int cuMemFreeHost(void* p) {
  ENTER;
  ::operator delete(p);
  return 0;
}
int cuStreamCreate(Stream** made, unsigned) {
  ENTER;
  *made = new Stream;
  ++state.live_streams;
  return 0;
}
int cuStreamDestroy_v2(Stream* stream) {
  ENTER;
  delete stream;
  --state.live_streams;
  return 0;
}
int cuStreamGetCtx(Stream*, void** of) {
  ENTER;
  *of = &context;
  return 0;
}
int cuStreamSynchronize(Stream*) {
  ENTER;
  return 0;
}
int cuStreamWaitEvent(Stream*, void*, unsigned) {
  ENTER;
  return 0;
}
int cuStreamBeginCapture_v2(Stream* stream, int) {
  ENTER;
  stream->capturing = true;
  return 0;
}
int cuStreamEndCapture(Stream* stream, Graph** made) {
  ENTER;
  stream->capturing = false;
  *made = new Graph{std::move(stream->captured)};
  stream->captured.clear();
  ++state.live_graphs;
  return 0;
}
int cuGraphInstantiateWithFlags(Graph** made, Graph* graph, unsigned long long) {
  ENTER;
  *made = new Graph(*graph);
  ++state.live_graphs;
  return 0;
}
int cuGraphLaunch(Graph* graph, Stream*) {
  ENTER;
  if (fake_cuda_sleeps) return 0;
  for (const auto& work : graph->work) {
    if (const int r = work(); r != 0) return r;
  }
  return 0;
}
int cuGraphExecDestroy(Graph* graph) {
  ENTER;
  delete graph;
  --state.live_graphs;
  return 0;
}
int cuGraphDestroy(Graph* graph) {
  ENTER;
  delete graph;
  --state.live_graphs;
  return 0;
}
int cuModuleLoadDataEx(Module** made, const void* data, unsigned count, int* options,
                       void** values) {
  ENTER;
  const char* text = static_cast<const char*>(data);
  if (std::strncmp(text, "\177ELF", 4) == 0) return InvalidImage;  // this device runs PTX only
  try {
    *made = new Module{std::make_shared<PtxModule>(PtxModule::parse(text))};
  } catch (const std::exception& e) {
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == 5) std::strncpy(static_cast<char*>(values[i]), e.what(), 1000);
    }
    return InvalidPtx;
  }
  ++state.live_modules;
  return 0;
}
int cuModuleUnload(Module* module) {
  ENTER;
  delete module;
  --state.live_modules;
  return 0;
}
int cuModuleGetFunction(Function** made, Module* module, const char* name) {
  ENTER;
  for (const auto& kernel : module->ptx->kernels()) {
    if (kernel.name != name) continue;
    *made = functions.emplace_back(std::make_unique<Function>(Function{module->ptx, name})).get();
    return 0;
  }
  return NotFound;
}
int cuFuncGetAttribute(int* value, int attribute, Function*) {
  ENTER;
  *value = attribute == 0 ? state.most_threads : attribute == 4 ? 40 : 0;
  return 0;
}
int cuFuncSetAttribute(Function* function, int attribute, int value) {
  ENTER;
  if (attribute != 8 || value > state.most_shared) return 1;
  function->dynamic_shared = value;
  return 0;
}
int cuLaunchKernel(Function* function, unsigned bx, unsigned by, unsigned bz, unsigned tx,
                   unsigned ty, unsigned tz, unsigned shared, Stream* stream, void** parameters,
                   void**) {
  if (fake_cuda_sleeps) return 0;
  ENTER;
  if (shared > static_cast<unsigned>(function->dynamic_shared)) return 1;
  Launch launch;
  launch.kernel = function->name;
  launch.grid = {bx, by, bz};
  launch.block = {tx, ty, tz};
  launch.dynamic_shared = shared;
  for (const auto& kernel : function->ptx->kernels()) {
    if (kernel.name != function->name) continue;
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      sinter::emulator::append_parameter(launch.parameters,
                                         *static_cast<std::uint64_t*>(parameters[i]));
    }
  }
  const auto work = [ptx = function->ptx, launch] {
    if (run(*ptx, launch, memory).clean()) return 0;
    return state.lost = 700;
  };
  if (!stream->capturing) return work();
  stream->captured.push_back(work);
  return 0;
}
int cuEventCreate(int** made, unsigned) {
  ENTER;
  *made = new int;
  ++state.live_events;
  return 0;
}
int cuEventRecord(int*, Stream*) {
  ENTER;
  return 0;
}
int cuEventSynchronize(int*) {
  ENTER;
  return 0;
}
int cuEventElapsedTime(float* ms, int*, int*) {
  ENTER;
  *ms = 0;
  return 0;
}
int cuEventDestroy_v2(int* event) {
  ENTER;
  delete event;
  --state.live_events;
  return 0;
}

}  // extern "C"
