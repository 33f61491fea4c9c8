#include "tests/propositions/multi_head/attention_memory.h"

#include <cmath>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "autograd/storage.h"

namespace lemma::propositions {
namespace {

struct Inputs {
  explicit Inputs(int64_t time) {
    Generator generator(6);
    for (Tensor* x : {&q, &k, &v}) {
      *x = RandN({1, 12, time, 64}, generator);
      x->SetRequiresGrad(true);
    }
  }
  Tensor q, k, v;
};

int64_t InUse() { return GetMemoryStats().current_bytes; }

int64_t Start() {
  ResetPeakMemory();
  return InUse();
}

double PeakSince(int64_t start) { return static_cast<double>(GetMemoryStats().peak_bytes - start); }

}  // namespace

AttentionMemory MeasureMemory(const Attention& attend) {
  AttentionMemory memory;
  for (int64_t time : kTimes) {
    const Inputs in(time);
    {
      const NoGrad no_grad;
      const int64_t start = Start();
      attend(in.q, in.k, in.v);
      memory.forward.push_back(PeakSince(start));
    }
    const Tensor dout = OnesLike(in.q);
    const int64_t start = Start();
    const Tensor out = attend(in.q, in.k, in.v);
    memory.kept.push_back(static_cast<double>(InUse() - start));
    Grad({out}, {in.q, in.k, in.v}, {.grad_outputs = {dout}});
    memory.backward.push_back(PeakSince(start));
  }
  return memory;
}

std::vector<double> BytesOfScores() {
  std::vector<double> bytes;
  for (int64_t time : kTimes) {
    const Inputs in(time);
    const NoGrad no_grad;
    const int64_t start = Start();
    const Tensor scores = MatMul(in.q, Transpose(in.k, -1, -2));
    bytes.push_back(static_cast<double>(InUse() - start));
  }
  return bytes;
}

std::vector<double> BytesOfQKV() {
  std::vector<double> bytes;
  for (int64_t time : kTimes) {
    const int64_t start = Start();
    const Inputs in(time);
    bytes.push_back(static_cast<double>(InUse() - start));
  }
  return bytes;
}

double Exponent(const std::vector<double>& bytes) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) {
    const double log_time = std::log(static_cast<double>(kTimes[i])),
                 log_bytes = std::log(bytes[i]);
    x += log_time / n;
    y += log_bytes / n;
    xx += log_time * log_time / n;
    xy += log_time * log_bytes / n;
  }
  return (xy - x * y) / (xx - x * x);
}

double Doubling(const std::vector<double>& bytes) { return bytes.back() / bytes.end()[-2]; }

Tensor CompositeAttention(const Tensor& q, const Tensor& k, const Tensor& v) {
  return AttentionDefinition(q, k, v, {.causal = true});
}

Tensor FusedAttention(const Tensor& q, const Tensor& k, const Tensor& v) {
  return ScaledDotProductAttention(q, k, v, {.causal = true});
}

}  // namespace lemma::propositions
