#pragma once
// Reduction domains: RDom is a box of up to four (min, extent) pairs, RVar one of its variables. An
// update that mentions them runs over the box, the first variable fastest.

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <sinter/buffer.h>
#include <sinter/expr.h>

namespace sinter {

struct DomainContents;
class ImageParam;

/// A variable of a reduction domain, or a name that a split gives to a part of one.
class RVar {
 public:
  RVar();
  explicit RVar(const std::string& name) : symbol_(Symbol::named(name)) {}
  explicit RVar(const char* name) : RVar(std::string(name)) {}
  RVar(Symbol symbol, std::shared_ptr<const DomainContents> domain)
      : symbol_(std::move(symbol)), domain_(std::move(domain)) {}
  const std::string& name() const { return symbol_.name(); }
  const Symbol& symbol() const { return symbol_; }
  /// Undefined unless the variable belongs to a domain.
  Expr min() const;
  Expr extent() const;
  operator Expr() const;

 private:
  Symbol symbol_;
  std::shared_ptr<const DomainContents> domain_;
};

class RDom {
 public:
  RDom() = default;
  /// (min, extent) pairs: RDom(0, 10, -1, 3); a name may follow.
  template <typename... Args>
    requires(std::is_convertible_v<Args, Expr> && ...)
  RDom(Expr min, Expr extent, Args&&... rest)
      : RDom(pairs({std::move(min), std::move(extent), Expr(std::forward<Args>(rest))...})) {}
  RDom(Expr min, Expr extent, const char* name)
      : RDom(pairs({std::move(min), std::move(extent)}), name) {}
  RDom(Expr min, Expr extent, const std::string& name)
      : RDom(pairs({std::move(min), std::move(extent)}), name) {}
  RDom(Expr min0, Expr extent0, Expr min1, Expr extent1, const std::string& name)
      : RDom(pairs({std::move(min0), std::move(extent0), std::move(min1), std::move(extent1)}),
             name) {}
  RDom(Expr min0, Expr extent0, Expr min1, Expr extent1, Expr min2, Expr extent2,
       const std::string& name)
      : RDom(pairs({std::move(min0), std::move(extent0), std::move(min1), std::move(extent1),
                    std::move(min2), std::move(extent2)}),
             name) {}
  explicit RDom(const std::vector<std::pair<Expr, Expr>>& region, const std::string& name = "");
  /// All coordinates of a buffer or image.
  template <typename T, int D>
  RDom(const Buffer<T, D>& buffer, const std::string& name = "")
      : RDom(static_cast<const BufferBase&>(buffer), name) {}
  explicit RDom(const BufferBase&, const std::string& name = "");
  RDom(const ImageParam&, const std::string& name = "");

  bool defined() const { return contents_ != nullptr; }
  int dimensions() const;
  const std::string& name() const { return name_; }
  RVar operator[](int i) const;
  /// Points where `predicate` does not hold are left out; several calls add up.
  void where(Expr predicate);
  /// A domain of one dimension is its variable.
  operator RVar() const;
  operator Expr() const;
  const std::shared_ptr<DomainContents>& contents() const { return contents_; }

 private:
  static std::vector<std::pair<Expr, Expr>> pairs(std::vector<Expr> bounds);
  void initialise(const std::vector<std::pair<Expr, Expr>>& region, const std::string& name);

  std::shared_ptr<DomainContents> contents_;
  std::string name_;

 public:
  RVar x, y, z, w;  ///< the first four variables
};

}  // namespace sinter
