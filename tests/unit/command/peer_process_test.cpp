// Talking to a peer, with programs that every system has.

#include <gtest/gtest.h>
#include <sinter/diagnostic.h>

#include "apps/sinter/peer_process.h"

namespace sinter::command {
namespace {

TEST(PeerProcess, AnswersLineByLine) {
  PeerProcess echo("/bin/cat");
  EXPECT_EQ(echo.ask("first"), "first");
  EXPECT_EQ(echo.ask("second line"), "second line");
}

TEST(PeerProcess, AMissingProgramIsNamed) {
  try {
    PeerProcess none("/nonexistent/peer");
    FAIL() << "started";
  } catch (const RuntimeError& error) {
    EXPECT_EQ(error.diagnostic().reason, "peer /nonexistent/peer: No such file or directory");
  }
}

TEST(PeerProcess, ADeadPeerIsAnErrorAndNoSignal) {
  PeerProcess gone("/bin/true");
  EXPECT_THROW(gone.ask("anything"), RuntimeError);
}

}  // namespace
}  // namespace sinter::command
