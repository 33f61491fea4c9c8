#include "autograd/kernels/simd/attention.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "autograd/kernels/attention_args.h"
#include "autograd/kernels/reference/attention.h"
#include "autograd/kernels/simd/testing.h"
#include "gtest/gtest.h"

namespace lemma::kernels::simd {
namespace {

enum class MaskKind { kNone, kKeep, kBias };

struct Sizes {
  int64_t batch = 1, heads = 2, queries = 1, keys = 1, width = 16;
  bool causal = false;
  MaskKind mask = MaskKind::kNone;
  bool dropout = false;
};

// Arrays of one attention in type T: q (B, T, H, D), k and v packed (B, S, 2, H, D).
template <typename T>
struct Problem {
  explicit Problem(const Sizes& s) : sizes(s) {
    const int64_t q_size = s.batch * s.queries * s.heads * s.width;
    const int64_t kv_size = 2 * s.batch * s.keys * s.heads * s.width;
    q = Cast<T>(RandomFloats(q_size, 1.0f, 1));
    kv = Cast<T>(RandomFloats(kv_size, 1.0f, 2));
    dout = Cast<T>(RandomFloats(q_size, 1.0f, 3));
    bias = Cast<T>(RandomFloats(s.batch * s.queries * s.keys, 1.0f, 4));
    keep = std::make_unique<bool[]>(bias.size());
    for (size_t i = 0; i < bias.size(); ++i) keep[i] = i % 3 != 1 && i / s.keys % 5 != 2;
    for (size_t i = 0; i < bias.size(); i += 7) bias[i] = -std::numeric_limits<T>::infinity();
    dropout.resize(s.batch * s.heads * s.queries * s.keys);
    for (size_t i = 0; i < dropout.size(); ++i) dropout[i] = i % 4 == 1 ? 0.0f : 1.0f;
    out.resize(q_size);
    dq.resize(q_size);
    dkv.resize(kv_size);
    lse.resize(s.batch * s.heads * s.queries);
  }

  template <typename Data>
  auto QueryView(Data* data) const {
    const int64_t row = sizes.heads * sizes.width;
    return HeadView<Data>{data, sizes.queries * row, sizes.width, row};
  }
  template <typename Data>
  auto KeyView(Data* data, int64_t which) const {
    const int64_t row = 2 * sizes.heads * sizes.width;
    return HeadView<Data>{data + which * row / 2, sizes.keys * row, sizes.width, row};
  }

  AttentionArgs<T> Args() const {
    AttentionArgs<T> args{.batch = sizes.batch,
                          .heads = sizes.heads,
                          .queries = sizes.queries,
                          .keys = sizes.keys,
                          .width = sizes.width};
    args.q = QueryView(q.data());
    args.k = KeyView(kv.data(), 0);
    args.v = KeyView(kv.data(), 1);
    args.scale = 1 / std::sqrt(static_cast<double>(sizes.width));
    args.causal = sizes.causal;
    if (sizes.mask != MaskKind::kNone) {
      args.mask.batch_stride = sizes.queries * sizes.keys;
      args.mask.query_stride = sizes.keys;
      args.mask.key_stride = 1;
      if (sizes.mask == MaskKind::kKeep) args.mask.keep = keep.get();
      if (sizes.mask == MaskKind::kBias) args.mask.bias = bias.data();
    }
    if (sizes.dropout) {
      args.dropout_keep = dropout.data();
      args.dropout_scale = 4.0 / 3.0;
    }
    return args;
  }

  template <typename Forward, typename Backward>
  void Compute(const Forward& forward, const Backward& backward) {
    forward(Args(), QueryView(out.data()), lse.data());
    const T* const_out = out.data();
    const T* const_dout = dout.data();
    backward(Args(), QueryView(const_out), QueryView(const_dout), lse.data(),
             {QueryView(dq.data()), KeyView(dkv.data(), 0), KeyView(dkv.data(), 1)});
  }

