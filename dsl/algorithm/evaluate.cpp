// The oracle. Level 0 of a stage holds what its pure definition says, level k what update k has
// written. An update's iterations fall into groups that cannot see each other: one for each value
// of the coordinates in which it is pure. A demanded element asks, from the last update down, for
// the group that could have written it; a group runs once, all its reduction iterations in order,
// reading its own writes first and the level below for everything else. So every element gets the
// value that running whole updates over any set containing it would give, and nothing else is
// computed.

#include "dsl/algorithm/evaluate.h"

#include <algorithm>
#include <array>

#include <sinter/diagnostic.h>

#include "dsl/algorithm/element_map.h"
#include "dsl/algorithm/evaluate_program.h"
#include "dsl/base/large_stack.h"

namespace sinter {

Symbol output_symbol(const StageDefinition& stage, std::size_t component) {
  return Symbol::named(stage.name + "." + std::to_string(component));
}

namespace {

using evaluation::Instruction;
using evaluation::Place;
using evaluation::Program;
using ir::BufferView;
using ir::Op;
using ir::Scalar;

/// A void scalar: the content of an element that nothing has defined.
bool is_undefined(const Scalar& s) { return s.type.is_void(); }

constexpr std::size_t MaximumRank = 16;
using Coordinates = std::array<std::int64_t, MaximumRank>;

std::string to_text(const std::int64_t* c, std::size_t rank) {
  std::string text = "(";
  for (std::size_t d = 0; d < rank; ++d) text += (d > 0 ? ", " : "") + std::to_string(c[d]);
  return text + ")";
}

char* address_of(const BufferView& view, const std::int64_t* c) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < view.dimensions.size(); ++d)
    offset += (c[d] - view.dimensions[d].min) * view.dimensions[d].stride;
  return static_cast<char*>(view.host) + offset * view.type.bytes();
}

bool is_inside(const BufferView& view, const std::int64_t* c) {
  for (std::size_t d = 0; d < view.dimensions.size(); ++d) {
    const BufferView::Dimension& box = view.dimensions[d];
    if (c[d] < box.min || c[d] >= box.min + box.extent) return false;
  }
  return true;
}

/// Calls f for each element of the view's box, dimension 0 fastest.
template <typename F>
void for_each_element(const BufferView& view, F f) {
  Coordinates c{};
  const std::size_t rank = view.dimensions.size();
  for (std::size_t d = 0; d < rank; ++d) {
    c[d] = view.dimensions[d].min;
    if (view.dimensions[d].extent <= 0) return;
  }
  for (;;) {
    f(c.data());
    std::size_t d = 0;
    for (; d < rank; ++d) {
      if (++c[d] < view.dimensions[d].min + view.dimensions[d].extent) break;
      c[d] = view.dimensions[d].min;
    }
    if (d == rank) return;
  }
}

/// A stack of scalars for the frames of nested evaluations; never moves what is in use.
class FrameStack {
 public:
  struct Mark {
    std::size_t chunk, used;
  };

  Scalar* push(std::size_t n) {
    if (chunks_.empty() || used_ + n > chunks_[chunk_].size()) next_chunk(n);
    Scalar* frame = chunks_[chunk_].data() + used_;
    used_ += n;
    return frame;
  }
  Mark mark() const { return {chunk_, used_}; }
  void pop(Mark m) {
    chunk_ = m.chunk;
    used_ = m.used;
  }

 private:
  void next_chunk(std::size_t n) {
    if (!chunks_.empty()) ++chunk_;
    if (chunk_ == chunks_.size()) chunks_.emplace_back();
    if (chunks_[chunk_].size() < n) chunks_[chunk_].resize(std::max<std::size_t>(n, 1 << 14));
    used_ = 0;
  }
  std::vector<std::vector<Scalar>> chunks_;
  std::size_t chunk_ = 0, used_ = 0;
};

/// One definition, ready to run.
struct Level {
  const Definition* definition = nullptr;
  std::vector<std::size_t> pure_dimensions;
  Program bounds;                   // min, extent of each reduction variable
  std::vector<Program> predicates;  // asked in order, up to the first that does not hold
  Program body;                     // coordinates (updates only), then values
  ElementMap written;               // of this level's elements
  ElementMap groups;                // value 0: an integer, 1 while running, 2 when done

