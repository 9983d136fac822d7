// Pipeline and the running half of Func: compiled once per target and set of strided arguments,
// then called with whatever buffers and parameters are set.

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <span>

#include <cstdio>

#include <sinter/diagnostic.h>
#include <sinter/func.h>
#include <sinter/pipeline.h>
#include <sinter/schedule.h>
#include <sinter/stream.h>

#include "backends/driver/compile_pipeline.h"
#include "backends/driver/default_gpu.h"
#include "dsl/algebra/simplify.h"
#include "dsl/algorithm/buffer_access.h"
#include "dsl/algorithm/evaluate.h"
#include "dsl/algorithm/func_contents.h"
#include "dsl/algorithm/wording.h"
#include "dsl/lowering/loops/build_loop_nest.h"
#include "dsl/schedule/fluent.h"
#include "dsl/schedule/resolve.h"

namespace sinter {

namespace {

using backends::Executable;

RuntimeError refused(const std::string& stage, const std::string& reason,
                     const std::string& remedy) {
  return RuntimeError(Diagnostic{stage, "realize", reason, remedy, {}, 0});
}

/// Runs `call`; a refusal that points at no line gets that of the user's call.
template <typename Call>
auto located(const std::source_location& where, const Call& call) {
  const auto complete = [&](const Error& error) {
    Diagnostic diagnostic = error.diagnostic();
    return diagnostic.file.empty() ? diagnostic.at(where) : diagnostic;
  };
  try {
    return call();
  } catch (const RuntimeError& error) {
    throw RuntimeError(complete(error));
  } catch (const CompileError& error) {
    throw CompileError(complete(error));
  } catch (const AlgorithmError& error) {
    throw AlgorithmError(complete(error));
  } catch (const DeviceError& error) {
    throw DeviceError(complete(error));
  }
}

/// Where the specialize_fail that says `message` is written, in a definition and its branches.
const std::source_location* failure_line(const schedule::DefinitionSchedule& s,
                                         const std::string& message) {
  if (s.failure && message.ends_with(s.failure->message)) return &s.failure->where;
  for (const auto& branch : s.specializations) {
    if (const auto* where = failure_line(branch.schedule, message)) return where;
  }
  return nullptr;
}

/// The line of the directive that a failed check speaks of; of no stage or directive: as it is.
Diagnostic with_line_of_directive(Diagnostic d, const schedule::ScheduledPipeline& scheduled) {
  for (const StageDefinition& stage : scheduled.algorithm.stages) {
    if (stage.name != d.stage) continue;
    const schedule::StageSchedule& s = scheduled.of(stage.id);
    if (d.directive.starts_with("bound") || d.directive.starts_with("align_bounds")) {
      for (const schedule::DimensionBound& b : s.bounds) {
        if (d.reason.starts_with("dimension " + std::to_string(b.dimension) + " "))
          return d.at(b.where);
      }
    }
    if (d.directive == "specialize_fail()") {
      for (const schedule::DefinitionSchedule& definition : s.definitions) {
        if (const auto* where = failure_line(definition, d.reason)) return d.at(*where);
      }
    }
    if (d.directive != "TailStrategy::RoundUp") continue;
    for (const schedule::DefinitionSchedule& definition : s.definitions) {
      for (const schedule::Relation& r : definition.relations) {
        if (r.kind != schedule::Relation::Kind::Split || r.split.tail != schedule::Tail::RoundUp)
          continue;
        for (const schedule::Loop& loop : definition.loops) {
          if (loop.variable == r.split.inner || loop.variable == r.split.outer)
            return d.at(loop.where);
        }
      }
    }
  }
  return d;
}

const char* const Undefined = "the output has no definition";

/// Where an argument of the module comes from at a call: an input, a parameter, or (both null) the
/// next output. They are the user's, who holds them as long as the pipeline's Funcs live.
struct Source {
  const ImageContents* image = nullptr;
  const ParameterContents* parameter = nullptr;
};

/// The widest access of a GPU, and a word of it.
constexpr int Widest = 16, Word = 4;
/// What is known of a call's buffers: that they start at multiples of `bytes`, and their rows of
/// others.
struct Alignment {
  int bytes = 0, input_rows = 0, output_rows = 0;
  bool mins = false;  // of all dimensions
  bool operator==(const Alignment&) const = default;
};

/// One way the pipeline was compiled.
struct Variant {
  Target target;
  std::vector<std::string> strided;
  Alignment alignment;
  std::uint64_t schedule_version = 0;
  driver::Compiled compiled;
  std::vector<Source> sources;  // by position
};

/// Objects that the front end's user holds, by the symbols they have in the module.
struct Bindings {
  std::vector<std::shared_ptr<const ImageContents>> images;
  std::vector<std::shared_ptr<const ParameterContents>> parameters;
};

void gather(const References& references, Bindings& bindings) {
  bindings.parameters.insert(bindings.parameters.end(), references.parameters.begin(),
                             references.parameters.end());
  for (const auto& image : references.images) {
    if (std::find(bindings.images.begin(), bindings.images.end(), image) != bindings.images.end())
      continue;
    bindings.images.push_back(image);
    gather(image->references, bindings);
  }
}

void gather(const FuncContents& func, std::vector<const FuncContents*>& seen, Bindings& bindings) {
  std::vector<const FuncContents*> stack{&func};
  while (!stack.empty()) {
    const FuncContents* f = stack.back();
    stack.pop_back();
    if (std::find(seen.begin(), seen.end(), f) != seen.end()) continue;
    seen.push_back(f);
    gather(f->references, bindings);
    for (const auto& callee : f->references.funcs) stack.push_back(callee.get());
  }
}

/// Of rows, in bytes. Pictures with a border seldom have rows of whole vectors, but often an even
/// number of pixels: rows at words.
int row_alignment(const BufferBase& b) {
  int aligned = Widest;
  for (int d = 1; d < b.dimensions(); ++d) {
    const std::int64_t stride = b.stride(d) * b.type().bytes();
    aligned = std::min(aligned, stride % Widest == 0 ? Widest : stride % Word == 0 ? Word : 1);
  }
  return aligned;
}
bool is_aligned(const BufferBase& b) {
  return reinterpret_cast<std::uintptr_t>(b.contents()->host) % Widest == 0 &&
         (b.dimensions() == 0 || b.min(0) % (Widest / b.type().bytes()) == 0);
}
/// Where all dimensions of an aligned buffer start: a coordinate in the rows of one buffer may
/// stand in another dimension of the next.
bool has_aligned_mins(const BufferBase& b) {
  for (int d = 0; d < b.dimensions(); ++d) {
    if (b.min(d) % (Widest / b.type().bytes()) != 0) return false;
  }
  return true;
}

bool is_strided(const BufferBase& b) {
  return b.dimensions() > 0 && b.extent(0) > 1 && b.stride(0) != 1;
}

}  // namespace

namespace {

/// What survives from call to call. It holds no Func, so that a Func may hold it.
struct Cache {
  std::mutex mutex;
  std::vector<std::shared_ptr<const Variant>> variants;
  std::uint64_t version = 0;               // of the default schedule, as it was
  std::uint64_t seen = ~std::uint64_t{0};  // when this was the latest directive of all Funcs
  Bindings bindings;
  std::atomic<bool> gathered{false};  // bindings are complete
  /// Of targets, with the version that they were made for.
  std::map<std::string, std::pair<std::uint64_t, Schedule>> by_default;
};

}  // namespace

namespace {

/// The arguments of one call, by position, without allocation where they are few.
class Frame {
 public:
  Frame(const Variant& v, const std::vector<Buffer<>>& outputs) : count_(v.sources.size()) {
    // Counted anew: an input's Buffer may have been given more dimensions since it was set.
    std::size_t dimensions = 0, output = 0;
    for (const Source& source : v.sources) {
      if (!source.parameter) dimensions += contents(source, outputs, output).dimensions.size();
    }
    output = 0;
    if (count_ > Few) many_.resize(count_);
    if (dimensions > FewDimensions) many_dimensions_.resize(dimensions);
    backends::CallArgument* argument = count_ > Few ? many_.data() : few_.data();
    auto* next = dimensions > FewDimensions ? many_dimensions_.data() : few_dimensions_.data();
    for (const Source& source : v.sources) {
      if (source.parameter) {
        const ir::Scalar& value = *source.parameter->value;
        *argument++ = {value.type, nullptr, {}, &value, nullptr};
        continue;
      }
      const BufferContents& b = contents(source, outputs, output);
      const auto* const first = next;
      for (const BufferDimension& d : b.dimensions) *next++ = {d.min, d.extent, d.stride};
      *argument++ = {b.type, b.host, {first, b.dimensions.size()}, nullptr, b.memory.get()};
    }
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  std::span<const backends::CallArgument> arguments() const {
    return {count_ > Few ? many_.data() : few_.data(), count_};
  }

 private:
  static constexpr std::size_t Few = 8, FewDimensions = 24;

  static const BufferContents& contents(const Source& source, const std::vector<Buffer<>>& outputs,
                                        std::size_t& output) {
    return source.image ? *source.image->buffer.contents() : *outputs[output++].contents();
  }

  std::size_t count_;
  std::array<backends::CallArgument, Few> few_;
  std::array<ir::BufferView::Dimension, FewDimensions> few_dimensions_;
  std::vector<backends::CallArgument> many_;
  std::vector<ir::BufferView::Dimension> many_dimensions_;
};

}  // namespace

struct Pipeline::Contents {
  std::vector<Func> outputs;
  std::shared_ptr<const Schedule> schedule;  // null: the default one
  std::shared_ptr<Cache> cache = std::make_shared<Cache>();

