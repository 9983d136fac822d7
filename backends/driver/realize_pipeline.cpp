// Pipeline and the running half of Func: compiled once per target and set of strided arguments, then
// called with whatever buffers and parameters are set.

#include <algorithm>
#include <map>
#include <mutex>

#include <cstdio>

#include <sinter/diagnostic.h>
#include <sinter/func.h>
#include <sinter/pipeline.h>
#include <sinter/schedule.h>

#include "backends/driver/compile_pipeline.h"
#include "dsl/algebra/simplify.h"
#include "dsl/algorithm/buffer_access.h"
#include "dsl/algorithm/evaluate.h"
#include "dsl/algorithm/func_contents.h"
#include "dsl/lowering/loops/build_loop_nest.h"
#include "dsl/schedule/fluent.h"
#include "dsl/schedule/resolve.h"

namespace sinter {

namespace {

using backends::Executable;

RuntimeError refused(const std::string& subject, const std::string& reason, const std::string& remedy) {
  return RuntimeError(Diagnostic{subject, "", reason, remedy, {}, 0});
}

/// One way the pipeline was compiled.
struct Variant {
  Target target;
  std::vector<std::string> strided;
  std::uint64_t schedule_version = 0;
  driver::Compiled compiled;
};

/// Objects that the front end's user holds, by the symbols they have in the module.
struct Bindings {
  std::vector<std::shared_ptr<const ImageContents>> images;
  std::vector<std::shared_ptr<const ParameterContents>> parameters;
};

void gather(const FuncContents& func, std::vector<const FuncContents*>& seen, Bindings& bindings) {
  std::vector<const FuncContents*> stack{&func};
  while (!stack.empty()) {
    const FuncContents* f = stack.back();
    stack.pop_back();
    if (std::find(seen.begin(), seen.end(), f) != seen.end()) continue;
    seen.push_back(f);
    bindings.images.insert(bindings.images.end(), f->references.images.begin(), f->references.images.end());
    bindings.parameters.insert(bindings.parameters.end(), f->references.parameters.begin(),
                               f->references.parameters.end());
    for (const auto& callee : f->references.funcs) stack.push_back(callee.get());
  }
}

bool is_strided(const BufferBase& b) { return b.dimensions() > 0 && b.extent(0) > 1 && b.stride(0) != 1; }

}  // namespace

namespace {

/// What survives from call to call. It holds no Func, so that a Func may hold it.
struct Cache {
  std::mutex mutex;
  std::vector<std::shared_ptr<const Variant>> variants;
  Bindings bindings;
  bool gathered = false;
};

}  // namespace

struct Pipeline::Contents {
  std::vector<Func> outputs;
  std::shared_ptr<const Schedule> schedule;  // null: the default one
  std::shared_ptr<Cache> cache = std::make_shared<Cache>();

  Schedule current_schedule() const { return schedule ? *schedule : Schedule::of(outputs); }
  std::uint64_t version() const { return schedule ? 0 : schedule::latest_directive(); }

  const Bindings& bound() {
    const std::lock_guard lock(cache->mutex);
    if (!cache->gathered) {
      std::vector<const FuncContents*> seen;
      for (const Func& f : outputs) gather(*f.contents(), seen, cache->bindings);
      cache->gathered = true;
    }
    return cache->bindings;
  }

  std::shared_ptr<const Variant> variant(const Target& target, const std::vector<std::string>& strided) {
    const std::lock_guard lock(cache->mutex);
    auto& variants = cache->variants;
    const std::uint64_t now = version();
    for (const auto& v : variants) {
      if (v->schedule_version == now && v->target == target && v->strided == strided) return v;
    }
    std::erase_if(variants, [&](const auto& v) { return v->schedule_version != now; });
    auto made = std::make_shared<Variant>();
    made->target = target;
    made->strided = strided;
    made->schedule_version = now;
    driver::CompileOptions options;
    options.strided = strided;
    made->compiled = driver::compile_pipeline(driver::resolve_pipeline(outputs, current_schedule()), target, options);
    variants.push_back(made);
    return made;
  }

