// Random programs under random schedules: oracle, interpreter and host code agree bit for bit.
//
//   test_property [--gpu] [--seed N] [--count PAIRS] [--seconds S] [--level 0|1] [--no-shrink]
//
// --gpu: with loops over blocks and threads, on the emulated GPU; without it one program in ten is.
// Without arguments the fast tier; SINTER_FULL=1 asks for the full one. Trials run in child
// processes, so that a crash names its seed. The seed of a run is printed; --seed N runs one trial.

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "dsl/schedule/schedule_text.h"
#include "tests/property/random.h"
#include "tests/property/random_program.h"
#include "tests/property/random_schedule.h"
#include "tests/property/shrink.h"
#include "tests/property/trial.h"

namespace sinter::test {
namespace {

using Counts = std::map<std::string, long>;
constexpr unsigned SecondsPerTrial = 10;  // of the processor
constexpr int SchedulesPerProgram = 2;

struct Settings {
  long count = 100;  // pairs that ran
  int seconds = 40;
  int level = 1;
  bool gpu = false;  // all schedules
  bool shrinks = true;
  bool one = false;  // --seed
  std::uint64_t seed = 0;
  std::size_t most_failures = 3;
};

/// A fifth of all GPU schedules are the default one, which lowering may not refuse.
bool is_by_default(const Instance& instance, std::uint64_t seed) {
  return instance.gpu && seed % 5 == 3;
}

/// Without what differs from case to case: quoted names and numbers.
std::string reason_of(const Diagnostic& d) {
  std::string text;
  bool quoted = false;
  for (std::size_t i = 0; i < d.reason.size(); ++i) {
    const char c = d.reason[i];
    if (c == '\'') {
      const bool possessive =
          !quoted && i > 0 && std::isalpha(static_cast<unsigned char>(d.reason[i - 1]));
      if (!possessive) {
        quoted = !quoted;
        if (quoted) text += "_";
      }
      continue;
    }
    if (quoted) continue;
    if (std::isdigit(static_cast<unsigned char>(c)) ||
        (c == '-' && i + 1 < d.reason.size() &&
         std::isdigit(static_cast<unsigned char>(d.reason[i + 1])))) {
      if (text.empty() || text.back() != '#') text += '#';
    } else {
      text += c;
    }
  }
  return text.substr(0, 110);
}

std::string name_of(const schedule::Directive& d, const Algorithm& algorithm) {
  const std::string text = schedule::to_string(d, algorithm);
  return text.substr(0, text.find('('));
}

/// What a schedule makes use of: its directives, and the tails it writes.
std::set<std::string> features_of(const Instance& instance) {
  std::set<std::string> all;
  for (const schedule::Entry& e : instance.schedule.entries) {
    all.insert(name_of(e.directive, instance.algorithm));
    const std::string text = schedule::to_string(e.directive, instance.algorithm);
    for (const char* tail : {"RoundUp", "GuardWithIf", "ShiftInwards"}) {
      if (text.find(tail) != std::string::npos) all.insert(tail);
    }
  }
  return all;
}

Instance instance_of(std::uint64_t seed, const Settings& settings,
                     std::vector<Diagnostic>* refused = nullptr) {
  const std::uint64_t program = seed / SchedulesPerProgram;
  Instance instance = random_program(program, settings.level);
  instance.gpu = settings.gpu || program % 10 == 9;
  if (is_by_default(instance, seed)) {
    instance.schedule = default_gpu_schedule_of(instance, seed);
    return instance;
  }
  DrawnSchedule drawn = random_schedule(instance, seed);
  instance.schedule = std::move(drawn.schedule);
  if (refused != nullptr) *refused = std::move(drawn.refused);
  return instance;
}

// --- the child

/// What a child says, one record a line; texts are sent with their length.
struct Reporter {
  FILE* out;
  void count(const std::string& key, long n = 1) const {
    std::fprintf(out, "+ %ld %s\n", n, key.c_str());
  }
  void begin(std::uint64_t seed) const {
    std::fprintf(out, "B %llu\n", static_cast<unsigned long long>(seed));
    std::fflush(out);
  }
  /// Which of the drawn entries the trials that follow use.
  void kept(const std::vector<std::size_t>& entries) const {
    std::fprintf(out, "K");
    for (std::size_t i : entries) std::fprintf(out, " %zu", i);
    std::fprintf(out, "\n");
    std::fflush(out);
  }
  void failure(std::uint64_t seed, const std::string& text) const {
    std::fprintf(out, "F %llu %zu\n%s\n", static_cast<unsigned long long>(seed), text.size(),
                 text.c_str());
    std::fflush(out);
  }
};

/// Entries are dropped until the rest is accepted: the stage that the refusal names first.
void repair(Instance& instance, TrialResult& result, Random& random, const Reporter& report) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < instance.schedule.entries.size(); ++i) kept.push_back(i);
  for (int attempt = 0; attempt < 30 && !instance.schedule.entries.empty(); ++attempt) {
    using Kind = TrialResult::Kind;
    if (result.kind != Kind::RefusedAtResolve && result.kind != Kind::RefusedAtLower) return;
    auto& entries = instance.schedule.entries;
    std::vector<std::size_t> blamed;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const StageDefinition* stage = instance.algorithm.find(entries[i].stage.stage);
      if (stage != nullptr && result.refusal.stage.rfind(stage->name, 0) == 0) blamed.push_back(i);
    }
    const std::size_t victim = blamed.empty() ? random.index(entries.size()) : random.pick(blamed);
    entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(victim));
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(victim));
    report.kept(kept);
    result = run_trial(instance);
  }
}

