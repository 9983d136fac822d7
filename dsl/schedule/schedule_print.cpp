// Directives and schedules to text, derived from the field descriptions.

#include "dsl/schedule/directive_fields.h"
#include "dsl/schedule/schedule_text.h"

namespace sinter::schedule {

namespace hana = boost::hana;

namespace {

/// How symbols of variables and stages become text, for the directives of one stage.
struct Printer {
  const Algorithm& algorithm;
  VariableNames* names;                                 // null: every variable by its own name
  const std::unordered_map<Symbol, std::string>* made;  // names of stages made by directives
  StageRef ref;

  std::string variable(const Symbol& v, const Symbol& of) const {
    return names ? names->name_of(of, v) : v.name();
  }
  std::string stage_name(const Symbol& s, int definition = -1) const {
    const StageDefinition* found = algorithm.find(s);
    std::string text = found ? found->name : s.name();
    if (made != nullptr && !found) {
      if (const auto it = made->find(s); it != made->end()) text = it->second;
    }
    if (definition > 0) text += ".update(" + std::to_string(definition - 1) + ")";
    return text;
  }

  /// Of what a stage may load from: a stage or an image.
  std::string source_name(const Symbol& s) const {
    for (const Image& image : algorithm.images) {
      if (image.id == s) return image.name;
    }
    return stage_name(s);
  }

  std::string text(const Symbol& v) const { return variable(v, ref.stage); }
  std::string text(const IntegerArg& arg) const {
    if (arg.is_constant()) return std::to_string(arg.constant());
    if (const auto* knob = std::get_if<IntegerArg::Knob>(&arg.value)) {
      return "knob(\"" + knob->name + "\")";
    }
    return text(std::get<Expr>(arg.value));
  }
  std::string text(const Expr& e) const {
    std::int64_t value = 0;
    if (e.defined() && e.type().is_index() && ir::as_constant(e, &value)) {
      return std::to_string(value);
    }
    return e.defined() ? ir::print(e) : std::string("undefined");
  }
  std::string text(std::int64_t value) const { return std::to_string(value); }
  std::string text(bool value) const { return value ? "true" : "false"; }
  static std::string text(const std::string& message) {
    std::string quoted = "\"";
    for (const char c : message) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    return quoted + "\"";
  }
  std::string text(Tail tail) const {
    return tail == Tail::Auto
               ? std::string()
               : std::string("TailStrategy::") + TailNames[static_cast<std::size_t>(tail)];
  }
  std::string text(PartitionPolicy policy) const {
    return std::string("Partition::") + PartitionNames[static_cast<std::size_t>(policy)];
  }
  std::string text(ir::MemoryKind memory) const {
    return std::string("MemoryType::") + MemoryNames[static_cast<std::size_t>(memory)];
  }
  std::string text(const std::optional<IntegerArg>& arg) const {
    return arg ? text(*arg) : std::string();
  }
  template <typename T>
  std::string list(const std::vector<T>& values) const {
    std::string joined;
    for (const T& v : values) joined += (joined.empty() ? "" : ", ") + text(v);
    return joined;
  }
  template <typename T>
  std::string text(const std::vector<T>& values) const {
    return "{" + list(values) + "}";
  }

  /// All fields in order; empty texts (defaults) are left out.
  template <typename D>
  std::string arguments(const D& directive) const {
    std::string joined;
    hana::for_each(hana::members(directive), [&](const auto& field) {
      const std::string t = text(field);
      if (!t.empty()) joined += (joined.empty() ? "" : ", ") + t;
    });
    return joined;
  }
  std::string arguments(const Reorder& d) const { return list(d.loops); }
  std::string arguments(const GpuBlocks& d) const { return list(d.loops); }
  std::string arguments(const GpuThreads& d) const { return list(d.loops); }
  std::string arguments(const GpuTile& d) const {
    const Tile& t = d.tile;
    return list(t.old) + ", " + list(t.outer) + ", " + list(t.inner) + ", " + list(t.factors) +
           (t.tail == Tail::Auto ? "" : ", " + text(t.tail));
  }
  std::string arguments(const Tile& d) const {
    const std::string tail = d.tail == Tail::Auto ? "" : ", " + text(d.tail);
    if (d.old.size() != 2) {
      return text(d.old) + ", " + text(d.outer) + ", " + text(d.inner) + ", " + text(d.factors) +
             tail;
    }
    return list(d.old) + ", " + list(d.outer) + ", " + list(d.inner) + ", " + list(d.factors) +
           tail;
  }
  std::string level(const Symbol& consumer, const Symbol& loop, int definition) const {
    return stage_name(consumer, definition) + ", " + variable(loop, consumer);
  }
  std::string arguments(const ComputeAt& d) const {
    return level(d.consumer, d.loop, d.definition);
  }
  std::string arguments(const StoreAt& d) const { return level(d.consumer, d.loop, d.definition); }
  std::string arguments(const AlignBounds& d) const {
    const bool plain = d.remainder.is_constant() && d.remainder.constant() == 0;
    return text(d.variable) + ", " + text(d.modulus) + (plain ? "" : ", " + text(d.remainder));
  }
  std::string arguments(const AlignStorage& d) const {
    const bool plain = d.offset.is_constant() && d.offset.constant() == 0;
    return text(d.variable) + ", " + text(d.alignment) + (plain ? "" : ", " + text(d.offset));
  }
  std::string arguments(const StreamLoads& d) const {
    return d.producer ? source_name(*d.producer) : "";
  }
  std::string arguments(const Atomic& d) const {
    return d.override_associativity_test ? "true" : "";
  }

