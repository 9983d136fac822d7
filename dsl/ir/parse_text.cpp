// The lexer of IR text.

#include "dsl/ir/parse_text.h"

#include <cctype>
#include <charconv>
#include <limits>

#include <sinter/diagnostic.h>

namespace sinter::ir {

namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c) || c == '.' || c == '$'; }

[[noreturn]] void fail_at(unsigned line, unsigned column, const std::string& reason) {
  Diagnostic diagnostic;
  diagnostic.reason =
      "IR text " + std::to_string(line) + ":" + std::to_string(column) + ": " + reason;
  diagnostic.line = line;
  throw Error(diagnostic);
}

class Lexer {
 public:
  explicit Lexer(const std::string& text) : text_(text) {}

  std::vector<Token> tokens() {
    std::vector<Token> result;
    for (;;) {
      skip_blanks();
      result.push_back(token());
      if (result.back().kind == Token::Kind::End) return result;
    }
  }

 private:
  char at(std::size_t ahead = 0) const {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  char take() {
    const char c = text_[position_++];
    column_++;
    if (c == '\n') {
      line_++;
      column_ = 1;
    }
    return c;
  }
  void skip_blanks() {
    for (;;) {
      while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(at())) != 0)
        take();
      if (at() != '/' || at(1) != '/') return;
      while (position_ < text_.size() && at() != '\n') take();
    }
  }

  Token token() {
    Token result;
    result.line = line_;
    result.column = column_;
    if (position_ == text_.size()) return result;
    if (begins_name(at())) {
      result.kind = Token::Kind::Identifier;
      while (continues_name(at())) result.text += take();
    } else if (is_digit(at())) {
      result.kind = Token::Kind::Number;
      result.text = number();
    } else if (at() == '#') {
      result.kind = Token::Kind::Binding;
      result.text += take();
      while (is_digit(at())) result.text += take();
    } else if (at() == '"') {
      result.kind = Token::Kind::Text;
      result.text = quoted(result);
    } else {
      result.kind = Token::Kind::Punctuation;
      result.text = punctuation(result);
    }
    return result;
  }

  std::string number() {
    std::string result;
    while (is_digit(at())) result += take();
    if (at() == '.' && is_digit(at(1))) {
      result += take();
      while (is_digit(at())) result += take();
    }
    const bool has_sign = at(1) == '+' || at(1) == '-';
    if (at() == 'e' && is_digit(at(has_sign ? 2 : 1))) {
      result += take();
      if (has_sign) result += take();
      while (is_digit(at())) result += take();
    }
    while (continues_name(at()) && at() != '.') result += take();
    return result;
  }

  std::string quoted(const Token& begin) {
    std::string result;
    take();
    for (;;) {
      if (position_ == text_.size()) fail_at(begin.line, begin.column, "this text has no end");
      char c = take();
      if (c == '"') return result;
      if (c == '\\' && position_ < text_.size()) {
        c = take();
        if (c == 'n') c = '\n';
      }
      result += c;
    }
  }

  std::string punctuation(const Token& begin) {
    for (const char* two : {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>"}) {
      if (at() != two[0] || at(1) != two[1]) continue;
      take();
      take();
      return two;
    }
    const std::string one(1, take());
    if (std::string("+-*/%&|^~!<>=()[]{},;:.").find(one) == std::string::npos) {
      fail_at(begin.line, begin.column, "'" + one + "' has no meaning here");
    }
    return one;
  }

  const std::string& text_;
  std::size_t position_ = 0;
  unsigned line_ = 1, column_ = 1;
};

template <typename T>
bool read_real(const std::string& digits, double* value) {
  T result{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result);
  *value = static_cast<double>(result);
  return error == std::errc() && end == digits.data() + digits.size();
}

/// Where the suffix of a number begins.
std::size_t suffix_of(const std::string& text) {
  std::size_t i = 0;
  for (; i < text.size(); i++) {
    const bool is_exponent = text[i] == 'e' && i + 1 < text.size();
    const bool is_sign = i > 0 && text[i - 1] == 'e' && (text[i] == '+' || text[i] == '-');
    if (!is_digit(text[i]) && text[i] != '.' && !is_exponent && !is_sign) break;
  }
  return i;
}

}  // namespace

Text::Text(const std::string& text) : tokens_(Lexer(text).tokens()) {}

bool Text::accept(const char* text) {
  const Token& token = peek();
  const bool is_word =
      token.kind == Token::Kind::Punctuation || token.kind == Token::Kind::Identifier;
  if (!is_word || token.text != text) return false;
  position_++;
  return true;
}

void Text::expect(const char* text) {
  if (!accept(text)) fail(peek(), "'" + std::string(text) + "' was expected");
}

Token Text::expect(Token::Kind kind, const char* what) {
  if (peek().kind != kind) fail(peek(), std::string(what) + " was expected");
  return next();
}

void Text::expect_end() {
  if (peek().kind != Token::Kind::End) fail(peek(), "the text should end here");
}

void Text::fail(const Token& at, const std::string& reason) const {
  fail_at(at.line, at.column, reason);
}

std::string read_literal(const std::string& text, bool negative, Literal* literal) {
  if (text.starts_with("nan_") || text.starts_with("inf_")) {
    literal->type = parse_type(text.substr(4));
    const double magnitude = text[0] == 'n' ? std::numeric_limits<double>::quiet_NaN()
                                            : std::numeric_limits<double>::infinity();
    literal->real = negative ? -magnitude : magnitude;
    return literal->type.is_float() ? "" : "'" + text + "' is not a literal";
  }
  const std::size_t suffix = suffix_of(text);
  const std::string digits = text.substr(0, suffix);
  literal->type = suffix == text.size() ? Index() : parse_type(text.substr(suffix));
  if (literal->type.is_float()) {
    const bool is_read = literal->type.bits == 64 ? read_real<double>(digits, &literal->real)
                                                  : read_real<float>(digits, &literal->real);
    if (negative) literal->real = -literal->real;
    return is_read ? "" : "'" + text + "' is not a number";
  }
  if (!literal->type.is_integer() && !literal->type.is_index())
    return "'" + text.substr(suffix) + "' is not the type of a literal";
  std::uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  if (error != std::errc() || end != digits.data() + digits.size())
    return "'" + text + "' is not an integer";
  literal->integer = static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
  return "";
}

}  // namespace sinter::ir
