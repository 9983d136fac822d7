#pragma once
// What a backend is: ir::Module -> CompiledModule -> Device::load -> Executable. Backends know
// machines and nothing of the front end. Host is one, a fake device in the tests another.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dsl/ir/module.h"
#include "dsl/ir/interpret.h"
#include <sinter/target.h>

namespace sinter {
struct BufferMemory;
}

namespace sinter::backends {

/// Bytes of one kernel (or of the host function) for one architecture, and its listings.
struct Variant {
  std::string architecture;
  std::string bytes;
};
struct Kernel {
  std::string name;
  std::vector<Variant> variants;  // the loader takes the best one the device can run
};
/// What a kernel needs of a multiprocessor, as its assembler reports; all 0: not known before
/// loading.
struct KernelResources {
  int registers = 0;                                 // of each thread
  int spill_stores = 0, spill_loads = 0, stack = 0;  // bytes of each thread
  int shared = 0;  // bytes of each block, those asked for at the launch left out
};
/// A stage in the shared memory that a kernel asks for.
struct SharedStage {
  std::string name;
  std::uint64_t offset = 0, bytes = 0;
};
/// How a kernel of a module for a GPU is launched.
struct KernelCall {
  std::string name;
  std::uint64_t shared_bytes = 0;  // of each block, asked for at the launch
  std::int64_t threads = 0;        // of each block
  std::size_t parameters = 0;      // 8 bytes each
  KernelResources resources = {};
  std::optional<ir::Source> source = {};  // the definition that it computes
  std::vector<SharedStage> shared_stages = {};
};
/// The third noun: immutable, may be loaded many times.
struct CompiledModule {
  std::string name;
  Target target;
  std::vector<ir::Argument> arguments;  // of the module, in order
  std::vector<Kernel> kernels;          // host: one, the entry; GPUs: one, the text of all kernels
  std::vector<KernelCall>
      kernel_calls;  // GPUs: the kernels in the order that the host's code counts them in
  std::vector<bool> used_by_host;  // GPUs: the arguments whose elements the host's code touches
  std::string host_object;         // GPUs: the host's code around them
  ir::Sources sources;             // of the ir::Module
  std::map<std::string, std::string> listings;  // "llvm", "asm", ...: filled when asked for
  double lower_ms = 0, optimize_ms = 0, codegen_ms = 0;
};

/// An ordered queue of work on a device; the host's runs at once. Held by shared_ptr.
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  virtual ~Stream() = default;
  virtual void synchronize() = 0;
  /// What is enqueued here from now on starts after what `other` holds now. Waits for nothing
  /// itself.
  virtual void wait_for(Stream& other) { other.synchronize(); }
  /// The driver's name for it.
  virtual void* handle() const { return nullptr; }
  /// Nobody enqueues here any more, and the device's main stream waits for what it holds.
  virtual void retire() { retired = true; }
  std::atomic<bool> retired{false};
};

/// An argument of one call: a buffer, as ir::BufferView describes it, or a scalar. Borrows both.
struct CallArgument {
  Type type;
  void* host = nullptr;
  std::span<const ir::BufferView::Dimension> dimensions = {};
  const ir::Scalar* scalar = nullptr;  // null: a buffer
  BufferMemory* memory = nullptr;      // the buffer's; null: known by its host address only
};

/// A call made ready to be repeated; it holds what it needs but the memory of its arguments.
class Recording {
 public:
  virtual ~Recording() = default;
  virtual void replay(Stream&) = 0;
};

/// Loaded and ready. Thread-safe: launch may be called from several threads at once.
class Executable {
 public:
  virtual ~Executable() = default;
  /// Runs with arguments in the order of CompiledModule::arguments' symbols. On the host `stream`
  /// may be null and the call returns when the work is done.
  /// Throws RuntimeError when the entry's checks refuse the call.
  virtual void launch(const ir::Arguments&, Stream* stream) const = 0;
  /// The same for repeated calls: `given` are the arguments in the order of `arguments`, which are
  /// those of the CompiledModule.
  virtual void call(const std::vector<ir::Argument>& arguments, std::span<const CallArgument> given,
                    Stream* stream) const;
  /// Its kernels, with what each needs: as the assembler reported, or else the driver that compiled
  /// them.
  virtual std::vector<KernelCall> kernels() const { return {}; }
  /// Records such a call on a stream; null when the device cannot.
  virtual std::unique_ptr<Recording> record(std::span<const CallArgument>, Stream&) const {
    return nullptr;
  }
};

inline void Executable::call(const std::vector<ir::Argument>& arguments,
                             std::span<const CallArgument> given, Stream* stream) const {
  ir::Arguments named;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const CallArgument& a = given[i];
    if (a.scalar) named.scalars[arguments[i].symbol] = *a.scalar;
    else
      named.buffers[arguments[i].symbol] = {
          a.host, a.type, {a.dimensions.begin(), a.dimensions.end()}};
  }
  launch(named, stream);
}

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string describe() const = 0;
  virtual std::unique_ptr<Stream> make_stream() = 0;
  virtual std::unique_ptr<Executable> load(const CompiledModule&) = 0;
};

struct CompileOptions {
  bool listings = false;  // keep "llvm" and "asm"
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;
  virtual bool accepts(const Target&) const = 0;
  virtual CompiledModule compile(const ir::Module&, const Target&, const CompileOptions&) const = 0;
  virtual std::shared_ptr<Device> default_device(const Target&) const = 0;
};

/// The backend for a target; throws CompileError when this build has none.
const Backend& backend_for(const Target&);

}  // namespace sinter::backends
