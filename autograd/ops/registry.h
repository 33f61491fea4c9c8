// The table of all ops. Who adds an op adds its record here; the tests of tests/every_op run over
// it.
#ifndef LEMMA_AUTOGRAD_OPS_REGISTRY_H_
#define LEMMA_AUTOGRAD_OPS_REGISTRY_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "autograd/op.h"

namespace lemma {

// Every op, family by family.
absl::Span<const OpDef* const> AllOps();

// The op of that name, such as "matmul"; null if there is none.
const OpDef* FindOp(absl::string_view name);

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_REGISTRY_H_
