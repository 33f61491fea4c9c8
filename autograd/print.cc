#include "autograd/print.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/dtype.h"
#include "autograd/node.h"
#include "autograd/shape.h"

namespace lemma {
namespace {

constexpr int64_t kThreshold = 1000;  // elements of a tensor that is shown whole
constexpr int64_t kEdgeItems = 3;     // shown at both ends of a dimension of a larger one
constexpr size_t kLineWidth = 80;
constexpr char kPrefix[] = "tensor(";

// How float elements are written: the same way for all of them.
struct FloatStyle {
  bool whole = true;
  bool exponent = false;

  std::string Write(double value) const {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    if (exponent) return absl::StrFormat("%.4e", value);
    return whole ? absl::StrFormat("%.0f.", value) : absl::StrFormat("%.4f", value);
  }
};

bool Counts(double value) { return std::isfinite(value) && value != 0; }

FloatStyle StyleOf(const std::vector<double>& values) {
  FloatStyle style;
  double least = std::numeric_limits<double>::infinity(), greatest = 0;
  for (double value : values) {
    if (!Counts(value)) continue;
    least = std::min(least, std::abs(value));
    greatest = std::max(greatest, std::abs(value));
    style.whole = style.whole && value == std::ceil(value);
  }
  if (greatest > 0) style.exponent = greatest / least > 1000 || greatest > 1e8 || least < 1e-4;
  return style;
}

// One tensor on its way to text.
class Printer {
 public:
  explicit Printer(const Tensor& x)
      : x_(x), dense_(x.DetachedContiguous()), shortened_(x.numel() > kThreshold) {}

  std::string Run() {
    std::string body = absl::StrCat(kPrefix, "[]");
    if (x_.numel() > 0) {
      CollectShown(0, 0);
      WriteShown();
      body = absl::StrCat(kPrefix, Block(0));
    }
    const size_t newline = body.rfind('\n');
    const size_t line = newline == std::string::npos ? body.size() + 1 : body.size() - newline;
    return body + Suffixes(line + 1);
  }

 private:
  bool Elided(int dim) const { return shortened_ && x_.shape()[dim] > 2 * kEdgeItems; }

  // Calls fn(i) for each index along `dim` that is shown, and gap() between the two ends.
  template <typename Fn, typename Gap>
  void ForShown(int dim, Fn fn, Gap gap) const {
    const int64_t size = x_.shape()[dim];
    const int64_t first = Elided(dim) ? kEdgeItems : size;
    for (int64_t i = 0; i < first; ++i) fn(i);
    if (first == size) return;
    gap();
    for (int64_t i = size - kEdgeItems; i < size; ++i) fn(i);
  }

  // Places, in row-major order, of the elements that are shown.
  void CollectShown(int dim, int64_t offset) {
    if (dim == x_.rank()) return shown_.push_back(offset);
    ForShown(
        dim, [&](int64_t i) { CollectShown(dim + 1, offset * x_.shape()[dim] + i); }, [] {});
  }

  // Fills texts_, and pads them to one width.
  void WriteShown() {
    VisitDType(x_.dtype(), [&]<typename T>() {
      const T* elements = dense_.data<T>();
      for (int64_t i : shown_) {
        if constexpr (std::is_same_v<T, bool>) {
          texts_.push_back(elements[i] ? "True" : "False");
        } else if constexpr (std::is_integral_v<T>) {
          texts_.push_back(absl::StrCat(elements[i]));
        } else {
          values_.push_back(static_cast<double>(elements[i]));
        }
      }
    });
    width_ = 1;
    for (const std::string& text : texts_) width_ = std::max(width_, text.size());
    const FloatStyle style = StyleOf(values_);
    for (double value : values_) {
      texts_.push_back(style.Write(value));
      if (Counts(value)) width_ = std::max(width_, texts_.back().size());
    }
    for (std::string& text : texts_) {
      if (text.size() < width_) text.insert(0, width_ - text.size(), ' ');
    }
  }

  // The elements from the next one on as nested brackets; `dim` dimensions are outside.
  std::string Block(int dim) {
    if (dim == x_.rank()) return std::move(texts_[next_++]);
    std::vector<std::string> items;
    const bool innermost = dim + 1 == x_.rank();
    ForShown(
        dim, [&](int64_t) { items.push_back(Block(dim + 1)); },
        [&] { items.push_back(innermost ? " ..." : "..."); });
    const size_t indent = sizeof(kPrefix) - 1 + static_cast<size_t>(dim);
    const size_t per_line =
        innermost ? std::max<size_t>(1, (kLineWidth - std::min(indent, kLineWidth)) / (width_ + 2))
                  : 1;
    const size_t newlines = innermost ? 1 : static_cast<size_t>(x_.rank() - dim - 1);
    const std::string broken =
        absl::StrCat(",", std::string(newlines, '\n'), std::string(indent + 1, ' '));
    std::string block = "[";
    for (size_t i = 0; i < items.size(); ++i) {
      if (i > 0) block += i % per_line == 0 ? broken : ", ";
      block += items[i];
    }
    return block + "]";
  }

  // ", dtype=..." and so on, and the closing bracket; `column` is where the line stands.
  std::string Suffixes(size_t column) const {
    std::string text;
    const auto add = [&](const std::string& suffix) {
      if (column + suffix.size() + 2 > kLineWidth) {
        column = sizeof(kPrefix) - 1 + suffix.size();
        absl::StrAppend(&text, ",\n", std::string(sizeof(kPrefix) - 1, ' '), suffix);
      } else {
        column += suffix.size() + 2;
        absl::StrAppend(&text, ", ", suffix);
      }
    };
    const DType dtype = x_.dtype();
    const bool empty = x_.numel() == 0;
    if (empty && x_.rank() != 1) add(absl::StrCat("size=", x_.shape().ToString()));
    // "[]" alone does not show whether the elements would be floats.
    const bool plain =
        dtype == DType::kFloat32 || (!empty && (dtype == DType::kInt64 || dtype == DType::kBool));
    if (!plain) add(absl::StrCat("dtype=", Name(dtype)));
    if (x_.requires_grad()) {
      add(x_.is_leaf() ? "requires_grad=True"
                       : absl::StrCat("grad_fn=<", x_.edge()->node->name(), ">"));
    }
    return text + ")";
  }

  const Tensor& x_;
  const Tensor dense_;
  const bool shortened_;
  std::vector<int64_t> shown_;
  std::vector<double> values_;      // of float tensors
  std::vector<std::string> texts_;  // of the shown elements, in order
  size_t width_ = 1;
  size_t next_ = 0;  // the first of texts_ that is not in a block yet
};

}  // namespace

std::string ToString(const Tensor& x) {
  if (!x.defined()) return "tensor(undefined)";
  return Printer(x).Run();
}

std::ostream& operator<<(std::ostream& out, const Tensor& x) { return out << ToString(x); }

}  // namespace lemma
