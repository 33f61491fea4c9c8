#include "tools/train_config.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace lemma::tools {
namespace {

struct IntField {
  const char* name;
  int64_t TrainConfig::*member;
  int64_t least;
};
struct DoubleField {
  const char* name;
  double TrainConfig::*member;
};

constexpr std::array<IntField, 9> kIntFields = {
    {{"steps", &TrainConfig::steps, 0},
     {"decay_steps", &TrainConfig::decay_steps, 0},
     {"batch_size", &TrainConfig::batch_size, 1},
     {"accumulate", &TrainConfig::accumulate, 1},
     {"warmup", &TrainConfig::warmup, 0},
     {"seed", &TrainConfig::seed, INT64_MIN},
     {"eval_every", &TrainConfig::eval_every, 0},
     {"eval_batches", &TrainConfig::eval_batches, 1},
     {"checkpoint_every", &TrainConfig::checkpoint_every, 0}}};
// Tokens that one step may have.
constexpr double kMostTokens = 1e12;

constexpr std::array<DoubleField, 6> kDoubleFields = {{{"lr", &TrainConfig::lr},
                                                       {"min_lr", &TrainConfig::min_lr},
                                                       {"weight_decay", &TrainConfig::weight_decay},
                                                       {"beta1", &TrainConfig::beta1},
                                                       {"beta2", &TrainConfig::beta2},
                                                       {"clip", &TrainConfig::clip}}};

const char* PrecisionName(bool bf16) { return bf16 ? "bf16" : "f32"; }

absl::Status BadJson(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the training config is not readable: ", what));
}

}  // namespace

absl::StatusOr<TrainConfig> TrainConfig::Preset(absl::string_view name) {
  absl::StatusOr<models::GptConfig> model = models::GptConfig::Preset(name);
  if (!model.ok()) return model.status();
  TrainConfig config{.model = *model};
  if (name == "nanogpt-gpu") {
    config.steps = 5000;
    config.batch_size = 64;
  } else if (name == "gpt2") {
    config.steps = 600000;
    config.accumulate = 40;
    config.lr = 6e-4;
    config.min_lr = 6e-5;
    config.warmup = 2000;
    config.beta2 = 0.95;
  }
  return config;
}

absl::Status TrainConfig::Validate() const {
  if (absl::Status valid = model.Validate(); !valid.ok()) return valid;
  for (const IntField& field : kIntFields) {
    if (this->*field.member < field.least) {
      return absl::InvalidArgumentError(absl::StrCat(field.name, " must be at least ", field.least,
                                                     "; it is ", this->*field.member));
    }
  }
  for (const DoubleField& field : kDoubleFields) {
    if (!(this->*field.member >= 0 && this->*field.member < 1e30)) {
      return absl::InvalidArgumentError(absl::StrCat(
          field.name, " must be a finite number from 0 on; it is ", this->*field.member));
    }
  }
  const double tokens = static_cast<double>(batch_size) * static_cast<double>(accumulate) *
                        static_cast<double>(model.context);
  if (tokens > kMostTokens) {
    return absl::InvalidArgumentError(
        absl::StrCat("a step of batch_size * accumulate * context = ", tokens,
                     " tokens is too long; at most ", kMostTokens, " are possible"));
  }
  if (min_lr > lr) {
    return absl::InvalidArgumentError(
        absl::StrCat("min_lr, where the learning rate ends, must be at most lr, its largest value; "
                     "min_lr is ",
                     min_lr, " and lr ", lr, ": pass a smaller --min_lr or a larger --lr"));
  }
  if (beta1 >= 1 || beta2 >= 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("beta1 and beta2 must be below 1; they are ", beta1, " and ", beta2));
  }
  return absl::OkStatus();
}

std::string TrainConfig::ToJson() const {
  nlohmann::ordered_json json;
  for (const IntField& field : kIntFields) json[field.name] = this->*field.member;
  for (const DoubleField& field : kDoubleFields) json[field.name] = this->*field.member;
  json["precision"] = PrecisionName(bf16);
  json["overfit_one_batch"] = overfit_one_batch;
  json["model"] = model.ToJson();
  return json.dump();
}

absl::StatusOr<TrainConfig> TrainConfig::FromJson(absl::string_view text) {
  if (text.size() > 65536) return BadJson("it is too long");
  const auto json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_object()) return BadJson("it is not a JSON object");
  TrainConfig config;
  for (const IntField& field : kIntFields) {
    auto it = json.find(field.name);
    if (it == json.end() || !it->is_number_integer()) {
      return BadJson(absl::StrCat("\"", field.name, "\" is not a whole number"));
    }
    config.*field.member = it->get<int64_t>();
  }
  for (const DoubleField& field : kDoubleFields) {
    auto it = json.find(field.name);
    if (it == json.end() || !it->is_number()) {
      return BadJson(absl::StrCat("\"", field.name, "\" is not a number"));
    }
    config.*field.member = it->get<double>();
  }
  const auto overfit = json.find("overfit_one_batch");
  if (overfit == json.end() || !overfit->is_boolean()) {
    return BadJson("\"overfit_one_batch\" is not true or false");
  }
  config.overfit_one_batch = overfit->get<bool>();
  const auto precision = json.find("precision");
  if (precision == json.end() || (*precision != "f32" && *precision != "bf16")) {
    return BadJson("\"precision\" is not \"f32\" or \"bf16\"");
  }
  config.bf16 = *precision == "bf16";
  const auto model = json.find("model");
  if (model == json.end() || !model->is_string()) return BadJson("\"model\" is not a string");
  absl::StatusOr<models::GptConfig> gpt =
      models::GptConfig::FromJson(model->get_ref<const std::string&>());
  if (!gpt.ok()) return gpt.status();
  config.model = *gpt;
  if (absl::Status valid = config.Validate(); !valid.ok()) return BadJson(valid.message());
  return config;
}

std::vector<std::string> TrainConfig::Differences(const TrainConfig& now) const {
  std::vector<std::string> differences;
  const auto compare = [&](absl::string_view name, const auto& before, const auto& after) {
    if (before == after) return;
    differences.push_back(absl::StrCat(name, " is ", before, " in the run and ", after, " now"));
  };
  for (const IntField& field : kIntFields) {
    if (field.member == &TrainConfig::steps) continue;
    compare(field.name, this->*field.member, now.*field.member);
  }
  for (const DoubleField& field : kDoubleFields) {
    compare(field.name, this->*field.member, now.*field.member);
  }
  compare("precision", PrecisionName(bf16), PrecisionName(now.bf16));
  compare("overfit_one_batch", overfit_one_batch, now.overfit_one_batch);
  const auto ours = nlohmann::ordered_json::parse(model.ToJson());
  const auto theirs = nlohmann::ordered_json::parse(now.model.ToJson());
  for (const auto& [key, value] : ours.items()) compare(key, value.dump(), theirs[key].dump());
  return differences;
}

}  // namespace lemma::tools