  Schedule current_schedule() const { return schedule ? *schedule : Schedule::of(outputs); }
  /// The schedule; on a GPU, where it says nothing, the default one, made for the first call's
  /// buffers. Under the cache's mutex.
  Schedule schedule_for(const Target& target, const std::vector<Buffer<>>& buffers) {
    Schedule given = current_schedule();
    if (!target.is_gpu() || !driver::is_unscheduled(given)) return given;
    const auto known = cache->by_default.find(target.to_string());
    if (known != cache->by_default.end() && known->second.first == version())
      return known->second.second;
    Schedule made = driver::scheduled_for_gpu(outputs, given, target, buffers);
    cache->by_default.insert_or_assign(target.to_string(), std::pair(version(), made));
    return made;
  }

  /// Changes when the schedule does; under the cache's mutex. Directives of other Funcs cost a
  /// look.
  std::uint64_t version() {
    const std::uint64_t anywhere = schedule::latest_directive();
    if (cache->seen != anywhere) {
      cache->version =
          schedule ? schedule::latest_constraint(outputs) : schedule::latest_directive(outputs);
      cache->seen = anywhere;
    }
    return cache->version;
  }

  const Bindings& bound() {
    if (!cache->gathered.load(std::memory_order_acquire)) {
      const std::lock_guard lock(cache->mutex);
      if (!cache->gathered.load(std::memory_order_relaxed)) {
        std::vector<const FuncContents*> seen;
        for (const Func& f : outputs) gather(*f.contents(), seen, cache->bindings);
        cache->gathered.store(true, std::memory_order_release);
      }
    }
    return cache->bindings;
  }