  Level(std::size_t rank, std::size_t components, std::size_t pure)
      : written(rank, components), groups(pure, 1) {}
};

struct Stage {
  const StageDefinition* definition = nullptr;
  std::vector<Level> levels;
  std::vector<const BufferView*> outputs;  // per component; empty for other stages
  std::size_t rank() const { return definition->rank(); }
  std::size_t components() const { return definition->types.size(); }
};

/// The update looks along one of its pure variables at other elements of its own stage.
[[noreturn]] void refuse_self_read(const StageDefinition& stage, std::size_t index, std::size_t d) {
  Diagnostic diagnostic;
  diagnostic.stage = stage.name + ".update(" + std::to_string(index - 1) + ")";
  diagnostic.reason = "the update reads its own stage at other values of the pure variable '" +
                      stage.variables[d].name() + "'";
  diagnostic.remedy =
      "use a variable of an RDom in that place: it says in which order the elements are written";
  throw AlgorithmError(diagnostic.at(stage.definitions[index].where));
}

class Evaluator {
 public:
  Evaluator(const Algorithm& algorithm, const ir::Arguments& arguments) : algorithm_(algorithm) {
    evaluation::Names names;
    for (const ScalarParameter& s : algorithm.scalars) {
      const auto value = arguments.scalars.find(s.id);
      ensure(value != arguments.scalars.end(), "evaluate: a scalar argument is missing");
      names.constants[s.id] = value->second;
    }
    for (const Image& image : algorithm.images) add_image(image, arguments, names);
    for (const StageDefinition& stage : algorithm.stages) {
      names.stages[stage.id] = static_cast<std::int32_t>(names.stages.size());
    }
    for (const StageDefinition& stage : algorithm.stages) add_stage(stage, arguments, names);
  }

  void run() {
    for (Stage& stage : stages_) {
      for (const BufferView* view : stage.outputs) {
        for_each_element(*view, [&](const std::int64_t* c) { (void)demand(stage, c); });
      }
    }
    // Only now: an undef stage starts from what its buffer holds.
    for (Stage& stage : stages_) {
      for (std::size_t i = 0; i < stage.outputs.size(); ++i) {
        const BufferView& view = *stage.outputs[i];
        for_each_element(view, [&](const std::int64_t* c) {
          const Scalar& value = demand(stage, c)[i];
          if (!is_undefined(value)) ir::write_scalar(value, address_of(view, c));
        });
      }
    }
  }

 private:
  void add_image(const Image& image, const ir::Arguments& arguments, evaluation::Names& names) {
    const auto given = arguments.buffers.find(image.id);
    const BufferView* view = given != arguments.buffers.end() ? &given->second : image.bound.get();
    ensure(view != nullptr, "evaluate: an input is missing");
    ensure(view->dimensions.size() == image.fields.size() && view->type == image.type,
           "evaluate: an input of another shape");
    names.images[image.id] = static_cast<std::int32_t>(images_.size());
    images_.push_back(view);
    for (std::size_t d = 0; d < image.fields.size(); ++d) {
      const BufferView::Dimension& box = view->dimensions[d];
      names.constants[image.fields[d][0]] = Scalar::of_integer(Index(), box.min);
      names.constants[image.fields[d][1]] = Scalar::of_integer(Index(), box.extent);
      names.constants[image.fields[d][2]] = Scalar::of_integer(Index(), box.stride);
    }
  }

  void add_stage(const StageDefinition& definition, const ir::Arguments& arguments,
                 const evaluation::Names& names) {
    ensure(definition.rank() <= MaximumRank, "evaluate: a stage of more than 16 dimensions");
    Stage stage;
    stage.definition = &definition;
    for (std::size_t k = 0; k < definition.definitions.size(); ++k)
      stage.levels.push_back(make_level(definition, k, names));
    if (algorithm_.is_output(definition.id)) {
      for (std::size_t i = 0; i < definition.types.size(); ++i) {
        const auto view = arguments.buffers.find(output_symbol(definition, i));
        ensure(view != arguments.buffers.end(), "evaluate: an output is missing");
        ensure(view->second.dimensions.size() == definition.rank() &&
                   view->second.type == definition.types[i],
               "evaluate: an output of another shape");
        stage.outputs.push_back(&view->second);
      }
    }
    stages_.push_back(std::move(stage));
  }

