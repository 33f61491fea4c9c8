// Reading NumPy's .npz and .npy: what numpy.savez, savez_compressed and save write.
//
//   absl::StatusOr<Values> arrays = ParseNpz(bytes);   // arr.npy in the archive is "arr"
//
// Arrays of float32, float64, int32, int64 and bool, little endian, in C or Fortran order. Any
// bytes may be given: what is no such file is refused with a sentence, and no file makes the reader
// take more than 256 MiB. numpy.lib.format; PKWARE's APPNOTE.TXT.
#ifndef LEMMA_TOOLS_GRADING_NPZ_H_
#define LEMMA_TOOLS_GRADING_NPZ_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

absl::StatusOr<Values> ParseNpz(absl::string_view bytes);
absl::StatusOr<Tensor> ParseNpy(absl::string_view bytes);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_NPZ_H_
