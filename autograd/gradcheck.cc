#include "autograd/gradcheck.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/random.h"

namespace lemma {
namespace {

bool IsChecked(const Tensor& x) { return x.defined() && x.dtype() == DType::kFloat64; }

bool ShowsElementsTwice(const Tensor& x) {
  for (int i = 0; i < x.rank(); ++i) {
    if (x.shape()[i] > 1 && x.strides()[i] == 0) return true;
  }
  return false;
}

// `values` in row-major order as a tensor with the shape of x, and with its strides where these
// give every element a place of its own.
Tensor WithLayoutOf(const Tensor& x, const std::vector<double>& values) {
  Tensor dense = FromVector(values, x.shape());
  if (x.IsContiguous() || ShowsElementsTwice(x)) return dense;
  int64_t last = 0;
  for (int i = 0; i < x.rank(); ++i) last += (x.shape()[i] - 1) * x.strides()[i];
  Tensor memory = Zeros({last + 1}, DType::kFloat64);
  double* to = memory.mutable_data<double>();
  for (int64_t flat = 0; flat < x.numel(); ++flat) {
    int64_t rest = flat, at = 0;
    for (int i = x.rank() - 1; i >= 0; --i) {
      at += rest % x.shape()[i] * x.strides()[i];
      rest /= x.shape()[i];
    }
    to[at] = values[flat];
  }
  return Tensor::View(memory.storage(), DType::kFloat64, x.shape(), x.strides(), 0);
}

// Element `flat` of an array of `shape`, in row-major order: "(1, 0, 7)".
std::string PlaceOf(const Shape& shape, int64_t flat) {
  Shape place = shape;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    place[i] = flat % shape[i];
    flat /= shape[i];
  }
  return place.ToString();
}

// The elements of all float64 tensors of a list in one row, and back.
class Elements {
 public:
  explicit Elements(const std::vector<Tensor>& tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (!IsChecked(tensors[i])) continue;
      parts_.push_back({i, tensors[i].shape(), size_});
      size_ += tensors[i].numel();
    }
  }

  int64_t size() const { return size_; }

  std::vector<double> Read(const std::vector<Tensor>& tensors) const {
    std::vector<double> row;
    for (const Part& part : parts_) {
      const Tensor& x = tensors[part.tensor];
      if (!x.defined()) {
        row.insert(row.end(), part.shape.numel(), 0.0);
        continue;
      }
      const std::vector<double> values = x.ToVector<double>();
      row.insert(row.end(), values.begin(), values.end());
    }
    return row;
  }

  // `tensors` with these elements in place of theirs.
  std::vector<Tensor> Write(std::vector<Tensor> tensors, const std::vector<double>& row) const {
    for (const Part& part : parts_) {
      const auto begin = row.begin() + part.start;
      tensors[part.tensor] = WithLayoutOf(tensors[part.tensor],
                                          std::vector<double>(begin, begin + part.shape.numel()));
    }
    return tensors;
  }

  // "output 0 (1,)" for element `at` of the row.
  std::string Name(const char* what, int64_t at) const {
    size_t i = 0;
    while (i + 1 < parts_.size() && parts_[i + 1].start <= at) ++i;
    while (parts_[i].shape.numel() == 0) --i;
    return absl::StrCat(what, " ", parts_[i].tensor, " ",
                        PlaceOf(parts_[i].shape, at - parts_[i].start));
  }

 private:
  struct Part {
    size_t tensor;
    Shape shape;
    int64_t start;
  };
  std::vector<Part> parts_;
  int64_t size_ = 0;
};

std::vector<double> NormalDraws(int64_t n, Generator& generator) {
  return RandN({n}, generator, DType::kFloat64).ToVector<double>();
}

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

