#pragma once
// The distinct nodes below some roots, children before parents, found without recursion: what turns
// a DAG into straight-line code.

#include <unordered_set>
#include <utility>
#include <vector>

#include "dsl/ir/node.h"

namespace sinter::ir {

inline std::vector<Ref> postorder(const std::vector<Ref>& roots) {
  std::vector<Ref> result;
  std::unordered_set<const Node*> done;
  std::vector<std::pair<Ref, std::size_t>> stack;
  for (const Ref& root : roots) {
    if (root && !done.contains(root.get())) stack.emplace_back(root, 0);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (done.contains(node.get())) {
        stack.pop_back();
        continue;
      }
      if (next < node->args.size()) {
        const Ref child = node->args[next++];
        if (child && !done.contains(child.get())) stack.emplace_back(child, 0);
        continue;
      }
      done.insert(node.get());
      result.push_back(node);
      stack.pop_back();
    }
  }
  return result;
}

}  // namespace sinter::ir
