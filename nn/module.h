// Module: named parameters, submodules, and a Forward.
//
//   class Mlp : public Layer<Mlp> {
//    public:
//     Mlp(int64_t width, Generator& generator)
//         : fc({.in = width, .out = 4 * width}, generator),
//           proj({.in = 4 * width, .out = width}, generator) {
//       Register("fc", fc);
//       Register("proj", proj);
//     }
//     Tensor Forward(Tensor x) { return proj(Gelu(fc(std::move(x)))); }
//
//     Linear fc, proj;
//   };
//
//   Mlp mlp(128, generator);
//   Tensor y = mlp(x);            // Forward, with the module's path in errors
//   mlp.NamedParameters();        // "fc.weight", "fc.bias", "proj.weight", "proj.bias"
//
// A tensor that is no parameter and still belongs to the model, such as a running mean, is a
// buffer: RegisterBuffer("running_mean", running_mean). State dicts hold it; gradients and
// optimizers don't.
//
// A module owns its parameters and its submodules as members and knows them by address, so it is
// neither copied nor moved; keep lists of modules as ModuleList. Names and shapes are PyTorch's.
// Initial values are drawn by the constructor, in the order in which PyTorch's would, from the
// generator that it is given.
#ifndef LEMMA_NN_MODULE_H_
#define LEMMA_NN_MODULE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/tensor.h"

namespace lemma::nn {

// Consecutive rows of a parameter under a name of their own: one head's matrix inside of the
// product of all heads.
struct RowView {
  std::string name;  // relative to the module that lists it: "heads.0.key.weight"
  int64_t begin = 0;
  int64_t end = 0;
};

struct NamedTensor {
  std::string name;
  Tensor value;
};

// What sees every call of a module on this thread while it is installed: its path, what goes in,
// what comes out, and what a module reports by name from inside (attention: "weights").
class Observer {
 public:
  class Scope {
   public:
    explicit Scope(Observer& observer);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Observer* before_;
  };

  virtual ~Observer() = default;
  // Called after a module's Forward.
  virtual void OnCall(const std::string& path, const char* type, const TensorList& inputs,
                      const Tensor& output) = 0;
  // Called by a module inside of its Forward.
  virtual void OnValue(const std::string& path, const std::string& name, const Tensor& value) {
    (void)path, (void)name, (void)value;
  }
  // The one installed on this thread, or null.
  static Observer* Current();
};

class Module {
 public:
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  // The module's class as errors and tables show it: "Linear".
  virtual const char* type() const = 0;

  // Parameters of this module and all below it, in the order of registration, own ones first.
  // A parameter that is shared (tied) comes once, under its first name.
  std::vector<NamedTensor> NamedParameters() const;
  std::vector<Tensor> Parameters() const;
  // The same with the rows of a parameter that lists row views, each a view of the one matrix,
  // under their own names: the course's names of a GPT.
  std::vector<NamedTensor> NamedParameterViews() const;
  // Each parameter with its row views, none where it lists none.
  struct ParameterNames {
    NamedTensor parameter;
    std::vector<NamedTensor> views;
  };
  std::vector<ParameterNames> AllNames() const;
  int64_t NumParameters() const;

  // Buffers of this module and all below it, in the order of registration, own ones first.
  std::vector<NamedTensor> NamedBuffers() const;

  // Submodules one level down, with their names.
  const std::vector<std::pair<std::string, Module*>>& children() const { return children_; }
  // Calls fn(path, module) for this module (path "") and all below it, parents first.
  void ForEach(const std::function<void(const std::string& path, Module& module)>& fn);

  void Train(bool training = true);
  void Eval() { Train(false); }
  bool training() const { return training_; }
  void ZeroGrad();
  // Converts every parameter, and every buffer of a float type, to `dtype`, a float type; tied ones
  // stay tied. The parameters are new leaves without a gradient: make optimizers after it.
  void To(DType dtype);

  const std::string& name() const { return name_; }

 protected:
  Module() = default;

  // Adds a parameter or submodule under `name`, which no other of this module has; dots are allowed
  // ("blocks.0"). An undefined tensor (no bias) is not added. The parameter requires a gradient
  // from now on.
  void Register(std::string name, Tensor& parameter);
  void Register(std::string name, Module& child);
  // Adds a buffer under the same rules; it requires no gradient. Change it in place and under
  // NoGrad, and while IsReplaying() (autograd/recompute.h) not at all.
  void RegisterBuffer(std::string name, Tensor& buffer);
  // Gives rows of a parameter of this module or below it, such as "qkv.weight", names of their own,
  // relative to this module. Together they cover every row once.
  void ListRowViews(std::string parameter, std::vector<RowView> views);
  // Tells an installed observer.
  void Report(const std::string& name, const Tensor& value) const;

 private:
  template <typename, typename>
  friend class Layer;
  struct Parameter {
    std::string name;
    Tensor* value;
  };
  struct ViewedParameter {
    std::string name;
    std::vector<RowView> views;
  };
  std::vector<ParameterNames> Collect() const;
  void CheckName(const std::string& name) const;
  // Every parameter of this module and below it, tied ones as often as they are registered, and
  // every buffer.
  std::vector<Tensor*> CollectMembers() const;
  void ReportCall(const TensorList& inputs, const Tensor& output) const;

  std::string name_;
  bool training_ = true;
  std::vector<Parameter> parameters_;
  std::vector<Parameter> buffers_;
  std::vector<ViewedParameter> viewed_;
  std::vector<std::pair<std::string, Module*>> children_;
};

// Gives a module class its call operator: module(arguments...) is Forward(arguments...), with the
// module's path in errors and the call reported to an installed observer.
template <typename Derived, typename Base = Module>
class Layer : public Base {
 public:
  using Base::Base;

  template <typename... Args>
  Tensor operator()(Tensor x, Args&&... args) {
    const ErrorScope scope(&this->name());
    if (Observer::Current() == nullptr) {
      return static_cast<Derived*>(this)->Forward(std::move(x), std::forward<Args>(args)...);
    }
    const Tensor input = x;
    Tensor y = static_cast<Derived*>(this)->Forward(std::move(x), std::forward<Args>(args)...);
    this->ReportCall({input}, y);
    return y;
  }
};

}  // namespace lemma::nn

#endif  // LEMMA_NN_MODULE_H_