class Checker {
 public:
  Checker(const char* name, const TensorListFunction& f, const std::vector<Tensor>& inputs,
          const GradCheckOptions& options)
      : name_(name), f_(f), inputs_(inputs), options_(options), in_(inputs) {
    EnableGrad enable_grad;
    leaves_ = inputs;
    for (Tensor& x : leaves_) {
      if (!IsChecked(x)) continue;
      x = x.Detach().SetRequiresGrad(true);
      wanted_.push_back(x);
    }
    if (wanted_.empty()) {
      Fail(name_, "inputs: none is float64, so there is nothing to differentiate");
    }
    outputs_ = f(leaves_);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const DType dtype = outputs_[i].dtype();
      if (IsFloat(dtype) && dtype != DType::kFloat64) {
        Fail(name_, "output ", i, ": it is ", Name(dtype),
             "; differences need float64, so Cast it");
      }
    }
    out_ = Elements(outputs_);
  }

  GradCheckReport Run() {
    if (in_.size() == 0 || out_.size() == 0) return {};
    return in_.size() * out_.size() <= options_.max_jacobian ? CheckJacobian() : CheckDirection();
  }

 private:
  // J^T dout for a cotangent of all outputs.
  std::vector<double> Gradient(const std::vector<double>& dout) const {
    const std::vector<Tensor> douts = out_.Write(outputs_, dout);
    GradOptions options{.retain_graph = true, .allow_unused = true};
    std::vector<Tensor> reached;
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (!outputs_[i].requires_grad()) continue;
      reached.push_back(outputs_[i]);
      options.grad_outputs.push_back(douts[i]);
    }
    std::vector<Tensor> dinputs(inputs_.size());
    if (!reached.empty()) {
      std::vector<Tensor> found = Grad(reached, wanted_, options);
      size_t next = 0;
      for (size_t i = 0; i < inputs_.size(); ++i) {
        if (IsChecked(inputs_[i])) dinputs[i] = found[next++];
      }
    }
    return in_.Read(dinputs);
  }

  std::vector<double> Values(const std::vector<double>& x) const {
    return out_.Read(f_(in_.Write(inputs_, x)));
  }

  // (f(x + eps v) - f(x - eps v)) / (2 eps) for all outputs.
  std::vector<double> Difference(const std::vector<double>& v) const {
    std::vector<double> above = in_.Read(inputs_), below = above;
    for (size_t i = 0; i < v.size(); ++i) {
      above[i] += options_.eps * v[i];
      below[i] -= options_.eps * v[i];
    }
    std::vector<double> difference = Values(above);
    const std::vector<double> lower = Values(below);
    for (size_t i = 0; i < lower.size(); ++i) {
      difference[i] = (difference[i] - lower[i]) / (2 * options_.eps);
    }
    return difference;
  }

  bool Close(double gradient, double difference, double factor) const {
    return std::abs(gradient - difference) <=
           options_.atol * factor + options_.rtol * std::abs(difference);
  }

  GradCheckReport CheckJacobian() const {
    std::vector<std::vector<double>> rows;  // of the Jacobian, by output element
    for (int64_t i = 0; i < out_.size(); ++i) {
      std::vector<double> one(out_.size());
      one[i] = 1;
      rows.push_back(Gradient(one));
    }
    for (int64_t j = 0; j < in_.size(); ++j) {
      std::vector<double> one(in_.size());
      one[j] = 1;
      const std::vector<double> column = Difference(one);
      for (int64_t i = 0; i < out_.size(); ++i) {
        if (Close(rows[i][j], column[i], 1)) continue;
        return {false,
                absl::StrCat("d ", out_.Name("output", i), " / d ", in_.Name("input", j),
                             ": the gradient is ", rows[i][j], ", differences give ", column[i])};
      }
    }
    return {};
  }

  GradCheckReport CheckDirection() const {
    Generator generator(options_.seed);
    const std::vector<double> v = NormalDraws(in_.size(), generator);
    const std::vector<double> u = NormalDraws(out_.size(), generator);
    const double gradient = Dot(Gradient(u), v), difference = Dot(u, Difference(v));
    // Errors of in * out numbers add up like a random walk.
    const double factor =
        std::sqrt(static_cast<double>(in_.size())) * std::sqrt(static_cast<double>(out_.size()));
    if (Close(gradient, difference, factor)) return {};
    return {false, absl::StrCat("along a random direction of all ", in_.size(), " input elements, ",
                                "summed over ", out_.size(), " output elements: the gradient is ",
                                gradient, ", differences give ", difference)};
  }

  const char* name_;
  const TensorListFunction& f_;
  const std::vector<Tensor>& inputs_;
  const GradCheckOptions options_;
  std::vector<Tensor> leaves_, wanted_, outputs_;
  Elements in_, out_{{}};
};

}  // namespace

GradCheckReport GradCheck(const TensorListFunction& f, const std::vector<Tensor>& inputs,
                          const GradCheckOptions& options) {
  return Checker("gradcheck", f, inputs, options).Run();
}

GradCheckReport GradGradCheck(const TensorListFunction& f, const std::vector<Tensor>& inputs,
                              const GradCheckOptions& options) {
  const size_t n = inputs.size();
  std::vector<Tensor> inputs_and_douts = inputs;
  {
    NoGrad no_grad;
    Generator generator(options.seed);
    for (const Tensor& y : f(inputs)) {
      if (IsChecked(y)) {
        inputs_and_douts.push_back(RandN(y.shape(), generator, DType::kFloat64));
      }
    }
  }
  const TensorListFunction gradient = [&f, n](const std::vector<Tensor>& in) {
    EnableGrad enable_grad;
    std::vector<Tensor> x(in.begin(), in.begin() + n), wanted, reached;
    for (Tensor& tensor : x) {
      if (!IsChecked(tensor)) continue;
      if (!tensor.requires_grad()) tensor = tensor.Detach().SetRequiresGrad(true);
      wanted.push_back(tensor);
    }
    GradOptions grad_options{.create_graph = true, .allow_unused = true};
    size_t next = n;
    for (const Tensor& y : f(x)) {
      if (!IsChecked(y)) continue;
      const Tensor& dout = in[next++];
      if (!y.requires_grad()) continue;
      reached.push_back(y);
      grad_options.grad_outputs.push_back(dout);
    }
    std::vector<Tensor> grads(wanted.size());
    if (!reached.empty()) grads = Grad(reached, wanted, grad_options);
    for (size_t i = 0; i < grads.size(); ++i) {
      if (!grads[i].defined()) grads[i] = ZerosLike(wanted[i]);
    }
    return grads;
  };
  return Checker("gradgradcheck", gradient, inputs_and_douts, options).Run();
}

}  // namespace lemma
