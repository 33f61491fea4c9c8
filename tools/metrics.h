// The numbers of a run over time: a file of one JSON object a line.
//
//   {"step":100,"loss":2.4312,"tokens_per_second":45120.5}
//   {"step":100,"val_loss":2.4507}
//
// Each line is handed to the system whole, so a run that is killed loses at most its last line, and
// a reader can follow the file while it grows. JSON has no NaN and no infinity: they are the
// strings "NaN", "Infinity" and "-Infinity" here, and numbers again when read.
#ifndef LEMMA_TOOLS_METRICS_H_
#define LEMMA_TOOLS_METRICS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lemma::tools {

// One line: "step", then the values in the order they were given.
struct MetricsRecord {
  int64_t step = 0;
  std::vector<std::pair<std::string, double>> values;

  std::optional<double> Find(absl::string_view name) const;
};

class MetricsWriter {
 public:
  // Appends to the file, which is made if it is missing. A last line without an end, from a run
  // that was killed, is ended first.
  static absl::StatusOr<MetricsWriter> Open(const std::string& path);

  MetricsWriter(MetricsWriter&& other) noexcept;
  MetricsWriter& operator=(MetricsWriter&& other) noexcept;
  ~MetricsWriter();

  absl::Status Append(const MetricsRecord& record);

 private:
  MetricsWriter() = default;

  std::string path_;
  int descriptor_ = -1;
};

// The line of a record, without a newline. Numbers are the shortest that read back to the same
// value.
std::string FormatMetrics(const MetricsRecord& record);

struct MetricsFile {
  std::vector<MetricsRecord> records;
  // One sentence for each line that is no record, as "line 7: a value is an array"; those lines
  // are left out. A last line without an end is not one of them: it is still being written.
  std::vector<std::string> problems;
};

// Survives any bytes; an error only where the file cannot be read.
absl::StatusOr<MetricsFile> ReadMetrics(const std::string& path);

// ReadMetrics on a text.
MetricsFile ParseMetrics(absl::string_view text);

// Removes the records after `step`, and what is no record, before a run is resumed at that step.
// The file is replaced atomically: open a writer afterwards. A missing file is fine.
absl::Status TruncateMetrics(const std::string& path, int64_t step);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_METRICS_H_
