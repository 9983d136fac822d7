#pragma once
// A program that is measured against ours, in a process of its own. It reads a command a line from
// its stdin and answers each with one line of JSON:
//   prepare k=v,...   -> {"ok": true}               makes inputs and compiles
//   time N            -> {"ms": [...]}              N runs, each timed
//   values N          -> {"values": [...]}          N elements of the output, spread over it
// or {"error": "..."}. It ends when its stdin closes.

#include <string>

#include <sys/types.h>

namespace sinter::command {

class PeerProcess {
 public:
  /// Throws RuntimeError when the program cannot be started.
  explicit PeerProcess(const std::string& program);
  ~PeerProcess();
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  /// Sends a line, waits for the answer. Throws RuntimeError when the peer ended instead.
  std::string ask(const std::string& line);

 private:
  std::string program_;
  pid_t process_ = -1;
  int to_peer_ = -1;
  int from_peer_ = -1;
  std::string pending_;
};

}  // namespace sinter::command
