#include "tests/oracle/scalar_gpt.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace lemma {
namespace {

constexpr double kEps = 1e-5;  // of LayerNorm

void AddTo(Values& sum, const Values& x) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += x[i];
}

}  // namespace

ScalarGpt::ScalarGpt(const models::GptConfig& config, std::map<std::string, Values> parameters)
    : config_(config), parameters_(std::move(parameters)), blocks_(config.layers) {}

const Values* ScalarGpt::Find(const std::string& name) const {
  auto it = parameters_.find(name);
  return it == parameters_.end() ? nullptr : &it->second;
}

// y[n, o] = sum_i x[n, i] w[o, i] + b[o]
Values ScalarGpt::Linear(const Values& x, const std::string& weight, const std::string& bias,
                         int64_t in) const {
  const Values& w = parameters_.at(weight);
  const Values* b = Find(bias);
  const int64_t out = static_cast<int64_t>(w.size()) / in;
  Values y(rows_ * out);
  for (int64_t n = 0; n < rows_; ++n) {
    for (int64_t o = 0; o < out; ++o) {
      double sum = b == nullptr ? 0 : (*b)[o];
      for (int64_t i = 0; i < in; ++i) sum += x[n * in + i] * w[o * in + i];
      y[n * out + o] = sum;
    }
  }
  return y;
}

Values ScalarGpt::LinearBackward(const Values& x, const std::string& weight,
                                 const std::string& bias, int64_t in, const Values& dy) {
  const Values& w = parameters_.at(weight);
  Values& dw = gradients_.at(weight);
  Values* db = Find(bias) == nullptr ? nullptr : &gradients_.at(bias);
  const int64_t out = static_cast<int64_t>(w.size()) / in;
  Values dx(rows_ * in);
  for (int64_t n = 0; n < rows_; ++n) {
    for (int64_t o = 0; o < out; ++o) {
      const double d = dy[n * out + o];
      if (db != nullptr) (*db)[o] += d;
      for (int64_t i = 0; i < in; ++i) {
        dw[o * in + i] += d * x[n * in + i];
        dx[n * in + i] += d * w[o * in + i];
      }
    }
  }
  return dx;
}

// y = (x - mean) / sqrt(var + eps) * w + b, per row.
Values ScalarGpt::LayerNorm(const Values& x, const std::string& name, Norm& norm) const {
  const int64_t c = config_.width;
  const Values& w = parameters_.at(name + ".weight");
  const Values* b = Find(name + ".bias");
  norm.normalised.assign(rows_ * c, 0);
  norm.inverse.assign(rows_, 0);
  Values y(rows_ * c);
  for (int64_t n = 0; n < rows_; ++n) {
    const double* row = &x[n * c];
    double mean = 0, var = 0;
    for (int64_t i = 0; i < c; ++i) mean += row[i] / c;
    for (int64_t i = 0; i < c; ++i) var += (row[i] - mean) * (row[i] - mean) / c;
    norm.inverse[n] = 1 / std::sqrt(var + kEps);
    for (int64_t i = 0; i < c; ++i) {
      const double z = (row[i] - mean) * norm.inverse[n];
      norm.normalised[n * c + i] = z;
      y[n * c + i] = z * w[i] + (b == nullptr ? 0 : (*b)[i]);
    }
  }
  return y;
}

// With z the normalised row and dz = dy * w: dx = (dz - mean(dz) - z mean(dz z)) / sqrt(var + eps).
Values ScalarGpt::LayerNormBackward(const Norm& norm, const std::string& name, const Values& dy) {
  const int64_t c = config_.width;
  const Values& w = parameters_.at(name + ".weight");
  Values& dw = gradients_.at(name + ".weight");
  Values* db = Find(name + ".bias") == nullptr ? nullptr : &gradients_.at(name + ".bias");
  Values dx(rows_ * c);
  for (int64_t n = 0; n < rows_; ++n) {
    double mean_dz = 0, mean_dz_z = 0;
    for (int64_t i = 0; i < c; ++i) {
      const double d = dy[n * c + i], z = norm.normalised[n * c + i];
      dw[i] += d * z;
      if (db != nullptr) (*db)[i] += d;
      mean_dz += d * w[i] / c;
      mean_dz_z += d * w[i] * z / c;
    }
    for (int64_t i = 0; i < c; ++i) {
      const double z = norm.normalised[n * c + i];
      dx[n * c + i] = (dy[n * c + i] * w[i] - mean_dz - z * mean_dz_z) * norm.inverse[n];
    }
  }
  return dx;
}

