#include "dsl/lowering/gpu/promote_registers.h"

#include <algorithm>
#include <optional>

#include <sinter/diagnostic.h>

#include "dsl/algebra/simplify.h"
#include "dsl/lowering/gpu/thread_layout.h"

namespace sinter::lowering {

namespace {

using algebra::simplify;
using ir::MemoryKind;
using ir::Op;
using ir::Stmt;

Expr number(std::int64_t v) { return ir::index_literal(v); }
Expr thread_index() { return ir::expr(Op::ThreadIndex, Index(), {}); }

using Lets = ir::Substitution;

class Promoter {
 public:
  Promoter(const ir::Ref& kernel, const ir::Sources& sources) : sources_(sources) {
    ir::as_constant(ir::as_expr(kernel->args[3]), &threads_);
  }

  Stmt run(const Stmt& body) { return visit(body, {}, {}); }

 private:
  CompileError refusal(const Symbol& buffer, const std::string& reason) const {
    Diagnostic d{
        buffer.name(),
        "store_in(MemoryType::Register)",
        reason,
        "store it in MemoryType::GPUShared, or let the same threads compute and use each element",
        {},
        0};
    if (const auto source = sources_.find(buffer); source != sources_.end())
      d.at(source->second.where);
    return CompileError(d);
  }

  /// Replaces each allocation in registers, the innermost first.
  Stmt visit(const Stmt& s, Lets lets, algebra::ConstantScope scope) {
    enter(s, lets, scope);
    std::vector<ir::Ref> args;
    for (const ir::Ref& a : s->args)
      args.push_back(ir::is_statement(a->op) ? visit(Stmt(a), lets, scope).node() : a);
    const Stmt inner = Stmt(ir::with_args(s.node(), std::move(args)));
    const bool promotes =
        s->op == Op::Allocate && static_cast<MemoryKind>(s->integer) == MemoryKind::Register;
    return promotes ? promote(inner, lets, scope) : inner;
  }

  // --- one allocation
  struct Layout {
    std::vector<Digit> digits;  // of the owner, by coefficient
    std::int64_t slots = 1;
  };

  Stmt promote(const Stmt& s, const Lets& lets, const algebra::ConstantScope& scope_around) {
    buffer_ = s->symbol;
    std::int64_t elements = 0;
    ir::as_constant(ir::arg(s, 0), &elements);
    // The owner of an element is who stores it.
    layout_ = {};
    bool stored = false;
    scope_ = scope_around;
    guards_.clear();
    visit_stores(
        ir::stmt_arg(s, 1), lets, scope_,
        [&](const Expr& index, const algebra::ConstantScope& scope) {
          const IndexForm form = form_of(index, scope);
          std::vector<Digit> digits = form.digits;
          std::sort(digits.begin(), digits.end(),
                    [](const Digit& a, const Digit& b) { return a.coefficient < b.coefficient; });
          if (stored && digits != layout_.digits)
            throw refusal(buffer_, "its definitions spread the elements over threads differently");
          layout_.digits = std::move(digits);
          stored = true;
        });
    for (const Expr& guard : guards_) {
      if (!knows_owner(guard))
        throw refusal(buffer_, "only some of the threads that hold an element compute it");
    }
    std::int64_t owners = 1, span = 1;  // elements that the digits reach over
    for (const Digit& d : layout_.digits) {
      if (d.coefficient % span != 0)
        throw refusal(buffer_, "the parts of different threads overlap");
      owners *= d.extent;
      span = d.coefficient * d.extent;
    }
    // A thread has whole parts, even where the last thread's is cut.
    layout_.slots = std::max<std::int64_t>((elements + span - 1) / span, 1) * (span / owners);
    scope_ = scope_around;
    const Stmt body = rewrite(ir::stmt_arg(s, 1), lets);
    return ir::allocate(s->symbol, s->types[0], number(layout_.slots), MemoryKind::Stack, body);
  }

  template <typename F>
  void visit_stores(const Stmt& s, Lets lets, algebra::ConstantScope& scope, const F& f) {
    enter(s, lets, scope);
    if (s->op == Op::If) {
      const Expr guard = ir::substitute(ir::arg(s, 0), lets);
      if (depends_on_thread(guard) && stores(s)) guards_.push_back(guard);
    }
    if (s->op == Op::Store && s->symbol == buffer_) f(ir::substitute(ir::arg(s, 1), lets), scope);
    if (s->op == Op::AtomicStore && s->symbol == buffer_)
      throw refusal(buffer_, "an indivisible update needs memory");
    for (const ir::Ref& a : s->args) {
      if (ir::is_statement(a->op)) visit_stores(Stmt(a), lets, scope, f);
    }
  }

