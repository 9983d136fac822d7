#pragma once
// Stream: an ordered queue of work on a device. Calls of pipelines on a stream return once they are
// enqueued.

#include <memory>

#include <sinter/target.h>

namespace sinter {

namespace backends {
class Device;
class Stream;
}  // namespace backends

class Stream {
 public:
  /// A new one on the target's device. Throws DeviceError when there is none.
  explicit Stream(const Target&);
  /// The caller's CUstream or cudaStream_t, which must outlive this object.
  static Stream wrap(const Target&, void* handle);

  const Target& target() const { return target_; }
  /// Waits until all that was enqueued is done. Throws DeviceError when some of it failed.
  void synchronize() const;
  /// The CUstream; null on emulated devices.
  void* handle() const;
  const std::shared_ptr<backends::Stream>& queue() const { return queue_; }

 private:
  Stream(const Target&, std::shared_ptr<backends::Device>, std::shared_ptr<backends::Stream>);
  Target target_;
  std::shared_ptr<backends::Device> device_;
  std::shared_ptr<backends::Stream> queue_;
};

}  // namespace sinter