void run_one(std::uint64_t seed, const Settings& settings, const Reporter& report) {
  using Kind = TrialResult::Kind;
  std::vector<Diagnostic> refused;
  Instance instance;
  try {
    instance = instance_of(seed, settings, &refused);
  } catch (const std::exception& e) {
    report.failure(seed, std::string("the program or schedule cannot be made: ") + e.what());
    return;
  }
  for (const Diagnostic& d : refused) report.count("draw: " + reason_of(d));
  report.count("drawn");
  TrialResult result = run_trial(instance);
  if (is_by_default(instance, seed)) {
    const bool says =
        std::any_of(instance.schedule.entries.begin(), instance.schedule.entries.end(),
                    [](const schedule::Entry& e) {
                      return !std::holds_alternative<schedule::SetEstimate>(e.directive);
                    });
    const bool checks = result.refusal.reason.starts_with("require()");  // of a debug build
    if (says && !checks &&
        (result.kind == Kind::RefusedAtResolve || result.kind == Kind::RefusedAtLower))
      return report.failure(seed, std::string("the default schedule is refused: ") +
                                      to_string(result.refusal) + "\n");
    report.count("by default");
  }
  if (result.kind == Kind::RefusedAtResolve || result.kind == Kind::RefusedAtLower) {
    const bool resolve = result.kind == Kind::RefusedAtResolve;
    const std::string reason = reason_of(result.refusal);
    report.count((resolve ? "resolve: " : "lower: ") + reason);
    if (resolve && !instance.gpu) {  // the interpreter knows no kernels
      if (const auto agrees = agrees_when_forced(instance))
        report.count((*agrees ? "forced agrees: " : "forced differs: ") + reason);
    }
    Random random(seed);
    repair(instance, result, random, report);
  } else {
    report.count("accepted");
  }
  if (result.kind == Kind::RefusedAtCall) report.count("call: " + reason_of(result.refusal));
  if (result.kind == Kind::Failed) report.failure(seed, result.text);
  if (result.kind != Kind::Agreed) return;
  if (instance.gpu && result.kernels == 0) return report.count("agreed without kernels");
  report.count("agreed");
  if (instance.gpu) report.count("on the GPU");
  else if (!result.skipped_host) report.count("as host code");
  if (instance.schedule.entries.empty()) report.count("agreed without directives");
  const auto features = features_of(instance);
  for (const std::string& a : features) {
    report.count("uses " + a);
    for (const std::string& b : features) {
      if (a < b) report.count("pair " + a + " | " + b);
    }
  }
}

// --- the parent

struct Failure {
  std::uint64_t seed;
  std::string text;
  std::optional<std::vector<std::size_t>> kept;  // all entries, if not set
};

struct Totals {
  Counts counts;
  std::vector<Failure> failures;
};

/// Runs `work` in a child and reads what it writes until it ends. Returns its wait status.
int in_child(const std::function<void(FILE*)>& work, std::string& output) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    FILE* out = fdopen(ends[1], "w");
    work(out);
    std::fclose(out);
    _exit(0);
  }
  close(ends[1]);
  char buffer[65536];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    output.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

/// The process ends when it uses too much of the processor, or hangs.
void limit_time(unsigned seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
  alarm(20 * seconds);
}

std::string death_of(int status) {
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGPROF || WTERMSIG(status) == SIGALRM))
    return "slow: no result within " + std::to_string(SecondsPerTrial) + " s";
  if (WIFSIGNALED(status)) return std::string("crash: signal ") + strsignal(WTERMSIG(status));
  return "crash: exit code " + std::to_string(WEXITSTATUS(status));
}

