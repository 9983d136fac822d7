// Sizes as the command line writes them.

#include <gtest/gtest.h>
#include <sinter/diagnostic.h>

#include "apps/sinter/sizes.h"

namespace sinter::command {
namespace {

const Sizes Defaults = {{"height", 4096}, {"width", 6144}};

std::string refusal(const std::string& text) {
  try {
    parse_sizes(text, Defaults);
  } catch (const RuntimeError& error) {
    return error.diagnostic().reason;
  }
  return "accepted";
}

TEST(Sizes, ReplaceTheNamedDefaults) {
  EXPECT_EQ(parse_sizes("", Defaults), Defaults);
  EXPECT_EQ(parse_sizes("width=20", Defaults), (Sizes{{"height", 4096}, {"width", 20}}));
  EXPECT_EQ(to_string(parse_sizes("width=20,height=10", Defaults)), "height=10,width=20");
}

TEST(Sizes, RefuseWhatIsNone) {
  EXPECT_EQ(refusal("width"), "is not NAME=NUMBER");
  EXPECT_EQ(refusal("=4"), "is not NAME=NUMBER");
  EXPECT_EQ(refusal("depth=4"), "this pipeline has no size 'depth'");
  EXPECT_EQ(refusal("width=4,width=4"), "the size 'width' is given twice");
  for (const char* text :
       {"width=", "width=0", "width=-3", "width=1e3", "width=4x", "width=99999999999999999999"}) {
    EXPECT_EQ(refusal(text), "the number is not an integer from 1 to 1000000000") << text;
  }
}

}  // namespace
}  // namespace sinter::command
