// Draws who attends to whom, and the other figures of the course.
//
//   bazel run //tools:attention -- --checkpoint=FILE --text='First Citizen' --out=heads.html
//   bazel run //tools:attention -- --preset=course --init_seed=0 --layer=2 --head=1
//   bazel run //tools:attention -- --figure=seeds --out=seeds.png
//   bazel run //tools:attention -- --figure=smoothing --out=smoothing.svg
//   bazel run //tools:attention -- --figure=layer_norm --out=layer_norm.png
//   bazel run //tools:attention -- --metrics=runs/course-1,runs/course-2 --out=loss.png

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "autograd/create.h"
#include "models/gpt/gpt.h"
#include "nn/atomic_file.h"
#include "tools/data_flags.h"
#include "tools/figures/attention_maps.h"
#include "tools/figures/attention_page.h"
#include "tools/figures/attention_scores.h"
#include "tools/figures/course_figures.h"
#include "tools/figures/heatmap.h"
#include "tools/figures/loss_chart.h"
#include "tools/figures/matrix_figure.h"
#include "tools/figures/terminal_figure.h"
#include "tools/flags.h"
#include "tools/model_flags.h"
#include "tools/model_source.h"
#include "tools/paths.h"
#include "tools/plot.h"
#include "tools/shown_text.h"

ABSL_FLAG(std::string, figure, "heads",
          "heads: the attention of a model on a text. seeds: of untrained heads, five seeds. "
          "smoothing: scores by position alone. layer_norm: its distance from the sphere. loss: of "
          "the runs in --metrics");
ABSL_FLAG(int64_t, layer, -1, "the layer to show, from 0 on; -1: all");
ABSL_FLAG(int64_t, head, -1, "the head to show, from 0 on; -1: all");
ABSL_FLAG(bool, scores, false,
          "print each head's previous-token, duplicate-token and induction score and entropy, and "
          "write them beside the panels");
ABSL_FLAG(std::string, bandwidths, "0.5,2,8,inf", "the s of --figure=smoothing");
ABSL_FLAG(std::string, metrics, "", "folder of a run, or several with commas, for --figure=loss");
ABSL_FLAG(std::string, out, "", "FILE.png, .svg or .html; without it, characters on the terminal");
ABSL_FLAG(std::string, shading, "sqrt",
          "colour by the square root of the weight, or linear, as in the course");
ABSL_FLAG(bool, keep, false, "keep the gnuplot program too, as FILE.gp: change it and draw again");

namespace lemma::tools {
namespace {

constexpr char kRowsAndColumns[] =
    "Each row is a token and sums to 1 over the tokens that it attends to, the columns.";

// Which figure: --figure, or loss where only --metrics is given.
std::string FigureName() {
  RequireOneOf(FLAGS_figure, {"heads", "seeds", "smoothing", "layer_norm", "loss"});
  if (!IsGiven(FLAGS_figure) && IsGiven(FLAGS_metrics)) return "loss";
  return absl::GetFlag(FLAGS_figure);
}

// Refuses flags that the figure would not look at.
absl::Status CheckFlags(const std::string& figure) {
  const auto needs = [](const char* flag, const char* wanted) {
    return absl::InvalidArgumentError(absl::StrCat("--", flag, " is for --figure=", wanted));
  };
  if (figure != "heads") {
    if (AnyModelSourceFlagGiven()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--checkpoint, --preset and what describes a model are for --figure=heads; ",
                       figure, " has no model"));
    }
    for (const char* flag : {"layer", "head", "scores"}) {
      if (IsGiven(flag)) return needs(flag, "heads");
    }
  }
  if (figure != "smoothing" && IsGiven(FLAGS_bandwidths)) return needs("bandwidths", "smoothing");
  if (figure != "loss" && IsGiven(FLAGS_metrics)) return needs("metrics", "loss");
  if (figure == "layer_norm" || figure == "loss") {
    for (const char* flag : {"text", "length", "dataset", "shading"}) {
      if (IsGiven(flag)) {
        return absl::InvalidArgumentError(absl::StrCat("--", flag, " means nothing to ", figure));
      }
    }
  }
  return absl::OkStatus();
}

