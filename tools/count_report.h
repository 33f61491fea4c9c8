// What a GPT consists of: parameters by part, the formula, work and memory, shapes.
#ifndef LEMMA_TOOLS_COUNT_REPORT_H_
#define LEMMA_TOOLS_COUNT_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "autograd/shape.h"
#include "models/gpt/gpt.h"

namespace lemma::tools {

struct CountRow {
  std::string part;   // "attention"
  int64_t count = 0;  // parameters
};

struct ShapeRow {
  std::string stage;  // "after block 0"
  Shape shape;
};

struct CountReport {
  models::GptConfig config = {};
  std::vector<CountRow> rows = {};  // counted on the modules' own parameters
  int64_t total = 0;                // their sum
  int64_t formula = 0;              // from the config alone: models::ParameterFormula
  int64_t blocks = 0;               // attention, MLPs and LayerNorms of all blocks
  int64_t rule = 0;                 // 12 L C^2

  // Work for one token of a full context, causal attention counted by half: 2 FLOPs a matrix weight
  // and 2 L T C, and twice that backward.
  int64_t forward_flops = 0;
  int64_t backward_flops = 0;

  // Memory of training in float32: AdamW has two moments; activations are what the allocator holds
  // between the forward and the backward of one sequence of T tokens.
  int64_t parameter_bytes = 0;
  int64_t gradient_bytes = 0;
  int64_t optimizer_bytes = 0;
  int64_t activation_bytes = 0;

  std::vector<ShapeRow> shapes = {};  // of the stream, for one sequence of T tokens
};

// Counts, and runs the model once on T tokens.
CountReport CountGpt(models::Gpt& model);

enum class CountFormat { kTable, kMarkdown, kJson };

std::string FormatCountReport(const CountReport& report, CountFormat format, bool with_shapes);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_COUNT_REPORT_H_
