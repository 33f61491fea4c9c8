// Recomputation: less memory for more time.
#ifndef LEMMA_AUTOGRAD_RECOMPUTE_H_
#define LEMMA_AUTOGRAD_RECOMPUTE_H_

#include <functional>

#include "autograd/tensor.h"

namespace lemma {

// fn(inputs), without keeping what fn's ops save for the gradient: a backward walk that needs it
// runs fn once more.
//
//   x = Recompute([&](const TensorList& in) { return TensorList{block(in[0])}; }, {x})[0];
//
// The graph is the true one, so captured parameters get their gradients, and Grad, create_graph
// and nested calls work as without it; values and gradients are the same to the bit. fn must
// compute the same each time that it is called, on the thread that walks. A generator that fn draws
// from starts again where it stood at the first draw, and afterwards stands where it stood before;
// it must live as long as the graph.
TensorList Recompute(std::function<TensorList(const TensorList&)> fn, const TensorList& inputs);

// Whether this thread runs a function again for Recompute. What has side effects, such as running
// statistics, leaves them out then.
bool IsReplaying();

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_RECOMPUTE_H_
