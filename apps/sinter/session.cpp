#include "apps/sinter/session.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <optional>
#include <source_location>
#include <sstream>

#include <sinter/default_schedule.h>
#include <sinter/diagnostic.h>
#include <sinter/func.h>

#include "apps/sinter/inspect.h"

namespace sinter::command {

namespace {

/// Refused calls are told by argument, not by a line of this program.
constexpr std::source_location NoLine;

[[noreturn]] void refuse(const std::string& directive, const std::string& reason,
                         const std::string& remedy) {
  throw RuntimeError(Diagnostic{
      .stage = "", .directive = directive, .reason = reason, .remedy = remedy, .file = ""});
}

std::vector<int> to_ints(const std::string& field, const std::vector<std::int64_t>& extents) {
  for (const std::int64_t extent : extents) {
    if (extent > std::numeric_limits<int>::max())
      refuse("--size", "'" + field + "' would have an extent of " + std::to_string(extent),
             "give sizes that make extents below 2^31");
  }
  return std::vector<int>(extents.begin(), extents.end());
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

CallBuffers make_buffers(const RegisteredPipeline& pipeline, const Sizes& sizes) {
  const Extents extents = pipeline.extents(sizes);
  CallBuffers buffers;
  int number = 0;
  for (const Field& field : pipeline.fields) {
    if (field.kind == FieldKind::Parameter) continue;
    const Buffer<> buffer(field.type, to_ints(field.name, extents.at(field.name)));
    if (field.kind == FieldKind::Input) {
      fill(buffer, number++, pipeline.info.largest_input);
      buffers.inputs[field.name] = buffer;
    } else {
      buffers.outputs[field.name] = buffer;
    }
  }
  return buffers;
}

Session::Session(const RegisteredPipeline& pipeline, const std::string& schedule,
                 const Target& target, const Sizes& sizes)
    : registered_(pipeline), target_(target), program_(pipeline.make()) {
  const std::vector<Func>& outputs = program_->pipeline().outputs();
  const std::vector<std::string>& known = pipeline.info.schedules;
  if (std::find(known.begin(), known.end(), schedule) != known.end()) {
    program_->schedule(schedule, target);
    schedule_ = Schedule::of(outputs);
  } else if (schedule == "auto" || schedule == "auto_rewrites") {
    schedule_by_default(schedule == "auto_rewrites",
                        sizes.empty() ? pipeline.info.default_sizes(target) : sizes);
  } else if (std::filesystem::is_regular_file(schedule)) {
    std::ifstream file(schedule);
    std::ostringstream text;
    text << file.rdbuf();
    schedule_ = Schedule::parse(text.str(), outputs, schedule);
  } else {
    refuse("--schedule " + schedule,
           "neither a schedule of '" + pipeline.info.name + "' nor a file",
           "its schedules are " + joined(known) + ", auto and auto_rewrites");
  }
  pipeline_ = program_->pipeline().with(schedule_);
}

void Session::schedule_by_default(bool allow_rewrites, const Sizes& sizes) {
  const Extents extents = registered_.extents(sizes);
  DefaultScheduleOptions options{.allow_rewrites = allow_rewrites};
  for (const Field& field : registered_.fields) {
    if (field.kind == FieldKind::Output)
      options.sizes.push_back(to_ints(field.name, extents.at(field.name)));
  }
  DefaultSchedule made = default_schedule(program_->pipeline().outputs(), target_, options);
  schedule_ = std::move(made.schedule);
  for (const std::string& notice : made.notices) std::cerr << "sinter: " << notice << "\n";
}

void Session::compile() { pipeline_.compile(target_); }

std::vector<Buffer<>> Session::bind(const CallBuffers& buffers) {
  std::vector<Buffer<>> outputs;
  for (const Field& field : registered_.fields) {
    if (field.kind == FieldKind::Input)
      program_->set_input(field.name, buffers.inputs.at(field.name));
    if (field.kind == FieldKind::Output) outputs.push_back(buffers.outputs.at(field.name));
  }
  return outputs;
}

void Session::run(const CallBuffers& buffers) {
  pipeline_.realize(RealizationArg(bind(buffers)), target_, NoLine);
}

void Session::enqueue(const CallBuffers& buffers, const Stream& stream) {
  pipeline_.realize(RealizationArg(bind(buffers)), stream, NoLine);
}

std::vector<double> Session::time(const CallBuffers& buffers, int count) {
  const RealizationArg outputs(bind(buffers));
  // A GPU works while the host goes on: several calls are enqueued, and waited for.
  std::optional<Stream> stream;
  if (target_.is_gpu()) stream.emplace(target_);
  const int calls = target_.is_gpu() && !target_.is_emulated() ? 10 : 1;
  std::vector<double> milliseconds;
  for (int i = 0; i < count; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < calls; ++call) {
      if (stream) pipeline_.realize(outputs, *stream, NoLine);
      else pipeline_.realize(outputs, target_, NoLine);
    }
    if (stream) stream->synchronize();
    milliseconds.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count() /
        calls);
  }
  return milliseconds;
}

void Session::run_at_root(const CallBuffers& buffers) {
  if (!at_root_) at_root_ = pipeline_.with(at_root(pipeline_.outputs(), schedule_));
  at_root_->realize(RealizationArg(bind(buffers)), Target(), NoLine);
}

void Session::evaluate(const CallBuffers& buffers) {
  evaluate_reference(pipeline_.outputs(), schedule_, bind(buffers));
}

std::string Session::emit(const std::string& what, bool json) const {
  return inspect(pipeline_.outputs(), schedule_, what, target_, json);
}

}  // namespace sinter::command
