#pragma once
// Pipelines that the command line can list, run, check and measure. An application describes itself
// by a struct (signature.h) and adds it: `registry.add<Blur>()`. There is no global registry.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sinter/buffer.h>
#include <sinter/pipeline.h>
#include <sinter/target.h>
#include <sinter/type.h>

namespace sinter {

/// Named sizes of a problem: {"width", 1920}, ...
using Sizes = std::map<std::string, std::int64_t>;
/// Extents of each input and output, by field name, dimension 0 first.
using Extents = std::map<std::string, std::vector<std::int64_t>>;

/// What one call does, for rates: arithmetic operations; bytes, when 0, are those of all inputs and
/// outputs.
struct Work {
  double operations = 0;
  double bytes = 0;
};

enum class FieldKind { Input, Output, Parameter };

struct Field {
  FieldKind kind = FieldKind::Input;
  std::string name;
  Type type;
  int rank = 0;
};

/// What an application says about itself.
struct PipelineInfo {
  std::string name;
  std::string description;
  std::vector<std::string> schedules = {};  // names that schedule() knows, simplest first
  std::function<Sizes(const Target&)> default_sizes = {};
  std::map<std::string, double> parameters = {};  // default values
  std::int64_t largest_input = 255;               // of integer inputs that are made up
  /// By how many steps of its type an output may differ from the reference on a GPU, for the inputs
  /// that are made up: where fast_* functions are the device's own. 0: by none.
  int tolerance = 0;
};

/// One built algorithm and its schedule.
class Program {
 public:
  virtual ~Program() = default;
  virtual Pipeline& pipeline() = 0;
  virtual void set_input(const std::string& field, const Buffer<>&) = 0;
  virtual void set_parameter(const std::string& field, double value) = 0;
  virtual void schedule(const std::string& name, const Target&) = 0;
};

struct RegisteredPipeline {
  PipelineInfo info;
  std::vector<Field> fields;  // in order of declaration
  std::function<Extents(const Sizes&)> extents;
  std::function<Work(const Sizes&)> work;
  std::function<std::unique_ptr<Program>()> make;

  const Field* find(const std::string& field) const;
};

/// In signature.h.
template <typename P>
RegisteredPipeline describe();

class Registry {
 public:
  /// Throws AlgorithmError when the name is taken or empty.
  void add(RegisteredPipeline);
  template <typename P>
  void add() {
    add(describe<P>());
  }

  const std::vector<RegisteredPipeline>& pipelines() const { return pipelines_; }
  const RegisteredPipeline* find(const std::string& name) const;

 private:
  std::vector<RegisteredPipeline> pipelines_;
};

}  // namespace sinter
