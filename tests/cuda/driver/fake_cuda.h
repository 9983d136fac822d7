#pragma once
// What tests set and see of the stand-in for libcuda.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sinter::test {

struct FakeCuda {
  std::vector<std::string> calls;       ///< names of the driver's functions, in order
  std::map<std::string, int> failures;  ///< function: the error that its next call gives
  int version = 12040, devices = 1;
  int capability = 90;
  int most_threads = 1024, most_shared = 232448;
  std::uint64_t memory = std::uint64_t{1} << 30;  ///< bytes of the device
  std::uint64_t allocated = 0;
  int live_allocations = 0, live_streams = 0, live_events = 0, live_modules = 0, live_graphs = 0;
  int lost = 0;  ///< not 0: a kernel faulted, and every call gives this error
};

/// The state of the library; also exported as "fake_cuda".
using FakeCudaState = FakeCuda* (*)();

}  // namespace sinter::test
