// Programs for gnuplot: texts that cannot become commands, and drawing what a program describes.
//
//   std::string script = absl::StrCat("set terminal svg\nset title ", GnuplotText(title), "\n",
//   ...); absl::Status status = DrawScript(script, "runs/course-1/loss.svg", /*keep=*/false);
#ifndef LEMMA_TOOLS_GNUPLOT_H_
#define LEMMA_TOOLS_GNUPLOT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lemma::tools {

enum class ImageFormat { kSvg, kPng };

// By the end of the name, .svg or .png; else an error that says so.
absl::StatusOr<ImageFormat> ImageFormatOf(const std::string& path);

// A string constant that is `text` to gnuplot, whatever is in it; control characters are spaces.
std::string GnuplotText(absl::string_view text);
// The same for the label of a tic, where gnuplot would read % as a format.
std::string GnuplotTicText(absl::string_view text);

// Runs a program, which writes an image to its standard output, and puts the image at `path`,
// replaced atomically. With `keep` the program is put beside it (FILE.gp for FILE.png), ready to be
// changed and run again: gnuplot FILE.gp. Where anything goes wrong neither file is touched.
// Without gnuplot the error is kNotFound with the name of the package to install.
absl::Status DrawScript(const std::string& script, const std::string& path, bool keep);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_GNUPLOT_H_