  bool stores(const Stmt& s) const {
    bool found = false;
    ir::for_each_node(s.node(), [&](const ir::Ref& n) {
      found = found || (n->op == Op::Store && n->symbol == buffer_);
      return !found && ir::is_statement(n->op);
    });
    return found;
  }

  /// Threads that hold the same element agree on the value: of the thread's number it has the
  /// layout's digits only.
  bool knows_owner(const Expr& e) const {
    if (!depends_on_thread(e)) return true;
    if (e.type().is_index() && e.type().is_scalar()) {
      if (const auto form = index_form(e, threads_, scope_)) {
        const bool digits = std::all_of(form->digits.begin(), form->digits.end(),
                                        [&](const Digit& d) { return is_in_layout(d); });
        const bool others =
            std::all_of(form->terms.begin(), form->terms.end(), [&](const IndexForm::Term& t) {
              return !depends_on_thread(t.atom) || (!ir::equal(t.atom, e) && knows_owner(t.atom));
            });
        if (digits && others) return true;
      }
    }
    return !e->args.empty() && std::all_of(e->args.begin(), e->args.end(),
                                           [&](const ir::Ref& a) { return knows_owner(Expr(a)); });
  }

  /// A lane that gives an element looks it up by its own number.
  bool same_in_warp(const Expr& slot) const {
    bool loads = false;
    ir::for_each_node(slot.node(), [&](const ir::Ref& n) {
      return !(loads = loads || n->op == Op::Load || n->op == Op::Shuffle);
    });
    if (loads) return false;
    if (!depends_on_thread(slot)) return true;
    const auto form = index_form(slot, threads_, scope_);
    return form &&
           std::all_of(form->digits.begin(), form->digits.end(),
                       [](const Digit& d) { return d.place >= WarpSize; }) &&
           std::none_of(form->terms.begin(), form->terms.end(),
                        [&](const IndexForm::Term& t) { return depends_on_thread(t.atom); });
  }

  bool is_in_layout(const Digit& d) const {
    const std::int64_t end = d.place * d.extent;
    for (std::int64_t at = d.place; at < std::min(end, threads_);) {
      const auto part =
          std::find_if(layout_.digits.begin(), layout_.digits.end(), [&](const Digit& l) {
            const std::int64_t up_to = l.place * l.extent;
            const bool meets =
                up_to >= end ? up_to % end == 0 || up_to >= threads_ : end % up_to == 0;
            return l.place <= at && at < up_to && at % l.place == 0 && meets;
          });
      if (part == layout_.digits.end()) return false;
      at = part->place * part->extent;
    }
    return true;
  }

  static void enter(const Stmt& s, Lets& lets, algebra::ConstantScope& scope) {
    if (s->op == Op::Let && ir::arg(s, 0).type().is_index()) {
      lets.insert_or_assign(s->symbol, ir::substitute(ir::arg(s, 0), lets));
    }
    if (s->op == Op::For) {
      scope.insert_or_assign(s->symbol,
                             algebra::range_of_loop(ir::arg(s, 0), ir::arg(s, 1), scope));
    }
  }

  // --- forms
  IndexForm form_of(const Expr& index, const algebra::ConstantScope& scope) const {
    const auto form = index_form(index, threads_, scope);
    if (!form)
      throw refusal(buffer_, "an index is not linear in the thread's number: " + to_string(index));
    for (const IndexForm::Term& t : form->terms) {
      if (t.range.has_min && t.range.has_max && t.coefficient > 0) continue;
      throw refusal(buffer_, "an index depends on '" + to_string(t.atom) +
                                 "', which has no constant bounds in the kernel");
    }
    return *form;
  }

  /// Where an element is: the slot, and for each digit of the layout the owner's value where that
  /// is not the thread's own.
  struct Place {
    Expr slot;
    std::vector<Expr> owner;  // undefined: the thread's own digit
    int lanes = 1;
    bool own() const {
      return std::none_of(owner.begin(), owner.end(), [](const Expr& e) { return e.defined(); });
    }
  };

