#pragma once
// The commands of `sinter`. Results go to stdout, progress to stderr; each returns the exit code.

#include <map>
#include <string>

#include <sinter/registry.h>

namespace sinter::command {

int list(const Registry&, bool json);

struct RunOptions {
  std::string pipeline;
  std::string in, out;     // pictures; empty: inputs are made up, outputs dropped
  std::string size;        // "k=v,..."
  std::string parameters;  // "k=v,..."
  std::string schedule;    // empty: the last that the pipeline names
  std::string target = "host";
  std::string emit;
  bool bench = false, check = false, json = false;
  bool stats = false;  // of kernels, where the machine counts
};
int run(const Registry&, const RunOptions&);

struct BenchOptions {
  std::string suite;
  std::string peers;      // folder of the peer programs
  std::string schedules;  // folder of schedules for "gpu" to try
  std::string target = "host";
  int rounds = 15;
  bool json = false;
};
int bench(const Registry&, const BenchOptions&);

int doctor(const Registry&, bool json);

}  // namespace sinter::command
