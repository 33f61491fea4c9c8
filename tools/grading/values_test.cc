#include "tools/grading/values.h"

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "autograd/create.h"
#include "autograd/error.h"
#include "autograd/ops/reshape.h"
#include "autograd/random.h"
#include "gtest/gtest.h"

namespace lemma::tools::grading {
namespace {

Values Example() {
  return Values()
      .Add("x", FromValues<float>({1, 2, 3, 4, 5, 6}, {2, 3}))
      .Add("mask", Zeros({2}, DType::kBool))
      .Add("empty", Zeros({0, 3}))
      .Add("n", int64_t{7})
      .Add("p", 0.5);
}

TEST(Values, ComeBackFromTheirBytes) {
  const absl::StatusOr<Values> back = Decode(Encode(Example()));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ((*back)["x"].ToVector<float>(), Example()["x"].ToVector<float>());
  EXPECT_EQ((*back)["x"].shape(), Shape({2, 3}));
  EXPECT_EQ((*back)["mask"].dtype(), DType::kBool);
  EXPECT_EQ((*back)["empty"].shape(), Shape({0, 3}));
  EXPECT_EQ(back->Int("n"), 7);
  EXPECT_EQ(back->Number("p"), 0.5);
}

TEST(Values, WriteViewsInRowMajorOrder) {
  const Values view = Values().Add("x", Transpose(Example()["x"], 0, 1));
  EXPECT_EQ((*Decode(Encode(view)))["x"].ToVector<float>(), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(Values, RefuseEveryPrefix) {
  const std::string bytes = Encode(Example());
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(Decode(absl::string_view(bytes).substr(0, length)).ok()) << length;
  }
  EXPECT_FALSE(Decode(bytes + "x").ok());
}

TEST(Values, SurviveAnyChange) {
  const uint64_t seed = 5;
  SCOPED_TRACE(seed);
  Generator generator(seed);
  const std::string bytes = Encode(Example());
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string changed = bytes;
    for (int j = 0; j < 3; ++j) {
      changed[generator.Random() % changed.size()] = static_cast<char>(generator.Random());
    }
    accepted += Decode(changed).ok();
  }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, 20000);
}

TEST(Values, NameWhatIsMissing) { EXPECT_THROW(Example()["y"], Error); }

TEST(Values, DeepCopiesShareNothing) {
  const Values values = Example();
  const Values copy = DeepCopy(values);
  EXPECT_NE(copy["x"].raw_data(), values["x"].raw_data());
}

}  // namespace
}  // namespace lemma::tools::grading
