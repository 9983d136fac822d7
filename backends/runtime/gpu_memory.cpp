#include "backends/runtime/gpu_memory.h"

#include <algorithm>

#include <sinter/diagnostic.h>

namespace sinter::backends {

Gpu::Gpu(std::shared_ptr<GpuMachine> m)
    : machine(std::move(m)), pool(*machine), main(machine->make_stream()) {}

void Gpu::retire(Stream& stream) {
  main->wait_for(stream);
  stream.retire();
  pool.move(stream, *main);
}

GpuMemory::GpuMemory(std::shared_ptr<Gpu> gpu, std::uint64_t bytes, std::uint64_t phase,
                     std::string_view name, Stream& stream)
    : gpu_(std::move(gpu)),
      phase_(phase),
      address_(gpu_->pool.take(bytes + phase, name, stream) + phase),
      bytes_(bytes),
      writer_(stream.shared_from_this()) {}

GpuMemory::GpuMemory(std::shared_ptr<Gpu> gpu, std::uint64_t bytes, DeviceAddress borrowed)
    : gpu_(std::move(gpu)), address_(borrowed), bytes_(bytes), owned_(false) {}

GpuMemory::~GpuMemory() {
  if (!owned_) return;
  try {
    Stream& last = writer_->retired ? *gpu_->main : *writer_;
    for (const auto& reader : readers_) {
      if (!reader->retired) last.wait_for(*reader);
    }
    gpu_->pool.give(address_ - phase_, bytes_ + phase_, last);
  } catch (const std::exception&) {  // the device is lost, and its memory with it
  }
}

void GpuMemory::copy_out(std::byte* to) {
  const std::lock_guard lock(mutex_);
  Stream& stream = writer_ && !writer_->retired ? *writer_ : *gpu_->main;
  if (bytes_ > 0) gpu_->machine->download(to, address_, bytes_, stream);
  stream.synchronize();
}

void GpuMemory::synchronize() {
  const std::lock_guard lock(mutex_);
  if (writer_) writer_->synchronize();
  for (const auto& reader : readers_) reader->synchronize();
}

// The main stream waits for those that are gone, and stands for them.
void GpuMemory::forget_retired() {
  if (writer_ && writer_->retired) writer_ = gpu_->main;
  const auto gone = [](const auto& reader) { return reader->retired.load(); };
  if (std::erase_if(readers_, gone) == 0 || writer_ == gpu_->main) return;
  if (std::find(readers_.begin(), readers_.end(), gpu_->main) == readers_.end()) {
    readers_.push_back(gpu_->main);
  }
}

void GpuMemory::before_read(Stream& stream) {
  const std::lock_guard lock(mutex_);
  forget_retired();
  if (writer_.get() == &stream) return;
  for (const auto& reader : readers_) {
    if (reader.get() == &stream) return;  // it waited already
  }
  if (writer_) stream.wait_for(*writer_);
  readers_.push_back(stream.shared_from_this());
}

void GpuMemory::before_write(Stream& stream) {
  const std::lock_guard lock(mutex_);
  forget_retired();
  if (writer_.get() != &stream) {
    if (writer_) stream.wait_for(*writer_);
    writer_ = stream.shared_from_this();
  }
  for (const auto& reader : readers_) {
    if (reader.get() != &stream) stream.wait_for(*reader);
  }
  readers_.clear();
}

// Kernels rely on what a Buffer's address here is a multiple of; the widest access has 16 bytes.
constexpr std::uint64_t Alignment = 16;

GpuMemory& side_on(const std::shared_ptr<Gpu>& gpu, BufferMemory& memory, std::string_view name,
                   bool needs_content, Stream& stream) {
  GpuMemory* side = static_cast<GpuMemory*>(memory.device.get());
  if (side && side->gpu() != gpu) {
    if (memory.on_device_only) {
      throw DeviceError(Diagnostic{std::string(name),
                                   "",
                                   "the buffer's memory is on " + side->gpu()->machine->describe() +
                                       ", and the call runs on " + gpu->machine->describe(),
                                   "copy() the buffer, or call on its device",
                                   {},
                                   0});
    }
    if (memory.state & BufferMemory::HostStale) side->copy_out(memory.low);
    memory.state = 0;
    memory.device.reset();
    side = nullptr;
  }
  if (!side) {
    auto made = std::make_shared<GpuMemory>(
        gpu, memory.bytes, reinterpret_cast<std::uintptr_t>(memory.low) % Alignment, name, stream);
    side = made.get();
    memory.device = std::move(made);
  }
  if (needs_content && (memory.state & BufferMemory::DeviceCurrent) == 0) {
    side->before_write(stream);
    if (memory.bytes > 0) gpu->machine->upload(side->address(), memory.low, memory.bytes, stream);
    memory.state |= BufferMemory::DeviceCurrent;
  }
  return *side;
}

}  // namespace sinter::backends
