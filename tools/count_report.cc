#include "tools/count_report.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/create.h"
#include "autograd/storage.h"
#include "nlohmann/json.hpp"
#include "nn/module.h"
#include "tools/format.h"

namespace lemma::tools {
namespace {

constexpr const char* kEmbeddings = "embeddings";
constexpr const char* kAttention = "attention";
constexpr const char* kMlps = "MLPs";
constexpr const char* kBlockNorms = "block LayerNorms";
constexpr const char* kFinal = "final LN + unembedding";

// The part of the model that a parameter belongs to.
const char* PartOf(const std::string& name) {
  if (absl::StartsWith(name, "tok.") || absl::StartsWith(name, "pos.")) return kEmbeddings;
  if (absl::StrContains(name, ".attn.")) return kAttention;
  if (absl::StrContains(name, ".mlp.")) return kMlps;
  if (absl::StrContains(name, ".ln")) return kBlockNorms;
  return kFinal;
}

// Notes the shape of the residual stream after each stage.
class ShapeObserver : public nn::Observer {
 public:
  explicit ShapeObserver(std::vector<ShapeRow>& rows) : rows_(rows) {}

  void OnCall(const std::string& path, const char* type, const TensorList& inputs,
              const Tensor& output) override {
    (void)type;
    if (path == "tok") rows_.push_back({"token indices", inputs[0].shape()});
    if (path == "tok") rows_.push_back({"after embedding", output.shape()});
    if (absl::StartsWith(path, "blocks.") && std::count(path.begin(), path.end(), '.') == 1) {
      rows_.push_back({absl::StrCat("after block ", path.substr(7)), output.shape()});
    }
    if (path == "lnf") rows_.push_back({"after final LayerNorm", output.shape()});
    if (path == "head") rows_.push_back({"logits", output.shape()});
  }

