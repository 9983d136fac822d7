#include "tests/unit/driver/text_backend.h"

#include <deque>
#include <functional>
#include <mutex>

#include <sinter/diagnostic.h>

namespace sinter::test {

using backends::CompiledModule;
using backends::Executable;
using backends::Kernel;
using backends::Stream;
using backends::Variant;

namespace {

class TextStream : public Stream {
 public:
  void push(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
  }
  void synchronize() override {
    while (true) {
      std::function<void()> next;
      {
        const std::lock_guard lock(mutex_);
        if (work_.empty()) return;
        next = std::move(work_.front());
        work_.pop_front();
      }
      next();
    }
  }
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return work_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::function<void()>> work_;
};

class TextExecutable : public Executable {
 public:
  TextExecutable(const CompiledModule& module, std::vector<ir::Module> kernels)
      : arguments_(module.arguments), kernels_(std::move(kernels)) {}

  void launch(const ir::Arguments& given, Stream* stream) const override {
    auto* queue = dynamic_cast<TextStream*>(stream);
    TextStream own;
    for (const ir::Module& kernel : kernels_) {
      const ir::Arguments arguments = renamed(kernel, given);
      (queue != nullptr ? *queue : own).push([&kernel, arguments] {
        ir::interpret(kernel, arguments);
      });
    }
    if (queue == nullptr) own.synchronize();
  }

 private:
  /// Reading text makes new symbols: arguments correspond by position.
  ir::Arguments renamed(const ir::Module& kernel, const ir::Arguments& given) const {
    ir::Arguments result;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      const Symbol& from = arguments_[i].symbol;
      const Symbol& to = kernel.arguments.at(i).symbol;
      if (arguments_[i].is_buffer()) result.buffers[to] = given.buffers.at(from);
      else result.scalars[to] = given.scalars.at(from);
    }
    return result;
  }

  std::vector<ir::Argument> arguments_;
  std::vector<ir::Module> kernels_;
};

int version_of(const Variant& variant) { return variant.architecture == "text-2" ? 2 : 1; }

}  // namespace

CompiledModule TextBackend::compile(const ir::Module& module, const Target& target,
                                    const backends::CompileOptions& options) const {
  CompiledModule result;
  result.name = module.name;
  result.target = target;
  result.arguments = module.arguments;
  // Names around the block are known to each kernel.
  std::vector<ir::Stmt> lets;
  ir::Stmt inner = module.body;
  for (; inner->op == ir::Op::Let; inner = ir::stmt_arg(inner, 1)) lets.push_back(inner);
  std::vector<ir::Stmt> parts{inner};
  if (inner->op == ir::Op::Block) {
    parts.clear();
    for (std::size_t i = 0; i < inner->args.size(); ++i) parts.push_back(ir::stmt_arg(inner, i));
  }
  for (ir::Stmt& part : parts) {
    for (auto l = lets.rbegin(); l != lets.rend(); ++l)
      part = ir::let((*l)->symbol, ir::arg(*l, 0), part);
  }
  for (const ir::Stmt& part : parts) {
    ir::Module kernel = module;
    kernel.body = part;
    const std::string text = ir::print(kernel);
    result.kernels.push_back({module.name + "." + std::to_string(result.kernels.size()),
                              {{"text-1", text}, {"text-2", text}}});
    if (options.listings) result.listings["ir"] += text;
  }
  return result;
}

std::unique_ptr<Stream> TextDevice::make_stream() { return std::make_unique<TextStream>(); }

std::unique_ptr<Executable> TextDevice::load(const CompiledModule& module) {
  std::vector<ir::Module> kernels;
  for (const Kernel& kernel : module.kernels) {
    const Variant* best = nullptr;
    for (const Variant& v : kernel.variants) {
      if (version_of(v) <= capability_ && (best == nullptr || version_of(v) > version_of(*best)))
        best = &v;
    }
    if (best == nullptr) {
      Diagnostic d;
      d.reason = "kernel '" + kernel.name + "' has no variant for " + describe();
      d.remedy = "compile it for text-" + std::to_string(capability_) + " too";
      throw DeviceError(d);
    }
    kernels.push_back(ir::parse_module(best->bytes));
  }
  return std::make_unique<TextExecutable>(module, std::move(kernels));
}

std::size_t waiting(const Stream& stream) { return dynamic_cast<const TextStream&>(stream).size(); }

}  // namespace sinter::test
