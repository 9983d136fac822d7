#pragma once
// Words, numbers and punctuation of PTX, with their lines.

#include <cstdint>
#include <string>
#include <string_view>

namespace sinter::emulator::ptx {

struct Token {
  enum class Kind { Word, Integer, Float, Text, Punctuation, End };
  Kind kind = Kind::End;
  std::string text;  ///< words keep their dots: "ld.global.f32", ".reg", "%tid.x"
  std::uint64_t bits = 0;
  unsigned width = 8;  ///< of a float's bits
  unsigned line = 1;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }
  const Token& peek() const { return token_; }
  Token next();
  bool is(std::string_view text) const {
    return token_.kind != Token::Kind::Text && token_.text == text;
  }
  bool accept(std::string_view text);
  Token expect(std::string_view text);
  Token expect_word(const char* what);

 private:
  void advance();
  void skip_space();
  void number();

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned line_ = 1;
  Token token_;
};

}  // namespace sinter::emulator::ptx
