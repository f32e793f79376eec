// Reports on disk: a file, or the folder of a run with the report and the probes in it.
#include <algorithm>

#include "tendril/io/atomic_file.hpp"
#include "tendril/plot/report.hpp"

namespace tendril::plot {
namespace {

namespace fs = std::filesystem;

Error no_report(const fs::path& folder) {
  return {folder.string(),
          "is not the folder of a run: it has no report.json and no records.csv; give what tendril run --out wrote"};
}

// A run in progress, or one that was killed, has no report yet, but records of its frames so far.
Result<Report> read_records(const fs::path& folder) {
  const Result<std::string> text = read_text(folder / "records.csv");
  if (!text) return no_report(folder);
  Report report;
  report.file = folder.string();
  report.texts = {{"command", "run"}, {"name", folder.filename().string()}};
  report.notes = {"The run is still at work, or was killed: this is as far as it has come."};
  for (ProbeColumns::Column& column : parse_probe(text.value(), "records").columns)
    report.frames.emplace_back(std::move(column.name), std::move(column.values));
  return report;
}

Status read_probes(const fs::path& folder, std::vector<ProbeColumns>& probes) {
  std::vector<fs::path> files;
  std::error_code fault;  // there may be no probes
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, fault))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    const Result<std::string> text = read_text(file);
    if (!text) return text.error();
    probes.push_back(parse_probe(text.value(), file.stem().string()));
  }
  return ok();
}

}  // namespace

Result<Report> read_report(const fs::path& path) {
  std::error_code fault;
  const bool folder = fs::is_directory(path, fault);
  const fs::path file = folder ? path / "report.json" : path;
  const auto read = [&]() -> Result<Report> {
    if (folder && !fs::exists(file, fault)) return read_records(path);
    const Result<std::string> text = read_text(file);
    if (!text) return text.error();
    return parse_report(text.value(), path.string());
  };
  Result<Report> report = read();
  if (!report || !folder) return report;
  if (Status status = read_probes(path / "probes", report.value().probes); !status) return status.error();
  return report;
}

}  // namespace tendril::plot
