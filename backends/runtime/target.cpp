// Target: text form, and what this machine's processor has.
#include <sinter/target.h>

#include <cctype>

#include <sinter/diagnostic.h>

namespace sinter {

namespace {

constexpr const char* Grammar =
    "write host, host-<cpu> (host-x86-64-v3), [emulated-]nvptx-sm_<n>[a] or "
    "[emulated-]amdgcn-gfx<n>";

bool take(std::string& text, const std::string& prefix) {
  if (text.rfind(prefix, 0) != 0) return false;
  text.erase(0, prefix.size());
  return true;
}

bool is_sm(const std::string& a) {
  std::size_t digits = 3;
  if (a.rfind("sm_", 0) != 0) return false;
  while (digits < a.size() && std::isdigit(static_cast<unsigned char>(a[digits]))) ++digits;
  return digits >= 5 && (digits == a.size() || (digits + 1 == a.size() && a[digits] == 'a'));
}

bool is_gfx(const std::string& a) {
  if (a.rfind("gfx", 0) != 0 || a.size() < 6) return false;
  for (std::size_t i = 3; i < a.size(); ++i)
    if (!std::isxdigit(static_cast<unsigned char>(a[i]))) return false;
  return true;
}

int machine_vector_bits() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return 512;
  if (__builtin_cpu_supports("avx2")) return 256;
#endif
  return 128;
}

}  // namespace

Target::Target(const std::string& text) {
  std::string rest = text;
  emulated_ = take(rest, "emulated-");
  bool good = false;
  if (rest == "host" || rest.rfind("host-", 0) == 0) {
    take(rest, "host");
    take(rest, "-");
    good = !emulated_ && (text == "host" || !rest.empty());
  } else if (take(rest, "nvptx-")) {
    family_ = Family::Nvptx;
    good = is_sm(rest);
  } else if (take(rest, "amdgcn-")) {
    family_ = Family::Amdgcn;
    good = is_gfx(rest);
  }
  if (!good) {
    Diagnostic diagnostic;
    diagnostic.reason = "'" + text + "' is not a target";
    diagnostic.remedy = Grammar;
    throw CompileError(diagnostic);
  }
  architecture_ = rest;
}

std::string Target::to_string() const {
  std::string text = emulated_ ? "emulated-" : "";
  text += family_ == Family::Host ? "host" : family_ == Family::Nvptx ? "nvptx" : "amdgcn";
  return architecture_.empty() ? text : text + "-" + architecture_;
}

int Target::lanes() const {
  if (family_ == Family::Nvptx) return 32;
  // RDNA (gfx10 and later four-digit names) runs waves of 32, CDNA (gfx9xx) waves of 64.
  if (family_ == Family::Amdgcn) return architecture_.rfind("gfx9", 0) == 0 ? 64 : 32;
  return 1;
}

int Target::vector_bits() const {
  if (is_gpu()) return 128;
  if (architecture_.empty()) return machine_vector_bits();
  if (architecture_.find("v4") != std::string::npos) return 512;
  if (architecture_.find("v3") != std::string::npos) return 256;
  return 128;
}

}  // namespace sinter
