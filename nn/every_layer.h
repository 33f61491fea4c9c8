// What every layer must do, as tests over a table. A test of layers lists them and instantiates:
//
//   INSTANTIATE_TEST_SUITE_P(Table, EveryLayer, testing::ValuesIn(Cases()), LayerName);
#ifndef LEMMA_NN_EVERY_LAYER_H_
#define LEMMA_NN_EVERY_LAYER_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/create.h"
#include "autograd/random.h"
#include "autograd/tensor.h"
#include "gtest/gtest.h"
#include "nn/module.h"

namespace lemma::nn {

// A layer and how it is called.
struct BuiltLayer {
  std::unique_ptr<Module> module;
  std::function<Tensor(Tensor)> call;
};

struct LayerCase {
  std::string name;
  // Builds the layer, its initial values drawn from a generator.
  std::function<BuiltLayer(Generator& generator)> build;
  Tensor input;  // one that it takes, float32 or int64
  std::vector<std::pair<std::string, Shape>> parameters;
  // What an error says that comes from an input of the other of these two types, without the path
  // of the layer: "[linear] x: ...", or that of a layer below: "fc: [linear] x: ...".
  std::string error;
  bool draws_in_training = false;
};

class EveryLayer : public testing::TestWithParam<LayerCase> {};

// The entry of a T; `make` returns a std::unique_ptr<T>.
template <typename Make>
std::function<BuiltLayer(Generator&)> BuildWith(Make make) {
  return [make](Generator& generator) {
    auto layer = make(generator);
    auto* called = layer.get();
    return BuiltLayer{std::move(layer), [called](Tensor x) { return (*called)(std::move(x)); }};
  };
}

inline std::string LayerName(const testing::TestParamInfo<LayerCase>& info) {
  return info.param.name;
}

}  // namespace lemma::nn

#endif  // LEMMA_NN_EVERY_LAYER_H_
