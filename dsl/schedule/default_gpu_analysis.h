#pragma once
// What the default GPU schedule is decided by: who calls whom at which coordinates, what an element
// costs, how large stages are, as far as that is known.

#include <optional>
#include <unordered_map>
#include <vector>

#include "dsl/algebra/interval.h"
#include "dsl/schedule/default_gpu.h"
#include "dsl/schedule/loop_facts.h"

namespace sinter::schedule {

/// A call of a stage or an image, in a definition of another stage.
struct CallSite {
  StageRef consumer;
  std::vector<Expr> coordinates;
};

class DefaultGpuAnalysis {
 public:
  /// A dimension of at most so many elements, such as the channels of a picture, stays in a thread.
  static constexpr std::int64_t Few = 4;

  DefaultGpuAnalysis(const Algorithm&, const Schedule& estimates, const DefaultGpuOptions&);

  bool is_inline(const Symbol& stage) const { return inline_.contains(stage); }
  /// Calls of `producer` by definitions that are not inlined, through those that are; the stage's
  /// own calls of itself are left out.
  std::vector<CallSite> calls_of(const Symbol& producer) const;
  /// Those that stand in a definition, inlined or not.
  const std::vector<CallSite>& direct_calls_of(const Symbol& producer) const;
  /// Images and stages with memory that the definition reads, inlined stages looked through.
  struct Read {
    Symbol source;
    Type type;
    std::vector<Expr> coordinates;
  };
  std::vector<Read> reads_of(const StageRef&) const;
  /// Operations for one element of the definition, inlined stages included; a load counts as two.
  double cost_of(const StageRef&) const;
  /// Number of elements in a dimension, when it is known or estimated.
  std::optional<std::int64_t> extent(const Symbol& stage, std::size_t dimension) const;
  std::optional<std::int64_t> elements(const Symbol& stage) const;
  /// Number of steps of the definition's domain.
  std::optional<std::int64_t> steps(const StageRef&) const;

  const StageDefinition& stage(const Symbol& id) const { return algorithm_.stage(id); }
  const Definition& definition(const StageRef& ref) const {
    return stage(ref.stage).definitions[static_cast<std::size_t>(ref.definition)];
  }
  const Algorithm& algorithm() const { return algorithm_; }

 private:
  void find_calls();
  void find_boxes(const Schedule& estimates);
  bool pays_inline(const StageDefinition&) const;
  bool is_shared(const CallSite&) const;
  bool may_meet(const CallSite&, const CallSite&) const;
  double cost(const std::vector<Expr>&) const;
  algebra::ConstantScope ranges(const StageRef&) const;

  const Algorithm& algorithm_;
  std::unordered_map<Symbol, std::vector<CallSite>> calls_;  // direct ones
  std::unordered_map<Symbol, std::vector<algebra::ConstantInterval>> boxes_;
  std::unordered_map<Symbol, double> inline_;  // stages computed inline, and their cost
};

/// Of what is known, and as much as counts: it does not overflow.
std::optional<std::int64_t> product(std::optional<std::int64_t>, std::optional<std::int64_t>);
/// All expressions of a definition.
std::vector<Expr> expressions_of(const Definition&);
/// `e` reads memory: its value is not known from the loops alone.
bool depends_on_data(const Expr&);

}  // namespace sinter::schedule