  std::string arguments(const Rfactor& d) const {
    std::string pairs;
    for (const auto& [r, u] : d.preserved) {
      const std::string pair = text(r) + ", " + variable(u, d.intermediate);
      if (d.preserved.size() == 1) return pair;
      pairs += (pairs.empty() ? "{" : ", {") + pair + "}";
    }
    return "{" + pairs + "}";
  }
  std::string arguments(const ReduceAcross& d) const {
    return text(d.loop) + ", " + text(d.widths);
  }
  std::string arguments(const In& d) const {
    std::string list_of_names;
    for (const Symbol& s : d.consumers) {
      list_of_names += (list_of_names.empty() ? "" : ", ") + stage_name(s);
    }
    return d.consumers.size() > 1 ? "{" + list_of_names + "}" : list_of_names;
  }

  std::string arguments(const FuseStages& d) const {
    std::string stages;
    for (const Symbol& s : d.stages) stages += (stages.empty() ? "" : ", ") + stage_name(s);
    return "{" + stages + "}";
  }

  /// "f.in(g)", "f.rfactor(r)": what the stage that `d` makes is called afterwards.
  std::string name_of_made(const In& d) const {
    return stage_name(ref.stage) + ".in(" + arguments(d) + ")";
  }
  std::string update_name() const {
    return stage_name(ref.stage, ref.definition == 1 ? 0 : ref.definition);
  }
  std::string name_of_made(const Rfactor& d) const {
    std::string loops;
    for (const auto& [r, u] : d.preserved) loops += (loops.empty() ? "" : ", ") + text(r);
    return update_name() + ".rfactor(" + loops + ")";
  }
  std::string name_of_made(const ReduceAcross& d) const {
    return update_name() + ".reduce_across(" + text(d.loop) + ")";
  }

  std::string directive(const Directive& d) const {
    const bool of_pipeline = std::holds_alternative<FuseStages>(d);
    return std::string(of_pipeline ? "fuse" : DirectiveNames[d.index()]) + "(" +
           std::visit([&](const auto& value) { return arguments(value); }, d) + ")";
  }
};

}  // namespace

std::string to_string(const Directive& directive, const Algorithm& algorithm) {
  return Printer{algorithm, nullptr, nullptr, StageRef{}}.directive(directive);
}

std::string to_string(const Schedule& schedule, const Algorithm& algorithm) {
  VariableNames names(algorithm);
  std::unordered_map<Symbol, std::string> made;
  std::string text;
  for (const Entry& entry : schedule.entries) {
    const Printer printer{algorithm, &names, &made, entry.stage};
    if (const auto* in = std::get_if<In>(&entry.directive)) {
      names.copy_stage(entry.stage.stage, in->wrapper);
      made[in->wrapper] = printer.name_of_made(*in);
    } else if (const auto* rfactor = std::get_if<Rfactor>(&entry.directive)) {
      names.copy_stage(entry.stage.stage, rfactor->intermediate);
      made[rfactor->intermediate] = printer.name_of_made(*rfactor);
    } else if (const auto* across = std::get_if<ReduceAcross>(&entry.directive)) {
      names.copy_stage(entry.stage.stage, across->partial);
      made[across->partial] = printer.name_of_made(*across);
      const std::vector<std::string> levels = level_names(*across);
      for (std::size_t i = 0; i < across->levels.size(); ++i) {
        names.copy_stage(entry.stage.stage, across->levels[i]);
        made[across->levels[i]] = made[across->partial] + "." + levels[i];
      }
    }
    std::string line = std::holds_alternative<FuseStages>(entry.directive)
                           ? "pipeline"
                           : printer.stage_name(entry.stage.stage, entry.stage.definition);
    for (const Expr& condition : entry.branch) {
      line += ".specialize(" + printer.text(condition) + ")";
    }
    text += line + "." + printer.directive(entry.directive) + ";\n";
  }
  return text;
}

}  // namespace sinter::schedule
