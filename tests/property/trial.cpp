#include "tests/property/trial.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>

#include "backends/driver/compile_pipeline.h"
#include "dsl/algebra/simplify.h"
#include "dsl/algorithm/evaluate.h"
#include "dsl/lowering/loops/build_loop_nest.h"
#include "dsl/lowering/passes.h"
#include "dsl/schedule/resolve.h"
#include "dsl/schedule/schedule_text.h"
#include "tests/property/random.h"

namespace sinter::test {

namespace {

constexpr std::byte Untouched{0x5a};
constexpr std::size_t LargestHostCode = 4000;  // nodes: optimising more would take most of the time
constexpr std::int64_t Guard = 64;             // elements before and after

/// How elements lie in memory.
struct Layout {
  bool padded = false;    // rows are longer than their elements
  bool strided = false;   // dimension 0 has stride 2
  bool reversed = false;  // the other dimensions run backwards
  explicit Layout(std::uint64_t seed) {
    Random random(seed);
    padded = random.chance(50);
    strided = random.chance(20);
    reversed = random.chance(15);
  }
};

/// Elements over a box, with guards around.
struct Memory {
  std::vector<std::byte> bytes;
  ir::BufferView view;

  Memory(Type type, const std::vector<Extent>& box, const Layout& layout) {
    std::int64_t stride = layout.strided ? 2 : 1, first = Guard;
    for (const Extent& e : box) {
      const bool backwards = layout.reversed && !view.dimensions.empty() && e.extent > 0;
      view.dimensions.push_back({e.min, e.extent, backwards ? -stride : stride});
      if (backwards) first += stride * (e.extent - 1);
      stride *= std::max(e.extent, 0);
      if (layout.padded) stride += 3;
    }
    const auto size = static_cast<std::size_t>((stride + 2 * Guard) * type.bytes());
    bytes.assign(size, Untouched);
    view.type = type;
    view.host = bytes.data() + first * type.bytes();
  }
  Memory(Memory&&) = default;
  Memory(const Memory&) = delete;