  std::shared_ptr<const Variant> variant(const Target& target,
                                         const std::vector<std::string>& strided,
                                         const Alignment& alignment = {},
                                         const std::vector<Buffer<>>& buffers = {}) {
    bound();  // sources_of reads them
    const std::lock_guard lock(cache->mutex);
    auto& variants = cache->variants;
    const std::uint64_t now = version();
    for (const auto& v : variants) {
      if (v->schedule_version == now && v->target == target && v->strided == strided &&
          v->alignment == alignment)
        return v;
    }
    std::erase_if(variants, [&](const auto& v) { return v->schedule_version != now; });
    auto made = std::make_shared<Variant>();
    made->target = target;
    made->strided = strided;
    made->alignment = alignment;
    made->schedule_version = now;
    driver::CompileOptions options;
    options.strided = strided;
    options.alignment = alignment.bytes;
    options.input_rows = alignment.input_rows;
    options.output_rows = alignment.output_rows;
    options.aligned_mins = alignment.mins;
    made->compiled = driver::compile_pipeline(
        driver::resolve_pipeline(outputs, schedule_for(target, buffers)), target, options);
    made->sources = sources_of(made->compiled.module);
    variants.push_back(made);
    return made;
  }

  void check_outputs(const std::vector<Buffer<>>& buffers) const {
    std::size_t next = 0;
    for (const Func& f : outputs) {
      if (!f.defined()) throw refused(f.name(), Undefined, "define it before the call");
      const std::vector<Type>& types = f.contents()->types();
      for (std::size_t c = 0; c < types.size(); ++c, ++next) {
        const std::string& subject = f.name();
        if (next >= buffers.size())
          throw refused(subject, "no buffer was given for the output",
                        "give one buffer for each component of each output");
        const Buffer<>& b = buffers[next];
        if (!b.defined() || (b.contents()->host == nullptr && b.number_of_elements() > 0)) {
          throw refused(subject, "the output's buffer has no memory",
                        "allocate the buffer before the call");
        }
        if (b.type() != types[c]) {
          throw refused(subject,
                        "the output's elements are " + to_string(types[c]) + ", the buffer's are " +
                            to_string(b.type()),
                        "give a Buffer of that element type, or cast in the algorithm");
        }
        if (b.dimensions() != f.dimensions()) {
          throw refused(subject,
                        "the output has " + counted(f.dimensions(), "dimension") +
                            ", the buffer has " + std::to_string(b.dimensions()),
                        "give a Buffer of that many dimensions");
        }
      }
    }
    if (next != buffers.size()) {
      throw refused("",
                    std::to_string(buffers.size()) +
                        " output buffers were given, the pipeline has " + std::to_string(next),
                    "give one buffer for each component of each output");
    }
  }