/// One batch of seeds; continues after a trial that kills its child.
void run_batch(std::uint64_t first, std::uint64_t count, const Settings& settings, Totals& totals) {
  std::uint64_t next = first;
  while (next < first + count) {
    std::string output;
    const int status = in_child(
        [&](FILE* out) {
          const Reporter report{out};
          for (std::uint64_t seed = next; seed < first + count; ++seed) {
            report.begin(seed);
            limit_time(SecondsPerTrial);
            run_one(seed, settings, report);
            limit_time(0);
          }
        },
        output);
    std::istringstream lines(output);
    std::string line;
    std::uint64_t current = next;
    std::optional<std::vector<std::size_t>> kept;
    while (std::getline(lines, line)) {
      if (line.rfind("B ", 0) == 0) {
        current = std::stoull(line.substr(2));
        kept.reset();
      }
      if (line.starts_with('K')) {
        std::istringstream numbers(line.substr(1));
        kept.emplace();
        for (std::size_t i; numbers >> i;) kept->push_back(i);
      }
      if (line.rfind("+ ", 0) == 0) {
        const std::size_t space = line.find(' ', 2);
        totals.counts[line.substr(space + 1)] += std::stol(line.substr(2, space - 2));
      }
      if (line.rfind("F ", 0) == 0) {
        const std::size_t space = line.find(' ', 2);
        std::string text(std::stoull(line.substr(space + 1)), '\0');
        lines.read(text.data(), static_cast<std::streamsize>(text.size()));
        totals.failures.push_back({std::stoull(line.substr(2, space - 2)), text, kept});
      }
    }
    next = first + count;
    if (status != 0) {
      const std::string death = death_of(status);
      if (death.rfind("slow", 0) == 0) totals.counts["slow " + std::to_string(current)] += 1;
      else totals.failures.push_back({current, death, kept});
      next = current + 1;
    }
  }
}

/// Kind of a failure: its first words.
std::string kind_of(const std::string& text) {
  return text.substr(0, std::min(text.find(':'), text.find('\n')));
}

std::string first_lines(const std::string& text, int lines) {
  std::size_t end = 0;
  while (lines-- > 0 && end != std::string::npos) end = text.find('\n', end == 0 ? 0 : end + 1);
  return end == std::string::npos ? text : text.substr(0, end) + "\n...\n";
}

std::string trial_in_child(const Instance& instance) {
  std::string output;
  const int status = in_child(
      [&](FILE* out) {
        limit_time(SecondsPerTrial);
        TrialResult result = run_trial(instance);
        if (result.kind == TrialResult::Kind::Failed) std::fputs(result.text.c_str(), out);
      },
      output);
  return status != 0 ? death_of(status) : output;
}

/// The instance whose trial failed: the drawn one, or what repairing made of it.
Instance failing_instance(const Failure& failure, const Settings& settings) {
  Instance instance = instance_of(failure.seed, settings);
  if (!failure.kept) return instance;
  std::vector<schedule::Entry> entries;
  for (std::size_t i : *failure.kept) entries.push_back(instance.schedule.entries.at(i));
  instance.schedule.entries = std::move(entries);
  return instance;
}

void report_failure(const Failure& failure, const Settings& settings) {
  std::printf("\n=== seed %llu fails: %s\n", static_cast<unsigned long long>(failure.seed),
              failure.text.substr(0, 600).c_str());
  std::printf("    run again with: test_property%s --level %d --seed %llu\n",
              settings.gpu ? " --gpu" : "", settings.level,
              static_cast<unsigned long long>(failure.seed));
  std::fflush(stdout);
  if (failure.text.rfind("the program or schedule", 0) == 0) return;
  const Instance instance = failing_instance(failure, settings);
  if (settings.shrinks) {
    const std::string kind = kind_of(failure.text);
    const Instance small = shrink(
        instance,
        [&](const Instance& candidate) { return kind_of(trial_in_child(candidate)) == kind; },
        std::chrono::seconds(60));
    std::printf("--- shrunk\n%s", to_string(small).c_str());
    std::printf("--- %s\n", first_lines(trial_in_child(small), 90).c_str());
  } else {
    std::printf("%s--- %s\n", to_string(instance).c_str(), failure.text.c_str());
  }
  std::fflush(stdout);
}

long count_of(const Counts& counts, const std::string& key) {
  const auto it = counts.find(key);
  return it == counts.end() ? 0 : it->second;
}

void print_group(const Counts& counts, const std::string& prefix, const char* title) {
  std::vector<std::pair<long, std::string>> sorted;
  for (const auto& [key, n] : counts) {
    if (key.rfind(prefix, 0) == 0) sorted.emplace_back(n, key.substr(prefix.size()));
  }
  if (sorted.empty()) return;
  std::sort(sorted.rbegin(), sorted.rend());
  std::printf("%s\n", title);
  for (const auto& [n, key] : sorted) std::printf("  %6ld  %s\n", n, key.c_str());
}