  template <typename Visit>
  void for_each_element(const Visit& visit) const {
    std::vector<std::int64_t> at;
    for (const auto& d : view.dimensions) {
      if (d.extent <= 0) return;
      at.push_back(d.min);
    }
    while (true) {
      std::int64_t offset = 0;
      for (std::size_t d = 0; d < at.size(); ++d)
        offset += (at[d] - view.dimensions[d].min) * view.dimensions[d].stride;
      visit(at, static_cast<std::byte*>(view.host) + offset * view.type.bytes());
      std::size_t d = 0;
      for (; d < at.size(); ++d) {
        if (++at[d] < view.dimensions[d].min + view.dimensions[d].extent) break;
        at[d] = view.dimensions[d].min;
      }
      if (d == at.size()) return;
    }
  }
};

std::string coordinates_text(const std::vector<std::int64_t>& at) {
  std::string text;
  for (std::int64_t c : at) text += (text.empty() ? "" : ", ") + std::to_string(c);
  return "(" + text + ")";
}

/// Empty when both hold the same elements and nothing around them changed.
std::string difference(const Memory& expected, const Memory& got) {
  std::string text;
  int count = 0;
  std::vector<std::byte> rest = got.bytes;
  got.for_each_element([&](const std::vector<std::int64_t>& at, std::byte* address) {
    const std::ptrdiff_t offset = address - got.bytes.data();
    const ir::Scalar a = ir::read_scalar(got.view.type, expected.bytes.data() + offset);
    const ir::Scalar b = ir::read_scalar(got.view.type, address);
    if (!a.same(b) && ++count <= 3) {
      text += "  at " + coordinates_text(at) + ": " + ir::to_string(b) + ", the oracle says " +
              ir::to_string(a) + "\n";
    }
    std::memset(rest.data() + offset, static_cast<int>(Untouched),
                static_cast<std::size_t>(got.view.type.bytes()));
  });
  if (count > 3) text += "  and " + std::to_string(count - 3) + " more\n";
  for (std::byte b : rest) {
    if (b != Untouched) return text + "  memory around the elements was written\n";
  }
  return text;
}

void fill(const Memory& memory, std::uint64_t seed) {
  const Type type = memory.view.type;
  Random style(seed);
  const bool specials = style.chance(25), wide = style.chance(50);
  memory.for_each_element([&](const std::vector<std::int64_t>& at, std::byte* address) {
    std::uint64_t hash = seed;
    for (std::int64_t c : at) hash = hash * 0x100000001b3u + static_cast<std::uint64_t>(c + 1000);
    Random random(hash);
    ir::Scalar value;
    if (type.is_float()) {
      double real = random.in(-400, 400) / 16.0;
      if (wide && random.chance(10)) real *= 1e6;
      if (specials && random.chance(6)) {
        const double list[] = {std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(),
                               -0.0,
                               1e-40,
                               3.4e38};
        real = list[random.index(6)];
      }
      value = ir::Scalar::of_real(type, real);
    } else if (wide || random.chance(10)) {
      value = ir::Scalar::of_integer(type, static_cast<std::int64_t>(random.next()));
    } else {
      value = ir::Scalar::of_integer(type, random.in(type.is_uint() ? 0 : -6, 12));
    }
    if (type.is_bool()) value = ir::Scalar::of_integer(type, random.in(0, 1));
    ir::write_scalar(value, address);
  });
}

std::uint64_t hash_of(const std::string& name) {
  std::uint64_t h = 1469598103934665603u;
  for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return h;
}

/// The regions of the images that have no fixed size, as numbers.
void add_regions(const Instance& instance, const schedule::ScheduledPipeline& scheduled,
                 std::map<Symbol, std::vector<Extent>>& boxes) {
  const lowering::InputRegions needed = lowering::required_inputs(scheduled);
  ir::Substitution values;
  for (const ir::Argument& a : needed.module.arguments) {
    if (a.kind == ir::Argument::Kind::Scalar) {
      const ir::Scalar& s = instance.scalars.at(a.symbol);
      values[a.symbol] =
          a.type.is_float() ? ir::real_literal(a.type, s.real) : ir::literal(a.type, s.integer);
      continue;
    }
    const std::vector<Extent>* box = nullptr;
    if (a.kind == ir::Argument::Kind::Input) {
      if (const auto it = instance.images.find(a.symbol); it != instance.images.end())
        box = &it->second;
    } else {
      for (std::size_t i = 0; i < instance.boxes.size(); ++i) {
        if (instance.algorithm.outputs[i] == a.stage) box = &instance.boxes[i];
      }
    }
    for (std::size_t d = 0; box != nullptr && d < a.dimensions.size(); ++d) {
      values[a.dimensions[d].min] = ir::index_literal((*box)[d].min);
      values[a.dimensions[d].extent] = ir::index_literal((*box)[d].extent);
    }
  }
  for (const lowering::InputRegion& region : needed.regions) {
    if (instance.images.count(region.input)) continue;
    std::vector<Extent>& box = boxes[region.input];
    const bool first = box.empty();
    for (std::size_t d = 0; d < region.box.dimensions.size(); ++d) {
      const algebra::Interval& i = region.box.dimensions[d];
      if (!i.bounded()) throw InternalError("the region of an input is unbounded");
      std::int64_t low = 0, high = 0;
      const Expr low_text = algebra::simplify(ir::substitute(i.min, values)),
                 high_text = algebra::simplify(ir::substitute(i.max, values));
      if (!ir::as_constant(low_text, &low) || !ir::as_constant(high_text, &high)) {
        throw InternalError("the region of an input does not become a number: " +
                            ir::print(low_text) + " .. " + ir::print(high_text));
      }
      if (low < -100000 || high > 100000)
        throw InternalError("the region of an input is absurd: " + std::to_string(low) + " .. " +
                            std::to_string(high));
      Extent e{static_cast<int>(low), static_cast<int>(std::max<std::int64_t>(high - low + 1, 0))};
      if (first) box.push_back(e);
      else {
        const int end = std::max(box[d].min + box[d].extent, e.min + e.extent);
        box[d].min = std::min(box[d].min, e.min);
        box[d].extent = end - box[d].min;
      }
    }
  }
}

/// An input of more elements is not worth the memory and the time.
bool has_large(const std::map<Symbol, std::vector<Extent>>& boxes) {
  constexpr std::int64_t Most = std::int64_t{1} << 22;
  for (const auto& [image, box] : boxes) {
    std::int64_t elements = 1;
    for (const Extent& e : box) elements = std::min(elements * e.extent, Most + 1);
    if (elements > Most) return true;
  }
  return false;
}

/// What is read without a schedule, and with every stage at root: all components of all tuples.
void add_plain_regions(const Instance& instance, std::map<Symbol, std::vector<Extent>>& boxes) {
  schedule::Schedule root;
  for (const StageDefinition& s : instance.algorithm.stages)
    root.entries.push_back({{s.id, 0}, schedule::ComputeRoot{}, {}, {}});
  for (const schedule::Schedule& plain : {schedule::Schedule{}, root}) {
    try {
      add_regions(instance, schedule::resolve(instance.algorithm, plain, "plain"), boxes);
    } catch (const CompileError&) {
      // Unbounded without the schedule.
    }
  }
}

/// The buffers of one run.
class Run {
 public:
  Run(const Instance& instance, const std::map<Symbol, std::vector<Extent>>& boxes,
      std::uint64_t data_seed)
      : instance_(instance), layout_(instance.data_seed) {
    arguments_.scalars.insert(instance.scalars.begin(), instance.scalars.end());
    for (const Image& image : instance.algorithm.images) {
      const auto fixed = instance.images.find(image.id);
      const auto read = boxes.find(image.id);
      std::vector<Extent> box(image.fields.size(), Extent{0, 1});
      if (fixed != instance.images.end()) box = fixed->second;
      else if (read != boxes.end() && read->second.size() == box.size()) box = read->second;
      inputs_.emplace_back(image.type, box, layout_);
      fill(inputs_.back(), data_seed ^ hash_of(image.name));
      arguments_.buffers[image.id] = inputs_.back().view;
    }
  }

