// sinter run: one pipeline on pictures or made-up inputs; checked, timed, shown.

#include <algorithm>
#include <charconv>
#include <iostream>
#include <optional>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include <sinter/diagnostic.h>

#include "apps/images/image_file.h"
#include "apps/sinter/commands.h"
#include "apps/sinter/picture_buffers.h"
#include "apps/sinter/row.h"
#include "apps/sinter/session.h"
#include "apps/sinter/sizes.h"
#include "apps/sinter/statistics.h"
#include "backends/driver/gpu_devices.h"

namespace sinter::command {

namespace {

/// Below this many operations the reference evaluator takes seconds at most.
constexpr double OracleOperations = 1e7;

[[noreturn]] void refuse(const std::string& directive, const std::string& reason,
                         const std::string& remedy) {
  throw RuntimeError(Diagnostic{
      .stage = "", .directive = directive, .reason = reason, .remedy = remedy, .file = ""});
}

const Field& first_field(const RegisteredPipeline& pipeline, FieldKind kind) {
  return *std::find_if(pipeline.fields.begin(), pipeline.fields.end(),
                       [&](const Field& f) { return f.kind == kind; });
}

/// The calls that one run of the command makes: one, or one per plane of the picture.
struct Plan {
  Sizes sizes;
  std::vector<CallBuffers> calls;
  int output_bits = 8;
};

/// The sizes under which the picture field has exactly the picture's extents: inputs may be larger
/// than outputs by a border.
Sizes sizes_for_picture(const RegisteredPipeline& pipeline, const Field& field,
                        const images::Picture& picture, const std::string& path) {
  Sizes sizes = pipeline.info.default_sizes(Target());
  if (!sizes.contains("width") || !sizes.contains("height") || field.rank < 2 || field.rank > 3) {
    refuse("--in", "pipeline '" + pipeline.info.name + "' takes no picture",
           "leave --in out: inputs are made up then");
  }
  const std::vector<std::int64_t> extents = pipeline.extents(sizes).at(field.name);
  sizes["width"] += picture.width - extents[0];
  sizes["height"] += picture.height - extents[1];
  if (sizes["width"] <= 0 || sizes["height"] <= 0) {
    refuse("--in", "the picture is too small for '" + pipeline.info.name + "'", "use a larger one");
  }
  if (field.rank == 3 && extents[2] != picture.channels) {
    refuse("--in",
           path + " has " + std::to_string(picture.channels) +
               (picture.channels == 1 ? " channel" : " channels") + ", input '" + field.name +
               "' takes " + std::to_string(extents[2]),
           extents[2] == 3 ? "convert the picture to RGB" : "convert the picture to gray");
  }
  return sizes;
}

Plan plan_of(const RegisteredPipeline& pipeline, const RunOptions& options, const Target& target) {
  Plan plan;
  if (options.in.empty()) {
    if (!options.out.empty() && first_field(pipeline, FieldKind::Output).rank > 3) {
      refuse("--out", "the output of '" + pipeline.info.name + "' is no picture",
             "leave --out out");
    }
    plan.sizes = parse_sizes(options.size, pipeline.info.default_sizes(target));
    plan.calls.push_back(make_buffers(pipeline, plan.sizes));
    return plan;
  }
  if (!options.size.empty())
    refuse("--size", "the picture says the sizes", "give --in or --size, not both");
  const images::Picture picture = images::read_picture(options.in);
  const Field& field = first_field(pipeline, FieldKind::Input);
  plan.sizes = sizes_for_picture(pipeline, field, picture, options.in);
  plan.output_bits = first_field(pipeline, FieldKind::Output).type == UInt(8) ? 8 : picture.bits;
  const Buffer<> samples = buffer_from(picture, field.type);
  const int planes = field.rank == 2 ? picture.channels : 1;
  for (int plane = 0; plane < planes; ++plane) {
    plan.calls.push_back(make_buffers(pipeline, plan.sizes));
    plan.calls.back().inputs[field.name] = field.rank == 2 ? samples.sliced(2, plane) : samples;
  }
  return plan;
}

void write_output(const Plan& plan, const std::string& field, const std::string& path) {
  const Buffer<>& first = plan.calls.front().outputs.at(field);
  if (plan.calls.size() == 1) {
    images::write_picture(picture_from(first, plan.output_bits), path);
    return;
  }
  Buffer<> joined(first.type(),
                  {first.width(), first.height(), static_cast<int>(plan.calls.size())});
  for (std::size_t plane = 0; plane < plan.calls.size(); ++plane) {
    joined.sliced(2, int(plane)).copy_from(plan.calls[plane].outputs.at(field));
  }
  images::write_picture(picture_from(joined, plan.output_bits), path);
}

void set_parameters(Session& session, const RegisteredPipeline& pipeline, const std::string& text) {
  for (const auto& [name, value] : pipeline.info.parameters) session.set_parameter(name, value);
  std::istringstream items(text);
  std::set<std::string> given;
  for (std::string item; std::getline(items, item, ',');) {
    const std::size_t equals = item.find('=');
    double value = 0;
    const char* end = item.data() + item.size();
    const std::size_t number = equals == std::string::npos ? item.size() : equals + 1;
    const auto [stop, error] = std::from_chars(item.data() + number, end, value);
    if (error != std::errc() || stop != end) {
      refuse("--set " + item, "is not NAME=NUMBER", "write for instance amount=1.5");
    }
    if (!given.insert(item.substr(0, equals)).second) {
      refuse("--set " + item, "the parameter '" + item.substr(0, equals) + "' is given twice",
             "give each parameter once");
    }
    session.set_parameter(item.substr(0, equals), value);
  }
}

/// Compares with the reference evaluator or, where that would take long, with each stage at root on
/// the host, under the schedule's own rewrites; that schedule itself, with the one named "none".
void check(const RegisteredPipeline& pipeline, const RunOptions& options, const Plan& plan,
           Session& session, Row& row) {
  const bool small =
      pipeline.work(plan.sizes).operations * double(plan.calls.size()) <= OracleOperations;
  row.against = small ? "oracle" : row.schedule == "root" ? "none" : "root";
  std::optional<Session> none;
  if (row.against == "none") {
    const std::vector<std::string>& known = pipeline.info.schedules;
    if (std::find(known.begin(), known.end(), row.against) == known.end())
      refuse("--check",
             "'" + pipeline.info.name +
                 "' has no schedule 'none' to compare 'root' with, and the " +
                 "reference evaluator would take long",
             "give a smaller --size");
    none.emplace(pipeline, row.against, Target());
    set_parameters(*none, pipeline, options.parameters);
  }
  row.checked = true;
  row.max_error = 0;
  for (const CallBuffers& call : plan.calls) {
    CallBuffers wanted{.inputs = call.inputs, .outputs = {}};
    for (const auto& [name, buffer] : call.outputs)
      wanted.outputs[name] = Buffer<>::make_with_shape_of(buffer);
    if (small) session.evaluate(wanted);
    else if (none) none->run(wanted);
    else session.run_at_root(wanted);
    for (const auto& [name, buffer] : call.outputs) {
      const Difference found = difference(buffer, wanted.outputs.at(name), row.tolerance);
      row.tolerated += found.tolerated;
      row.max_error = std::max(*row.max_error, found.largest);
      if (found.elements == 0) continue;
      row.checked = false;
      std::cerr << "sinter: output '" << name << "' differs in " << found.elements << " of "
                << buffer.number_of_elements() << " elements; the first is number " << found.first
                << ": " << element(buffer, found.first) << " instead of "
                << element(wanted.outputs.at(name), found.first) << "\n";
    }
  }
}

void time(const RegisteredPipeline& pipeline, const Plan& plan, Session& session, Row& row) {
  // At least ten runs and 0.3 s of them, at most 1000.
  const auto once = [&](int count) {
    std::vector<double> sums(std::size_t(count), 0.0);
    for (const CallBuffers& call : plan.calls) {
      const std::vector<double> samples = session.time(call, count);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += samples[i];
    }
    return sums;
  };
  const double first = median(once(3));
  row.ms = median(once(std::clamp(int(300.0 / std::max(first, 1e-3)), 10, 1000)));
  const Work work = pipeline.work(plan.sizes);
  double bytes = work.bytes;
  if (bytes == 0) {
    for (const auto& [name, buffer] : plan.calls.front().inputs)
      bytes += double(buffer.size_in_bytes());
    for (const auto& [name, buffer] : plan.calls.front().outputs)
      bytes += double(buffer.size_in_bytes());
  }
  const double calls = double(plan.calls.size());
  row.gbps = calls * bytes / *row.ms * 1e-6;
  row.gflops = calls * work.operations / *row.ms * 1e-6;
}

std::vector<backends::KernelStatistics> statistics_of(const Target& target) {
  if (!target.is_emulated())
    refuse("--stats", "the target " + target.to_string() + " counts nothing",
           "give an emulated GPU: --target emulated-nvptx-sm_90a");
  return backends::gpu_device_for(target)->gpu()->machine->take_statistics();
}

void print_statistics(const std::vector<backends::KernelStatistics>& kernels, bool json) {
  for (const backends::KernelStatistics& k : kernels) {
    if (json) {
      std::cout << nlohmann::json{{"kernel", k.kernel},
                                  {"launches", k.launches},
                                  {"warp_instructions", k.instructions},
                                  {"barriers", k.barriers},
                                  {"bank_conflicts", k.bank_conflicts},
                                  {"bank_conflicts_of", k.bank_conflicts_of},
                                  {"global_requests", k.global_requests},
                                  {"global_sectors", k.global_sectors}}
                       .dump()
                << "\n";
      continue;
    }
    std::cout << k.kernel << ": launched " << k.launches << "x, " << k.instructions
              << " warp instructions, " << k.barriers << " barriers, " << k.bank_conflicts
              << " bank conflicts, " << k.global_requests << " global requests of "
              << k.global_sectors << " sectors\n";
    for (const auto& [stage, conflicts] : k.bank_conflicts_of)
      std::cout << "  " << stage << ": " << conflicts << " bank conflicts\n";
  }
}

}  // namespace

int run(const Registry& registry, const RunOptions& options) {
  const RegisteredPipeline* pipeline = registry.find(options.pipeline);
  if (!pipeline) {
    std::string names;
    for (const RegisteredPipeline& p : registry.pipelines())
      names += (names.empty() ? "" : ", ") + p.info.name;
    refuse("run " + options.pipeline, "there is no such pipeline", "the pipelines are " + names);
  }
  const Target target(options.target);
  Row row{.pipeline = options.pipeline,
          .target = target.to_string(),
          .schedule = options.schedule,
          .size = {},
          .ms = {},
          .gbps = {},
          .gflops = {},
          .checked = {},
          .against = "",
          .max_error = {},
          // The emulator's approximations are the reference's.
          .tolerance = target.is_gpu() && !target.is_emulated() ? pipeline->info.tolerance : 0};
  if (row.schedule.empty())
    row.schedule = pipeline->info.schedules.empty() ? "none" : pipeline->info.schedules.back();

  const Sizes expected = options.in.empty()
                             ? parse_sizes(options.size, pipeline->info.default_sizes(target))
                             : Sizes{};
  Session session(*pipeline, row.schedule, target, expected);
  set_parameters(session, *pipeline, options.parameters);
  if (!options.emit.empty()) {
    std::cout << session.emit(options.emit, options.json);
    return 0;
  }
  const Plan plan = plan_of(*pipeline, options, target);
  row.size = plan.sizes;
  session.compile();
  if (options.stats) statistics_of(target);  // what was before does not count
  for (const CallBuffers& call : plan.calls) session.run(call);
  if (options.stats) print_statistics(statistics_of(target), options.json);
  if (options.check) check(*pipeline, options, plan, session, row);
  if (row.checked.value_or(true)) {
    if (!options.out.empty())
      write_output(plan, first_field(*pipeline, FieldKind::Output).name, options.out);
    if (options.bench) time(*pipeline, plan, session, row);
  }
  std::cout << (options.json ? to_json(row) : to_text(row)) << std::endl;
  return row.checked.value_or(true) ? 0 : 1;
}

}  // namespace sinter::command
