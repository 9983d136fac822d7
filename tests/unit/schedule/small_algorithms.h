#pragma once
// Algorithms built by hand, and a schedule written entry by entry, for the tests of the schedule.

#include <string>
#include <utility>
#include <vector>

#include "dsl/schedule/resolve.h"

namespace sinter::schedule {

inline Symbol var(const std::string& name) { return Symbol::named(name); }
inline Expr at(const Symbol& s, std::int64_t offset = 0) {
  const Expr e = ir::index_symbol(s);
  return offset == 0 ? e : ir::binary(ir::Op::Add, e, ir::index_literal(offset));
}

inline Definition define(std::vector<Expr> coordinates, std::vector<Expr> values,
                         std::vector<ReductionVariable> domain = {}) {
  Definition d;
  d.coordinates = std::move(coordinates);
  d.values = std::move(values);
  d.domain = std::move(domain);
  d.where = std::source_location::current();
  return d;
}

inline StageDefinition stage(const std::string& name, Type type, std::vector<Symbol> variables,
                             std::vector<Definition> definitions) {
  return {Symbol::named(name), name, {type}, std::move(variables), std::move(definitions)};
}

/// Builds a schedule with the line of each call.
struct Writer {
  Schedule schedule;
  Writer& add(const std::string& stage_name, Directive directive, int definition = 0,
              std::source_location where = std::source_location::current()) {
    schedule.entries.push_back(
        {{Symbol::named(stage_name), definition}, std::move(directive), where, {}});
    return *this;
  }
};

/// f(x, y) = x + y;  g(x, y) = f(x, y - 1) + f(x, y);  g is the output.
inline Algorithm two_stages() {
  const Symbol x = var("x"), y = var("y"), f = var("f"), g = var("g");
  const auto value = ir::cast_to(Int(32), ir::binary(ir::Op::Add, at(x), at(y)));
  const auto up = ir::access(Int(32), f, {at(x), at(y, -1)});
  const auto here = ir::access(Int(32), f, {at(x), at(y)});
  Algorithm a;
  a.stages.push_back(stage("f", Int(32), {x, y}, {define({at(x), at(y)}, {value})}));
  a.stages.push_back(
      stage("g", Int(32), {x, y}, {define({at(x), at(y)}, {ir::binary(ir::Op::Add, up, here)})}));
  a.outputs = {g};
  return a;
}

/// s(x) = 0; s(x) += in(x, r.x, r.y) over r.x in [0, 16), r.y in [0, 8): floats or integers.
inline Algorithm sum(Type type) {
  const Symbol x = var("x"), rx = var("rx"), ry = var("ry"), s = var("s"), in = var("in");
  const Expr zero = type.is_float() ? ir::real_literal(type, 0) : ir::literal(type, 0);
  const Expr self = ir::access(type, s, {at(x)});
  const Expr term = ir::access(type, in, {at(x), at(rx), at(ry)});
  Algorithm a;
  Image image;
  image.id = in;
  image.name = "in";
  image.type = type;
  image.fields.resize(3);
  a.images.push_back(image);
  a.stages.push_back(
      stage("s", type, {x},
            {define({at(x)}, {zero}), define({at(x)}, {ir::binary(ir::Op::Add, self, term)},
                                             {{rx, ir::index_literal(0), ir::index_literal(16)},
                                              {ry, ir::index_literal(0), ir::index_literal(8)}})}));
  a.outputs = {s};
  return a;
}

/// c(x) = x; c(r + 1) = c(r) + c(r + 1) over r in [0, 100): a scan.
inline Algorithm scan() {
  const Symbol x = var("x"), r = var("r"), c = var("c");
  const Expr before = ir::access(Int(32), c, {at(r)});
  const Expr own = ir::access(Int(32), c, {at(r, 1)});
  Algorithm a;
  a.stages.push_back(stage("c", Int(32), {x},
                           {define({at(x)}, {ir::cast_to(Int(32), at(x))}),
                            define({at(r, 1)}, {ir::binary(ir::Op::Add, before, own)},
                                   {{r, ir::index_literal(0), ir::index_literal(100)}})}));
  a.outputs = {c};
  return a;
}

/// h(x) = 0; h(in(r)) += 1 over r in [0, 1000).
inline Algorithm histogram() {
  const Symbol x = var("x"), r = var("r"), h = var("h"), in = var("in");
  const Expr bin = ir::cast_to(Index(), ir::access(UInt(8), in, {at(r)}));
  const Expr self = ir::access(Int(32), h, {bin});
  Algorithm a;
  Image image;
  image.id = in;
  image.name = "in";
  image.type = UInt(8);
  image.fields.resize(1);
  a.images.push_back(image);
  a.stages.push_back(stage("h", Int(32), {x},
                           {define({at(x)}, {ir::literal(Int(32), 0)}),
                            define({bin}, {ir::binary(ir::Op::Add, self, ir::literal(Int(32), 1))},
                                   {{r, ir::index_literal(0), ir::index_literal(1000)}})}));
  a.outputs = {h};
  return a;
}

inline std::string reason(const Algorithm& a, const Writer& w) {
  const auto problem = refusal_of(a, w.schedule);
  return problem ? problem->reason : std::string();
}

}  // namespace sinter::schedule