  /// Runs `compute` on fresh outputs.
  std::vector<Memory> outputs(const std::function<void(const ir::Arguments&)>& compute) const {
    std::vector<Memory> made;
    ir::Arguments arguments = arguments_;
    for (std::size_t i = 0; i < instance_.algorithm.outputs.size(); ++i) {
      const StageDefinition& stage = instance_.algorithm.stage(instance_.algorithm.outputs[i]);
      for (std::size_t c = 0; c < stage.types.size(); ++c) {
        made.emplace_back(stage.types[c], instance_.boxes[i], layout_);
        arguments.buffers[output_symbol(stage, c)] = made.back().view;
      }
    }
    compute(arguments);
    return made;
  }

 private:
  const Instance& instance_;
  std::vector<Memory> inputs_;
  ir::Arguments arguments_;
  Layout layout_;
};

std::string differences(const std::vector<Memory>& expected, const std::vector<Memory>& got) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::string text = difference(expected[i], got[i]);
    if (!text.empty()) return "output " + std::to_string(i) + " differs\n" + text;
  }
  return "";
}

TrialResult failed(const std::string& text) { return {TrialResult::Kind::Failed, {}, text}; }

/// Rewrites keep the original's bits: none, or of integers only.
bool rewrites_are_exact(const Instance& instance, const Algorithm& rewritten) {
  for (const schedule::Entry& e : instance.schedule.entries) {
    if (!std::holds_alternative<schedule::Rfactor>(e.directive) &&
        !std::holds_alternative<schedule::ReduceAcross>(e.directive))
      continue;
    const StageDefinition* stage = rewritten.find(e.stage.stage);
    if (stage == nullptr) return false;
    for (Type t : stage->types) {
      if (t.is_float()) return false;
    }
  }
  return true;
}