  Level make_level(const StageDefinition& stage, std::size_t k, const evaluation::Names& names) {
    const Definition& d = stage.definitions[k];
    std::vector<std::size_t> pure;
    for (std::size_t i = 0; k > 0 && i < stage.rank(); ++i) {
      const Expr& c = d.coordinates[i];
      if (ir::is(c, Op::Symbol) && c->symbol == stage.variables[i]) pure.push_back(i);
    }
    check_self_reads(stage, k, pure);
    Level level(stage.rank(), stage.types.size(), pure.size());
    level.definition = &d;
    level.pure_dimensions = std::move(pure);
    std::vector<Symbol> variables = stage.variables;
    std::vector<Expr> bounds;
    for (const ReductionVariable& r : d.domain) {
      bounds.push_back(r.min);
      bounds.push_back(r.extent);
    }
    level.bounds = evaluation::compile(bounds, variables, names);
    for (const ReductionVariable& r : d.domain) variables.push_back(r.symbol);
    std::vector<Expr> asked;
    if (d.predicate.defined()) asked.push_back(d.predicate);
    while (!asked.empty()) {
      const Expr e = asked.back();
      asked.pop_back();
      if (ir::is(e, Op::And)) {
        asked.push_back(ir::arg(e, 1));
        asked.push_back(ir::arg(e, 0));
      } else {
        level.predicates.push_back(evaluation::compile({e}, variables, names));
      }
    }
    std::vector<Expr> body = d.values;
    if (k > 0) body.insert(body.begin(), d.coordinates.begin(), d.coordinates.end());
    level.body = evaluation::compile(body, variables, names);
    return level;
  }

  static void check_self_reads(const StageDefinition& stage, std::size_t k,
                               const std::vector<std::size_t>& pure) {
    std::vector<Expr> roots = stage.definitions[k].values;
    roots.insert(roots.end(), stage.definitions[k].coordinates.begin(),
                 stage.definitions[k].coordinates.end());
    roots.push_back(stage.definitions[k].predicate);
    for (const Expr& root : roots) {
      ir::for_each_node(root.node(), [&](const ir::Ref& n) {
        if (n->op != Op::Access || !(n->symbol == stage.id)) return true;
        ensure(k > 0, "a pure definition reads its own stage");
        for (std::size_t d : pure) {
          const ir::Node& c = *n->args[d];
          if (c.op != Op::Symbol || !(c.symbol == stage.variables[d]))
            refuse_self_read(stage, k, d);
        }
        return true;
      });
    }
  }

  // --- values ------------------------------------------------------------------------------------

  /// The final values of an element. Valid until the stage's next demand.
  const Scalar* demand(Stage& stage, const std::int64_t* c) {
    return read_level(stage, stage.levels.size() - 1, c);
  }

  /// The element's values after definition `k`.
  const Scalar* read_level(Stage& stage, std::size_t k, const std::int64_t* c) {
    for (; k > 0; --k) {
      run_group(stage, k, c);
      ElementMap& written = stage.levels[k].written;
      if (const std::uint32_t e = written.find(c); e != ElementMap::None) return written.values(e);
    }
    ElementMap& initial = stage.levels[0].written;
    std::uint32_t e = initial.find(c);
    if (e == ElementMap::None) e = define(stage, c);
    return initial.values(e);
  }

