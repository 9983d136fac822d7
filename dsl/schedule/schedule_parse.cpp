// Text to schedule: a small reader of C++-like calls, and directives built from field descriptions.

#include <limits>
#include <algorithm>
#include <cctype>

#include "dsl/ir/module.h"
#include "dsl/schedule/directive_fields.h"
#include "dsl/schedule/schedule_text.h"

namespace sinter::schedule {

namespace hana = boost::hana;

namespace {

/// A piece of the text and where it begins.
struct Piece {
  std::string text;
  std::size_t offset = 0;
};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string without_spaces(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) result += c;
  }
  return result;
}

struct Parser {
  const std::string& text;
  const Algorithm& algorithm;
  const std::string& filename;
  std::size_t at = 0;

  VariableNames names{algorithm};
  std::unordered_map<std::string, Symbol> stages;  // by name without spaces
  std::unordered_map<std::string, Expr> sizes;     // parameters and buffer fields
  Schedule schedule;

  Parser(const std::string& t, const Algorithm& a, const std::string& f)
      : text(t), algorithm(a), filename(f) {}

  // --- errors and characters
  unsigned line_of(std::size_t offset) const {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
    return static_cast<unsigned>(std::count(text.begin(), end, '\n')) + 1;
  }
  [[noreturn]] void fail(const Piece& piece, const std::string& reason, const std::string& remedy) {
    const std::size_t end = std::min(piece.offset, text.size());
    const unsigned line = line_of(end);
    const std::size_t line_start = text.rfind('\n', end == 0 ? 0 : end - 1);
    const std::size_t column =
        line == 1 || line_start == std::string::npos ? end + 1 : end - line_start;
    Diagnostic problem = refusal("column " + std::to_string(column) + ": " + reason, remedy);
    problem.directive = piece.text;
    problem.file = filename;
    problem.line = line;
    throw ScheduleError(problem);
  }
  void skip_space() {
    for (; at < text.size(); ++at) {
      if (text.compare(at, 2, "//") == 0) {
        while (at < text.size() && text[at] != '\n') ++at;
        if (at == text.size()) return;
      } else if (std::isspace(static_cast<unsigned char>(text[at])) == 0) {
        return;
      }
    }
  }
  Piece word() {
    skip_space();
    Piece piece{"", at};
    while (at < text.size() && is_word(text[at])) piece.text += text[at++];
    return piece;
  }
  bool take(char c) {
    skip_space();
    if (at >= text.size() || text[at] != c) return false;
    ++at;
    return true;
  }
  void expect(char c) {
    if (take(c)) return;
    const std::string found = at < text.size() ? text.substr(at, 1) : "the end";
    fail({found, at}, std::string("'") + c + "' is expected here",
         "write lines such as f.split(x, xo, xi, 8);");
  }
  /// `i` stands on a quotation mark: moves to the one that closes it, or to the last character.
  static void to_closing_quote(const std::string& s, std::size_t& i) {
    for (++i; i + 1 < s.size() && s[i] != '"'; ++i) {
      if (s[i] == '\\') ++i;
    }
  }
  /// The text between '(' and its ')', at whose inside we stand; moves behind ')'.
  Piece inside() {
    const std::size_t begin = at;
    int depth = 1;
    for (; at < text.size(); ++at) {
      if (text[at] == '"') to_closing_quote(text, at);
      if (at >= text.size()) break;
      if (text[at] == '(' || text[at] == '{' || text[at] == '[') ++depth;
      if (text[at] == ')' || text[at] == '}' || text[at] == ']') --depth;
      if (depth == 0) return {text.substr(begin, at++ - begin), begin};
    }
    fail({text.substr(begin, 20), begin}, "the parenthesis before this is never closed",
         "write lines such as f.split(x, xo, xi, 8);");
  }
  /// Pieces between commas outside brackets, without surrounding spaces.
  static std::vector<Piece> split_list(const Piece& list) {
    std::vector<Piece> pieces;
    int depth = 0;
    std::size_t begin = 0;
    const auto push = [&](std::size_t end) {
      std::size_t first = begin, last = end;
      while (first < last && std::isspace(static_cast<unsigned char>(list.text[first])) != 0)
        ++first;
      while (last > first && std::isspace(static_cast<unsigned char>(list.text[last - 1])) != 0)
        --last;
      pieces.push_back({list.text.substr(first, last - first), list.offset + first});
      begin = end + 1;
    };
    for (std::size_t i = 0; i < list.text.size(); ++i) {
      if (list.text[i] == '"') to_closing_quote(list.text, i);
      if (i >= list.text.size()) break;
      const char c = list.text[i];
      if (c == '(' || c == '{' || c == '[') ++depth;
      if (c == ')' || c == '}' || c == ']') --depth;
      if (c == ',' && depth == 0) push(i);
    }
    push(list.text.size());
    if (pieces.size() == 1 && pieces[0].text.empty()) pieces.clear();
    return pieces;
  }
  static bool is_braced(const Piece& p) { return p.text.starts_with("{") && p.text.ends_with("}"); }
  static std::vector<Piece> elements(const Piece& braced) {
    return split_list({braced.text.substr(1, braced.text.size() - 2), braced.offset + 1});
  }

