#pragma once
// Writes the default GPU schedule: each directive is replayed, so that the loops are known.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "dsl/schedule/default_gpu_analysis.h"

namespace sinter::schedule {

class DefaultGpuBuilder {
 public:
  DefaultGpuBuilder(const Algorithm&, const Schedule& estimates, const Target&,
                    const DefaultGpuOptions&);
  DefaultGpuSchedule run();

 private:
  // --- default_gpu.cpp
  void add(const StageRef&, Directive);
  /// `wanted`, with digits when the definition has a variable of that name.
  Symbol name(const StageRef&, const std::string& wanted);
  Retreat retreat(const Symbol& stage) const;
  void place(const StageDefinition&);
  void notice(const StageDefinition&, const std::string& why, const std::string& remedy);

  // --- default_gpu_loops.cpp
  /// Variables of the definition whose iterations never meet, those along memory first.
  std::vector<Symbol> free_loops(const StageRef&) const;
  /// What becomes of an update.
  enum class Class { Threads, Atomic, Tree, OneThread, Host };
  Class class_of(const StageRef&) const;
  bool may_be_atomic(const StageRef&) const;
  /// The stage that reads this one, when each element is read by one element of that only.
  std::optional<Symbol> one_reader(const StageDefinition&) const;
  void pure(const StageRef&);
  void update(const StageRef&);
  /// Threads over the loops `free`, the first of them along memory, in vectors, and several rows of
  /// the second; others inside.
  void threads(const StageRef&, const std::vector<Symbol>& free, int vector, int rows);
  /// Blocks over the first three of the stage's outermost loops; others run kernels.
  void grid(const StageRef&, std::vector<Symbol> loops);
  bool is_stencil(const StageRef&, std::size_t dimension) const;
  std::int64_t steps_at_once(const StageRef&, const Symbol& loop) const;
  bool reads_in_threads(const StageRef&) const;
  int vector_of(const StageRef&) const;
  int rows_of(const StageRef&, int vector) const;

  // --- default_gpu_rows.cpp
  bool may_be_tree(const StageRef&) const;
  bool reduces_rows(const StageRef&) const;
  std::int64_t lanes_of_steps(const StageRef&) const;
  bool belongs_to_rows(const StageDefinition&, const StageDefinition& kernel,
                       const std::vector<Symbol>& members) const;
  void find_rows();
  void row_kernel(const StageRef&);
  void row_member(const StageDefinition&, const Symbol& kernel);
  ReduceAcross reduce(const StageRef&, const std::vector<std::int64_t>& widths);
  void partials(const ReduceAcross&, const ComputeAt&);
  void in_blocks(const ReduceAcross&, const ComputeAt&);
  static Symbol first_lane_level(const ReduceAcross&);
  void tree(const StageRef&);

  // --- default_gpu_transpose.cpp
  /// A stage that another one reads across memory: along dimension 0 of the producer moves variable
  /// `across` of the reader, along `dimension` its first one.
  struct Turn {
    Symbol producer;
    std::size_t across, dimension;
  };
  std::optional<Turn> turned_by(const StageDefinition& kernel) const;
  void find_turns();
  void transpose(const StageDefinition& kernel, const Turn&);

  const DefaultGpuOptions& options_;
  const DefaultGpuAnalysis facts_;
  const Target& target_;
  State state_;
  DefaultGpuSchedule result_;
  std::unordered_map<Symbol, std::map<int, std::set<std::string>>> names_;  // by definition
  std::unordered_map<Symbol, Turn> turns_;                                  // by reader
  std::unordered_map<Symbol, Symbol> rows_;     // of stages computed by blocks of rows: whose rows
  std::unordered_map<Symbol, Symbol> readers_;  // of stages computed in their reader's threads
  std::unordered_map<Symbol, Symbol>
      thread_loop_;                               // of a stage: the innermost one that no vector is
  std::unordered_map<Symbol, Symbol> grid_loop_;  // of a stage: the innermost one over blocks
};

}  // namespace sinter::schedule
