#pragma once
// Func: a stage of a pipeline, a pure definition and updates. FuncRef is a call of one or the left
// side of a definition; Stage is one definition, to be scheduled.

#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <sinter/expr.h>
#include <sinter/param.h>
#include <sinter/pipeline.h>
#include <sinter/reduction.h>
#include <sinter/gpu_schedule.h>
#include <sinter/schedule_types.h>
#include <sinter/tuple.h>

namespace sinter {

struct FuncContents;
class Func;
class Stage;

/// Stands for all dimensions not written: g(_) = f(_) * 2; g(x, _) = f(_, x).
inline const Var _("_");

/// One component of a call.
class FuncTupleElementRef {
 public:
  FuncTupleElementRef(const FuncRef&, std::size_t component);
  operator Expr() const;
  Stage operator=(const Expr&) const;
  Stage operator=(const FuncTupleElementRef&) const;
  Stage operator+=(const Expr&) const;
  Stage operator-=(const Expr&) const;
  Stage operator*=(const Expr&) const;
  Stage operator/=(const Expr&) const;

 private:
  std::shared_ptr<FuncContents> contents_;
  std::vector<Expr> arguments_;
  std::source_location where_;
  std::size_t component_;
};

/// f(x, y): an Expr where a value is wanted; assigning to it defines or updates f.
class FuncRef {
 public:
  FuncRef(std::shared_ptr<FuncContents> contents, std::vector<Expr> arguments,
          std::source_location where)
      : contents_(std::move(contents)), arguments_(std::move(arguments)), where_(where) {}
  FuncRef(const FuncRef&) = default;

  Stage operator=(const Expr&) const;
  Stage operator=(const Tuple&) const;
  Stage operator=(const FuncRef&) const;
  /// An undefined Func is first defined as 0 (+=, -=) or 1 (*=, /=).
  Stage operator+=(const Expr&) const;
  Stage operator+=(const Tuple&) const;
  Stage operator+=(const FuncRef&) const;
  Stage operator-=(const Expr&) const;
  Stage operator-=(const Tuple&) const;
  Stage operator-=(const FuncRef&) const;
  Stage operator*=(const Expr&) const;
  Stage operator*=(const Tuple&) const;
  Stage operator*=(const FuncRef&) const;
  Stage operator/=(const Expr&) const;
  Stage operator/=(const Tuple&) const;
  Stage operator/=(const FuncRef&) const;

  operator Expr() const;
  FuncTupleElementRef operator[](std::size_t component) const {
    return FuncTupleElementRef(*this, component);
  }
  /// Number of components.
  std::size_t size() const;

  const std::shared_ptr<FuncContents>& contents() const { return contents_; }
  const std::vector<Expr>& arguments() const { return arguments_; }
  std::source_location where() const { return where_; }

 private:
  std::shared_ptr<FuncContents> contents_;
  std::vector<Expr> arguments_;
  std::source_location where_;
};

/// One definition of a Func, to be scheduled.
class Stage : public GpuSchedule<Stage> {
  using Location = std::source_location;

 public:
  Stage(std::shared_ptr<FuncContents> contents, int definition, std::vector<Expr> branch = {})
      : contents_(std::move(contents)), definition_(definition), branch_(std::move(branch)) {}
  /// "f" or "f.update(0)".
  std::string name() const;
  const std::shared_ptr<FuncContents>& contents() const { return contents_; }
  /// 0: the pure definition; k: update(k - 1).
  int definition_index() const { return definition_; }
  /// The conditions of specialize() that lead to this handle, outermost first.
  const std::vector<Expr>& branch() const { return branch_; }