  // --- arguments
  StageRef ref;  // of the directive whose arguments are read

  Symbol variable(const Piece& piece, const Symbol& stage) {
    const bool starts_well =
        !piece.text.empty() && std::isdigit(static_cast<unsigned char>(piece.text[0])) == 0;
    const bool is_name =
        starts_well && std::all_of(piece.text.begin(), piece.text.end(),
                                   [](char c) { return is_word(c) || c == '.' || c == '$'; });
    if (!is_name) fail(piece, "the name of a loop is expected here", "write a loop such as x");
    return names.variable_named(stage, piece.text);
  }
  /// The k of update(k), as an index of definitions; out of range stays out of range.
  int definition_of(const Piece& piece) {
    const std::int64_t update = integer(piece);
    if (update < 0 || update > std::numeric_limits<int>::max() - 1)
      return std::numeric_limits<int>::max();
    return static_cast<int>(update) + 1;
  }
  std::int64_t integer(const Piece& piece) {
    const std::size_t sign = piece.text.starts_with("-") ? 1 : 0;
    const bool is_number =
        piece.text.size() > sign && piece.text.size() < 19 &&
        std::all_of(
            piece.text.begin() + static_cast<std::ptrdiff_t>(sign), piece.text.end(),
            [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
    if (!is_number) fail(piece, "an integer is expected here", "write a number such as 8");
    return std::stoll(piece.text);
  }
  template <std::size_t N>
  std::size_t enumerator(const Piece& piece, const std::string& prefix,
                         const char* const (&enumerators)[N]) {
    std::string name = piece.text;
    if (name.starts_with(prefix)) name = name.substr(prefix.size());
    std::string all;
    for (std::size_t i = 0; i < N; ++i) {
      if (name == enumerators[i]) return i;
      all += (i == 0 ? "" : ", ") + prefix + enumerators[i];
    }
    fail(piece, "one of " + all + " is expected here", "write one of them");
  }

  void read(const Piece& p, Symbol& out) { out = variable(p, ref.stage); }
  void read(const Piece& p, std::int64_t& out) { out = integer(p); }
  void read(const Piece& p, bool& out) {
    if (p.text != "true" && p.text != "false")
      fail(p, "true or false is expected here", "write one");
    out = p.text == "true";
  }
  void read(const Piece& p, std::string& out) {
    const bool quoted = p.text.size() >= 2 && p.text.front() == '"' && p.text.back() == '"';
    if (!quoted) fail(p, "a text in quotation marks is expected here", "write one such as \"no\"");
    for (std::size_t i = 1; i + 1 < p.text.size(); ++i) {
      if (p.text[i] == '\\' && i + 2 < p.text.size()) ++i;
      out += p.text[i];
    }
  }
  void read(const Piece& p, IntegerArg& out) {
    const std::string knob = "knob(\"";
    if (p.text.starts_with(knob) && p.text.ends_with("\")")) {
      out = IntegerArg::knob(p.text.substr(knob.size(), p.text.size() - knob.size() - 2));
    } else {
      out = IntegerArg(integer(p));
    }
  }
  void read(const Piece& p, std::optional<IntegerArg>& out) {
    IntegerArg value;
    read(p, value);
    out = value;
  }
  void read(const Piece& p, Tail& out) {
    out = static_cast<Tail>(enumerator(p, "TailStrategy::", TailNames));
  }
  void read(const Piece& p, PartitionPolicy& out) {
    out = static_cast<PartitionPolicy>(enumerator(p, "Partition::", PartitionNames));
  }
  void read(const Piece& p, ir::MemoryKind& out) {
    out = static_cast<ir::MemoryKind>(enumerator(p, "MemoryType::", MemoryNames));
  }
  void read(const Piece& p, Expr& out) {
    const bool is_number =
        !p.text.empty() && p.text.find_first_not_of("-0123456789") == std::string::npos;
    if (is_number) {
      out = ir::index_literal(integer(p));
      return;
    }
    try {
      out = ir::parse_expr(p.text, sizes);
    } catch (const Error& error) {
      fail(p, "this is no expression of sizes: " + error.diagnostic().reason,
           "write literals, parameters and buffer fields in the IR's text form");
    }
  }
  template <typename T>
  void read(const Piece& p, std::vector<T>& out) {
    if (!is_braced(p)) fail(p, "a list in braces is expected here", "write a list such as {a, b}");
    for (const Piece& element : elements(p)) {
      T value{};
      read(element, value);
      out.push_back(std::move(value));
    }
  }

  static bool may_be_left_out(const Tail&) { return true; }
  static bool may_be_left_out(const std::optional<IntegerArg>&) { return true; }
  static bool may_be_left_out(const bool&) { return true; }
  template <typename T>
  static bool may_be_left_out(const T&) {
    return false;
  }
  static bool is_tail(const Piece& p) { return p.text.starts_with("TailStrategy::"); }

  [[noreturn]] void fail_count(const Piece& call, const std::string& what) {
    fail(call, what, "see the directive's header for its arguments");
  }

  /// Field by field, in order.
  template <typename D>
  void fill(D& directive, const std::vector<Piece>& arguments, const Piece& call) {
    std::size_t next = 0;
    hana::for_each(hana::accessors<D>(), [&](auto accessor) {
      auto& field = hana::second(accessor)(directive);
      using Field = std::decay_t<decltype(field)>;
      const bool skips = std::is_same_v<Field, std::optional<IntegerArg>> &&
                         next < arguments.size() && is_tail(arguments[next]);
      if (next < arguments.size() && !skips) {
        read(arguments[next++], field);
      } else if (!may_be_left_out(field)) {
        fail_count(call, "an argument is missing");
      }
    });
    if (next < arguments.size()) fail_count(arguments[next], "there is an argument too many");
  }
  void fill_alignment(Symbol& variable, IntegerArg& alignment, IntegerArg& more,
                      const std::vector<Piece>& arguments, const Piece& call) {
    if (arguments.size() < 2 || arguments.size() > 3)
      fail_count(call, "two or three arguments are expected");
    read(arguments[0], variable);
    read(arguments[1], alignment);
    if (arguments.size() == 3) read(arguments[2], more);
  }
  void fill(AlignBounds& d, const std::vector<Piece>& arguments, const Piece& call) {
    fill_alignment(d.variable, d.modulus, d.remainder, arguments, call);
  }
  void fill(AlignStorage& d, const std::vector<Piece>& arguments, const Piece& call) {
    fill_alignment(d.variable, d.alignment, d.offset, arguments, call);
  }
  void fill(StreamLoads& d, const std::vector<Piece>& arguments, const Piece& call) {
    if (arguments.size() > 1) fail_count(call, "at most one producer is expected");
    if (arguments.empty()) return;
    for (const Image& image : algorithm.images) {
      if (image.name == arguments[0].text) d.producer = image.id;
    }
    if (!d.producer) d.producer = stage_named(arguments[0].text, arguments[0]);
  }
  void fill(Reorder& d, const std::vector<Piece>& arguments, const Piece&) {
    for (const Piece& p : arguments) read(p, d.loops.emplace_back());
  }
  void fill(GpuBlocks& d, const std::vector<Piece>& arguments, const Piece&) {
    for (const Piece& p : arguments) read(p, d.loops.emplace_back());
  }
  void fill(GpuThreads& d, const std::vector<Piece>& arguments, const Piece&) {
    for (const Piece& p : arguments) read(p, d.loops.emplace_back());
  }
  void fill(GpuTile& d, std::vector<Piece> arguments, const Piece& call) {
    Tile& t = d.tile;
    if (!arguments.empty() && is_tail(arguments.back())) {
      read(arguments.back(), t.tail);
      arguments.pop_back();
    }
    const std::size_t given = arguments.size();
    const bool short_form =
        given == 3 || given == 6 || given == 9;  // the outer loops keep their names
    const std::size_t n = short_form ? given / 3 : given / 4;
    if (!short_form && (given % 4 != 0 || n < 1 || n > 3))
      fail_count(call, "three or four arguments for each of up to three loops are expected");
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t next = i;
      read(arguments[next], t.old.emplace_back());
      if (!short_form) next += n;
      read(arguments[next], t.outer.emplace_back());
      read(arguments[next += n], t.inner.emplace_back());
      read(arguments[next += n], t.factors.emplace_back());
    }
  }
  void fill(Tile& d, std::vector<Piece> arguments, const Piece& call) {
    if (!arguments.empty() && is_tail(arguments.back())) {
      read(arguments.back(), d.tail);
      arguments.pop_back();
    }
    if (!arguments.empty() && is_braced(arguments[0])) {
      if (arguments.size() != 4) fail_count(call, "four lists are expected");
      read(arguments[0], d.old);
      read(arguments[1], d.outer);
      read(arguments[2], d.inner);
      read(arguments[3], d.factors);
      return;
    }
    const bool short_form = arguments.size() == 6;  // the outer loops keep their names
    if (!short_form && arguments.size() != 8)
      fail_count(call, "six or eight arguments are expected");
    if (short_form)
      arguments.insert(arguments.begin() + 2, arguments.begin(), arguments.begin() + 2);
    for (std::size_t i = 0; i < 2; ++i) {
      read(arguments[i], d.old.emplace_back());
      read(arguments[2 + i], d.outer.emplace_back());
      read(arguments[4 + i], d.inner.emplace_back());
      read(arguments[6 + i], d.factors.emplace_back());
    }
  }
  template <typename Level>
  void fill_level(Level& d, const std::vector<Piece>& arguments, const Piece& call) {
    if (arguments.size() != 2) fail_count(call, "a stage and one of its loops are expected");
    std::string name = without_spaces(arguments[0].text);
    if (const std::size_t update = name.rfind(".update(");
        update != std::string::npos && name.find(')', update) == name.size() - 1) {
      const Piece index{name.substr(update + 8, name.size() - update - 9), arguments[0].offset};
      d.definition = definition_of(index);
      name = name.substr(0, update);
    }
    d.consumer = stage_named(name, arguments[0]);
    d.loop = variable(arguments[1], d.consumer);
  }
  void fill(ComputeAt& d, const std::vector<Piece>& a, const Piece& call) {
    fill_level(d, a, call);
  }
  void fill(StoreAt& d, const std::vector<Piece>& a, const Piece& call) { fill_level(d, a, call); }

  /// Belongs to the pipeline: see fuse_of_pipeline.
  void fill(FuseStages&, const std::vector<Piece>&, const Piece& call) {
    fail(call, "this is a directive of the pipeline", "write pipeline.fuse({f, g});");
  }

  // --- directives that make stages
  void add_made(const Symbol& id, const std::string& name) {
    names.copy_stage(ref.stage, id);
    stages.emplace(without_spaces(name), id);
  }
  std::string own_name(int definition) const {
    for (const auto& [name, id] : stages) {
      if (id == ref.stage) {
        return definition > 0 ? name + ".update(" + std::to_string(definition - 1) + ")" : name;
      }
    }
    return ref.stage.name();
  }
  std::string update_name() const { return own_name(ref.definition == 1 ? 0 : ref.definition); }

  void fill(In& d, const std::vector<Piece>& arguments, const Piece&) {
    std::vector<Piece> consumers = arguments;
    if (arguments.size() == 1 && is_braced(arguments[0])) consumers = elements(arguments[0]);
    std::string list;
    for (const Piece& p : consumers) {
      d.consumers.push_back(stage_named(p.text, p));
      list += (list.empty() ? "" : ",") + p.text;
    }
    d.wrapper = wrapper_symbol(ref.stage.name(), d.consumers);
    add_made(d.wrapper,
             own_name(0) + ".in(" + (consumers.size() > 1 ? "{" + list + "}" : list) + ")");
  }
  void fill(Rfactor& d, const std::vector<Piece>& arguments, const Piece& call) {
    std::vector<std::vector<Piece>> pairs;
    if (arguments.size() == 2) pairs.push_back(arguments);
    if (arguments.size() == 1 && is_braced(arguments[0])) {
      for (const Piece& pair : elements(arguments[0])) {
        if (is_braced(pair)) pairs.push_back(elements(pair));
      }
    }
    std::string loops;
    for (const auto& pair : pairs) {
      if (pair.size() != 2)
        fail_count(call, "pairs of a reduction loop and a pure variable are expected");
      d.preserved.emplace_back(variable(pair[0], ref.stage), Symbol());
      loops += (loops.empty() ? "" : ",") + pair[0].text;
    }
    if (pairs.empty())
      fail_count(call, "pairs of a reduction loop and a pure variable are expected");
    d.intermediate = intermediate_symbol(ref.stage.name(), d.preserved);
    add_made(d.intermediate, update_name() + ".rfactor(" + loops + ")");
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      d.preserved[i].second = variable(pairs[i][1], d.intermediate);
    }
  }
  void fill(ReduceAcross& d, const std::vector<Piece>& arguments, const Piece& call) {
    if (arguments.size() != 2)
      fail_count(call, "a reduction loop and a list of widths are expected");
    read(arguments[0], d.loop);
    read(arguments[1], d.widths);
    name_stages(d, ref.stage.name());
    const std::string made = update_name() + ".reduce_across(" + arguments[0].text + ")";
    add_made(d.partial, made);
    const std::vector<std::string> levels = level_names(d);
    for (std::size_t i = 0; i < levels.size(); ++i) add_made(d.levels[i], made + "." + levels[i]);
  }