  void run(const std::vector<Buffer<>>& buffers, const Target& target,
           const Stream* stream = nullptr) {
    launch(*variant_for(buffers, target), buffers, stream);
  }

  std::unique_ptr<backends::Recording> record(const std::vector<Buffer<>>& buffers,
                                              const Stream& stream) {
    const std::shared_ptr<const Variant> v = variant_for(buffers, stream.target());
    check_scalars();
    Frame frame(*v, buffers);
    return v->compiled.executable->record(frame.arguments(), *stream.queue());
  }

  /// The way it is compiled for a call with these buffers.
  std::shared_ptr<const Variant> variant_for(const std::vector<Buffer<>>& buffers,
                                             const Target& target) {
    check_outputs(buffers);
    std::vector<std::string> strided;
    bool aligned = target.is_gpu();
    Alignment alignment{Widest, Widest, Widest, true};
    for (const auto& image : bound().images) {
      if (!image->buffer.defined()) {
        throw refused(image->name, "no buffer was set for the input",
                      "call set(buffer) on the ImageParam before realize()");
      }
      if (is_strided(image->buffer)) strided.push_back(image->id.name());
      aligned = aligned && is_aligned(image->buffer);
      alignment.input_rows = std::min(alignment.input_rows, row_alignment(image->buffer));
      alignment.mins = alignment.mins && has_aligned_mins(image->buffer);
    }
    for (const Buffer<>& b : buffers) {
      aligned = aligned && is_aligned(b);
      alignment.output_rows = std::min(alignment.output_rows, row_alignment(b));
      alignment.mins = alignment.mins && has_aligned_mins(b);
    }
    if (!aligned) alignment = {};
    // Strided arguments are named as in the module; only the rare case pays for finding the names.
    const bool rare = !strided.empty() || std::any_of(buffers.begin(), buffers.end(), is_strided);
    std::shared_ptr<const Variant> v = variant(target, {}, alignment, buffers);
    if (rare) v = variant(target, strided_names(v->compiled.module, buffers), alignment, buffers);
    return v;
  }