/// A way to run the pipeline.
struct Level {
  std::string name;
  ir::Module module;  // no body: the host's code
};

/// The names of all arguments, when dimension 0 of theirs has a stride.
std::vector<std::string> strided_names(const Instance& instance) {
  std::vector<std::string> names;
  if (!Layout(instance.data_seed).strided) return names;
  for (const Image& image : instance.algorithm.images) names.push_back(image.name);
  for (const Symbol& id : instance.algorithm.outputs) {
    const StageDefinition& stage = instance.algorithm.stage(id);
    names.push_back(stage.name);
    for (std::size_t c = 0; c < stage.types.size(); ++c)
      names.push_back(stage.name + "." + std::to_string(c));
  }
  return names;
}

/// This machine, or an older one; the emulated GPU.
Target target_of(const Instance& instance) {
  if (instance.gpu) return Target("emulated-nvptx-sm_90a");
  Random random(instance.data_seed + 1);
  const int choice = random.in(0, 9);
  return choice < 6 ? Target() : choice < 9 ? Target("host-x86-64-v3") : Target("host-x86-64-v2");
}

std::size_t size_of(const ir::Module& module) {
  std::size_t nodes = 0;
  ir::for_each_node(module.body.node(), [&](const ir::Ref&) { return ++nodes, true; });
  return nodes;
}

/// One call: the oracle and all levels, on one set of buffers.
class Call {
 public:
  Call(const Instance& instance, const driver::Compiled& compiled)
      : instance_(instance), compiled_(compiled) {}

  TrialResult run(const std::vector<Level>& levels) {
    std::map<Symbol, std::vector<Extent>> boxes;
    add_regions(instance_, compiled_.scheduled, boxes);
    add_plain_regions(instance_, boxes);
    if (has_large(boxes)) {
      result_.kind = TrialResult::Kind::RefusedAtCall;
      result_.refusal.reason = "an input is too large to be tried";
      return result_;
    }
    const Run buffers(instance_, boxes, instance_.data_seed);
    try {
      expected_ = buffers.outputs(
          [&](const ir::Arguments& a) { evaluate(compiled_.scheduled.algorithm, a); });
    } catch (const RuntimeError&) {
      oracle_refuses_ = true;
    }
    if (!oracle_refuses_ && rewrites_are_exact(instance_, compiled_.scheduled.algorithm)) {
      const auto original =
          buffers.outputs([&](const ir::Arguments& a) { evaluate(instance_.algorithm, a); });
      const std::string text = differences(original, expected_);
      if (!text.empty())
        return failed("the rewritten algorithm: " + text +
                      to_string(compiled_.scheduled.algorithm));
    }
    for (const Level& level : levels) {
      if (result_.kind != TrialResult::Kind::Failed) compare(level, buffers);
    }
    if (result_.kind == TrialResult::Kind::Agreed && oracle_refuses_) {
      // The oracle computes all components of a tuple, and looks at an image for one that nothing
      // uses.
      result_.kind = TrialResult::Kind::RefusedAtCall;
      result_.refusal.reason = "only the oracle refuses";
    }
    return result_;
  }

