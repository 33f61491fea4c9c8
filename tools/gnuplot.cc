#include "tools/gnuplot.h"

#include <filesystem>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "nn/atomic_file.h"
#include "tools/subprocess.h"

namespace lemma::tools {
namespace {

absl::StatusOr<std::string> Run(const std::string& script, const std::string& path) {
  // -d: a user's own settings must not change the figure.
  const absl::StatusOr<ProcessResult> result = RunProgram({"gnuplot", "-d", "-"}, script);
  if (absl::IsNotFound(result.status())) {
    return absl::NotFoundError(absl::StrCat(
        "cannot draw ", path, ": gnuplot is missing; install the package gnuplot-nox"));
  }
  if (!result.ok()) return result.status();
  if (result->exit_status != 0 || result->output.empty()) {
    return absl::InternalError(absl::StrCat("cannot draw ", path, ": gnuplot ended with status ",
                                            result->exit_status, ": ", result->errors));
  }
  return result->output;
}

// Both files or none: the second is opened and filled before the first gets its name.
absl::Status WriteBoth(const std::string& path, const std::string& image,
                       const std::string& script) {
  const std::filesystem::path kept = std::filesystem::path(path).replace_extension(".gp");
  absl::StatusOr<nn::AtomicFile> image_file = nn::AtomicFile::Open(path);
  if (!image_file.ok()) return image_file.status();
  absl::StatusOr<nn::AtomicFile> script_file = nn::AtomicFile::Open(kept.string());
  if (!script_file.ok()) return script_file.status();
  const std::string name = std::filesystem::path(path).filename().string();
  const std::string head = absl::StrCat(
      "# A gnuplot program with its data; change it and draw again with: gnuplot THIS_FILE\n",
      "set output ", GnuplotText(name), "\n");
  for (absl::Status written : {image_file->Append(image), script_file->Append(head + script)}) {
    if (!written.ok()) return written;
  }
  if (absl::Status done = script_file->Commit(); !done.ok()) return done;
  return image_file->Commit();
}

}  // namespace

absl::StatusOr<ImageFormat> ImageFormatOf(const std::string& path) {
  if (absl::EndsWith(path, ".svg")) return ImageFormat::kSvg;
  if (absl::EndsWith(path, ".png")) return ImageFormat::kPng;
  return absl::InvalidArgumentError(
      absl::StrCat("cannot draw ", path, ": its name must end in .svg or .png"));
}

// In double quotes, with what is special there by its number in octal. (Single quotes have no such
// numbers, and gnuplot 5.4 misreads a quote at the beginning of such a text.)
std::string GnuplotText(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (absl::StrContains("\"\\`@", c)) {
      absl::StrAppendFormat(&quoted, "\\%03o", static_cast<int>(c));
    } else {
      quoted += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return quoted + "\"";
}

std::string GnuplotTicText(absl::string_view text) {
  return GnuplotText(absl::StrReplaceAll(text, {{"%", "%%"}}));
}

absl::Status DrawScript(const std::string& script, const std::string& path, bool keep) {
  const absl::StatusOr<ImageFormat> format = ImageFormatOf(path);
  if (!format.ok()) return format.status();
  absl::StatusOr<std::string> image = Run(script, path);
  if (!image.ok()) return image.status();
  if (*format == ImageFormat::kSvg) {
    // A matrix is an image of one pixel a cell; cells have edges, so it must not be smoothed.
    *image =
        absl::StrReplaceAll(*image, {{"<image ", "<image style='image-rendering:pixelated' "}});
  }
  if (keep) return WriteBoth(path, *image, script);
  return nn::WriteFileAtomically(path, *image);
}

}  // namespace lemma::tools