  Place place_of(const Expr& index, const algebra::ConstantScope& scope) const {
    IndexForm form = form_of(index, scope);
    Place place;
    place.lanes = form.lanes;
    place.slot = number(0);
    // From the highest digit down, terms are dealt to the part of the index that they move in.
    std::int64_t removed = 1;  // product of extents of digits above
    for (const Digit& d : layout_.digits) removed *= d.extent;
    std::int64_t upper = 0;  // below this part; 0: no bound
    for (std::size_t i = layout_.digits.size(); i-- > 0;) {
      const Digit& d = layout_.digits[i];
      place.slot =
          place.slot + take(form, d.coefficient * d.extent, upper, d.coefficient * d.extent) *
                           number(d.coefficient * d.extent / removed);
      removed /= d.extent;
      place.owner.insert(place.owner.begin(), take_digit(form, d));
      upper = d.coefficient;
    }
    place.slot = simplify(place.slot + take(form, 1, upper, 1));
    return place;
  }

  /// The part of the index that counts multiples of `unit` below `upper` (0: any), divided by
  /// `unit`.
  Expr take(IndexForm& form, std::int64_t unit, std::int64_t upper, std::int64_t divisor) const {
    Expr sum = number(0);
    std::int64_t low = 0, high = unit == 1 ? form.lanes - 1 : 0;
    for (auto t = form.terms.begin(); t != form.terms.end();) {
      if (t->coefficient < unit || t->coefficient % unit != 0) {
        ++t;
        continue;
      }
      sum = sum + t->atom * number(t->coefficient / divisor);
      low += t->range.min * t->coefficient;
      high += t->range.max * t->coefficient;
      t = form.terms.erase(t);
    }
    for (auto d = form.digits.begin(); d != form.digits.end();) {
      if (d->coefficient < unit || d->coefficient % unit != 0) {
        ++d;
        continue;
      }
      sum = sum + d->value() * number(d->coefficient / divisor);
      high += (d->extent - 1) * d->coefficient;
      d = form.digits.erase(d);
    }
    const std::int64_t part = form.constant - (form.constant % unit + unit) % unit;
    sum = sum + number(part / divisor);
    low += part;
    high += part;
    form.constant -= part;
    if (low < 0 || (upper > 0 && high >= upper))
      throw refusal(buffer_, "an access reaches from one thread's elements into another's");
    return sum;
  }

  /// The value of the owner's digit; undefined when it is the thread's own.
  Expr take_digit(IndexForm& form, const Digit& d) const {
    const auto same = std::find(form.digits.begin(), form.digits.end(), d);
    const bool own = same != form.digits.end();
    if (own) form.digits.erase(same);
    const Expr extra = simplify(take(form, d.coefficient, d.coefficient * d.extent, d.coefficient));
    if (own) {
      if (!ir::is_constant(extra, 0))
        throw refusal(buffer_, "an access reaches from one thread's elements into another's");
      return {};
    }
    return extra;
  }

  // --- rewriting
  /// Values that all lanes must compute together: they stand before the first branch that divides
  /// them.
  struct Hoisted {
    Symbol symbol;
    Expr value;
  };

  bool depends_on_thread(const Expr& e) const {
    bool found = false;
    ir::for_each_node(
        e.node(), [&](const ir::Ref& n) { return !(found = found || n->op == Op::ThreadIndex); });
    return found;
  }

  /// Whether threads of a warp may decide differently: by their number, or by data that each may
  /// have its own of.
  bool may_divide(const Expr& condition) const {
    bool found = false;
    ir::for_each_node(condition.node(), [&](const ir::Ref& n) {
      found = found || n->op == Op::ThreadIndex || n->op == Op::Load || n->op == Op::Shuffle ||
              (n->op == Op::Symbol && !n->type.is_index());
      return !found;
    });
    return found;
  }

