#pragma once
// Typed pipelines. A struct declares its inputs, outputs and parameters once, with Boost.Hana; from
// that come their names in the algorithm, calls that the C++ compiler checks, and the registry's
// entry.
//
//   struct Brighten {
//     BOOST_HANA_DEFINE_STRUCT(Brighten, (Input<float, 2>, in), (Parameter<float>, by),
//     (Output<float, 2>, out)); void algorithm() { out(x, y) = in(x, y) * by; } void schedule(const
//     std::string& name, const Target& target) { ... } Var x, y;
//   };
//   Typed<Brighten> brighten;
//   call(brighten, photo, 2.0f, result);      // Buffer<float, 2>, float, Buffer<float, 2>

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/hana/accessors.hpp>
#include <boost/hana/define_struct.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/length.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/tuple.hpp>

#include <sinter/buffer.h>
#include <sinter/func.h>
#include <sinter/boundary_conditions.h>
#include <sinter/param.h>
#include <sinter/pipeline.h>
#include <sinter/registry.h>

namespace sinter {

template <typename T, int Rank>
class Input : public ImageParam {
 public:
  using Element = T;
  static constexpr FieldKind Kind = FieldKind::Input;
  static constexpr int FieldRank = Rank;
  explicit Input(const std::string& name = "input") : ImageParam(type_of<T>(), Rank, name) {}
};

template <typename T, int Rank>
class Output : public Func {
 public:
  using Element = T;
  static constexpr FieldKind Kind = FieldKind::Output;
  static constexpr int FieldRank = Rank;
  explicit Output(const std::string& name = "output") : Func(type_of<T>(), Rank, name) {}
};

template <typename T>
class Parameter : public Param<T> {
 public:
  using Element = T;
  static constexpr FieldKind Kind = FieldKind::Parameter;
  static constexpr int FieldRank = 0;
  explicit Parameter(const std::string& name = "parameter") : Param<T>(name) {}
};

namespace signature {

/// A field's name as a template argument, so that compilers print it.
template <std::size_t N>
struct FieldName {
  char text[N];
};
template <char... Letters>
constexpr FieldName<sizeof...(Letters) + 1> name_of(boost::hana::string<Letters...>) {
  return {{Letters..., '\0'}};
}

template <typename A>
struct BufferTraits {
  static constexpr bool IsBuffer = false;
};
template <typename T, int D>
struct BufferTraits<Buffer<T, D>> {
  static constexpr bool IsBuffer = true;
  using Element = T;
  static constexpr int Rank = D;
};

/// Whether `Given` may stand for the field; the assertion that fails says what is wrong, the name
/// of the instantiation says where.
template <FieldName Name, typename Field, typename Given>
struct ArgumentFor {
  static constexpr bool check() {
    using Traits = BufferTraits<Given>;
    if constexpr (Field::Kind == FieldKind::Parameter) {
      constexpr bool scalar =
          std::is_arithmetic_v<Given> || std::is_same_v<Given, typename Field::Element>;
      static_assert(scalar, "this field is a parameter: give it a number");
      if constexpr (scalar) {
        constexpr bool fits = std::is_same_v<Given, typename Field::Element>;
        static_assert(fits, "this parameter has another type: convert the argument");
        return fits;
      }
      return false;
    } else if constexpr (!Traits::IsBuffer) {
      static_assert(Traits::IsBuffer, "this field is an image: give it a Buffer");
      return false;
    } else {
      constexpr bool writable =
          Field::Kind != FieldKind::Output || !std::is_const_v<typename Traits::Element>;
      constexpr bool type_fits =
          std::is_void_v<typename Traits::Element> ||
          std::is_same_v<std::remove_const_t<typename Traits::Element>, typename Field::Element>;
      constexpr bool rank_fits = Traits::Rank == -1 || Traits::Rank == Field::FieldRank;
      static_assert(writable, "this field is an output: its Buffer may not be of const elements");
      static_assert(type_fits, "the Buffer's element type is not the field's");
      static_assert(rank_fits, "the Buffer has another number of dimensions than the field");
      return writable && type_fits && rank_fits;
    }
  }
};

template <typename P>
using Accessors = decltype(boost::hana::accessors<P>());

template <typename P>
inline constexpr std::size_t FieldCount =
    decltype(boost::hana::length(std::declval<Accessors<P>>()))::value;

template <typename P, std::size_t I>
using AccessorAt =
    std::remove_cvref_t<decltype(boost::hana::at_c<I>(std::declval<Accessors<P>&>()))>;
template <typename P, std::size_t I>
using FieldAt = std::remove_cvref_t<decltype(boost::hana::second(std::declval<AccessorAt<P, I>&>())(
    std::declval<P&>()))>;
template <typename P, std::size_t I>
inline constexpr auto NameAt =
    name_of(std::remove_cvref_t<decltype(boost::hana::first(std::declval<AccessorAt<P, I>&>()))>{});

/// Calls `visit(name, member)` for the fields of `p`, in order.
template <typename P, typename Visit>
void for_each_field(P& p, Visit&& visit) {
  boost::hana::for_each(boost::hana::accessors<P>(), [&](const auto& accessor) {
    visit(std::string(boost::hana::to<const char*>(boost::hana::first(accessor))),
          boost::hana::second(accessor)(p));
  });
}

/// Throws AlgorithmError unless the output is defined with the declared type and rank.
void check_output(const std::string& field, const Func& defined, Type type, int rank);
[[noreturn]] void no_such_field(const std::string& field, const std::string& kind);

}  // namespace signature

/// A built P: fields named, algorithm() run, outputs checked. Copies share the algorithm.
template <typename P>
class Typed {
 public:
  Typed() {
    std::vector<Func> outputs;
    signature::for_each_field(signature_, [&](const std::string& name, auto& member) {
      member = std::remove_cvref_t<decltype(member)>(name);
    });
    signature_.algorithm();
    signature::for_each_field(signature_, [&](const std::string& name, auto& member) {
      using Member = std::remove_cvref_t<decltype(member)>;
      if constexpr (Member::Kind == FieldKind::Output) {
        signature::check_output(name, member, type_of<typename Member::Element>(),
                                Member::FieldRank);
        outputs.push_back(member);
      }
    });
    pipeline_ = Pipeline(outputs);
  }