  std::vector<std::string> strided_names(const ir::Module& module,
                                         const std::vector<Buffer<>>& buffers) {
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

  static void check_range(const ParameterContents& p) {
    const auto less = [](const ir::Scalar& a, const ir::Scalar& b) {
      if (a.type.is_float()) return a.real < b.real;
      if (a.type.is_uint())
        return static_cast<std::uint64_t>(a.integer) < static_cast<std::uint64_t>(b.integer);
      return a.integer < b.integer;
    };
    const bool below = p.minimum && less(*p.value, *p.minimum),
               above = p.maximum && less(*p.maximum, *p.value);
    if (!below && !above) return;
    const auto number = [](const ir::Scalar& scalar) {  // without its type
      const std::string text = ir::to_string(scalar);
      return text.substr(0, text.size() - to_string(scalar.type).size());
    };
    const std::string range = below ? "below its range, which starts at " + number(*p.minimum)
                                    : "above its range, which ends at " + number(*p.maximum);
    throw refused("", "the parameter '" + p.name + "' is " + number(*p.value) + ", " + range,
                  "set a value in its range, or widen set_range");
  }

  void infer_inputs(const RealizationArg& given, const Target& target);

  void check_scalars() {
    for (const auto& p : bound().parameters) {
      if (!p->value)
        throw refused("", "no value was set for the parameter '" + p->name + "'",
                      "call set(value) on the Param before realize()");
      check_range(*p);
    }
  }

  std::vector<Source> sources_of(const ir::Module& module) {
    std::vector<Source> sources;
    for (const ir::Argument& a : module.arguments) {
      Source source;
      for (const auto& image : cache->bindings.images) {
        if (a.kind == ir::Argument::Kind::Input && image->id == a.symbol)
          source.image = image.get();
      }
      for (const auto& parameter : cache->bindings.parameters) {
        if (a.kind == ir::Argument::Kind::Scalar && parameter->id == a.symbol)
          source.parameter = parameter.get();
      }
      ensure(a.kind == ir::Argument::Kind::Output || source.image || source.parameter,
             "an argument that nobody holds");
      sources.push_back(source);
    }
    return sources;
  }

  void launch(const Variant& v, const std::vector<Buffer<>>& buffers, const Stream* stream) {
    check_scalars();
    if (v.target.is_host()) {
      for (const Source& source : v.sources) {
        if (source.image) source.image->buffer.contents()->use_on_host(false);
      }
      for (const Buffer<>& b : buffers) b.contents()->use_on_host(true);
    }
    Frame frame(v, buffers);
    try {
      v.compiled.executable->call(v.compiled.module.arguments, frame.arguments(),
                                  stream ? stream->queue().get() : nullptr);
    } catch (const RuntimeError& error) {
      throw RuntimeError(with_line_of_directive(error.diagnostic(), v.compiled.scheduled));
    }
  }
};

Pipeline::Pipeline(const Func& output) : Pipeline(std::vector<Func>{output}) {
  // All pipelines of this one Func under its default schedule share what they compile.
  FuncContents& func = *output.contents();
  std::call_once(func.compiled_once, [&] { func.compiled = contents_->cache; });
  contents_->cache = std::static_pointer_cast<Cache>(func.compiled);
}

Pipeline::Pipeline(const std::vector<Func>& outputs) : contents_(std::make_shared<Contents>()) {
  if (outputs.empty()) {
    throw AlgorithmError(Diagnostic{
        "", "", "a pipeline needs an output", "pass the Funcs whose values you want", {}, 0});
  }
  contents_->outputs = outputs;
}

namespace {

/// The contents of a Pipeline that was given outputs.
template <typename Contents>
Contents& existing(const std::shared_ptr<Contents>& contents) {
  if (!contents) {
    throw AlgorithmError(Diagnostic{
        "", "", "the pipeline has no outputs", "make it from a Func: Pipeline(f)", {}, 0});
  }
  return *contents;
}

}  // namespace

std::size_t Realization::existing(std::size_t i) const {
  if (i < buffers_.size()) return i;
  throw RuntimeError(make_diagnostic("", "Realization[" + std::to_string(i) + "]",
                                     "it has " + counted(buffers_.size(), "buffer"),
                                     "use an index below that"));
}

const std::vector<Func>& Pipeline::outputs() const { return existing(contents_).outputs; }

Pipeline Pipeline::with(const Schedule& schedule) const {
  Pipeline other(existing(contents_).outputs);  // a cache of its own
  other.contents_->schedule = std::make_shared<const Schedule>(schedule);
  return other;
}

Pipeline& Pipeline::fuse(const std::vector<Func>& stages, Location where) {
  Contents& contents = existing(contents_);
  schedule::FuseStages fuse;
  for (const Func& f : stages) fuse.stages.push_back(f.contents()->definition.id);
  const Func& first = stages.empty() ? contents.outputs.front() : stages.front();
  if (!contents.schedule) {
    schedule::record(first.contents(), 0, {}, std::move(fuse), where);
    return *this;
  }
  schedule::Schedule directives = contents.schedule->directives();
  directives.entries.push_back({{first.contents()->definition.id, 0}, std::move(fuse), where, {}});
  return *this = with(Schedule(std::move(directives)));
}

Pipeline& Pipeline::compile(const Target& target) {
  existing(contents_).variant(target, {});
  return *this;
}

namespace {

/// Buffers for all outputs over [0, size).
std::vector<Buffer<>> make_outputs(const std::vector<Func>& outputs,
                                   const std::vector<int>& sizes) {
  std::vector<Buffer<>> buffers;
  for (const Func& f : outputs) {
    if (!f.defined()) throw refused(f.name(), Undefined, "define it before the call");
    if (f.dimensions() != static_cast<int>(sizes.size())) {
      throw refused(f.name(),
                    "the output has " + counted(f.dimensions(), "dimension") + ", and " +
                        counted(sizes.size(), "size") +
                        (sizes.size() == 1 ? " is given" : " are given"),
                    "give one size for each dimension");
    }
    for (const Type t : f.types()) buffers.emplace_back(t, sizes);
  }
  return buffers;
}

}  // namespace

Realization Pipeline::realize(const std::vector<int>& sizes, const Target& target, Location where) {
  return located(where, [&] {
    std::vector<Buffer<>> buffers = make_outputs(existing(contents_).outputs, sizes);
    contents_->run(buffers, target);
    for (const Buffer<>& b : buffers) b.copy_to_host();
    return Realization(std::move(buffers));
  });
}

void Pipeline::realize(const RealizationArg& outputs, const Target& target, Location where) {
  located(where, [&] { existing(contents_).run(outputs.buffers, target); });
}

Realization Pipeline::realize(const std::vector<int>& sizes, const Stream& stream, Location where) {
  return located(where, [&] {
    std::vector<Buffer<>> buffers = make_outputs(existing(contents_).outputs, sizes);
    contents_->run(buffers, stream.target(), &stream);
    return Realization(std::move(buffers));
  });
}

void Pipeline::realize(const RealizationArg& outputs, const Stream& stream, Location where) {
  located(where, [&] { existing(contents_).run(outputs.buffers, stream.target(), &stream); });
}

struct RecordedCall::Contents {
  std::vector<Buffer<>> buffers;
  std::unique_ptr<backends::Recording> recording;
};

RecordedCall Pipeline::record(const RealizationArg& outputs, const Stream& stream, Location where) {
  return located(where, [&] {
    auto made = std::make_shared<RecordedCall::Contents>();
    made->recording = existing(contents_).record(outputs.buffers, stream);
    made->buffers = outputs.buffers;
    for (const auto& image : contents_->bound().images) made->buffers.push_back(image->buffer);
    return RecordedCall(std::move(made));
  });
}

void RecordedCall::replay(const Stream& stream, std::source_location where) const {
  located(where, [&] { contents_->recording->replay(*stream.queue()); });
}

void Pipeline::infer_input_bounds(const std::vector<int>& sizes, const Target& target,
                                  Location where) {
  located(where, [&] {
    existing(contents_).infer_inputs(
        RealizationArg(make_outputs(existing(contents_).outputs, sizes)), target);
  });
}

void Pipeline::infer_input_bounds(const RealizationArg& outputs, const Target& target,
                                  Location where) {
  located(where, [&] { existing(contents_).infer_inputs(outputs, target); });
}

void Pipeline::Contents::infer_inputs(const RealizationArg& given, const Target& target) {
  Contents& c = *this;
  c.check_outputs(given.buffers);
  std::unique_lock lock(c.cache->mutex);
  const Schedule scheduled = c.schedule_for(target, given.buffers);
  lock.unlock();
  const lowering::InputRegions needed =
      lowering::required_inputs(driver::resolve_pipeline(c.outputs, scheduled));
  c.check_scalars();
  ir::Substitution values;
  for (const auto& p : c.bound().parameters) {
    const ir::Scalar& s = *p->value;
    values[p->id] =
        s.type.is_float() ? ir::real_literal(s.type, s.real) : ir::literal(s.type, s.integer);
  }
  std::size_t output = 0;
  for (const ir::Argument& a : needed.module.arguments) {
    if (a.kind == ir::Argument::Kind::Output) {
      const Buffer<>& b = given.buffers[output++];
      for (std::size_t d = 0; d < a.dimensions.size(); ++d) {
        values[a.dimensions[d].min] = ir::index_literal(b.min(static_cast<int>(d)));
        values[a.dimensions[d].extent] = ir::index_literal(b.extent(static_cast<int>(d)));
      }
    }
  }
  for (const lowering::InputRegion& region : needed.regions) {
    for (const auto& image : c.bound().images) {
      if (image->id != region.input || image->buffer.defined()) continue;
      std::vector<int> mins, extents;
      for (const algebra::Interval& i : region.box.dimensions) {
        std::int64_t low = 0, high = 0;
        const bool known =
            ir::as_constant(algebra::simplify(ir::substitute(i.min, values)), &low) &&
            ir::as_constant(algebra::simplify(ir::substitute(i.max, values)), &high);
        if (!known)
          throw refused(image->name, "the input's bounds depend on another input",
                        "set its buffer by hand");
        std::int64_t extent = std::max<std::int64_t>(high - low + 1, 0);
        if (const std::size_t d = mins.size(); d < image->constraints.size()) {
          const auto constrained = [&](std::size_t field, std::int64_t* value) {
            const Expr& e = image->constraints[d][field];
            return e.defined() &&
                   ir::as_constant(algebra::simplify(ir::substitute(e, values)), value);
          };
          constrained(0, &low);
          constrained(1, &extent);
        }
        mins.push_back(static_cast<int>(low));
        extents.push_back(static_cast<int>(extent));
      }
      Buffer<> made(image->type, extents);
      made.set_min(mins);
      const_cast<ImageContents&>(*image).buffer = made;  // the ImageParam is the user's to change
    }
  }
}

void Pipeline::print_loop_nest() const {
  const Contents& c = existing(contents_);
  const std::string text =
      schedule::loop_nest(driver::resolve_pipeline(c.outputs, c.current_schedule()));
  std::fputs(text.c_str(), stderr);
}

// --- Func

void Func::print_loop_nest() const { Pipeline(*this).print_loop_nest(); }
void Func::compile_jit(const Target& target) { Pipeline(*this).compile(target); }
Realization Func::realize(const std::vector<int>& sizes, const Target& target, Location where) {
  return Pipeline(*this).realize(sizes, target, where);
}
void Func::realize(const RealizationArg& outputs, const Target& target, Location where) {
  Pipeline(*this).realize(outputs, target, where);
}
Realization Func::realize(const std::vector<int>& sizes, const Stream& stream, Location where) {
  return Pipeline(*this).realize(sizes, stream, where);
}
void Func::realize(const RealizationArg& outputs, const Stream& stream, Location where) {
  Pipeline(*this).realize(outputs, stream, where);
}
void Func::infer_input_bounds(const std::vector<int>& sizes, const Target& target, Location where) {
  Pipeline(*this).infer_input_bounds(sizes, target, where);
}
void Func::infer_input_bounds(const RealizationArg& outputs, const Target& target, Location where) {
  Pipeline(*this).infer_input_bounds(outputs, target, where);
}

}  // namespace sinter