void print_over_refusals(const Counts& counts) {
  const std::string refused = "resolve: ";
  std::printf(
      "refused by resolve(), and what brute force says (agreed / differed when forced, three "
      "inputs)\n");
  for (const auto& [key, n] : counts) {
    if (key.rfind(refused, 0) != 0) continue;
    const std::string reason = key.substr(refused.size());
    std::printf("  %6ld  %ld / %ld  %s\n", n, count_of(counts, "forced agrees: " + reason),
                count_of(counts, "forced differs: " + reason), reason.c_str());
  }
}

void print_coverage(const Counts& counts) {
  std::vector<std::string> names;
  for (const auto& [key, n] : counts) {
    if (key.rfind("uses ", 0) == 0) names.push_back(key.substr(5));
  }
  std::size_t covered = 0, total = 0;
  std::string missing;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      ++total;
      if (count_of(counts, "pair " + names[i] + " | " + names[j]) > 0) ++covered;
      else missing += " (" + names[i] + ", " + names[j] + ")";
    }
  }
  std::printf("pairs of directives that ran together: %zu of %zu\n", covered, total);
  if (!missing.empty()) std::printf("  not covered:%s\n", missing.c_str());
}

int run(const Settings& settings) {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::printf("seed %llu, level %d\n", static_cast<unsigned long long>(settings.seed),
              settings.level);
  std::fflush(stdout);
  Totals totals;
  std::uint64_t next = settings.seed;
  const std::uint64_t batch = settings.one ? 1 : 20;
  do {
    run_batch(next, batch, settings, totals);
    next += batch;
  } while (!settings.one && count_of(totals.counts, "agreed") < settings.count &&
           elapsed() < settings.seconds && totals.failures.size() < settings.most_failures);
  const long drawn = count_of(totals.counts, "drawn"),
             accepted = count_of(totals.counts, "accepted");
  const long agreed = count_of(totals.counts, "agreed");
  const double percent =
      drawn == 0 ? 0 : 100.0 * static_cast<double>(accepted) / static_cast<double>(drawn);
  std::printf(
      "%ld schedules drawn, %.0f %% accepted; %ld pairs ran and agreed (%ld of them also as host "
      "code, %ld on the GPU; %ld default schedules), %zu failures, %.0f s\n",
      drawn, percent, agreed, count_of(totals.counts, "as host code"),
      count_of(totals.counts, "on the GPU"), count_of(totals.counts, "by default"),
      totals.failures.size(), elapsed());
  print_coverage(totals.counts);
  print_group(totals.counts, "uses ", "schedules that ran, by what they use");
  print_group(totals.counts, "draw: ", "refused at the directive");
  print_over_refusals(totals.counts);
  print_group(totals.counts, "lower: ", "refused by lowering");
  print_group(totals.counts, "call: ", "refused at the call");
  print_group(totals.counts, "slow ", "took too long (seeds)");
  std::set<std::string> reported;
  for (const Failure& f : totals.failures) {
    // One failure of each kind for each program is enough to look at.
    if (reported.insert(kind_of(f.text) + std::to_string(f.seed / SchedulesPerProgram)).second)
      report_failure(f, settings);
  }
  if (!totals.failures.empty()) return 1;
  if (!settings.one && drawn >= 100 && (percent < 30 || percent > 80)) {
    std::printf("the acceptance of schedules must lie between 30 and 80 %%\n");
    return 1;
  }
  return 0;
}

Settings settings_of(int argc, char** argv) {
  Settings s;
  const char* set = std::getenv("SINTER_FULL");
  const bool full = set != nullptr && std::string(set) == "1";
  for (int i = 1; i < argc; ++i) s.gpu = s.gpu || std::string(argv[i]) == "--gpu";
  if (s.gpu) {
    s.count = full ? 500 : 40;
    s.seconds = full ? 500 : 20;
  } else if (full) {
    s.count = 2000;
    s.seconds = 1500;
  }
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (a == "--gpu") continue;
    if (a == "--no-shrink") s.shrinks = false;
    else if (a == "--seed") s.seed = std::stoull(value), s.one = true, ++i;
    else if (a == "--from") s.seed = std::stoull(value), ++i;
    else if (a == "--count") s.count = std::stol(value), ++i;
    else if (a == "--seconds") s.seconds = std::stoi(value), ++i;
    else if (a == "--level") s.level = std::stoi(value), ++i;
    else if (a == "--failures") s.most_failures = std::stoull(value), ++i;
    else std::fprintf(stderr, "unknown argument %s\n", a.c_str()), std::exit(2);
  }
  return s;
}

}  // namespace
}  // namespace sinter::test

int main(int argc, char** argv) { return sinter::test::run(sinter::test::settings_of(argc, argv)); }