 private:
  void compare(const Level& level, const Run& buffers) {
    const bool host = !level.module.body.defined();
    bool refused = false;
    std::string text;
    try {
      const auto got = buffers.outputs([&](const ir::Arguments& a) {
        if (host) compiled_.executable->launch(a, nullptr);
        else ir::interpret(level.module, a, instance_.data_seed);
      });
      if (!oracle_refuses_) text = differences(expected_, got);
    } catch (const RuntimeError& e) {
      refused = true;
      result_.refusal = e.diagnostic();
      text = e.what();
    } catch (const std::exception& e) {
      result_ = failed(level.name + ": error: " + e.what());
      if (!host) result_.text += "\n" + ir::print(level.module);
      else if (instance_.gpu)
        result_.text += "\n" + ir::print(compiled_.module) + compiled_.code.listings.at("asm");
      return;
    }
    if (first_ && refused) result_.kind = TrialResult::Kind::RefusedAtCall;
    first_ = false;
    if (refused != (result_.kind == TrialResult::Kind::RefusedAtCall)) {
      result_ = failed(level.name + ": refusal differs: the call " +
                       (refused ? "is refused: " + text : std::string("is not refused")));
    } else if (!refused && !text.empty()) {
      result_ = failed(level.name + ": " + text);
      if (instance_.gpu) result_.text += ir::print(compiled_.module);
      if (!host) result_.text += ir::print(level.module);
    }
  }

  const Instance& instance_;
  const driver::Compiled& compiled_;
  std::vector<Memory> expected_;
  bool oracle_refuses_ = false, first_ = true;
  TrialResult result_;
};

/// What the schedule's text means is what the schedule means.
std::string text_problem(const Instance& instance, const schedule::ScheduledPipeline& scheduled) {
  const std::string text = to_string(instance.schedule, instance.algorithm);
  schedule::Schedule parsed;
  try {
    parsed = schedule::parse_schedule(text, instance.algorithm, "schedule");
  } catch (const ScheduleError& e) {
    return std::string("schedule text: it is refused: ") + e.what() + "\n" + text;
  }
  if (to_string(parsed, instance.algorithm) != text)
    return "schedule text: it is not read back as it was written\n" + text;
  const std::string nest = loop_nest(scheduled),
                    other = loop_nest(schedule::resolve(instance.algorithm, parsed, "trial"));
  if (nest != other) return "schedule text: another loop nest\n" + text + nest + other;
  return "";
}

/// Lowers, keeping the levels that are compared, and compiles. Empty when all went well.
TrialResult compile(const Instance& instance, driver::Compiled& compiled,
                    std::vector<Level>& levels) {
  Random random(instance.data_seed + 2);
  const Target target = target_of(instance);
  const std::string last = lowering::passes().back().name;
  const bool every = random.chance(4);
  bool interpretable = true;
  lowering::LowerOptions options;
  options.vector_bits = target.vector_bits();
  options.strided = strided_names(instance);
  options.debug = random.chance(20);
  options.verify = true;
  options.after_pass = [&](const std::string& pass, const ir::Module& module) {
    interpretable = interpretable && !(instance.gpu && pass == "map_to_grid");
    if (!interpretable) return;
    if (every || pass == "build_loop_nest" || pass == "partition_loops" || pass == last)
      levels.push_back({"after " + pass, module});
  };
  const schedule::ScheduledPipeline scheduled = compiled.scheduled;
  try {
    const ir::Module module = lowering::lower(scheduled, options);
    if (!instance.gpu && random.chance(15)) {
      for (const lowering::Pass& pass : lowering::passes()) {
        if (pass.optional && random.chance(50)) options.disabled.push_back(pass.name);
      }
      options.after_pass = nullptr;
      std::string name = "without";
      for (const std::string& pass : options.disabled) name += " " + pass;
      levels.push_back({name, lowering::lower(scheduled, options)});
    }
    if (size_of(module) > LargestHostCode) return {};
  } catch (const CompileError& e) {
    return {TrialResult::Kind::RefusedAtLower, e.diagnostic(), ""};
  } catch (const ScheduleError& e) {
    return {TrialResult::Kind::RefusedAtLower, e.diagnostic(), ""};
  } catch (const std::exception& e) {
    return failed(std::string("lower: ") + e.what());
  }
  try {
    driver::CompileOptions driver_options;
    driver_options.strided = options.strided;
    driver_options.debug = options.debug;
    driver_options.verify = driver_options.listings = instance.gpu;
    compiled = driver::compile_pipeline(scheduled, target, driver_options);
  } catch (const CompileError& e) {
    if (instance.gpu)
      return {TrialResult::Kind::RefusedAtLower, e.diagnostic(), ""};  // limits of the target
    return failed(std::string("compile: ") + e.what());
  } catch (const std::exception& e) {
    return failed(std::string("compile: ") + e.what());
  }
  levels.push_back({(instance.gpu ? "device code " : "host code ") + target.to_string(), {}});
  return {};
}

}  // namespace