  /// Runs the pure definition for one element.
  std::uint32_t define(Stage& stage, const std::int64_t* c) {
    Level& level = stage.levels[0];
    std::vector<Scalar> values(stage.components());
    if (!level.definition->is_undef()) {
      const FrameStack::Mark mark = frames_.mark();
      const Scalar* frame = execute(stage, 0, level.body, c);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = value_at(level.body, level.body.results[i], frame);
      frames_.pop(mark);
    } else {
      for (std::size_t i = 0; i < stage.outputs.size(); ++i) {
        const BufferView& view = *stage.outputs[i];
        if (is_inside(view, c)) values[i] = ir::read_scalar(view.type, address_of(view, c));
      }
    }
    const std::uint32_t e = level.written.insert(c);
    std::copy(values.begin(), values.end(), level.written.values(e));
    return e;
  }

  /// Runs the iterations of update `k` that could write the element.
  void run_group(Stage& stage, std::size_t k, const std::int64_t* c) {
    Level& level = stage.levels[k];
    if (level.definition->is_undef()) return;
    Coordinates key;
    for (std::size_t i = 0; i < level.pure_dimensions.size(); ++i)
      key[i] = c[level.pure_dimensions[i]];
    if (const std::uint32_t known = level.groups.find(key.data()); known != ElementMap::None) {
      ensure(level.groups.values(known)->integer == 2, "an update depends on its own result");
      return;
    }
    const std::uint32_t group = level.groups.insert(key.data());
    level.groups.values(group)->integer = 1;

    const std::size_t rank = stage.rank(), loops = level.definition->domain.size();
    std::vector<std::int64_t> variables(rank + loops), end(loops);
    // Variables of other dimensions are not used: they have no loop.
    for (std::size_t i = 0; i < level.pure_dimensions.size(); ++i)
      variables[level.pure_dimensions[i]] = key[i];
    const FrameStack::Mark mark = frames_.mark();
    const Scalar* frame = execute(stage, k, level.bounds, variables.data());
    std::vector<std::int64_t> begin(loops);
    bool empty = false;
    for (std::size_t i = 0; i < loops; ++i) {
      begin[i] = value_at(level.bounds, level.bounds.results[2 * i], frame).integer;
      end[i] = begin[i] + value_at(level.bounds, level.bounds.results[2 * i + 1], frame).integer;
      empty = empty || end[i] <= begin[i];
      variables[rank + i] = begin[i];
    }
    frames_.pop(mark);
    for (bool more = !empty; more;) {
      iterate(stage, k, variables.data());
      std::size_t i = 0;
      for (; i < loops; ++i) {
        if (++variables[rank + i] < end[i]) break;
        variables[rank + i] = begin[i];
      }
      more = i < loops;
    }
    level.groups.values(group)->integer = 2;
  }

  /// One iteration: all values before any is written.
  void iterate(Stage& stage, std::size_t k, const std::int64_t* variables) {
    Level& level = stage.levels[k];
    const FrameStack::Mark mark = frames_.mark();
    for (const Program& predicate : level.predicates) {
      const Scalar* frame = execute(stage, k, predicate, variables);
      const bool holds = value_at(predicate, predicate.results[0], frame).as_bool();
      frames_.pop(mark);
      if (!holds) return;
    }
    const Scalar* frame = execute(stage, k, level.body, variables);
    Coordinates c;
    for (std::size_t d = 0; d < stage.rank(); ++d) {
      const Scalar& coordinate = value_at(level.body, level.body.results[d], frame);
      ensure(!is_undefined(coordinate),
             "an update's place depends on an element that nothing has defined");
      c[d] = coordinate.integer;
    }
    const std::uint32_t e = level.written.insert(c.data());
    Scalar* values = level.written.values(e);
    for (std::size_t i = 0; i < stage.components(); ++i)
      values[i] = value_at(level.body, level.body.results[stage.rank() + i], frame);
    frames_.pop(mark);
  }

  static const Scalar& value_at(const Program& program, Place place, const Scalar* frame) {
    return place >= 0 ? frame[place] : program.constants[static_cast<std::size_t>(-1 - place)];
  }

  // --- expressions

