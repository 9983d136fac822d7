// What the assembler says about the tuned kernels of every app: no error, warning or spill on any
// generation of GPUs.

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

#include "apps/sinter/apps.h"
#include "backends/driver/compile_pipeline.h"
#include "backends/nvptx/ptx_compiler.h"
#include "backends/nvptx/ptxas.h"
#include "dsl/lowering/passes.h"

namespace sinter::test {
namespace {

constexpr const char* Architectures[] = {"sm_75", "sm_80", "sm_90a"};
const std::set<std::string> WithoutGpuSchedule = {"sgemm"};

/// PTX without what only tells lines.
std::string without_lines(const std::string& ptx) {
  std::istringstream lines(ptx);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const bool tells = line.starts_with("\t.loc\t") || line.starts_with("\t.file\t") ||
                       line.starts_with("\t.section\t.debug_loc") ||
                       line.starts_with("$L__func_") || line.starts_with("$L__tmp");
    if (!tells && !line.empty()) text += line + "\n";
  }
  return text;
}

/// What is wrong with the app's kernels; empty: nothing. Schedules ask a target for its vectors
/// only, so one lowering serves all GPUs.
std::string problems_of(const RegisteredPipeline& app, const Pipeline& pipeline, int vector_bits) {
  lowering::LowerOptions options;
  options.vector_bits = vector_bits;
  const ir::Module module = lowering::lower(
      driver::resolve_pipeline(pipeline.outputs(), Schedule::of(pipeline.outputs())), options);
  std::string problems;
  const std::string plain = backends::compile_ptx(module, "sm_80").text,
                    told = backends::compile_ptx(module, "sm_80", {.lines = true}).text;
  if (told.find("\t.loc\t") == std::string::npos) problems += app.info.name + ": no lines\n";
  if (without_lines(told) != without_lines(plain))
    problems += app.info.name + ": lines change the code\n";
  for (const char* architecture : Architectures) {
    const std::string where = app.info.name + " on " + architecture + ": ";
    const backends::PtxModule ptx = backends::compile_ptx(module, architecture);
    if (ptx.kernels.empty()) problems += where + "no kernels\n";
    const auto code = backends::assemble(ptx.text, architecture);
    if (!code) return problems + where + "ptxas is too old\n";
    if (!code->warnings.empty()) problems += where + code->warnings + "\n";
    if (code->kernels.size() != ptx.kernels.size())
      problems += where + "the report is of other kernels\n";
    for (const auto& [name, r] : code->kernels) {
      if (r.registers == 0) problems += where + name + " has no registers in the report\n";
      if (r.spill_stores + r.spill_loads > 0) {
        problems += where + name + " spills " + std::to_string(r.spill_stores) +
                    " bytes, and loads " + std::to_string(r.spill_loads) + "\n";
      }
    }
  }
  return problems;
}

TEST(Kernels, OfAllAppsAssembleWithoutWarningsAndSpills) {
  if (!backends::ptxas_of_process()) {
    if (std::getenv("SINTER_FULL")) FAIL() << "the full tier needs ptxas: ./dev setup installs it";
    GTEST_SKIP() << "there is no ptxas: ./dev setup installs one";
  }
  const Registry registry = apps::all_apps();
  const Target target("nvptx-sm_90a");
  struct Job {
    const RegisteredPipeline& app;
    std::unique_ptr<Program> program;
  };
  std::vector<Job> jobs;
  for (const RegisteredPipeline& app : registry.pipelines()) {
    if (WithoutGpuSchedule.count(app.info.name)) continue;
    jobs.push_back({app, app.make()});
    jobs.back().program->schedule("tuned", target);
  }
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::string problems;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      std::string found;
      try {
        found = problems_of(jobs[i].app, jobs[i].program->pipeline(), target.vector_bits());
      } catch (const std::exception& e) {
        found = jobs[i].app.info.name + ": " + e.what() + "\n";
      }
      const std::lock_guard lock(mutex);
      problems += found;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(problems, "");
}

}  // namespace
}  // namespace sinter::test
