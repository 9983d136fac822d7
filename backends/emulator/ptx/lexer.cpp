#include "backends/emulator/ptx/lexer.h"

#include <bit>
#include <cctype>
#include <charconv>
#include <cstdlib>

#include "backends/emulator/ptx_module.h"

namespace sinter::emulator::ptx {

namespace {
bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' ||
         c == '.';
}
bool continues_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.';
}
}  // namespace

Token Lexer::next() {
  Token result = std::move(token_);
  advance();
  return result;
}

bool Lexer::accept(std::string_view text) {
  if (!is(text)) return false;
  advance();
  return true;
}

Token Lexer::expect(std::string_view text) {
  if (!is(text)) {
    throw PtxError(token_.line,
                   "expected '" + std::string(text) + "', found '" + token_.text + "'");
  }
  return next();
}

Token Lexer::expect_word(const char* what) {
  if (token_.kind != Token::Kind::Word) {
    throw PtxError(token_.line, std::string("expected ") + what + ", found '" + token_.text + "'");
  }
  return next();
}

void Lexer::skip_space() {
  while (at_ < text_.size()) {
    if (text_[at_] == '\n') ++line_;
    if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    } else if (text_.substr(at_, 2) == "/*") {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == text_.npos) throw PtxError(line_, "a comment without end");
      for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n';
    } else {
      break;
    }
  }
}

void Lexer::number() {
  std::size_t end = at_;
  while (end < text_.size() && (continues_word(text_[end]) ||
                                ((text_[end] == '+' || text_[end] == '-') &&
                                 (text_[end - 1] == 'e' || text_[end - 1] == 'E') &&
                                 text_.substr(at_, 2) != "0x" && text_.substr(at_, 2) != "0X"))) {
    ++end;
  }
  token_.text = text_.substr(at_, end - at_);
  at_ = end;
  const std::string& s = token_.text;
  const auto parse = [&](std::size_t skip, int base, std::size_t drop) {
    const char* last = s.data() + s.size() - drop;
    const auto [stop, code] = std::from_chars(s.data() + skip, last, token_.bits, base);
    if (stop != last || code != std::errc()) throw PtxError(line_, "bad number '" + s + "'");
  };
  const char second = s.size() > 1 ? s[1] : ' ';
  token_.kind = Token::Kind::Integer;
  const std::size_t suffix = s.back() == 'U' ? 1 : 0;
  if (s[0] == '0' && (second == 'f' || second == 'F') && s.size() == 10) {
    token_.kind = Token::Kind::Float;
    token_.width = 4;
    parse(2, 16, 0);
  } else if (s[0] == '0' && (second == 'd' || second == 'D') && s.size() == 18) {
    token_.kind = Token::Kind::Float;
    parse(2, 16, 0);
  } else if (s[0] == '0' && (second == 'x' || second == 'X')) {
    parse(2, 16, suffix);
  } else if (s[0] == '0' && (second == 'b' || second == 'B')) {
    parse(2, 2, suffix);
  } else if (s.find_first_of(".eE") != s.npos) {
    token_.kind = Token::Kind::Float;
    char* stop = nullptr;
    token_.bits = std::bit_cast<std::uint64_t>(std::strtod(s.c_str(), &stop));
    if (*stop) throw PtxError(line_, "bad number '" + s + "'");
  } else {
    parse(0, s[0] == '0' && s.size() > 1 + suffix ? 8 : 10, suffix);
  }
}

void Lexer::advance() {
  skip_space();
  token_ = Token{};
  token_.line = line_;
  if (at_ == text_.size()) {
    token_.text = "end of text";
    return;
  }
  const char c = text_[at_];
  if (std::isdigit(static_cast<unsigned char>(c))) {
    number();
  } else if (starts_word(c)) {
    std::size_t end = at_ + 1;
    while (end < text_.size()) {
      if (continues_word(text_[end])) {
        ++end;
      } else if (text_.substr(end, 2) == "::") {
        end += 2;
      } else {
        break;
      }
    }
    token_.kind = Token::Kind::Word;
    token_.text = text_.substr(at_, end - at_);
    at_ = end;
  } else if (c == '"') {
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == text_.npos) throw PtxError(line_, "a string without end");
    token_.kind = Token::Kind::Text;
    token_.text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
  } else {
    token_.kind = Token::Kind::Punctuation;
    token_.text = std::string(1, c);
    ++at_;
  }
}

}  // namespace sinter::emulator::ptx
