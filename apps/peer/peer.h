#pragma once
// What every peer program shares: the inputs (the same numbers that `sinter bench` gives to our
// pipelines), and the conversation on stdin and stdout. Nothing of Sinter is included or linked.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace peer {

using Sizes = std::map<std::string, int>;

/// The finaliser of splitmix64.
inline std::uint64_t mix(std::uint64_t v) {
  v += 0x9e3779b97f4a7c15u;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  return v ^ (v >> 31);
}

/// Element `index` (dimension 0 fastest) of input number `field`: in [0, 1), 24 bits.
inline float unit(int field, std::uint64_t index) {
  return float(mix(index + (std::uint64_t(field) << 40)) >> 40) / 16777216.0f;
}
/// The same for integer inputs: in [0, largest].
inline std::uint64_t whole(int field, std::uint64_t index, std::uint64_t largest) {
  return mix(index + (std::uint64_t(field) << 40)) % (largest + 1);
}

class Program {
 public:
  virtual ~Program() = default;
  virtual void prepare(const Sizes&) = 0;
  virtual void run() = 0;
  /// Waits for runs that a device still works on.
  virtual void finish() {}
  virtual std::uint64_t count() const = 0;        // elements of the output
  virtual double value(std::uint64_t index) = 0;  // dimension 0 fastest
};

/// Of one run, or of each of several in a row.
inline double milliseconds_of(Program& program, int runs = 1) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) program.run();
  program.finish();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
             .count() /
         runs;
}

inline Sizes parse_sizes(const std::string& text) {
  Sizes sizes;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos) throw std::runtime_error("size without '=': " + item);
    sizes[item.substr(0, equals)] = std::stoi(item.substr(equals + 1));
  }
  return sizes;
}

inline std::string answer(Program& program, const std::string& line) {
  std::istringstream words(line);
  std::string command, argument;
  words >> command >> argument;
  std::ostringstream out;
  out.precision(17);
  if (command == "prepare") {
    program.prepare(parse_sizes(argument));
    program.run();
    out << "{\"ok\": true}";
  } else if (command == "time") {
    out << "{\"ms\": [";
    for (int i = 0; i < std::stoi(argument); ++i)
      out << (i ? ", " : "") << milliseconds_of(program);
    out << "]}";
  } else if (command == "time_row") {
    out << "{\"ms\": " << milliseconds_of(program, std::stoi(argument)) << "}";
  } else if (command == "values") {
    out << "{\"values\": [";
    for (int i = 0; i < std::stoi(argument); ++i)
      out << (i ? ", " : "") << program.value(mix(std::uint64_t(i)) % program.count());
    out << "]}";
  } else {
    throw std::runtime_error("unknown command: " + line);
  }
  return out.str();
}

/// Answers until stdin closes.
inline int serve(Program& program) {
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << answer(program, line) << std::endl;
    } catch (const std::exception& error) {
      std::string message = error.what();
      std::replace_if(
          message.begin(), message.end(),
          [](char c) { return c == '"' || c == '\\' || (c >= 0 && c < ' '); }, ' ');
      std::cout << "{\"error\": \"" << message << "\"}" << std::endl;
    }
  }
  return 0;
}

}  // namespace peer