// Refuses names of files that nothing can be drawn into, before anything is computed.
absl::Status CheckOut(const std::string& figure) {
  const std::string out = absl::GetFlag(FLAGS_out);
  const bool is_image = absl::EndsWith(out, ".png") || absl::EndsWith(out, ".svg");
  const bool is_page = absl::EndsWith(out, ".html");
  if (absl::GetFlag(FLAGS_keep) && !is_image) {
    return absl::InvalidArgumentError("--keep is for pictures: --out=FILE.png or FILE.svg");
  }
  if (!IsGiven(FLAGS_out) || is_image) return absl::OkStatus();
  if (!is_page) {
    return absl::InvalidArgumentError(
        absl::StrCat("--out=", out, ": its name must end in .png, .svg or .html"));
  }
  if (figure == "layer_norm" || figure == "loss") {
    return absl::InvalidArgumentError(
        absl::StrCat("--out=", out, ": a page shows attention; ", figure, " is a .png or .svg"));
  }
  return absl::OkStatus();
}

absl::StatusOr<MatrixFigure> HeadsFigure(std::string* scores) {
  absl::StatusOr<LoadedModel> model = LoadModelFromFlags();
  if (!model.ok()) return model.status();
  const models::GptConfig& config = model->gpt->config();
  const absl::StatusOr<std::vector<HeadIndex>> heads =
      ChosenHeads(config, {absl::GetFlag(FLAGS_layer), absl::GetFlag(FLAGS_head)});
  if (!heads.ok()) return heads.status();
  absl::StatusOr<ShownText> text = ShownTextFromFlags(&model->tokenizer, config.context);
  if (!text.ok()) return text.status();
  const auto length = static_cast<int64_t>(text->tokens.size());
  MatrixFigure figure =
      HeadPanels(ObserveAttention(*model->gpt, FromVector(text->tokens, {1, length})), *heads);
  figure.title = absl::StrCat("Attention of ", model->name, " on ", text->name);
  figure.subtitle = kRowsAndColumns;
  figure.labels = std::move(text->labels);
  if (absl::GetFlag(FLAGS_scores)) {
    const ScoreTable table = ScoreHeads(*model->gpt, text->tokens, *heads);
    for (size_t i = 0; i < figure.panels.size(); ++i) {
      figure.panels[i].note = ShortScores(table.rows[i]);
    }
    *scores = FormatScoreTable(table);
  }
  return figure;
}

absl::StatusOr<MatrixFigure> SeedsFigure() {
  absl::StatusOr<ShownText> text = ShownTextFromFlags();
  if (!text.ok()) return text.status();
  MatrixFigure figure = UntrainedHeads(text->tokens, text->vocab);
  figure.labels = std::move(text->labels);
  return figure;
}

absl::StatusOr<std::vector<double>> Bandwidths() {
  std::vector<double> bandwidths;
  for (const absl::string_view part : absl::StrSplit(absl::GetFlag(FLAGS_bandwidths), ',')) {
    double s = 0;
    // Below, s^2 is nothing in float arithmetic; above, the kernel is flat.
    if (!absl::SimpleAtod(part, &s) || !(s >= 1e-3)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--bandwidths: '", part,
                       "' is no number from 0.001 on, nor inf; write them as 0.5,2,8,inf"));
    }
    bandwidths.push_back(s);
  }
  return bandwidths;
}

absl::StatusOr<MatrixFigure> SmoothingFigure() {
  const absl::StatusOr<std::vector<double>> bandwidths = Bandwidths();
  if (!bandwidths.ok()) return bandwidths.status();
  std::vector<std::string> labels = PositionLabels(ShownLength());
  if (IsGiven("text") || IsGiven("dataset")) {
    absl::StatusOr<ShownText> text = ShownTextFromFlags();
    if (!text.ok()) return text.status();
    labels = std::move(text->labels);
  }
  MatrixFigure figure = KernelSmoothing(static_cast<int64_t>(labels.size()), *bandwidths);
  figure.labels = std::move(labels);
  return figure;
}