  Stmt rewrite(const Stmt& s, Lets lets) {
    enter(s, lets, scope_);
    const auto varies = [&](std::size_t i) {
      return may_divide(ir::substitute(ir::arg(s, i), lets));
    };
    const bool divides = s->op == Op::If ? varies(0) : s->op == Op::For && (varies(0) || varies(1));
    const bool outermost = divides && !divided_;
    if (outermost) divided_ = true;
    if (divided_ && (s->op == Op::For || s->op == Op::Let)) bound_inside_.insert(s->symbol);
    std::vector<ir::Ref> args;
    std::vector<Hoisted> before;
    for (const ir::Ref& a : s->args) {
      if (ir::is_statement(a->op)) {
        args.push_back(rewrite(Stmt(a), lets).node());
        continue;
      }
      const bool is_own_index = s->op == Op::Store && s->symbol == buffer_ && args.size() == 1;
      if (is_own_index) args.push_back(local_index(Expr(a), lets).node());
      else args.push_back(expression(Expr(a), lets, before).node());
    }
    Stmt result = Stmt(ir::with_args(s.node(), std::move(args)));
    if (outermost) {
      divided_ = false;
      bound_inside_.clear();
      for (auto h = hoisted_.rbegin(); h != hoisted_.rend(); ++h)
        result = ir::let(h->symbol, h->value, result);
      hoisted_.clear();
    }
    for (auto h = before.rbegin(); h != before.rend(); ++h)
      result = ir::let(h->symbol, h->value, result);
    return result;
  }

  Expr local_index(const Expr& index, const Lets& lets) const {
    const Place place = place_of(ir::substitute(index, lets), scope_);
    ensure(place.own(), "a thread stores its own elements");
    return place.lanes == 1 ? place.slot : ir::ramp(place.slot, number(1), place.lanes);
  }

  Expr expression(const Expr& e, const Lets& lets, std::vector<Hoisted>& before) {
    std::unordered_map<const ir::Node*, Expr> memo;
    return expression(e, lets, before, memo);
  }

  Expr expression(const Expr& e, const Lets& lets, std::vector<Hoisted>& before,
                  std::unordered_map<const ir::Node*, Expr>& memo) {
    if (const auto it = memo.find(e.node().get()); it != memo.end()) return it->second;
    Expr result;
    if (const auto tree = butterfly(e, lets, before)) {
      result = *tree;
    } else if (e->op == Op::Load && e->symbol == buffer_) {
      result = load(e, lets, before);
    } else {
      std::vector<ir::Ref> args;
      for (const ir::Ref& a : e->args)
        args.push_back(expression(Expr(a), lets, before, memo).node());
      result = Expr(ir::with_args(e.node(), std::move(args)));
    }
    memo.emplace(e.node().get(), result);
    return result;
  }

  Expr own_load(const Expr& e, const Place& place) const {
    const Expr index = place.lanes == 1 ? place.slot : ir::ramp(place.slot, number(1), place.lanes);
    return ir::load(e.type(), buffer_, index, e->args.size() > 1 ? ir::arg(e, 1) : Expr());
  }

  Expr load(const Expr& e, const Lets& lets, std::vector<Hoisted>& before) {
    if (const Expr index = ir::arg(e, 0); ir::is(index, Op::Broadcast) && e->args.size() == 1) {
      const Expr one = ir::load(e.type().element(), buffer_, ir::arg(index, 0));
      return ir::broadcast(load(one, lets, before), e.type().lanes);
    }
    const Place place = place_of(ir::substitute(ir::arg(e, 0), lets), scope_);
    if (place.own()) return own_load(e, place);
    if (place.lanes > 1) throw refusal(buffer_, "a vector access needs elements of other threads");
    if (!same_in_warp(place.slot))
      throw refusal(buffer_, "the lanes of a warp need different ones of another lane's elements");
    // The thread's own lane with the owner's digits in place of its own.
    Expr lane = thread_index() % number(WarpSize);
    for (std::size_t i = 0; i < layout_.digits.size(); ++i) {
      const Digit& d = layout_.digits[i];
      if (!place.owner[i].defined()) continue;
      // The threads that a digit counts lie within one warp where their number divides a warp's.
      if (d.place >= WarpSize || WarpSize % (d.place * d.extent) != 0) {
        throw refusal(buffer_, "an access needs an element of another warp's thread");
      }
      lane = lane + (place.owner[i] - d.value()) * number(d.place);
    }
    bool loads = false;
    ir::for_each_node(lane.node(),
                      [&](const ir::Ref& n) { return !(loads = loads || n->op == Op::Load); });
    if (loads && divided_)
      throw refusal(
          buffer_,
          "which lane's element is needed depends on data that only some threads may read");
    return together(ir::expr(Op::Shuffle, e.type(), {own_load(e, place), simplify(lane)}), before);
  }

