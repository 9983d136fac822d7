#include "apps/sinter/peer_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sinter/diagnostic.h>

namespace sinter::command {

namespace {

[[noreturn]] void refuse(const std::string& program, const std::string& reason) {
  throw RuntimeError(Diagnostic{.stage = "",
                                .directive = "",
                                .reason = "peer " + program + ": " + reason,
                                .remedy = "./dev bench builds the peers",
                                .file = ""});
}

}  // namespace

PeerProcess::PeerProcess(const std::string& program) : program_(program) {
  if (::access(program.c_str(), X_OK) != 0) refuse(program, std::strerror(errno));
  // A socket pair rather than pipes: MSG_NOSIGNAL spares us a signal when the peer dies.
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    refuse(program, std::strerror(errno));
  process_ = ::fork();
  if (process_ < 0) refuse(program, std::strerror(errno));
  if (process_ == 0) {
    ::dup2(ends[1], STDIN_FILENO);
    ::dup2(ends[1], STDOUT_FILENO);
    ::execl(program.c_str(), program.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(ends[1]);
  to_peer_ = from_peer_ = ends[0];
}

PeerProcess::~PeerProcess() {
  if (to_peer_ >= 0) ::close(to_peer_);
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
}

std::string PeerProcess::ask(const std::string& line) {
  const std::string message = line + "\n";
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t n = ::send(to_peer_, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) refuse(program_, "ended before '" + line + "'");
    sent += std::size_t(n);
  }
  for (;;) {
    if (const std::size_t end = pending_.find('\n'); end != std::string::npos) {
      const std::string answer = pending_.substr(0, end);
      pending_.erase(0, end + 1);
      return answer;
    }
    std::array<char, 4096> bytes;
    const ssize_t n = ::recv(from_peer_, bytes.data(), bytes.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) refuse(program_, "ended while answering '" + line + "'");
    pending_.append(bytes.data(), std::size_t(n));
  }
}

}  // namespace sinter::command