// A folder whose name has commas is taken as it is, if it is there.
std::vector<std::string> Runs() {
  const std::string metrics = absl::GetFlag(FLAGS_metrics);
  std::error_code ignored;
  if (std::filesystem::exists(ResolvePath(metrics), ignored)) return {ResolvePath(metrics)};
  std::vector<std::string> runs = absl::StrSplit(metrics, ',', absl::SkipEmpty());
  for (std::string& run : runs) run = ResolvePath(run);
  return runs;
}

absl::StatusOr<Chart> ChartOf(const std::string& figure) {
  if (figure == "layer_norm") return LayerNormCurve();
  const std::vector<std::string> runs = Runs();
  if (runs.empty()) {
    return absl::InvalidArgumentError("--figure=loss needs --metrics=DIR, the folder of a run");
  }
  return LossChart(runs);
}

void SayWhereItIs(const std::string& out) {
  std::fprintf(stderr, "%s\n", DisplayPath(out).c_str());
}

absl::Status ShowChart(const Chart& chart) {
  if (!IsGiven(FLAGS_out)) {
    std::fputs(TerminalChart(chart, TerminalWidth()).c_str(), stdout);
    return absl::OkStatus();
  }
  const std::string out = ResolvePath(absl::GetFlag(FLAGS_out));
  absl::Status drawn = DrawChart(chart, out, absl::GetFlag(FLAGS_keep));
  if (drawn.ok()) SayWhereItIs(out);
  return drawn;
}

absl::Status ShowMatrices(const MatrixFigure& figure) {
  if (!IsGiven(FLAGS_out)) {
    std::fputs(TerminalHeatmaps(figure, TerminalWidth()).c_str(), stdout);
    return absl::OkStatus();
  }
  const std::string out = ResolvePath(absl::GetFlag(FLAGS_out));
  absl::Status drawn;
  if (absl::EndsWith(out, ".html")) {
    const absl::StatusOr<std::string> page = AttentionPage(figure);
    if (!page.ok()) return page.status();
    drawn = nn::WriteFileAtomically(out, *page);
  } else {
    const bool is_linear = absl::GetFlag(FLAGS_shading) == "linear";
    drawn = DrawHeatmaps(figure, out,
                         {.shading = is_linear ? Shading::kLinear : Shading::kSquareRoot,
                          .keep = absl::GetFlag(FLAGS_keep)});
  }
  if (drawn.ok()) SayWhereItIs(out);
  return drawn;
}

absl::Status Draw() {
  RequireNotEmpty(FLAGS_out, "a file for the picture");
  RequireNotEmpty(FLAGS_metrics, "the folder of a run");
  RequireOneOf(FLAGS_shading, {"sqrt", "linear"});
  const std::string name = FigureName();
  for (absl::Status checked : {CheckFlags(name), CheckOut(name)}) {
    if (!checked.ok()) return checked;
  }
  if (name == "layer_norm" || name == "loss") {
    const absl::StatusOr<Chart> chart = ChartOf(name);
    return chart.ok() ? ShowChart(*chart) : chart.status();
  }
  std::string scores;
  const absl::StatusOr<MatrixFigure> figure = name == "heads"   ? HeadsFigure(&scores)
                                              : name == "seeds" ? SeedsFigure()
                                                                : SmoothingFigure();
  if (!figure.ok()) return figure.status();
  if (absl::Status shown = ShowMatrices(*figure); !shown.ok()) return shown;
  std::fputs(scores.c_str(), stdout);
  return absl::OkStatus();
}

}  // namespace
}  // namespace lemma::tools

int main(int argc, char** argv) {
  using namespace lemma::tools;
  ParseFlags(
      argc, argv,
      {.program = "attention",
       .summary =
           "Draws who attends to whom in a GPT, a trained one (--checkpoint) or an untrained "
           "one (--preset,\n--init_seed), on a text; and the other figures of the course.",
       .groups = {{"Figure", {"figure", "layer", "head", "scores", "bandwidths", "metrics"}},
                  {"Output", {"out", "shading", "keep"}},
                  ShownTextFlagGroup(),
                  DataFlagGroup(),
                  ModelSourceFlagGroup(),
                  ModelFlagGroup()}});
  return RunMain([] { return ExitStatus(Draw()); });
}