// qkv (N, 3C) -> (N, C). Query t of a head sees keys 0 .. t.
Values ScalarGpt::Attention(const Values& qkv, Values& weights) const {
  const int64_t c = config_.width, heads = config_.heads, d = c / heads, t_max = time_;
  const int64_t batch = rows_ / t_max;
  weights.assign(batch * heads * t_max * t_max, 0);
  Values y(rows_ * c);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t h = 0; h < heads; ++h) {
      const auto at = [&](int64_t t, int64_t part) {
        return &qkv[(b * t_max + t) * 3 * c + part * c + h * d];
      };
      for (int64_t t = 0; t < t_max; ++t) {
        double* a = &weights[((b * heads + h) * t_max + t) * t_max];
        double total = 0;
        for (int64_t s = 0; s <= t; ++s) {
          double score = 0;
          for (int64_t i = 0; i < d; ++i) score += at(t, 0)[i] * at(s, 1)[i];
          total += a[s] = std::exp(score / std::sqrt(static_cast<double>(d)));
        }
        for (int64_t s = 0; s <= t; ++s) {
          a[s] /= total;
          for (int64_t i = 0; i < d; ++i) {
            y[(b * t_max + t) * c + h * d + i] += a[s] * at(s, 2)[i];
          }
        }
      }
    }
  }
  return y;
}

Values ScalarGpt::AttentionBackward(const Values& qkv, const Values& weights,
                                    const Values& dy) const {
  const int64_t c = config_.width, heads = config_.heads, d = c / heads, t_max = time_;
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  Values dqkv(qkv.size());
  for (int64_t b = 0; b < rows_ / t_max; ++b) {
    for (int64_t h = 0; h < heads; ++h) {
      const auto at = [&](int64_t t, int64_t part) {
        return (b * t_max + t) * 3 * c + part * c + h * d;
      };
      for (int64_t t = 0; t < t_max; ++t) {
        const double* a = &weights[((b * heads + h) * t_max + t) * t_max];
        const double* out = &dy[(b * t_max + t) * c + h * d];
        Values da(t + 1);
        double mean = 0;  // of da under a
        for (int64_t s = 0; s <= t; ++s) {
          for (int64_t i = 0; i < d; ++i) {
            da[s] += out[i] * qkv[at(s, 2) + i];
            dqkv[at(s, 2) + i] += a[s] * out[i];
          }
          mean += a[s] * da[s];
        }
        for (int64_t s = 0; s <= t; ++s) {
          const double dscore = a[s] * (da[s] - mean) * scale;
          for (int64_t i = 0; i < d; ++i) {
            dqkv[at(t, 0) + i] += dscore * qkv[at(s, 1) + i];
            dqkv[at(s, 1) + i] += dscore * qkv[at(t, 0) + i];
          }
        }
      }
    }
  }
  return dqkv;
}

