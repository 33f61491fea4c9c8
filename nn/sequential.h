// Containers of modules.
//
//   Sequential net;
//   net.Add<Linear>(LinearOptions{.in = 2, .out = 16}, generator);
//   net.Add<Tanh>();
//   net.Add<Linear>(LinearOptions{.in = 16, .out = 2}, generator);
//   Tensor logits = net(x);       // parameters "0.weight", "0.bias", "2.weight", "2.bias"
#ifndef LEMMA_NN_SEQUENTIAL_H_
#define LEMMA_NN_SEQUENTIAL_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nn/module.h"

namespace lemma::nn {

// Calls its modules one after the other; they are named by their numbers.
class Sequential : public Layer<Sequential> {
 public:
  const char* type() const override { return "Sequential"; }

  // Makes a T at the end and returns it.
  template <typename T, typename... Args>
  T& Add(Args&&... args) {
    auto owned = std::make_unique<T>(std::forward<Args>(args)...);
    T& module = *owned;
    Register(std::to_string(modules_.size()), module);
    modules_.push_back(std::move(owned));
    calls_.push_back([&module](Tensor x) { return module(std::move(x)); });
    return module;
  }

  Tensor Forward(Tensor x) {
    for (auto& call : calls_) x = call(std::move(x));
    return x;
  }

 private:
  std::vector<std::unique_ptr<Module>> modules_;
  std::vector<std::function<Tensor(Tensor)>> calls_;
};

// Modules of one class, made in place; the owner registers each, as in Register("blocks.0", ...).
template <typename T>
class ModuleList {
 public:
  template <typename... Args>
  T& Add(Args&&... args) {
    modules_.push_back(std::make_unique<T>(std::forward<Args>(args)...));
    return *modules_.back();
  }
  size_t size() const { return modules_.size(); }
  T& operator[](size_t i) { return *modules_[i]; }
  const T& operator[](size_t i) const { return *modules_[i]; }

 private:
  std::vector<std::unique_ptr<T>> modules_;
};

}  // namespace lemma::nn

#endif  // LEMMA_NN_SEQUENTIAL_H_