  // --- statements
  Symbol stage_named(const std::string& name, const Piece& where) {
    const auto it = stages.find(without_spaces(name));
    if (it != stages.end()) return it->second;
    std::string known;
    for (const StageDefinition& s : algorithm.stages) known += (known.empty() ? "" : ", ") + s.name;
    fail(where, "the pipeline has no stage '" + name + "'", "name one of its stages: " + known);
  }

  template <std::size_t I>
  bool make_one(const std::string& method, const std::vector<Piece>& arguments, const Piece& call,
                std::optional<Directive>& made) {
    if (method != DirectiveNames[I]) return false;
    std::variant_alternative_t<I, Directive> directive{};
    fill(directive, arguments, call);
    made = std::move(directive);
    return true;
  }
  template <std::size_t... I>
  Directive make(const std::string& method, const std::vector<Piece>& arguments, const Piece& call,
                 std::index_sequence<I...>) {
    std::optional<Directive> made;
    if ((make_one<I>(method, arguments, call, made) || ...)) return *std::move(made);
    std::string known;
    for (const char* name : DirectiveNames) {
      if (std::string(name) != "fuse_stages")  // the pipeline's fuse
        known += (known.empty() ? "" : ", ") + std::string(name);
    }
    fail(call, "there is no directive '" + method + "'", "use one of " + known);
  }

