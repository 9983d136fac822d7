#pragma once
// The tokens of IR text, with positions for error messages. Used by parse.cpp only.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <sinter/type.h>

namespace sinter::ir {

struct Token {
  enum class Kind : std::uint8_t { Identifier, Number, Text, Binding, Punctuation, End };
  Kind kind = Kind::End;
  std::string text;  // a number with its suffix, a text without its quotes, a binding with its #
  unsigned line = 1, column = 1;
};

class Text {
 public:
  explicit Text(const std::string& text);

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(position_ + ahead, tokens_.size() - 1)];
  }
  Token next() { return tokens_[position_ + 1 < tokens_.size() ? position_++ : position_]; }
  /// Takes the next token when it is this punctuation or word.
  bool accept(const char* text);
  void expect(const char* text);
  Token expect(Token::Kind, const char* what);
  void expect_end();
  /// Throws Error with the token's line and column.
  [[noreturn]] void fail(const Token& at, const std::string& reason) const;

 private:
  std::vector<Token> tokens_;
  std::size_t position_ = 0;
};

struct Literal {
  Type type;
  std::int64_t integer = 0;
  double real = 0;
};
/// Reads 3, 3u8, 1.5f32, inf_f32, nan_f64; returns what is wrong, or nothing.
std::string read_literal(const std::string& text, bool negative, Literal*);

}  // namespace sinter::ir
