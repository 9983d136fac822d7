// `sinter`: the command line. Parses; commands.h has what it can do.

#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "apps/sinter/apps.h"
#include "apps/sinter/commands.h"
#include "apps/sinter/load.h"

int main(int argc, char** argv) {
  using namespace sinter;
  CLI::App app("Sinter: pipelines whose schedule is written apart from what they compute");
  app.require_subcommand(1);
  app.fallthrough();
  bool json = false;
  std::vector<std::string> libraries;
  app.add_option("--load", libraries, "shared libraries with pipelines of your own")
      ->expected(1)
      ->take_all();

  CLI::App* list = app.add_subcommand("list", "the registered pipelines");
  list->add_flag("--json", json, "one JSON object a line");

  command::RunOptions run_options;
  CLI::App* run = app.add_subcommand("run", "run a pipeline: on a picture, or on made-up inputs");
  run->add_option("pipeline", run_options.pipeline, "its name; see sinter list")->required();
  run->add_option("--in", run_options.in, "PNG or JPEG file");
  run->add_option("--out", run_options.out, "PNG or JPEG file to write");
  run->add_option("--size", run_options.size, "sizes: width=1920,height=1080");
  run->add_option("--set", run_options.parameters, "parameters: amount=1.5");
  run->add_option("--schedule", run_options.schedule,
                  "a name the pipeline knows, auto, auto_rewrites, or a schedule file");
  run->add_option("--target", run_options.target, "machine to compile for")->capture_default_str();
  run->add_option("--emit", run_options.emit, "print instead of running")
      ->check(CLI::IsMember({"schedule", "loops", "ir", "llvm", "asm", "resources"}));
  run->add_flag("--bench", run_options.bench, "time it");
  run->add_flag(
      "--check", run_options.check,
      "compare with the reference evaluator, or with schedule root where that takes long");
  run->add_flag(
      "--stats", run_options.stats,
      "what each kernel did: instructions, bank conflicts, global memory (emulated GPUs)");
  run->add_flag("--json", run_options.json, "one JSON object a line");

  command::BenchOptions bench_options;
  bench_options.peers = (std::filesystem::absolute(argv[0]).parent_path() / "peers").string();
  if (std::error_code none; std::filesystem::exists("/proc/self/exe", none)) {
    bench_options.peers =
        (std::filesystem::read_symlink("/proc/self/exe", none).parent_path() / "peers").string();
  }
  CLI::App* bench = app.add_subcommand("bench", "measure against other programs");
  bench->add_option("suite", bench_options.suite, "a suite or one benchmark; 'list' names them")
      ->required();
  bench->add_option("--peers", bench_options.peers, "folder of the peer programs")
      ->capture_default_str();
  bench
      ->add_option("--schedules", bench_options.schedules,
                   "of gpu: measure these schedules instead, files PIPELINE.NAME.sched of a folder")
      ->check(CLI::ExistingDirectory);
  bench->add_option("--target", bench_options.target, "machine to compile for")
      ->capture_default_str();
  bench->add_option("--rounds", bench_options.rounds, "rounds of ours, then theirs")
      ->check(CLI::Range(3, 1000))
      ->capture_default_str();
  bench->add_flag("--json", bench_options.json, "one JSON object a line");

  CLI::App* doctor = app.add_subcommand("doctor", "what this machine offers, and whether it works");
  doctor->add_flag("--json", json, "one JSON object");

  CLI11_PARSE(app, argc, argv);
  try {
    Registry registry = apps::all_apps();
    for (const std::string& path : libraries) command::load_pipelines(path, registry);
    if (*list) return command::list(registry, json);
    if (*run) return command::run(registry, run_options);
    if (*bench) return command::bench(registry, bench_options);
    return command::doctor(registry, json);
  } catch (const std::exception& error) {
    std::cerr << "sinter: " << error.what() << "\n";
    return 1;
  }
}