  /// Stages are named by identifiers and by the directives that made them.
  void receiver() {
    const Piece base = word();
    if (base.text.empty()) {
      fail({at < text.size() ? text.substr(at, 1) : "", at}, "the name of a stage is expected here",
           "write lines such as f.split(x, xo, xi, 8);");
    }
    ref = {stage_named(base.text, base), 0};
  }

  /// pipeline.fuse({f, g}); nothing is read when something else stands here.
  bool fuse_of_pipeline() {
    const std::size_t begin = at;
    const bool starts =
        word().text == "pipeline" && take('.') && word().text == "fuse" && take('(') && take('{');
    at = starts ? text.rfind('{', at - 1) : begin;
    if (!starts) return false;
    const Piece list = inside();
    const Piece call{"fuse(" + list.text + ")", begin};
    const std::vector<Piece> arguments = split_list(list);
    FuseStages fuse;
    if (arguments.size() != 1 || !is_braced(arguments[0]))
      fail_count(call, "a list of stages is expected");
    for (const Piece& p : elements(arguments[0])) fuse.stages.push_back(stage_named(p.text, p));
    if (fuse.stages.empty()) fail_count(call, "a list of stages is expected");
    const StageRef first{fuse.stages.front(), 0};
    const Directive directive = std::move(fuse);
    schedule.entries.push_back(
        {first, directive, std::source_location(), {}, filename, line_of(begin)});
    expect(';');
    return true;
  }