  /// Runs the program of definition `k`; the frame lives until its mark is popped.
  const Scalar* execute(Stage& stage, std::size_t k, const Program& program,
                        const std::int64_t* variables) {
    Scalar* frame = frames_.push(program.code.size());
    for (std::size_t i = 0; i < program.code.size(); ++i) {
      const Instruction& step = program.code[i];
      if (step.op == Op::Symbol) {
        frame[i] = Scalar::of_integer(step.type, variables[step.index]);
      } else if (step.op == Op::Access) {
        Coordinates c;
        ensure(step.count <= MaximumRank, "an access of more than 16 dimensions");
        for (std::uint32_t d = 0; d < step.count; ++d) {
          const Scalar& coordinate = value_at(program, program.operands[step.first + d], frame);
          ensure(!is_undefined(coordinate),
                 "a coordinate depends on an element that nothing has defined");
          c[d] = coordinate.integer;
        }
        frame[i] = step.is_image ? read_image(stage, k, step, c.data())
                                 : read_stage(stage, k, step, c.data());
      } else if (step.op == Op::Require) {
        frame[i] = required(stage, k, program, step, frame);
      } else {
        std::array<Scalar, 4> operands;
        bool undefined = false;
        for (std::uint32_t a = 0; a < step.count; ++a) {
          operands[a] = value_at(program, program.operands[step.first + a], frame);
          undefined = undefined || is_undefined(operands[a]);
        }
        frame[i] = undefined ? Scalar{}
                             : ir::apply(step.op, step.type, operands.data(),
                                         static_cast<int>(step.count));
      }
    }
    return frame;
  }

  Scalar read_stage(Stage& reader, std::size_t k, const Instruction& step, const std::int64_t* c) {
    Stage& stage = stages_[static_cast<std::size_t>(step.index)];
    const auto component = static_cast<std::size_t>(step.component);
    if (&stage != &reader) return demand(stage, c)[component];
    // An update sees what its own earlier iterations wrote, else the level below.
    ElementMap& written = stage.levels[k].written;
    if (const std::uint32_t e = written.find(c); e != ElementMap::None)
      return written.values(e)[component];
    return read_level(stage, k - 1, c)[component];
  }

  Scalar read_image(const Stage& reader, std::size_t k, const Instruction& step,
                    const std::int64_t* c) {
    const auto number = static_cast<std::size_t>(step.index);
    const BufferView& view = *images_[number];
    if (!is_inside(view, c)) fail_outside(reader, k, algorithm_.images[number].name, view, c);
    return ir::read_scalar(view.type, address_of(view, c));
  }

  Scalar required(const Stage& stage, std::size_t k, const Program& program,
                  const Instruction& step, const Scalar* frame) {
    const Scalar& condition = value_at(program, program.operands[step.first], frame);
    if (is_undefined(condition) || !condition.as_bool()) {
      Diagnostic d = diagnostic_of(stage, k);
      d.reason = program.messages[static_cast<std::size_t>(step.index)];
      throw RuntimeError(d);
    }
    return value_at(program, program.operands[step.first + 1], frame);
  }

  static Diagnostic diagnostic_of(const Stage& stage, std::size_t k) {
    Diagnostic d;
    d.stage = stage.definition->name;
    if (k > 0) d.stage += ".update(" + std::to_string(k - 1) + ")";
    return d.at(stage.definition->definitions[k].where);
  }

  [[noreturn]] static void fail_outside(const Stage& reader, std::size_t k, const std::string& name,
                                        const BufferView& view, const std::int64_t* c) {
    Diagnostic d = diagnostic_of(reader, k);
    std::string box;
    for (const BufferView::Dimension& dimension : view.dimensions) {
      box += (box.empty() ? "[" : " x [") + std::to_string(dimension.min) + ", " +
             std::to_string(dimension.min + dimension.extent - 1) + "]";
    }
    d.reason = name + to_text(c, view.dimensions.size()) + " is read, outside its bounds " + box;
    d.remedy =
        "pass a larger input, or keep the coordinates inside with clamp or BoundaryConditions";
    throw RuntimeError(d);
  }

  const Algorithm& algorithm_;
  std::vector<const BufferView*> images_;
  std::vector<Stage> stages_;
  FrameStack frames_;
};

}  // namespace

void evaluate(const Algorithm& algorithm, const ir::Arguments& arguments) {
  on_large_stack([&] { Evaluator(algorithm, arguments).run(); });
}

}  // namespace sinter
