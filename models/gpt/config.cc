#include "models/gpt/config.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"

namespace lemma::models {
namespace {

GptConfig NanoGpt() {
  return {.tied_head = true, .bias = false, .norm_bias = false, .init = GptInit::kGpt2};
}

GptConfig NanoGptGpu() {
  GptConfig config = NanoGpt();
  config.context = 256;
  config.width = 384;
  config.heads = 6;
  config.layers = 6;
  config.dropout = 0.2;
  return config;
}

GptConfig Gpt2() {
  return {.vocab = 50257,
          .context = 1024,
          .width = 768,
          .heads = 12,
          .layers = 12,
          .tied_head = true,
          .qkv_bias = true,
          .gelu_tanh = true,
          .init = GptInit::kGpt2};
}

struct IntField {
  const char* name;
  int64_t GptConfig::*member;
};
struct BoolField {
  const char* name;
  bool GptConfig::*member;
};

constexpr std::array<IntField, 5> kIntFields = {{{"vocab", &GptConfig::vocab},
                                                 {"context", &GptConfig::context},
                                                 {"width", &GptConfig::width},
                                                 {"heads", &GptConfig::heads},
                                                 {"layers", &GptConfig::layers}}};
constexpr std::array<BoolField, 6> kBoolFields = {{{"tied_head", &GptConfig::tied_head},
                                                   {"head_bias", &GptConfig::head_bias},
                                                   {"qkv_bias", &GptConfig::qkv_bias},
                                                   {"bias", &GptConfig::bias},
                                                   {"norm_bias", &GptConfig::norm_bias},
                                                   {"gelu_tanh", &GptConfig::gelu_tanh}}};

absl::Status BadJson(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the GPT config is not readable: ", what));
}

}  // namespace

const std::vector<std::string>& GptConfig::PresetNames() {
  static const auto* names =
      new std::vector<std::string>{"course", "nanogpt-cpu", "nanogpt-gpu", "gpt2"};
  return *names;
}

absl::StatusOr<GptConfig> GptConfig::Preset(absl::string_view name) {
  if (name == "course") return GptConfig{};
  if (name == "nanogpt-cpu") return NanoGpt();
  if (name == "nanogpt-gpu") return NanoGptGpu();
  if (name == "gpt2") return Gpt2();
  return absl::InvalidArgumentError(absl::StrCat("there is no preset \"", name, "\"; there are ",
                                                 absl::StrJoin(PresetNames(), ", ")));
}

absl::Status GptConfig::Validate() const {
  constexpr int64_t kLargest = int64_t{1} << 24;
  for (const IntField& field : kIntFields) {
    const int64_t value = this->*field.member;
    if (value < 1 || value > kLargest) {
      return absl::InvalidArgumentError(
          absl::StrCat(field.name, " must be between 1 and ", kLargest, "; it is ", value));
    }
  }
  if (width % heads != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("width must be a multiple of heads; they are ", width, " and ", heads));
  }
  if (!(dropout >= 0 && dropout < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("dropout must be in [0, 1); it is ", dropout));
  }
  // In doubles: the integers of the formula can overflow here.
  const double c = static_cast<double>(width), rows = static_cast<double>(vocab + context);
  const double matrices = rows * c + 12 * static_cast<double>(layers) * c * c;
  if (matrices > 0x1p36) {
    return absl::InvalidArgumentError(absl::StrCat("these sizes make about ", matrices,
                                                   " parameters, more than this program trains"));
  }
  return absl::OkStatus();
}

std::string GptConfig::ToJson() const {
  nlohmann::ordered_json json;
  json["model"] = "gpt";
  for (const IntField& field : kIntFields) json[field.name] = this->*field.member;
  for (const BoolField& field : kBoolFields) json[field.name] = this->*field.member;
  json["dropout"] = dropout;
  json["init"] = init == GptInit::kGpt2 ? "gpt2" : "course";
  return json.dump();
}

absl::StatusOr<GptConfig> GptConfig::FromJson(absl::string_view text) {
  if (text.size() > 65536) return BadJson("it is too long");
  const auto json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_object()) return BadJson("it is not a JSON object");
  if (json.value("model", nlohmann::json()) != "gpt") return BadJson("\"model\" is not \"gpt\"");
  GptConfig config;
  for (const IntField& field : kIntFields) {
    auto it = json.find(field.name);
    if (it == json.end() || !it->is_number_integer()) {
      return BadJson(absl::StrCat("\"", field.name, "\" is not a whole number"));
    }
    config.*field.member = it->get<int64_t>();
  }
  for (const BoolField& field : kBoolFields) {
    auto it = json.find(field.name);
    if (it == json.end() || !it->is_boolean()) {
      return BadJson(absl::StrCat("\"", field.name, "\" is not true or false"));
    }
    config.*field.member = it->get<bool>();
  }
  const auto dropout = json.find("dropout");
  if (dropout == json.end() || !dropout->is_number()) return BadJson("\"dropout\" is not a number");
  config.dropout = dropout->get<double>();
  const auto init = json.find("init");
  if (init == json.end() || (*init != "course" && *init != "gpt2")) {
    return BadJson("\"init\" is not \"course\" or \"gpt2\"");
  }
  constexpr size_t kFields = 1 + kIntFields.size() + kBoolFields.size() + 2;
  if (json.size() != kFields) {
    return BadJson("it has a field that this program does not know, of a newer one perhaps");
  }
  config.init = *init == "gpt2" ? GptInit::kGpt2 : GptInit::kCourse;
  if (absl::Status valid = config.Validate(); !valid.ok()) return BadJson(valid.message());
  return config;
}

int64_t ParameterFormula(const GptConfig& config) {
  const int64_t v = config.vocab, t = config.context, c = config.width, l = config.layers;
  int64_t count = v * c + t * c + 12 * l * c * c;
  if (config.qkv_bias) count += l * 3 * c;
  if (config.bias) count += l * 6 * c;
  count += (2 * l + 1) * (config.norm_bias ? 2 * c : c);
  if (!config.tied_head) count += v * c;
  if (config.head_bias) count += v;
  return count;
}

}  // namespace lemma::models