  void statement() {
    if (fuse_of_pipeline()) return;
    receiver();
    std::vector<Expr> branch;
    bool is_first = true;
    std::string so_far = own_name(0);
    while (take('.')) {
      const Piece method = word();
      expect('(');
      const Piece list = inside();
      const Piece call{method.text + "(" + list.text + ")", method.offset};
      const std::string extended = so_far + "." + without_spaces(call.text);
      skip_space();
      const bool goes_on = at < text.size() && text[at] == '.';
      is_first = false;
      if (method.text == "update") {
        ref.definition = list.text.empty() ? 1 : definition_of(list);
        so_far = extended;
        continue;
      }
      if (const auto known = stages.find(extended); known != stages.end() && goes_on) {
        ref = {known->second, 0};
        so_far = extended;
        branch.clear();
        continue;
      }
      add(method, call, list, branch, so_far, extended);
    }
    if (is_first) expect('.');
    expect(';');
  }

  void add(const Piece& method, const Piece& call, const Piece& list, std::vector<Expr>& branch,
           std::string& so_far, const std::string& extended) {
    const std::vector<Piece> arguments = split_list(list);
    const StageRef of = ref;
    Directive directive = make(method.text, arguments, call,
                               std::make_index_sequence<std::variant_size_v<Directive>>());
    const auto* specialize = std::get_if<Specialize>(&directive);
    if (specialize == nullptr || !is_known_branch(of, branch, specialize->condition)) {
      schedule.entries.push_back(
          {of, directive, std::source_location(), branch, filename, line_of(call.offset)});
    }
    if (specialize != nullptr) {
      branch.push_back(specialize->condition);
      return;
    }
    if (const auto known = stages.find(extended); known != stages.end()) {
      ref = {known->second, 0};
      so_far = extended;
      branch.clear();
    }
  }

