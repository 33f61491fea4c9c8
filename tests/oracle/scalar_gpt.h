// A GPT in plain loops over doubles: forward, backward written out by hand, and AdamW. It uses
// nothing of the engine, so that what both compute is computed twice, in two ways.
//
//   ScalarGpt gpt(config, parameters);             // by the names of models::Gpt
//   double loss = gpt.Loss(tokens, targets, T);    // B = tokens.size() / T
//   gpt.Gradients().at("lnf.weight");              // of that loss
#ifndef LEMMA_TESTS_ORACLE_SCALAR_GPT_H_
#define LEMMA_TESTS_ORACLE_SCALAR_GPT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/gpt/config.h"

namespace lemma {

// Row-major.
using Values = std::vector<double>;

class ScalarGpt {
 public:
  // A bias that the config lacks is absent; a tied head has no "head.weight".
  ScalarGpt(const models::GptConfig& config, std::map<std::string, Values> parameters);

  // Mean cross entropy over all positions, in nats.
  double Loss(const std::vector<int64_t>& tokens, const std::vector<int64_t>& targets,
              int64_t time);
  // (B T, V), of the last call of Loss.
  const Values& logits() const { return logits_; }
  // The gradient of the last loss for every parameter.
  std::map<std::string, Values> Gradients();

  // One update of every parameter; counts its steps. Loshchilov and Hutter, arXiv:1711.05101.
  struct AdamW {
    double lr, beta1, beta2, eps, weight_decay;
  };
  void Step(const std::map<std::string, Values>& gradients, const AdamW& adamw);

 private:
  // What backward needs of one LayerNorm.
  struct Norm {
    Values normalised;  // (N, C)
    Values inverse;     // (N): 1 / sqrt(var + eps)
  };
  struct BlockValues {
    Norm ln1, ln2;
    Values normed1, qkv, weights, attended;  // (N, C), (N, 3C), (B, H, T, T), (N, C)
    Values normed2, hidden, activated;       // (N, C), (N, 4C), (N, 4C)
  };

  const Values* Find(const std::string& name) const;
  std::string HeadName() const { return config_.tied_head ? "tok.weight" : "head.weight"; }

  Values Linear(const Values& x, const std::string& weight, const std::string& bias,
                int64_t in) const;
  // Adds to the gradients of weight and bias; the result is dx.
  Values LinearBackward(const Values& x, const std::string& weight, const std::string& bias,
                        int64_t in, const Values& dy);
  Values LayerNorm(const Values& x, const std::string& name, Norm& norm) const;
  Values LayerNormBackward(const Norm& norm, const std::string& name, const Values& dy);
  Values Attention(const Values& qkv, Values& weights) const;
  Values AttentionBackward(const Values& qkv, const Values& weights, const Values& dy) const;
  double Gelu(double x) const;
  double GeluSlope(double x) const;

  Values BlockForward(Values x, const std::string& name, BlockValues& values) const;
  Values BlockBackward(const BlockValues& values, const std::string& name, Values dx);

  const models::GptConfig config_;
  std::map<std::string, Values> parameters_;
  std::map<std::string, Values> gradients_;
  int64_t time_ = 0, rows_ = 0;  // T and N = B T of the last loss
  std::vector<int64_t> tokens_, targets_;
  std::vector<BlockValues> blocks_;
  Norm lnf_;
  Values normed_, logits_, probabilities_;

  int64_t steps_ = 0;
  std::map<std::string, Values> mean_, square_;  // AdamW's moments
};

}  // namespace lemma

#endif  // LEMMA_TESTS_ORACLE_SCALAR_GPT_H_