 private:
  std::vector<ShapeRow>& rows_;
};

std::vector<ShapeRow> ShapesOf(models::Gpt& model, const Tensor& tokens) {
  std::vector<ShapeRow> rows;
  ShapeObserver observer(rows);
  const nn::Observer::Scope scope(observer);
  NoGrad no_grad;
  model(tokens);
  return rows;
}

int64_t ActivationBytes(models::Gpt& model, const Tensor& tokens) {
  const int64_t before = GetMemoryStats().current_bytes;
  const Tensor loss = model.Loss(tokens, tokens);
  return GetMemoryStats().current_bytes - before;
}

}  // namespace

CountReport CountGpt(models::Gpt& model) {
  CountReport report{.config = model.config()};
  const models::GptConfig& config = report.config;
  for (const char* part : {kEmbeddings, kAttention, kMlps, kBlockNorms, kFinal}) {
    report.rows.push_back({part, 0});
  }
  for (const nn::NamedTensor& named : model.NamedParameters()) {
    for (CountRow& row : report.rows) {
      if (row.part == PartOf(named.name)) row.count += named.value.numel();
    }
    report.total += named.value.numel();
  }
  report.blocks = report.rows[1].count + report.rows[2].count + report.rows[3].count;
  report.formula = models::ParameterFormula(config);
  report.rule = 12 * config.layers * config.width * config.width;
  const int64_t weights = report.rule + config.vocab * config.width;
  report.forward_flops = 2 * weights + 2 * config.layers * config.context * config.width;
  report.backward_flops = 2 * report.forward_flops;
  report.parameter_bytes = 4 * report.total;
  report.gradient_bytes = 4 * report.total;
  report.optimizer_bytes = 8 * report.total;
  const Tensor tokens = Zeros({1, config.context}, DType::kInt64);
  report.activation_bytes = ActivationBytes(model, tokens);
  report.shapes = ShapesOf(model, tokens);
  return report;
}

namespace {

struct Fact {
  std::string name;
  std::string value;
};

// What stands beside the parts: formula, rule, work and memory.
std::vector<Fact> FactsOf(const CountReport& report) {
  const int64_t rest = report.blocks - report.rule;
  return {{"formula, from the config", FormatCount(report.formula)},
          {"12 L C^2 rule", FormatCount(report.rule)},
          {"actual blocks", FormatCount(report.blocks)},
          {"difference", absl::StrCat(FormatCount(rest), " = biases + LayerNorms")},
          {"forward, per token", absl::StrCat(FormatCount(report.forward_flops), " FLOPs")},
          {"backward, per token", absl::StrCat(FormatCount(report.backward_flops), " FLOPs")},
          {"parameters", FormatBytes(report.parameter_bytes)},
          {"gradients", FormatBytes(report.gradient_bytes)},
          {"optimizer state", FormatBytes(report.optimizer_bytes)},
          {absl::StrCat("activations, ", FormatCount(report.config.context), " tokens"),
           FormatBytes(report.activation_bytes)}};
}

std::string AsTable(const CountReport& report, bool with_shapes) {
  std::string text;
  for (const CountRow& row : report.rows) {
    absl::StrAppendFormat(&text, "  %-26s%15s  (%5s)\n", row.part, FormatCount(row.count),
                          FormatPercent(row.count, report.total));
  }
  absl::StrAppendFormat(&text, "  %-26s%15s\n\n", "total", FormatCount(report.total));
  for (const Fact& fact : FactsOf(report)) {
    absl::StrAppendFormat(&text, "  %-26s%15s\n", fact.name, fact.value);
  }
  if (!with_shapes) return text;
  absl::StrAppend(&text, "\n");
  for (const ShapeRow& row : report.shapes) {
    absl::StrAppendFormat(&text, "  %-26s%s\n", row.stage, row.shape.ToString());
  }
  return text;
}

std::string AsMarkdown(const CountReport& report, bool with_shapes) {
  std::string text = "| part | parameters | share |\n| --- | ---: | ---: |\n";
  for (const CountRow& row : report.rows) {
    absl::StrAppend(&text, "| ", row.part, " | ", FormatCount(row.count), " | ",
                    FormatPercent(row.count, report.total), " |\n");
  }
  absl::StrAppend(&text, "| **total** | **", FormatCount(report.total), "** | |\n\n");
  absl::StrAppend(&text, "| fact | value |\n| --- | ---: |\n");
  for (const Fact& fact : FactsOf(report)) {
    absl::StrAppend(&text, "| ", fact.name, " | ", fact.value, " |\n");
  }
  if (!with_shapes) return text;
  absl::StrAppend(&text, "\n| stage | shape |\n| --- | --- |\n");
  for (const ShapeRow& row : report.shapes) {
    absl::StrAppend(&text, "| ", row.stage, " | ", row.shape.ToString(), " |\n");
  }
  return text;
}

std::string AsJson(const CountReport& report, bool with_shapes) {
  nlohmann::ordered_json json;
  json["config"] = nlohmann::ordered_json::parse(report.config.ToJson());
  for (const CountRow& row : report.rows) json["parameters"][row.part] = row.count;
  json["total"] = report.total;
  json["formula"] = report.formula;
  json["rule_12_l_c2"] = report.rule;
  json["blocks"] = report.blocks;
  json["forward_flops_per_token"] = report.forward_flops;
  json["backward_flops_per_token"] = report.backward_flops;
  json["parameter_bytes"] = report.parameter_bytes;
  json["gradient_bytes"] = report.gradient_bytes;
  json["optimizer_bytes"] = report.optimizer_bytes;
  json["activation_bytes"] = report.activation_bytes;
  for (const ShapeRow& row : report.shapes) {
    if (!with_shapes) break;
    json["shapes"].push_back({{"stage", row.stage},
                              {"shape", std::vector<int64_t>(row.shape.begin(), row.shape.end())}});
  }
  return json.dump(2) + "\n";
}

}  // namespace

std::string FormatCountReport(const CountReport& report, CountFormat format, bool with_shapes) {
  switch (format) {
    case CountFormat::kMarkdown:
      return AsMarkdown(report, with_shapes);
    case CountFormat::kJson:
      return AsJson(report, with_shapes);
    case CountFormat::kTable:
      break;
  }
  return AsTable(report, with_shapes);
}

}  // namespace lemma::tools