  /// Computed where no branch has divided the warp.
  Expr together(const Expr& value, std::vector<Hoisted>& before) {
    const Symbol symbol = Symbol::fresh(buffer_.name() + ".lane");
    if (!divided_) {
      before.push_back({symbol, value});
    } else {
      for (const Symbol& used : ir::free_symbols(value.node())) {
        if (bound_inside_.count(used))
          throw refusal(
              buffer_,
              "an element of another lane is needed in a loop or branch of some threads only");
      }
      hoisted_.push_back({symbol, value});
    }
    return ir::symbol(value.type(), symbol);
  }

  /// op(...) over all lanes in the order of reduce_across: T_1(0), T_s(k) = T_2s(k) op T_2s(k + s).
  std::optional<Expr> butterfly(const Expr& e, const Lets& lets, std::vector<Hoisted>& before) {
    const bool folds =
        e->args.size() == 2 &&
        (e->op == Op::Add || e->op == Op::Mul || e->op == Op::Min || e->op == Op::Max ||
         e->op == Op::BitAnd || e->op == Op::BitOr || e->op == Op::BitXor);
    if (!folds || e.type().is_vector() || layout_.digits.empty()) return std::nullopt;
    const Digit lanes = layout_.digits.front().place == 1 ? layout_.digits.front() : Digit{0, 0, 0};
    if (lanes.extent < 2 || lanes.extent > WarpSize || (lanes.extent & (lanes.extent - 1)) != 0)
      return std::nullopt;
    std::optional<Place> first;
    if (!is_tree(e, e->op, 1, 0, lanes.extent, lets, first)) return std::nullopt;
    Expr value = own_load_of(e, *first);
    for (std::int64_t s = lanes.extent / 2; s >= 1; s /= 2) {
      const Expr own = lanes.value();
      const Expr group = thread_index() % number(WarpSize) - own;
      const Expr other = simplify(group + (own + number(s)) % number(lanes.extent));
      const Expr left = together(value, before);
      value = ir::binary(e->op, left,
                         together(ir::expr(Op::Shuffle, value.type(), {left, other}), before));
    }
    return value;
  }

  Expr own_load_of(const Expr& tree, const Place& place) const {
    return ir::load(tree.type(), buffer_, place.slot);
  }

  bool is_tree(const Expr& e, Op op, std::int64_t s, std::int64_t k, std::int64_t width,
               const Lets& lets, std::optional<Place>& first) const {
    if (s == width) {
      if (e->op != Op::Load || !(e->symbol == buffer_) || e->args.size() > 1) return false;
      Place place;
      try {
        place = place_of(ir::substitute(ir::arg(e, 0), lets), scope_);
      } catch (const CompileError&) {
        return false;
      }
      for (std::size_t i = 0; i < place.owner.size(); ++i) {
        const bool is_lane = i == 0;
        if (is_lane ? !place.owner[i].defined() || !ir::is_constant(place.owner[i], k)
                    : place.owner[i].defined())
          return false;
      }
      if (!same_in_warp(place.slot)) return false;
      if (!first) first = place;
      return ir::equal(first->slot, place.slot);
    }
    return e->op == op && e->args.size() == 2 &&
           is_tree(ir::arg(e, 0), op, 2 * s, k, width, lets, first) &&
           is_tree(ir::arg(e, 1), op, 2 * s, k + s, width, lets, first);
  }

  const ir::Sources& sources_;
  std::int64_t threads_ = 1;
  Symbol buffer_;
  Layout layout_;
  std::vector<Expr> guards_;  // around the stores, that depend on the thread
  algebra::ConstantScope scope_;
  bool divided_ = false;
  std::unordered_set<Symbol> bound_inside_;
  std::vector<Hoisted> hoisted_;
};

Stmt promote(const Stmt& s, const ir::Sources& sources) {
  std::vector<ir::Ref> args;
  for (const ir::Ref& a : s->args) {
    if (!ir::is_statement(a->op)) args.push_back(a);
    else
      args.push_back(s->op == Op::Kernel ? Promoter(s.node(), sources).run(Stmt(a)).node()
                                         : promote(Stmt(a), sources).node());
  }
  return Stmt(ir::with_args(s.node(), std::move(args)));
}

}  // namespace

ir::Module promote_registers(ir::Module module, const LowerOptions&) {
  if (module.body.defined()) module.body = promote(module.body, module.sources);
  return module;
}

}  // namespace sinter::lowering
