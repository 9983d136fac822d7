#pragma once
// The oracle's straight-line code: the expressions of one definition flattened, with parameters and
// buffer fields put in as constants. Internal to evaluate.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "dsl/algorithm/algorithm.h"

namespace sinter::evaluation {

/// Where an operand is: a slot of the frame, or (-1 - i) constant i.
using Place = std::int32_t;

struct Instruction {
  ir::Op op;
  Type type;
  std::uint32_t first = 0, count = 0;  // operands, in Program::operands
  std::int32_t index = 0;              // Symbol: variable. Access: stage or image. Require: message
  std::int32_t component = 0;
  bool is_image = false;  // Access
};

/// Instruction i writes slot i.
struct Program {
  std::vector<Instruction> code;
  std::vector<Place> operands;
  std::vector<ir::Scalar> constants;
  std::vector<std::string> messages;
  std::vector<Place> results;  // one per root
};

/// What names mean in one call.
struct Names {
  std::unordered_map<Symbol, ir::Scalar> constants;  // parameters, fields of buffers
  std::unordered_map<Symbol, std::int32_t> stages, images;
};

/// `variables`: their position is the number that the code uses.
Program compile(const std::vector<Expr>& roots, const std::vector<Symbol>& variables, const Names&);

}  // namespace sinter::evaluation
