// Directives and schedules to text, derived from the field descriptions.

#include "dsl/schedule/directive_fields.h"
#include "dsl/schedule/schedule_text.h"

namespace sinter::schedule {

namespace hana = boost::hana;

namespace {

/// How symbols of variables and stages become text, for the directives of one stage.
struct Printer {
  const Algorithm& algorithm;
  VariableNames* names;  // null: every variable by its own name
  Symbol stage;

  std::string variable(const Symbol& v, const Symbol& of) const {
    return names ? names->name_of(of, v) : v.name();
  }
  std::string stage_name(const Symbol& s, int definition = -1) const {
    const StageDefinition* found = algorithm.find(s);
    std::string text = found ? found->name : s.name();
    if (definition > 0) text += ".update(" + std::to_string(definition - 1) + ")";
    return text;
  }

  std::string text(const Symbol& v) const { return variable(v, stage); }
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
  std::string arguments(const Atomic& d) const {
    return d.override_associativity_test ? "true" : "";
  }

  std::string directive(const Directive& d) const {
    return std::string(DirectiveNames[d.index()]) + "(" +
           std::visit([&](const auto& value) { return arguments(value); }, d) + ")";
  }
};

}  // namespace

std::string to_string(const Directive& directive, const Algorithm& algorithm) {
  return Printer{algorithm, nullptr, Symbol()}.directive(directive);
}

std::string to_string(const Schedule& schedule, const Algorithm& algorithm) {
  VariableNames names(algorithm);
  std::string text;
  for (const Entry& entry : schedule.entries) {
    const Printer printer{algorithm, &names, entry.stage.stage};
    std::string line = printer.stage_name(entry.stage.stage, entry.stage.definition);
    for (const Expr& condition : entry.branch) {
      line += ".specialize(" + printer.text(condition) + ")";
    }
    text += line + "." + printer.directive(entry.directive) + ";\n";
  }
  return text;
}

}  // namespace sinter::schedule