  bool is_known_branch(const StageRef& of, const std::vector<Expr>& branch, const Expr& condition) {
    return std::any_of(schedule.entries.begin(), schedule.entries.end(), [&](const Entry& e) {
      const auto* s = std::get_if<Specialize>(&e.directive);
      return s != nullptr && e.stage == of && ir::equal(s->condition, condition) &&
             std::equal(e.branch.begin(), e.branch.end(), branch.begin(), branch.end(),
                        [](const Expr& a, const Expr& b) { return ir::equal(a, b); });
    });
  }

  Schedule run() {
    for (const StageDefinition& s : algorithm.stages) stages.emplace(without_spaces(s.name), s.id);
    const auto add_size = [&](Type type, const Symbol& s) {
      const Expr e = ir::symbol(type, s);
      sizes.emplace(ir::print(e), e);
    };
    for (const ScalarParameter& s : algorithm.scalars) add_size(s.type, s.id);
    for (const Image& image : algorithm.images) {
      for (const auto& dimension : image.fields) {
        for (const Symbol& field : dimension) add_size(Index(), field);
      }
    }
    for (skip_space(); at < text.size(); skip_space()) statement();
    return std::move(schedule);
  }
};

}  // namespace

Schedule parse_schedule(const std::string& text, const Algorithm& algorithm,
                        const std::string& filename) {
  return Parser(text, algorithm, filename).run();
}

}  // namespace sinter::schedule
