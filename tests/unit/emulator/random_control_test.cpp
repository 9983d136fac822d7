// Random control-flow graphs, most of them unstructured, against a thread-by-thread reading.

#include <gtest/gtest.h>

#include "backends/emulator/random.h"
#include "tests/unit/emulator/harness.h"

namespace sinter::emulator::tests {
namespace {

struct Node {
  std::uint32_t factor, addend;
  unsigned bit;                ///< of the state, that decides
  std::vector<unsigned> next;  ///< two, or a table of four; the last node ends
  bool exits;                  ///< a guarded ret comes first
};

std::vector<Node> random_graph(Random& random) {
  std::vector<Node> graph(3 + random.below(8));
  for (Node& node : graph) {
    node = {static_cast<std::uint32_t>(random.next()) | 1,
            static_cast<std::uint32_t>(random.next()),
            random.below(32),
            {},
            random.below(8) == 0};
    const unsigned ways = random.below(5) == 0 ? 4 : 2;
    for (unsigned w = 0; w < ways; ++w) {
      node.next.push_back(random.below(static_cast<std::uint32_t>(graph.size())));
    }
  }
  return graph;
}

constexpr unsigned Steps = 60;

std::string text_of(const std::vector<Node>& graph) {
  const auto number = [](unsigned n) { return std::to_string(n); };
  std::string body = R"(
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd1, %r1, 4;
    add.s64 %rd1, %rd100, %rd1;
    mov.u32 %r2, %r1;
    mov.u32 %r3, 0;
)";
  for (unsigned n = 0; n < graph.size(); ++n) {
    const Node& node = graph[n];
    body += "N" + number(n) + ":\nadd.u32 %r3, %r3, 1;\nsetp.gt.u32 %p1, %r3, " + number(Steps) +
            ";\n@%p1 bra END;\n";
    body += "mad.lo.u32 %r2, %r2, " + number(node.factor) + ", " + number(node.addend) +
            ";\nst.global.u32 [%rd1], %r2;\nshr.u32 %r4, %r2, " + number(node.bit) + ";\n";
    if (node.exits) body += "and.b32 %r5, %r4, 7;\nsetp.eq.u32 %p2, %r5, 5;\n@%p2 ret;\n";
    if (node.next.size() == 4) {
      body += "and.b32 %r4, %r4, 3;\nT" + number(n) + ": .branchtargets";
      for (unsigned w = 0; w < 4; ++w) body += (w ? ", N" : " N") + number(node.next[w]);
      body += ";\nbrx.idx %r4, T" + number(n) + ";\n";
    } else {
      body += "and.b32 %r4, %r4, 1;\nsetp.eq.u32 %p2, %r4, 1;\n@%p2 bra N" + number(node.next[1]) +
              ";\nbra N" + number(node.next[0]) + ";\n";
    }
  }
  return kernel_text(1, body + "END:\n");
}

std::uint32_t meaning(const std::vector<Node>& graph, std::uint32_t state) {
  unsigned at = 0;
  for (unsigned step = 0; step < Steps; ++step) {
    const Node& node = graph[at];
    state = state * node.factor + node.addend;
    const std::uint32_t choice = state >> node.bit;
    if (node.exits && (choice & 7) == 5) break;
    at = node.next[choice & (node.next.size() - 1)];
  }
  return state;
}

TEST(RandomControl, EveryThreadGoesItsWay) {
  Random random(4);
  for (int n = 0; n < 200; ++n) {
    const std::vector<Node> graph = random_graph(random);
    const std::string text = text_of(graph);
    Device device;
    const std::uint64_t out = device.memory.allocate(96 * 4, "out");
    const Report report = device.launch(text, {1}, {96}, {out}, random.next());
    ASSERT_TRUE(report.clean()) << text << to_string(report);
    const auto result = device.download<std::uint32_t>(out, 96);
    for (std::uint32_t t = 0; t < 96; ++t) ASSERT_EQ(result[t], meaning(graph, t)) << text;
  }
}

}  // namespace
}  // namespace sinter::emulator::tests
