#include "autograd/recompute.h"

#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "autograd/node.h"
#include "autograd/random.h"

namespace lemma {
namespace {

thread_local bool replaying = false;

// The values that one call of Recompute did not keep, and how to get them back.
class Replay : public SavedValues, public GeneratorObserver {
 public:
  Replay(std::function<TensorList(const TensorList&)> fn, const TensorList& inputs)
      : fn_(std::move(fn)) {
    for (const Tensor& input : inputs) {
      inputs_.push_back(SavedTensor::Of(input));
      needs_grad_.push_back(input.requires_grad());
    }
  }

  TensorList RunFirst(const TensorList& inputs) { return RunInScope(inputs); }

  int Record(const Tensor& value) override {
    if (!filling_) {
      values_.emplace_back();
      return static_cast<int>(values_.size()) - 1;
    }
    if (filled_ < values_.size()) values_[filled_] = value.Detach();
    ++filled_;
    return -1;  // of the graph of the second run, which nobody walks
  }

  Tensor Value(int slot) override {
    if (!values_[slot].defined()) RunAgain();
    return values_[slot];
  }

  void Release(int slot) override {
    if (slot >= 0) values_[slot] = Tensor();
  }

  void BeforeDraw(Generator& generator) override {
    for (Draws& draws : draws_) {
      if (draws.generator != &generator) continue;
      if (filling_ && !draws.in_place) {
        draws.in_place = true;
        std::swap(generator, draws.state);
      }
      return;
    }
    if (!filling_) draws_.push_back({&generator, generator, false});
  }

 private:
  // A generator and the state it had at its first draw; while the function runs again, that state
  // is in its place and its own is kept here.
  struct Draws {
    Generator* generator;
    Generator state;
    bool in_place;
  };

  TensorList RunInScope(const TensorList& inputs) {
    SavedValues::Scope values(this);
    GeneratorObserver::Scope draws(this);
    return fn_(inputs);
  }

  void RunAgain() {
    TensorList inputs;
    {
      NoGrad no_grad;
      for (size_t i = 0; i < inputs_.size(); ++i) {
        inputs.push_back(inputs_[i].Unpack("recompute", nullptr).Detach());
        // A handle of its own, so that the user's tensor does not become a leaf.
        const Tensor& x = inputs.back();
        inputs.back() = Tensor::View(x.storage(), x.dtype(), x.shape(), x.strides(), x.offset());
        inputs.back().SetRequiresGrad(needs_grad_[i]);
      }
    }
    std::vector<Generator> starts;
    for (const Draws& draws : draws_) starts.push_back(draws.state);
    filling_ = true;
    filled_ = 0;
    const bool was_replaying = std::exchange(replaying, true);
    const absl::Cleanup restore = [&] {
      for (size_t i = 0; i < draws_.size(); ++i) {
        if (draws_[i].in_place) *draws_[i].generator = draws_[i].state;
        draws_[i].state = starts[i];
        draws_[i].in_place = false;
      }
      filling_ = false;
      replaying = was_replaying;
    };
    EnableGrad enable_grad;
    internal::RecordingVjpScope not_in_vjp(false);
    RunInScope(inputs);
    if (filled_ != values_.size()) {
      Fail("recompute", "the function saved ", values_.size(), " tensors at first and ", filled_,
           " when it ran again; it must compute the same each time");
    }
  }

  const std::function<TensorList(const TensorList&)> fn_;
  std::vector<SavedTensor> inputs_;
  std::vector<bool> needs_grad_;
  std::vector<Tensor> values_;  // by slot; undefined while not needed
  std::vector<Draws> draws_;
  bool filling_ = false;
  size_t filled_ = 0;
};

}  // namespace

TensorList Recompute(std::function<TensorList(const TensorList&)> fn, const TensorList& inputs) {
  if (!fn) Fail("recompute", "fn: the function is empty; pass one");
  if (!IsGradEnabled()) return fn(inputs);
  auto* replay = new Replay(std::move(fn), inputs);
  // Whatever the function saves shares the replay; it goes with the last of them.
  const Ref<SavedValues> owner(replay);
  return replay->RunFirst(inputs);
}

bool IsReplaying() { return replaying; }

}  // namespace lemma
