// State dicts and the checkpoints that keep them.
#include "nn/state_dict.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/attention.h"
#include "nn/checkpoint.h"

namespace lemma::nn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> NamesOf(const std::vector<NamedTensor>& tensors) {
  std::vector<std::string> names;
  for (const NamedTensor& named : tensors) names.push_back(named.name);
  return names;
}

class StateDictTest : public testing::Test {
 protected:
  // The parameters of another module of the same class, with memory of their own.
  std::vector<NamedTensor> Other(bool views = false) {
    Generator generator(2);
    CausalSelfAttention other({.width = 4, .heads = 2}, generator);
    return views ? other.NamedParameterViews() : other.NamedParameters();
  }
  std::vector<float> Values() {
    std::vector<float> values;
    for (const NamedTensor& named : attention_.NamedParameters()) {
      const std::vector<float> part = named.value.ToVector<float>();
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  }
  std::string Refused(const std::vector<NamedTensor>& state) {
    const std::vector<float> before = Values();
    const absl::Status status = LoadStateDict(attention_, state);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(Values(), before);
    return std::string(status.message());
  }

  Generator generator_{1};
  CausalSelfAttention attention_{{.width = 4, .heads = 2}, generator_};
};

TEST_F(StateDictTest, LoadsCopies) {
  std::vector<NamedTensor> state = Other();
  ASSERT_EQ(LoadStateDict(attention_, state), absl::OkStatus());
  const std::vector<float> expected = state[0].value.ToVector<float>();
  EXPECT_EQ(attention_.qkv.weight.ToVector<float>(), expected);
  NoGrad no_grad;
  Fill(state[0].value, 7);
  EXPECT_EQ(attention_.qkv.weight.ToVector<float>(), expected);
}

TEST_F(StateDictTest, AcceptsTheCoursesNames) {
  EXPECT_THAT(NamesOf(attention_.NamedParameterViews()),
              ElementsAre("heads.0.key.weight", "heads.0.query.weight", "heads.0.value.weight",
                          "heads.1.key.weight", "heads.1.query.weight", "heads.1.value.weight",
                          "proj.weight", "proj.bias"));
  ASSERT_EQ(LoadStateDict(attention_, Other(/*views=*/true)), absl::OkStatus());
  EXPECT_EQ(attention_.qkv.weight.ToVector<float>(), Other()[0].value.ToVector<float>());
}

TEST_F(StateDictTest, ConvertsElements) {
  std::vector<NamedTensor> state = Other();
  const std::vector<float> expected = state[1].value.ToVector<float>();
  state[1].value =
      FromVector(std::vector<double>(expected.begin(), expected.end()), state[1].value.shape());
  ASSERT_EQ(LoadStateDict(attention_, state), absl::OkStatus());
  EXPECT_EQ(attention_.proj.weight.dtype(), DType::kFloat32);
  EXPECT_EQ(attention_.proj.weight.ToVector<float>(), expected);
}

TEST_F(StateDictTest, AllFaultsAreReportedAtOnceAndNothingChanges) {
  std::vector<NamedTensor> state = Other();
  state[0].value = Zeros({12, 5});
  state[1].name = "proj.wieght";
  EXPECT_EQ(Refused(state),
            "the parameters do not fit the CausalSelfAttention; missing: proj.weight; unexpected: "
            "proj.wieght; of another shape: qkv.weight is (12, 5), the model's is (12, 4)");
  state = Other();
  state[1].value = Tensor();
  EXPECT_EQ(Refused(state),
            "the parameters do not fit the CausalSelfAttention; of another shape: proj.weight is "
            "undefined");
  EXPECT_EQ(Refused({}),
            "the parameters do not fit the CausalSelfAttention; missing: qkv.weight, proj.weight, "
            "proj.bias");
}

TEST_F(StateDictTest, SomeHeadsAreNotEnoughAndBothFormsAreTooMany) {
  std::vector<NamedTensor> views = Other(/*views=*/true);
  const NamedTensor first = views[0];
  views.erase(views.begin());
  EXPECT_EQ(Refused(views),
            "the parameters do not fit the CausalSelfAttention; missing: heads.0.key.weight");
  std::vector<NamedTensor> both = Other();
  both.push_back(first);
  EXPECT_EQ(Refused(both),
            "the parameters do not fit the CausalSelfAttention; unexpected: heads.0.key.weight");
}

TEST_F(StateDictTest, ANameGivenTwiceIsRefused) {
  std::vector<NamedTensor> state = Other();
  state.push_back(state[1]);
  EXPECT_EQ(Refused(state),
            "the parameters do not fit the CausalSelfAttention; given twice: proj.weight");
}

TEST_F(StateDictTest, LongListsAreCut) {
  std::vector<NamedTensor> state = Other();
  for (int i = 0; i < 20; ++i) state.push_back({"x" + std::to_string(i), Zeros({1})});
  EXPECT_THAT(Refused(state), HasSubstr("unexpected: x0, x1, x2, x3, x4, x5, x6, x7 and 12 more"));
}

TEST(Checkpoint, KeepsNamesTypesShapesAndTexts) {
  const std::string path = testing::TempDir() + "/every_type.safetensors";
  const Checkpoint saved = {
      .tensors = {{"f64", FromValues<double>({1, -0.0, INFINITY}, {3, 1})},
                  {"f32", FromValues<float>({1, 2, 3, 4, 5, 6}, {2, 3})},
                  {"i64", FromValues<int64_t>({-5}, Shape{})},
                  {"i32", FromValues<int32_t>({7})},
                  {"bool", FromValues<bool>({true, false, true})},
                  {"empty", Zeros({0, 4})},
                  {"view", Transpose(FromValues<float>({1, 2, 3, 4}, {2, 2}), 0, 1)}},
      .metadata = {{"step", "10"}, {"text", "\"\n\u00e9"}}};
  ASSERT_EQ(SaveCheckpoint(path, saved), absl::OkStatus());
  const absl::StatusOr<Checkpoint> loaded = LoadCheckpoint(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->metadata, saved.metadata);
  ASSERT_EQ(loaded->tensors.size(), saved.tensors.size());
  for (const NamedTensor& expected : saved.tensors) {
    auto it = std::find_if(loaded->tensors.begin(), loaded->tensors.end(),
                           [&](const NamedTensor& named) { return named.name == expected.name; });
    ASSERT_NE(it, loaded->tensors.end()) << expected.name;
    EXPECT_EQ(it->value.shape(), expected.value.shape()) << expected.name;
    ASSERT_EQ(it->value.dtype(), expected.value.dtype()) << expected.name;
    VisitDType(expected.value.dtype(),
               [&, &name = expected.name, &want = expected.value, &have = it->value]<typename T>() {
                 EXPECT_TRUE(have.ToVector<T>() == want.ToVector<T>()) << name;
               });
  }
}

TEST(Checkpoint, WhatIsReadIsReadOnly) {
  const std::string path = testing::TempDir() + "/read_only.safetensors";
  ASSERT_EQ(SaveCheckpoint(path, {.tensors = {{"x", Ones({4})}}}), absl::OkStatus());
  Checkpoint loaded = *LoadCheckpoint(path);
  NoGrad no_grad;
  EXPECT_THAT(ErrorOf([&] { Fill(loaded.tensors[0].value, 2); }), HasSubstr("read only"));
}

TEST(Checkpoint, PrefixesAreTakenOffAndPutOn) {
  Checkpoint checkpoint;
  checkpoint.Add("optimizer.", {{"step.a", Ones({1})}});
  checkpoint.Add("", {{"a", Zeros({1})}});
  EXPECT_THAT(NamesOf(checkpoint.tensors), ElementsAre("optimizer.step.a", "a"));
  EXPECT_THAT(NamesOf(checkpoint.WithPrefix("optimizer.")), ElementsAre("step.a"));
}

TEST(Checkpoint, AMissingFolderIsNamed) {
  const std::string path = testing::TempDir() + "/no_such_folder/x.safetensors";
  EXPECT_THAT(std::string(SaveCheckpoint(path, {}).message()), HasSubstr(path));
  EXPECT_THAT(std::string(LoadCheckpoint(path).status().message()), HasSubstr(path));
}

TEST(Checkpoint, AnUndefinedTensorAndAnEmptyPathAreNamed) {
  EXPECT_EQ(SaveCheckpoint("x.safetensors", {.tensors = {{"w", Tensor()}}}).message(),
            "cannot write x.safetensors: the tensor w is undefined");
  EXPECT_EQ(LoadCheckpoint("").status().message(), "the path is empty; name a file to read");
}

}  // namespace
}  // namespace lemma::nn
