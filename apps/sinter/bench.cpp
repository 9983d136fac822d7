#include "apps/sinter/bench.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

#include <sinter/diagnostic.h>

#include "apps/sinter/made_inputs.h"

namespace sinter::command {

void print(const BenchRow& row, bool json) {
  if (json) {
    nlohmann::ordered_json object = {{"bench", row.bench}, {"ours_ms", row.ours_ms}};
    if (!row.peer.empty()) {
      object["peer"] = row.peer;
      object["peer_ms"] = row.peer_ms;
      object["ratio"] = row.ratio;
      object["ratio_lo"] = row.interval.low;
      object["ratio_hi"] = row.interval.high;
    }
    for (const auto& [key, value] : row.more) object[key] = value;
    std::cout << object.dump() << std::endl;
    return;
  }
  // Calls take a fraction of a microsecond.
  std::printf(row.ours_ms < 0.1 ? "%-24s %11.6f ms" : "%-24s %11.3f ms", row.bench.c_str(),
              row.ours_ms);
  if (!row.peer.empty()) {
    std::printf("   %-22s %9.3f ms   %.2fx its speed [%.2f, %.2f]", row.peer.c_str(), row.peer_ms,
                row.ratio, row.interval.low, row.interval.high);
  }
  for (const auto& [key, value] : row.more) std::printf("   %s %.4g", key.c_str(), value);
  std::printf("\n");
  std::fflush(stdout);
}

nlohmann::json ask(PeerProcess& peer, const std::string& line) {
  const nlohmann::json answer = nlohmann::json::parse(peer.ask(line));
  if (answer.contains("error"))
    refuse_bench(line, "the peer failed: " + answer["error"].get<std::string>(), "run it by hand");
  return answer;
}

void compare(const std::string& peer_name, double tolerance, const Buffer<>& ours,
             PeerProcess& peer) {
  constexpr int Count = 256;
  const nlohmann::json theirs = ask(peer, "values " + std::to_string(Count));
  for (int i = 0; i < Count; ++i) {
    const std::uint64_t position = mix(std::uint64_t(i)) % ours.number_of_elements();
    const double a = element(ours, position), b = theirs["values"][std::size_t(i)].get<double>();
    if (!(std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b)))) {
      refuse_bench(peer_name,
                   "element " + std::to_string(position) + " is " + std::to_string(b) +
                       " there and " + std::to_string(a) + " here",
                   "make both compute the same before timing them");
    }
  }
}

double peer_time(PeerProcess& peer, int count) {
  return median(ask(peer, "time " + std::to_string(count))["ms"].get<std::vector<double>>());
}

BenchRow take_turns(const BenchOptions& options, const std::function<double()>& ours,
                    const std::function<double()>& theirs) {
  std::vector<double> our_times, their_times;
  for (int round = 0; round < options.rounds; ++round) {
    if (round % 2 == 0) our_times.push_back(ours());
    their_times.push_back(theirs());
    if (round % 2 != 0) our_times.push_back(ours());
  }
  BenchRow row;
  row.ours_ms = median(our_times);
  row.peer_ms = median(their_times);
  row.ratio = row.peer_ms / row.ours_ms;
  row.interval = ratio_interval(their_times, our_times);
  return row;
}

void refuse_bench(const std::string& what, const std::string& reason, const std::string& remedy) {
  throw RuntimeError(
      Diagnostic{.stage = "", .directive = what, .reason = reason, .remedy = remedy, .file = ""});
}

}  // namespace sinter::command