  P& operator*() { return signature_; }
  P* operator->() { return &signature_; }
  Pipeline& pipeline() { return pipeline_; }

 private:
  P signature_;
  Pipeline pipeline_;
};

/// Runs the pipeline: one argument per field, in the order of declaration. Wrong element types,
/// ranks and counts do not compile.
template <typename P, typename... Args>
void call(Typed<P>& typed, const Args&... arguments) {
  constexpr bool counted = sizeof...(Args) == signature::FieldCount<P>;
  static_assert(counted, "call: give one argument per field, in the order of declaration");
  if constexpr (counted) {
    const auto fits = []<std::size_t... I>(std::index_sequence<I...>) {
      return (
          signature::ArgumentFor<signature::NameAt<P, I>, signature::FieldAt<P, I>, Args>::check() &
          ...);
    };
    if constexpr (fits(std::make_index_sequence<sizeof...(Args)>{})) {
      std::vector<Buffer<>> outputs;
      const std::tuple<const Args&...> given(arguments...);
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        const auto bind = [&](auto& member, const auto& argument) {
          using Member = std::remove_cvref_t<decltype(member)>;
          if constexpr (Member::Kind == FieldKind::Output) outputs.emplace_back(argument);
          else member.set(argument);
        };
        (bind(boost::hana::second(boost::hana::at_c<I>(boost::hana::accessors<P>()))(*typed),
              std::get<I>(given)),
         ...);
      }(std::make_index_sequence<sizeof...(Args)>{});
      typed.pipeline().realize(outputs, Target(), std::source_location());
    }
  }
}

namespace signature {

template <typename P>
class ProgramOf : public Program {
 public:
  Pipeline& pipeline() override { return typed_.pipeline(); }

  void set_input(const std::string& field, const Buffer<>& buffer) override {
    bool found = false;
    for_each_field(*typed_, [&](const std::string& name, auto& member) {
      if constexpr (std::remove_cvref_t<decltype(member)>::Kind == FieldKind::Input) {
        if (name == field) {
          member.set(buffer);
          found = true;
        }
      }
    });
    if (!found) no_such_field(field, "input");
  }

  void set_parameter(const std::string& field, double value) override {
    bool found = false;
    for_each_field(*typed_, [&](const std::string& name, auto& member) {
      using Member = std::remove_cvref_t<decltype(member)>;
      if constexpr (Member::Kind == FieldKind::Parameter) {
        if (name == field) {
          member.set(static_cast<typename Member::Element>(value));
          found = true;
        }
      }
    });
    if (!found) no_such_field(field, "parameter");
  }

  void schedule(const std::string& name, const Target& target) override {
    typed_->schedule(name, target);
  }

 private:
  Typed<P> typed_;
};

}  // namespace signature

/// The registry's entry of P. P has, besides its fields, algorithm() and schedule(name, target):
///   static PipelineInfo info();
///   static Extents extents(const Sizes&);
///   static Work work(const Sizes&);
template <typename P>
RegisteredPipeline describe() {
  RegisteredPipeline entry;
  entry.info = P::info();
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto field = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
      using Member = signature::FieldAt<P, J>;
      return Field{Member::Kind, std::string(signature::NameAt<P, J>.text),
                   type_of<typename Member::Element>(), Member::FieldRank};
    };
    (entry.fields.push_back(field(std::integral_constant<std::size_t, I>{})), ...);
  }(std::make_index_sequence<signature::FieldCount<P>>{});
  entry.extents = &P::extents;
  entry.work = &P::work;
  entry.make = [] { return std::make_unique<signature::ProgramOf<P>>(); };
  return entry;
}

}  // namespace sinter
