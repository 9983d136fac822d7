#include <sinter/registry.h>

#include <algorithm>

#include <sinter/diagnostic.h>
#include <sinter/signature.h>

namespace sinter {

const Field* RegisteredPipeline::find(const std::string& field) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == field; });
  return found == fields.end() ? nullptr : &*found;
}

void Registry::add(RegisteredPipeline pipeline) {
  const std::string& name = pipeline.info.name;
  if (name.empty() || find(name)) {
    throw AlgorithmError(
        Diagnostic{.stage = "",
                   .directive = "",
                   .reason = name.empty() ? "a registered pipeline has no name"
                                          : "a pipeline named '" + name + "' is registered already",
                   .remedy = "give each PipelineInfo a name of its own",
                   .file = ""});
  }
  pipelines_.push_back(std::move(pipeline));
}

const RegisteredPipeline* Registry::find(const std::string& name) const {
  const auto found = std::find_if(pipelines_.begin(), pipelines_.end(),
                                  [&](const RegisteredPipeline& p) { return p.info.name == name; });
  return found == pipelines_.end() ? nullptr : &*found;
}

namespace signature {

void check_output(const std::string& field, const Func& defined, Type type, int rank) {
  std::string reason;
  if (!defined.defined()) {
    reason = "output '" + field + "' is declared but algorithm() does not define it";
  } else if (defined.types().size() != 1 || defined.types().front() != type ||
             defined.dimensions() != rank) {
    reason = "output '" + field + "' is declared as " + to_string(type) + " of rank " +
             std::to_string(rank) + " but defined as ";
    for (std::size_t i = 0; i < defined.types().size(); ++i)
      reason += (i ? ", " : "") + to_string(defined.types()[i]);
    reason += " of rank " + std::to_string(defined.dimensions());
  }
  if (reason.empty()) return;
  throw AlgorithmError(Diagnostic{
      .stage = field,
      .directive = "",
      .reason = reason,
      .remedy = "make the declaration and the definition agree; cast<T>() converts values",
      .file = ""});
}

void no_such_field(const std::string& field, const std::string& kind) {
  throw RuntimeError(Diagnostic{.stage = "",
                                .directive = "",
                                .reason = "the pipeline has no " + kind + " '" + field + "'",
                                .remedy = "`sinter list` shows the fields of each pipeline",
                                .file = ""});
}

}  // namespace signature

}  // namespace sinter