// Hendrycks and Gimpel, arXiv:1606.08415: x Phi(x), or its approximation by tanh.
double ScalarGpt::Gelu(double x) const {
  if (!config_.gelu_tanh) return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
  const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

double ScalarGpt::GeluSlope(double x) const {
  if (!config_.gelu_tanh) {
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    return 0.5 * (1 + std::erf(x / std::numbers::sqrt2)) + x * density;
  }
  const double factor = std::sqrt(2 / std::numbers::pi);
  const double tanh = std::tanh(factor * (x + 0.044715 * x * x * x));
  const double slope = factor * (1 + 3 * 0.044715 * x * x);
  return 0.5 * (1 + tanh) + 0.5 * x * (1 - tanh * tanh) * slope;
}

Values ScalarGpt::BlockForward(Values x, const std::string& name, BlockValues& values) const {
  const int64_t c = config_.width;
  values.normed1 = LayerNorm(x, name + ".ln1", values.ln1);
  values.qkv = Linear(values.normed1, name + ".attn.qkv.weight", name + ".attn.qkv.bias", c);
  values.attended = Attention(values.qkv, values.weights);
  AddTo(x, Linear(values.attended, name + ".attn.proj.weight", name + ".attn.proj.bias", c));

  values.normed2 = LayerNorm(x, name + ".ln2", values.ln2);
  values.hidden = Linear(values.normed2, name + ".mlp.fc.weight", name + ".mlp.fc.bias", c);
  values.activated = values.hidden;
  for (double& value : values.activated) value = Gelu(value);
  AddTo(x, Linear(values.activated, name + ".mlp.proj.weight", name + ".mlp.proj.bias", 4 * c));
  return x;
}

Values ScalarGpt::BlockBackward(const BlockValues& values, const std::string& name, Values dx) {
  const int64_t c = config_.width;
  Values dhidden = LinearBackward(values.activated, name + ".mlp.proj.weight",
                                  name + ".mlp.proj.bias", 4 * c, dx);
  for (size_t i = 0; i < dhidden.size(); ++i) dhidden[i] *= GeluSlope(values.hidden[i]);
  const Values dnormed2 =
      LinearBackward(values.normed2, name + ".mlp.fc.weight", name + ".mlp.fc.bias", c, dhidden);
  AddTo(dx, LayerNormBackward(values.ln2, name + ".ln2", dnormed2));

  const Values dattended =
      LinearBackward(values.attended, name + ".attn.proj.weight", name + ".attn.proj.bias", c, dx);
  const Values dqkv = AttentionBackward(values.qkv, values.weights, dattended);
  const Values dnormed1 =
      LinearBackward(values.normed1, name + ".attn.qkv.weight", name + ".attn.qkv.bias", c, dqkv);
  AddTo(dx, LayerNormBackward(values.ln1, name + ".ln1", dnormed1));
  return dx;
}

double ScalarGpt::Loss(const std::vector<int64_t>& tokens, const std::vector<int64_t>& targets,
                       int64_t time) {
  const int64_t c = config_.width, v = config_.vocab;
  tokens_ = tokens;
  targets_ = targets;
  time_ = time;
  rows_ = static_cast<int64_t>(tokens.size());
  Values x(rows_ * c);
  for (int64_t n = 0; n < rows_; ++n) {
    for (int64_t i = 0; i < c; ++i) {
      x[n * c + i] = parameters_.at("tok.weight")[tokens[n] * c + i] +
                     parameters_.at("pos.weight")[n % time * c + i];
    }
  }
  for (size_t l = 0; l < blocks_.size(); ++l) {
    x = BlockForward(std::move(x), "blocks." + std::to_string(l), blocks_[l]);
  }
  normed_ = LayerNorm(x, "lnf", lnf_);
  logits_ = Linear(normed_, HeadName(), "head.bias", c);
  probabilities_ = logits_;
  double loss = 0;
  for (int64_t n = 0; n < rows_; ++n) {
    double* row = &probabilities_[n * v];
    double total = 0;
    for (int64_t i = 0; i < v; ++i) total += row[i] = std::exp(row[i]);
    for (int64_t i = 0; i < v; ++i) row[i] /= total;
    loss -= std::log(row[targets[n]]) / rows_;
  }
  return loss;
}

std::map<std::string, Values> ScalarGpt::Gradients() {
  const int64_t c = config_.width, v = config_.vocab;
  gradients_.clear();
  for (const auto& [name, value] : parameters_) gradients_[name] = Values(value.size());

  Values dlogits = probabilities_;
  for (int64_t n = 0; n < rows_; ++n) dlogits[n * v + targets_[n]] -= 1;
  for (double& d : dlogits) d /= rows_;
  const Values dnormed = LinearBackward(normed_, HeadName(), "head.bias", c, dlogits);
  Values dx = LayerNormBackward(lnf_, "lnf", dnormed);
  for (size_t l = blocks_.size(); l-- > 0;) {
    dx = BlockBackward(blocks_[l], "blocks." + std::to_string(l), std::move(dx));
  }
  for (int64_t n = 0; n < rows_; ++n) {
    for (int64_t i = 0; i < c; ++i) {
      gradients_["tok.weight"][tokens_[n] * c + i] += dx[n * c + i];
      gradients_["pos.weight"][n % time_ * c + i] += dx[n * c + i];
    }
  }
  return gradients_;
}

void ScalarGpt::Step(const std::map<std::string, Values>& gradients, const AdamW& adamw) {
  ++steps_;
  for (auto& [name, p] : parameters_) {
    const Values& g = gradients.at(name);
    Values& m = mean_[name];
    Values& s = square_[name];
    m.resize(p.size());
    s.resize(p.size());
    for (size_t i = 0; i < p.size(); ++i) {
      m[i] = adamw.beta1 * m[i] + (1 - adamw.beta1) * g[i];
      s[i] = adamw.beta2 * s[i] + (1 - adamw.beta2) * g[i] * g[i];
      const double mean = m[i] / (1 - std::pow(adamw.beta1, steps_));
      const double square = s[i] / (1 - std::pow(adamw.beta2, steps_));
      p[i] -= adamw.lr * (adamw.weight_decay * p[i] + mean / (std::sqrt(square) + adamw.eps));
    }
  }
}

}  // namespace lemma
