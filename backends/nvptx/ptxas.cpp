#include "backends/nvptx/ptxas.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sinter/diagnostic.h>

#include "backends/runtime/code_cache.h"

extern char** environ;

namespace sinter::backends {

namespace fs = std::filesystem;

namespace {

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

/// A folder that goes with this object.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "sinter-XXXXXX").string();
    if (!mkdtemp(name.data())) {
      throw CompileError(
          Diagnostic{"",
                     "",
                     "no folder for ptxas can be made in " + fs::temp_directory_path().string(),
                     "free space there, or set TMPDIR",
                     {},
                     0});
    }
    path = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path path;
};

/// The exit status; -1 when it could not be started. What it writes goes to `output`.
int run(const std::vector<std::string>& words, const fs::path& output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string in_path(const char* program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = folder + "/" + program;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

std::optional<Ptxas> find_ptxas() {
  const char* named = std::getenv("SINTER_PTXAS");
  const std::string path = named ? named : in_path("ptxas");
  if (path.empty()) return std::nullopt;
  const Scratch scratch;
  const int status = run({path, "--version"}, scratch.path / "version");
  const std::string text = contents_of(scratch.path / "version");
  const std::size_t at = text.find(", V");
  if (status != 0 || at == std::string::npos) {
    if (!named) return std::nullopt;
    throw CompileError(Diagnostic{"",
                                  "",
                                  "SINTER_PTXAS names '" + path + "', which does not run as ptxas",
                                  "name a ptxas, or nothing to let the driver compile",
                                  {},
                                  0});
  }
  return Ptxas{path, text.substr(at + 3, text.find_first_of(" \n", at + 3) - at - 3)};
}

/// The first lines of ptxas' output that hold one of `words`.
std::string lines_with(std::initializer_list<const char*> words, const std::string& output) {
  constexpr int Most = 5;
  std::istringstream lines(output);
  std::string found;
  int count = 0;
  for (std::string line; std::getline(lines, line) && count < Most;) {
    for (const char* word : words) {
      if (line.find(word) == std::string::npos) continue;
      found += (count > 0 ? "\n" : "") + line;
      ++count;
      break;
    }
  }
  return found;
}
std::string errors_in(const std::string& output) {
  const std::string errors = lines_with({"error", "fatal"}, output);
  return errors.empty() ? output.substr(0, 500) : errors;
}
MachineCode with_report(std::string cubin, const std::string& report) {
  return {std::move(cubin), parse_ptxas_report(report),
          lines_with({"warning", "Potential Performance Loss"}, report)};
}

/// The text without the folders of the user's files, so that a project that was moved finds its
/// code.
std::string without_folders(const std::string& ptx) {
  std::istringstream lines(ptx);
  std::string text;
  for (std::string line; std::getline(lines, line); text += line + "\n") {
    if (line.find(".file") > 1) continue;
    const std::size_t quote = line.find('"'), slash = line.rfind('/');
    if (quote < slash && slash != std::string::npos) line.erase(quote + 1, slash - quote);
  }
  return text;
}

}  // namespace

const std::optional<Ptxas>& ptxas_of_process() {
  static const std::optional<Ptxas> found = find_ptxas();
  return found;
}

std::map<std::string, KernelResources> parse_ptxas_report(const std::string& text) {
  std::map<std::string, KernelResources> kernels;
  KernelResources* current = nullptr;
  std::istringstream lines(text);
  const auto number_before = [](const std::string& line, const char* what) {
    const std::size_t at = line.find(what);
    if (at == std::string::npos) return 0;
    std::size_t start = at;
    while (start > 0 && std::isdigit(static_cast<unsigned char>(line[start - 1]))) --start;
    return std::atoi(line.substr(start, at - start).c_str());
  };
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t at = line.find("Compiling entry function '"); at != std::string::npos) {
      const std::size_t start = line.find('\'', at) + 1;
      current = &kernels[line.substr(start, line.find('\'', start) - start)];
    }
    if (!current) continue;
    if (line.find("bytes stack frame") != std::string::npos) {
      current->stack = number_before(line, " bytes stack frame");
      current->spill_stores = number_before(line, " bytes spill stores");
      current->spill_loads = number_before(line, " bytes spill loads");
    }
    if (line.find("Used ") != std::string::npos) {
      current->registers = number_before(line, " registers");
      current->shared = number_before(line, " bytes smem");
    }
  }
  return kernels;
}

std::optional<MachineCode> assemble(const std::string& ptx, const std::string& architecture) {
  const std::optional<Ptxas>& ptxas = ptxas_of_process();
  if (!ptxas) return std::nullopt;
  const CodeCache& cache = CodeCache::of_process();
  const bool lines = ptx.find("\n\t.loc") != std::string::npos;
  const std::string key =
      "ptxas " + ptxas->version + " " + architecture + "\n" + (lines ? without_folders(ptx) : ptx);
  // Kept: the report's length, the report, the machine code.
  if (const std::optional<std::string> kept = cache.find(key)) {
    const std::size_t length = std::strtoull(kept->c_str(), nullptr, 10),
                      start = kept->find('\n') + 1;
    return with_report(kept->substr(start + length), kept->substr(start, length));
  }
  const Scratch scratch;
  const fs::path source = scratch.path / "kernels.ptx", made = scratch.path / "kernels.cubin",
                 output = scratch.path / "output";
  std::ofstream(source, std::ios::binary) << ptx;
  std::vector<std::string> words = {ptxas->path, "-arch=" + architecture, "-v",
                                    "-o",        made.string(),           source.string()};
  if (lines) words.push_back("-lineinfo");
  const int status = run(words, output);
  const std::string report = contents_of(output);
  if (status != 0) {
    const bool too_old = report.find("Unsupported .version") != std::string::npos ||
                         report.find("is not defined for option 'gpu-name'") != std::string::npos;
    if (too_old) return std::nullopt;
    throw CompileError(
        Diagnostic{"",
                   "",
                   ptxas->path + " refuses the kernels:\n" + errors_in(report),
                   "report the schedule; an empty SINTER_PTXAS lets the driver compile",
                   {},
                   0});
  }
  MachineCode code = with_report(contents_of(made), report);
  cache.keep(key, std::to_string(report.size()) + "\n" + report + code.cubin);
  return code;
}

}  // namespace sinter::backends