Instance variant_of(const Instance& instance, int number) {
  Instance other = instance;
  Random random(instance.data_seed + 100 + static_cast<std::uint64_t>(number));
  for (auto& box : other.boxes) {
    for (Extent& e : box) {
      const int choice = random.in(0, 9);
      if (choice < 2) e.extent = std::max(1, e.extent - 1);
      else if (choice < 4) e.extent += 1;
      else if (choice < 7) e.extent = random.in(1, std::clamp(2 * e.extent, 1, 40));
      else if (choice == 7 && random.chance(15)) e.extent = 0;
      if (random.chance(25)) e.min += random.in(-3, 3);
    }
  }
  return other;
}

TrialResult run_trial(const Instance& instance) {
  driver::Compiled compiled;
  try {
    compiled.scheduled = schedule::resolve(instance.algorithm, instance.schedule, "trial");
    const std::string problem = text_problem(instance, compiled.scheduled);
    if (!problem.empty()) return failed(problem);
  } catch (const ScheduleError& e) {
    return {TrialResult::Kind::RefusedAtResolve, e.diagnostic(), ""};
  } catch (const std::exception& e) {
    return failed(std::string("resolve: ") + e.what());
  }
  std::vector<Level> levels;
  if (const TrialResult result = compile(instance, compiled, levels);
      result.kind != TrialResult::Kind::Agreed)
    return result;
  try {
    TrialResult result = Call(instance, compiled).run(levels);
    result.skipped_host = !compiled.executable;
    result.kernels = compiled.code.kernel_calls.size();
    levels.erase(levels.begin(), levels.end() - (compiled.executable ? 2 : 1));
    for (int v = 1; v <= 2 && result.kind == TrialResult::Kind::Agreed; ++v) {
      const Instance other = variant_of(instance, v);
      TrialResult more = Call(other, compiled).run(levels);
      if (more.kind == TrialResult::Kind::Failed) {
        result = more;
        result.text += "\nthe call is another one than the first: variant " + std::to_string(v);
      }
    }
    return result;
  } catch (const std::exception& e) {
    return failed(std::string("run: ") + e.what());
  }
}

std::optional<bool> agrees_when_forced(const Instance& instance) {
  namespace sched = schedule;
  try {
    sched::State state = sched::initial_state(instance.algorithm);
    for (const sched::Entry& entry : instance.schedule.entries) sched::replay(entry, state);
    sched::choose_tails(state);
    try {
      sched::settle_placements(state, {});
    } catch (const ScheduleError&) {
      for (auto& [id, s] : state.schedules) {
        if (!state.stored_explicitly.contains(id)) s.store = s.compute;
      }
    }
    sched::ScheduledPipeline scheduled;
    scheduled.name = "forced";
    scheduled.algorithm = std::move(state.algorithm);
    scheduled.schedules = std::move(state.schedules);
    lowering::LowerOptions options;
    options.strided = strided_names(instance);
    const ir::Module module = lowering::lower(scheduled, options);
    std::map<Symbol, std::vector<Extent>> boxes;
    add_regions(instance, scheduled, boxes);
    add_plain_regions(instance, boxes);
    if (has_large(boxes)) return std::nullopt;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Run run(instance, boxes, instance.data_seed + seed);
      const auto expected =
          run.outputs([&](const ir::Arguments& a) { evaluate(scheduled.algorithm, a); });
      const auto got = run.outputs([&](const ir::Arguments& a) { ir::interpret(module, a, seed); });
      if (!differences(expected, got).empty()) return false;
    }
    return true;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace sinter::test