  Stage& split(const VarOrRVar& old, const VarOrRVar& outer, const VarOrRVar& inner,
               const Expr& factor, TailStrategy = TailStrategy::Auto,
               Location where = Location::current());
  Stage& fuse(const VarOrRVar& inner, const VarOrRVar& outer, const VarOrRVar& fused,
              Location where = Location::current());
  Stage& tile(const VarOrRVar& x, const VarOrRVar& y, const VarOrRVar& xo, const VarOrRVar& yo,
              const VarOrRVar& xi, const VarOrRVar& yi, const Expr& x_factor, const Expr& y_factor,
              TailStrategy = TailStrategy::Auto, Location where = Location::current());
  Stage& tile(const VarOrRVar& x, const VarOrRVar& y, const VarOrRVar& xi, const VarOrRVar& yi,
              const Expr& x_factor, const Expr& y_factor, TailStrategy = TailStrategy::Auto,
              Location where = Location::current());
  Stage& reorder(const std::vector<VarOrRVar>&);
  template <typename... Rest>
    requires(std::is_convertible_v<Rest, VarOrRVar> && ...)
  Stage& reorder(const VarOrRVar& first, const Rest&... rest) {
    return reorder(std::vector<VarOrRVar>{first, VarOrRVar(rest)...});
  }
  Stage& rename(const VarOrRVar& old, const VarOrRVar& now, Location where = Location::current());
  Stage& serial(const VarOrRVar&, Location where = Location::current());
  Stage& parallel(const VarOrRVar&, Location where = Location::current());
  Stage& parallel(const VarOrRVar&, const Expr& factor, TailStrategy = TailStrategy::Auto,
                  Location where = Location::current());
  Stage& vectorize(const VarOrRVar&, Location where = Location::current());
  Stage& vectorize(const VarOrRVar&, const Expr& factor, TailStrategy = TailStrategy::Auto,
                   Location where = Location::current());
  Stage& unroll(const VarOrRVar&, Location where = Location::current());
  Stage& unroll(const VarOrRVar&, const Expr& factor, TailStrategy = TailStrategy::Auto,
                Location where = Location::current());
  Stage& partition(const VarOrRVar&, Partition, Location where = Location::current());
  Stage& atomic(Location where = Location::current());
  /// What GpuSchedule is made of.
  Stage& gpu_loops(GpuLevel, const std::vector<VarOrRVar>&);
  Stage& gpu_one_thread(Location);
  Stage& gpu_limit(GpuLimit, const Expr&, Location);
  Stage& gpu_tiles(const std::vector<VarOrRVar>& old, const std::vector<VarOrRVar>& blocks,
                   const std::vector<VarOrRVar>& threads, const std::vector<Expr>& sizes,
                   TailStrategy, Location);
  Stage specialize(const Expr& condition, Location where = Location::current());
  void specialize_fail(const std::string& message, Location where = Location::current());
  /// Splits a reduction: the given reduction variables become pure variables of a new Func, which
  /// this update then reduces.
  Func rfactor(const std::vector<std::pair<RVar, Var>>& preserved,
               Location where = Location::current());
  Func rfactor(const RVar&, const Var&, Location where = Location::current());
  /// Reduces along `r` in a tree of the given widths; the Func of its partial results, whose
  /// variables i1, i2, ... follow those of the stage.
  Func reduce_across(const RVar& r, const std::vector<int>& widths,
                     Location where = Location::current());

 private:
  std::shared_ptr<FuncContents> contents_;
  int definition_;
  std::vector<Expr> branch_;
};

class Func : public GpuSchedule<Func> {
  using Location = std::source_location;

 public:
  Func();
  explicit Func(const std::string& name);
  explicit Func(const char* name) : Func(std::string(name)) {}
  /// Element type and number of dimensions declared; definitions round to that type.
  Func(Type, int dimensions, const std::string& name = "");
  Func(const std::vector<Type>&, int dimensions, const std::string& name = "");
  /// A Func whose value is `e`; `_` in calls stands for all its dimensions.
  Func(const Expr& e, Location where = Location::current());
  template <typename T, int D>
  explicit Func(const Buffer<T, D>& image) : Func(image(_)) {}
  explicit Func(std::shared_ptr<FuncContents> contents) : contents_(std::move(contents)) {}

  const std::string& name() const;
  bool defined() const;
  int dimensions() const;
  /// Number of components.
  std::size_t outputs() const;
  Type type(Location where = Location::current()) const;
  const std::vector<Type>& types(Location where = Location::current()) const;
  std::vector<Var> args(Location where = Location::current()) const;
  bool has_update_definition() const { return num_update_definitions() > 0; }
  int num_update_definitions() const;
  std::vector<RVar> rvars(int update = 0, Location where = Location::current()) const;
  const std::shared_ptr<FuncContents>& contents() const { return contents_; }

  template <typename... Rest>
    requires(std::is_convertible_v<Rest, Expr> && ...)
  FuncRef operator()(const LocatedExpr& first, const Rest&... rest) const {
    return call({first.expr, static_cast<Expr>(rest)...}, first.where);
  }
  FuncRef operator()(Location where = Location::current()) const { return call({}, where); }
  FuncRef operator()(std::vector<Expr> args, Location where = Location::current()) const {
    return call(std::move(args), where);
  }
  FuncRef operator()(const std::vector<Var>& args, Location where = Location::current()) const {
    return call(std::vector<Expr>(args.begin(), args.end()), where);
  }

  // --- the default schedule
  operator Stage() const { return Stage(contents_, 0); }
  /// The handle of an update.
  Stage update(int index = 0, Location where = Location::current()) const;