  void check_outputs(const std::vector<Buffer<>>& buffers) const {
    std::size_t next = 0;
    for (const Func& f : outputs) {
      for (std::size_t c = 0; c < f.outputs(); ++c, ++next) {
        const std::string subject = "output '" + f.name() + "'";
        if (next >= buffers.size()) throw refused(subject, "no buffer was given for it", "give one buffer for each component of each output");
        const Buffer<>& b = buffers[next];
        if (!b.defined() || (b.raw_data() == nullptr && b.number_of_elements() > 0)) {
          throw refused(subject, "its buffer has no memory", "allocate the buffer before the call");
        }
        if (b.type() != f.types()[c]) {
          throw refused(subject, "its elements are " + to_string(f.types()[c]) + ", the buffer's are " + to_string(b.type()),
                        "give a Buffer of that element type, or cast in the algorithm");
        }
        if (b.dimensions() != f.dimensions()) {
          throw refused(subject, "it has " + std::to_string(f.dimensions()) + " dimensions, the buffer has " +
                                     std::to_string(b.dimensions()),
                        "give a Buffer of that many dimensions");
        }
      }
    }
    if (next != buffers.size()) {
      throw refused("", std::to_string(buffers.size()) + " output buffers were given, the pipeline has " + std::to_string(next),
                    "give one buffer for each component of each output");
    }
  }

  void run(const std::vector<Buffer<>>& buffers, const Target& target) {
    check_outputs(buffers);
    std::vector<std::string> strided;
    for (const auto& image : bound().images) {
      if (!image->buffer.defined()) {
        throw refused("input '" + image->name + "'", "no buffer was set", "call set(buffer) on the ImageParam before realize()");
      }
      if (is_strided(image->buffer)) strided.push_back(image->id.name());
    }
    // Strided arguments are named as in the module; only the rare case pays for finding the names.
    const bool rare = !strided.empty() || std::any_of(buffers.begin(), buffers.end(), is_strided);
    std::shared_ptr<const Variant> v = variant(target, {});
    if (rare) v = variant(target, strided_names(v->compiled.module, buffers));
    launch(v->compiled, buffers);
  }

  std::vector<std::string> strided_names(const ir::Module& module, const std::vector<Buffer<>>& buffers) {
    std::vector<std::string> names;
    std::size_t output = 0;
    for (const ir::Argument& a : module.arguments) {
      if (a.kind == ir::Argument::Kind::Output) {
        if (is_strided(buffers.at(output++))) names.push_back(a.name);
      } else if (a.kind == ir::Argument::Kind::Input) {
        for (const auto& image : bound().images) {
          if (image->id == a.symbol && is_strided(image->buffer)) {
            names.push_back(a.name);
            break;
          }
        }
      }
    }
    return names;
  }

  void bind_scalars(ir::Arguments& arguments) {
    for (const auto& p : bound().parameters) {
      if (!p->value) throw refused("parameter '" + p->name + "'", "no value was set", "call set(value) on the Param before realize()");
      arguments.scalars[p->id] = *p->value;
    }
  }