  Sizes sizes;
  std::vector<T> q, kv, dout, bias, out, dq, dkv, lse;
  std::unique_ptr<bool[]> keep;
  std::vector<float> dropout;
};

Problem<float> Solve(Problem<float> p) {
  p.Compute(AttentionForward, AttentionBackward);
  return p;
}

void ExpectAgreement(const Sizes& sizes) {
  SCOPED_TRACE(testing::Message() << "T " << sizes.queries << ", S " << sizes.keys << ", D "
                                  << sizes.width << ", causal " << sizes.causal);
  const Problem<float> actual = Solve(Problem<float>(sizes));
  Problem<double> expected(sizes);
  expected.Compute(reference::AttentionForward<double>, reference::AttentionBackward<double>);
  ExpectClose(actual.out, expected.out, 3e-6);
  ExpectClose(actual.lse, expected.lse, 3e-6, 1e-6);
  ExpectClose(actual.dq, expected.dq, 1e-5);
  ExpectClose(actual.dkv, expected.dkv, 2e-5, 2e-5);
}

TEST(Attention, AgreesWithTheReferenceForAllSizes) {
  ForEachTarget([&] {
    for (const int64_t queries : {1, 3, 15, 17, 63, 64, 65, 130}) {
      for (const int64_t keys : {1, 63, 64, 65, 130}) {
        for (const bool causal : {false, true}) {
          ExpectAgreement({.queries = queries, .keys = keys, .width = 16, .causal = causal});
        }
      }
    }
    for (const int64_t width : {1, 15, 32, 40, 48, 64, 80, 128}) {
      ExpectAgreement({.queries = 70, .keys = 70, .width = width, .causal = true});
    }
  });
}

TEST(Attention, AgreesWithTheReferenceWithMasksAndDropout) {
  ForEachTarget([&] {
    for (const MaskKind mask : {MaskKind::kNone, MaskKind::kKeep, MaskKind::kBias}) {
      for (const bool causal : {false, true}) {
        for (const bool dropout : {false, true}) {
          ExpectAgreement({.batch = 2,
                           .heads = 3,
                           .queries = 20,
                           .keys = 67,
                           .width = 32,
                           .causal = causal,
                           .mask = mask,
                           .dropout = dropout});
        }
      }
    }
  });
}

TEST(Attention, AQueryThatSeesNoKeyIsZeroEverywhere) {
  ForEachTarget([&] {
    // Of five queries on three keys the first two see nothing.
    const auto p = Solve(Problem<float>({.queries = 5, .keys = 3, .causal = true}));
    for (int64_t i = 0; i < 2 * 2 * 16; ++i) {
      EXPECT_EQ(p.out[i], 0.0f);
      EXPECT_EQ(p.dq[i], 0.0f);
    }
    EXPECT_EQ(p.lse[0], -std::numeric_limits<float>::infinity());
    Problem<float> masked({.queries = 2, .keys = 70, .mask = MaskKind::kKeep});
    for (int64_t j = 0; j < 2 * 70; ++j) masked.keep[j] = false;
    masked = Solve(std::move(masked));
    for (const float value : masked.out) EXPECT_EQ(value, 0.0f);
    for (const float value : masked.dq) EXPECT_EQ(value, 0.0f);
    for (const float value : masked.dkv) EXPECT_EQ(value, 0.0f);
  });
}

TEST(Attention, NoBitDependsOnWhatIsBehindTheMask) {
  ForEachTarget([&] {
    for (const int64_t width : {16, 32, 64}) {
      const Sizes sizes{.queries = 130, .keys = 130, .width = width, .causal = true};
      const auto expected = Solve(Problem<float>(sizes));
      for (const int64_t from : {1, 17, 63, 64, 100}) {
        Problem<float> changed(sizes);
        const int64_t row = 2 * 2 * width;
        for (size_t i = from * row; i < changed.kv.size(); ++i) {
          changed.kv[i] = i % 2 ? std::nanf("") : std::numeric_limits<float>::infinity();
        }
        changed = Solve(std::move(changed));
        for (int64_t i = 0; i < from * row / 2; ++i) ASSERT_EQ(changed.out[i], expected.out[i]);
      }
    }
  });
}

TEST(Attention, ARowHasTheSameBitsInShorterAndLongerSequences) {
  ForEachTarget([&] {
    for (const int64_t width : {32, 40}) {
      Problem<float> all({.heads = 1, .queries = 200, .keys = 200, .width = width, .causal = true});
      all = Solve(std::move(all));
      for (const int64_t keys : {1, 30, 64, 65, 131, 200}) {
        for (const int64_t queries : {int64_t{1}, keys}) {
          Problem<float> part(
              {.heads = 1, .queries = queries, .keys = keys, .width = width, .causal = true});
          part.kv = std::vector<float>(all.kv.begin(), all.kv.begin() + keys * 2 * width);
          const auto last = all.q.begin() + keys * width;
          part.q = std::vector<float>(last - queries * width, last);
          part = Solve(std::move(part));
          for (int64_t i = 0; i < queries * width; ++i) {
            ASSERT_EQ(part.out[i], all.out[(keys - queries) * width + i]) << keys << " " << i;
          }
        }
      }
    }
  });
}

TEST(Attention, TransposedKeysGiveTheSameBits) {
  ForEachTarget([&] {
    for (const int64_t keys : {1, 17, 64, 65, 130}) {
      for (const int64_t queries : {int64_t{1}, keys}) {
        const Sizes sizes{.queries = queries, .keys = keys, .width = 40, .causal = true};
        const Problem<float> expected = Solve(Problem<float>(sizes));
        Problem<float> p(sizes);
        AttentionArgs<float> args = p.Args();
        // Behind the last key of a row lies what must not matter.
        const int64_t row = (keys + 15) / 16 * 16;
        std::vector<float> transposed(sizes.heads * sizes.width * row, std::nanf(""));
        for (int64_t h = 0; h < sizes.heads; ++h) {
          for (int64_t j = 0; j < keys; ++j) {
            for (int64_t d = 0; d < sizes.width; ++d) {
              transposed[(h * sizes.width + d) * row + j] = args.k.Row(0, h, j)[d];
            }
          }
        }
        args.k = {transposed.data(), sizes.heads * sizes.width * row, sizes.width * row, 1, row};
        AttentionForward(args, p.QueryView(p.out.data()), p.lse.data());
        EXPECT_EQ(p.out, expected.out) << keys;
        EXPECT_EQ(p.lse, expected.lse) << keys;
        std::fill(p.out.begin(), p.out.end(), 0.0f);
        AttentionForward(args, p.QueryView(p.out.data()), /*lse=*/nullptr);
        EXPECT_EQ(p.out, expected.out) << keys;
      }
    }
  });
}

TEST(Attention, NanSpreadsToTheQueriesThatSeeItOnly) {
  Problem<float> p({.heads = 1, .queries = 70, .keys = 70, .width = 32, .causal = true});
  p.kv[40 * 2 * 32] = std::nanf("");  // of key 40
  p = Solve(std::move(p));
  for (int64_t i = 0; i < 70; ++i) EXPECT_EQ(std::isnan(p.out[i * 32]), i >= 40) << i;
}

TEST(Attention, SameBitsForAnyNumberOfThreads) {
  for (const int64_t heads : {1, 3, 8}) {
    const Problem<float> p(
        {.batch = 2, .heads = heads, .queries = 150, .keys = 150, .width = 32, .causal = true});
    ExpectSameBitsForAnyThreads([&] {
      Problem<float> q(p.sizes);
      q.Compute(AttentionForward, AttentionBackward);
      q.dkv.insert(q.dkv.end(), q.out.begin(), q.out.end());
      q.dkv.insert(q.dkv.end(), q.dq.begin(), q.dq.end());
      return q.dkv;
    });
  }
}

}  // namespace
}  // namespace lemma::kernels::simd