  Func& split(const VarOrRVar& old, const VarOrRVar& outer, const VarOrRVar& inner,
              const Expr& factor, TailStrategy = TailStrategy::Auto,
              Location where = Location::current());
  Func& fuse(const VarOrRVar& inner, const VarOrRVar& outer, const VarOrRVar& fused,
             Location where = Location::current());
  Func& tile(const VarOrRVar& x, const VarOrRVar& y, const VarOrRVar& xo, const VarOrRVar& yo,
             const VarOrRVar& xi, const VarOrRVar& yi, const Expr& x_factor, const Expr& y_factor,
             TailStrategy = TailStrategy::Auto, Location where = Location::current());
  Func& tile(const VarOrRVar& x, const VarOrRVar& y, const VarOrRVar& xi, const VarOrRVar& yi,
             const Expr& x_factor, const Expr& y_factor, TailStrategy = TailStrategy::Auto,
             Location where = Location::current());
  Func& reorder(const std::vector<VarOrRVar>&);
  template <typename... Rest>
    requires(std::is_convertible_v<Rest, VarOrRVar> && ...)
  Func& reorder(const VarOrRVar& first, const Rest&... rest) {
    return reorder(std::vector<VarOrRVar>{first, VarOrRVar(rest)...});
  }
  Func& rename(const VarOrRVar& old, const VarOrRVar& now, Location where = Location::current());
  Func& serial(const VarOrRVar&, Location where = Location::current());
  Func& parallel(const VarOrRVar&, Location where = Location::current());
  Func& parallel(const VarOrRVar&, const Expr& factor, TailStrategy = TailStrategy::Auto,
                 Location where = Location::current());
  Func& vectorize(const VarOrRVar&, Location where = Location::current());
  Func& vectorize(const VarOrRVar&, const Expr& factor, TailStrategy = TailStrategy::Auto,
                  Location where = Location::current());
  Func& unroll(const VarOrRVar&, Location where = Location::current());
  Func& unroll(const VarOrRVar&, const Expr& factor, TailStrategy = TailStrategy::Auto,
               Location where = Location::current());
  Func& partition(const VarOrRVar&, Partition, Location where = Location::current());
  Func& atomic(Location where = Location::current());
  /// What GpuSchedule is made of.
  Func& gpu_loops(GpuLevel, const std::vector<VarOrRVar>&);
  Func& gpu_one_thread(Location);
  Func& gpu_limit(GpuLimit, const Expr&, Location);
  Func& gpu_tiles(const std::vector<VarOrRVar>& old, const std::vector<VarOrRVar>& blocks,
                  const std::vector<VarOrRVar>& threads, const std::vector<Expr>& sizes,
                  TailStrategy, Location);
  Stage specialize(const Expr& condition, Location where = Location::current());
  void specialize_fail(const std::string& message, Location where = Location::current());

  /// Of the stage that reduce_across returned: the results after step s = `half` of level l of its
  /// tree; with half = 1 those of the whole level, with the variables i(l + 1), ..., im. Inline
  /// unless it is placed.
  Func tree_level(int level, int half = 1, Location where = Location::current()) const;
  Func& compute_inline(Location where = Location::current());
  Func& compute_root(Location where = Location::current());
  Func& compute_at(const Func& consumer, const VarOrRVar& loop,
                   Location where = Location::current());
  Func& compute_at(const LoopLevel&, Location where = Location::current());
  Func& store_root(Location where = Location::current());
  Func& store_at(const Func& consumer, const VarOrRVar& loop, Location where = Location::current());
  Func& store_at(const LoopLevel&, Location where = Location::current());
  Func& store_in(MemoryType, Location where = Location::current());
  /// What this stage loads (from `producer` only, if one is given) or stores is not used again
  /// soon: caches of a GPU let go of it first. Changes no value; on the host it has no effect.
  Func& stream_loads(Location where = Location::current());
  Func& stream_loads(const Func& producer, Location where = Location::current());
  Func& stream_loads(const ImageParam& producer, Location where = Location::current());
  Func& stream_stores(Location where = Location::current());
  Func& bound(const Var&, const Expr& min, const Expr& extent,
              Location where = Location::current());
  Func& bound_extent(const Var&, const Expr& extent, Location where = Location::current());
  Func& align_bounds(const Var&, const Expr& modulus, const Expr& remainder = 0,
                     Location where = Location::current());
  Func& align_storage(const Var&, const Expr& alignment, const Expr& offset = 0,
                      Location where = Location::current());
  Func& set_estimate(const Var&, const Expr& min, const Expr& extent,
                     Location where = Location::current());
  Func& set_estimates(const std::vector<std::pair<Expr, Expr>>&,
                      Location where = Location::current());
  /// A Func that copies this one, for all callers or for the given ones.
  Func in(Location where = Location::current());
  Func in(const Func& caller, Location where = Location::current());
  Func in(const std::vector<Func>& callers, Location where = Location::current());

  // --- running
  void print_loop_nest() const;
  void compile_jit(const Target& = {});
  Realization realize(const std::vector<int>& sizes = {}, const Target& = {},
                      Location where = Location::current());
  void realize(const RealizationArg& outputs, const Target& = {},
               Location where = Location::current());
  Realization realize(const std::vector<int>& sizes, const Stream&,
                      Location where = Location::current());
  void realize(const RealizationArg& outputs, const Stream&, Location where = Location::current());
  void infer_input_bounds(const std::vector<int>& sizes, const Target& = {},
                          Location where = Location::current());
  void infer_input_bounds(const RealizationArg& outputs, const Target& = {},
                          Location where = Location::current());

 private:
  FuncRef call(std::vector<Expr> args, Location where) const {
    return FuncRef(contents_, std::move(args), where);
  }
  std::shared_ptr<FuncContents> contents_;
};

}  // namespace sinter
