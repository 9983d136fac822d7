#pragma once
// Pipeline: one or more output Funcs, compiled and run together.

#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <sinter/buffer.h>
#include <sinter/stream.h>
#include <sinter/target.h>

namespace sinter {

class Func;
class Schedule;

/// What realize() returns: one Buffer for each component of each output. It is the first of them,
/// so that a single output needs no index.
class Realization : public Buffer<> {
 public:
  explicit Realization(std::vector<Buffer<>> buffers)
      : Buffer<>(buffers.empty() ? Buffer<>() : buffers.front()), buffers_(std::move(buffers)) {}
  std::size_t size() const { return buffers_.size(); }
  Buffer<>& operator[](std::size_t i) { return buffers_[existing(i)]; }
  const Buffer<>& operator[](std::size_t i) const { return buffers_[existing(i)]; }
  const std::vector<Buffer<>>& buffers() const { return buffers_; }

 private:
  /// Refuses an index of no buffer.
  std::size_t existing(std::size_t i) const;
  std::vector<Buffer<>> buffers_;
};

/// Buffers to write into: a Buffer of any type, several, or a Realization.
struct RealizationArg {
  RealizationArg(const Realization& r) : buffers(r.buffers()) {}
  RealizationArg(std::vector<Buffer<>> several) : buffers(std::move(several)) {}
  template <typename T, int D>
  RealizationArg(const Buffer<T, D>& one) : buffers{Buffer<>(one)} {}
  std::vector<Buffer<>> buffers;
};

/// A call of a pipeline, recorded: replaying it is one call of the driver. It holds the buffers
/// that it was recorded with; parameters have the values they had then.
class RecordedCall {
 public:
  /// Enqueues the call. Inputs that were changed here go over first. Refused when a buffer's device
  /// side is not the one that was recorded.
  void replay(const Stream&, std::source_location where = std::source_location::current()) const;

 private:
  friend class Pipeline;
  struct Contents;
  explicit RecordedCall(std::shared_ptr<Contents> contents) : contents_(std::move(contents)) {}
  std::shared_ptr<Contents> contents_;
};

class Pipeline {
  using Location = std::source_location;

 public:
  Pipeline() = default;
  Pipeline(const Func& output);
  Pipeline(const std::vector<Func>& outputs);

  const std::vector<Func>& outputs() const;
  /// The same algorithm under another schedule.
  Pipeline with(const Schedule&) const;
  /// One grid for several root stages, in this order: tile by tile where their loops over blocks
  /// are called alike, else one grid behind the other. Like the directives of a Func, it belongs to
  /// the default schedule of the Funcs, or to that of with().
  Pipeline& fuse(const std::vector<Func>& stages, Location where = Location::current());
  /// Compiles now instead of at the first call.
  Pipeline& compile(const Target& = {});
  /// All outputs over [0, size) in each dimension; their elements are here afterwards.
  Realization realize(const std::vector<int>& sizes = {}, const Target& = {},
                      Location where = Location::current());
  /// Into buffers that exist; their mins and extents say which region. On a GPU the results stay
  /// there, and the call may return before they are done: the first access to an element waits.
  void realize(const RealizationArg& outputs, const Target& = {},
               Location where = Location::current());
  /// The same in a stream's order: enqueued, not waited for. Borrowed memory may be read, and its
  /// contents changed, after the stream was synchronized.
  Realization realize(const std::vector<int>& sizes, const Stream&,
                      Location where = Location::current());
  void realize(const RealizationArg& outputs, const Stream&, Location where = Location::current());
  /// Records the call instead of running it. All stages must run on the device, and all buffers own
  /// their memory or be on the device.
  RecordedCall record(const RealizationArg& outputs, const Stream&,
                      Location where = Location::current());
  /// Sets unset ImageParams to buffers that are just large enough.
  void infer_input_bounds(const std::vector<int>& sizes, const Target& = {},
                          Location where = Location::current());
  void infer_input_bounds(const RealizationArg& outputs, const Target& = {},
                          Location where = Location::current());
  /// Prints the loop nests to standard error.
  void print_loop_nest() const;

 private:
  struct Contents;
  std::shared_ptr<Contents> contents_;
};

}  // namespace sinter