  void launch(const driver::Compiled& compiled, const std::vector<Buffer<>>& buffers) {
    ir::Arguments arguments;
    bind_scalars(arguments);
    for (const auto& image : bound().images) arguments.buffers[image->id] = view_of(image->buffer);
    std::size_t output = 0;
    for (const ir::Argument& a : compiled.module.arguments) {
      if (a.kind == ir::Argument::Kind::Output) arguments.buffers[a.symbol] = view_of(buffers[output++]);
    }
    compiled.executable->launch(arguments, nullptr);
  }
};

Pipeline::Pipeline(const Func& output) : Pipeline(std::vector<Func>{output}) {
  // All pipelines of this one Func under its default schedule share what they compile.
  std::shared_ptr<void>& compiled = output.contents()->compiled;
  if (!compiled) compiled = contents_->cache;
  contents_->cache = std::static_pointer_cast<Cache>(compiled);
}

Pipeline::Pipeline(const std::vector<Func>& outputs) : contents_(std::make_shared<Contents>()) {
  if (outputs.empty()) {
    throw AlgorithmError(Diagnostic{"", "", "a pipeline needs an output", "pass the Funcs whose values you want", {}, 0});
  }
  contents_->outputs = outputs;
}

const std::vector<Func>& Pipeline::outputs() const { return contents_->outputs; }

Pipeline Pipeline::with(const Schedule& schedule) const {
  Pipeline other(contents_->outputs);  // a cache of its own
  other.contents_->schedule = std::make_shared<const Schedule>(schedule);
  return other;
}

Pipeline& Pipeline::compile(const Target& target) {
  contents_->variant(target, {});
  return *this;
}

Realization Pipeline::realize(const std::vector<int>& sizes, const Target& target) {
  std::vector<Buffer<>> buffers;
  for (const Func& f : contents_->outputs) {
    if (f.dimensions() != static_cast<int>(sizes.size())) {
      throw refused("output '" + f.name() + "'",
                    "it has " + std::to_string(f.dimensions()) + " dimensions, " + std::to_string(sizes.size()) + " sizes were given",
                    "give one size for each dimension");
    }
    for (const Type t : f.types()) buffers.emplace_back(t, sizes);
  }
  contents_->run(buffers, target);
  return Realization(std::move(buffers));
}

void Pipeline::realize(const RealizationArg& outputs, const Target& target) { contents_->run(outputs.buffers, target); }

void Pipeline::infer_input_bounds(const std::vector<int>& sizes, const Target& target) {
  std::vector<Buffer<>> buffers;
  for (const Func& f : contents_->outputs) {
    for (const Type t : f.types()) buffers.emplace_back(t, sizes);
  }
  infer_input_bounds(RealizationArg(std::move(buffers)), target);
}

void Pipeline::infer_input_bounds(const RealizationArg& outputs, const Target&) {
  Contents& c = *contents_;
  c.check_outputs(outputs.buffers);
  const lowering::InputRegions needed =
      lowering::required_inputs(driver::resolve_pipeline(c.outputs, c.current_schedule()));
  ir::Arguments arguments;
  c.bind_scalars(arguments);
  ir::Substitution values;
  std::size_t output = 0;
  for (const ir::Argument& a : needed.module.arguments) {
    if (a.kind == ir::Argument::Kind::Output) {
      const Buffer<>& b = outputs.buffers[output++];
      for (std::size_t d = 0; d < a.dimensions.size(); ++d) {
        values[a.dimensions[d].min] = ir::index_literal(b.min(static_cast<int>(d)));
        values[a.dimensions[d].extent] = ir::index_literal(b.extent(static_cast<int>(d)));
      }
    } else if (a.kind == ir::Argument::Kind::Scalar) {
      const ir::Scalar& s = arguments.scalars.at(a.symbol);
      values[a.symbol] = a.type.is_float() ? ir::real_literal(a.type, s.real) : ir::literal(a.type, s.integer);
    }
  }
  for (const lowering::InputRegion& region : needed.regions) {
    for (const auto& image : c.bound().images) {
      if (image->id != region.input || image->buffer.defined()) continue;
      std::vector<int> mins, extents;
      for (const algebra::Interval& i : region.box.dimensions) {
        std::int64_t low = 0, high = 0;
        const bool known = ir::as_constant(algebra::simplify(ir::substitute(i.min, values)), &low) &&
                           ir::as_constant(algebra::simplify(ir::substitute(i.max, values)), &high);
        if (!known) throw refused("input '" + image->name + "'", "its bounds depend on another input", "set its buffer by hand");
        mins.push_back(static_cast<int>(low));
        extents.push_back(static_cast<int>(std::max<std::int64_t>(high - low + 1, 0)));
      }
      Buffer<> made(image->type, extents);
      made.set_min(mins);
      const_cast<ImageContents&>(*image).buffer = made;  // the ImageParam is the user's to change
    }
  }
}

void Pipeline::print_loop_nest() const {
  const std::string text = schedule::loop_nest(driver::resolve_pipeline(contents_->outputs, contents_->current_schedule()));
  std::fputs(text.c_str(), stderr);
}

// --- Func ------------------------------------------------------------------------------------------

void Func::print_loop_nest() const { Pipeline(*this).print_loop_nest(); }
void Func::compile_jit(const Target& target) { Pipeline(*this).compile(target); }
Realization Func::realize(const std::vector<int>& sizes, const Target& target) { return Pipeline(*this).realize(sizes, target); }
void Func::realize(const RealizationArg& outputs, const Target& target) { Pipeline(*this).realize(outputs, target); }
void Func::infer_input_bounds(const std::vector<int>& sizes, const Target& target) { Pipeline(*this).infer_input_bounds(sizes, target); }
void Func::infer_input_bounds(const RealizationArg& outputs, const Target& target) { Pipeline(*this).infer_input_bounds(outputs, target); }

}  // namespace sinter
