// Reports on disk: a file, or the folder of a run with the report and the probes in it.
#include <algorithm>

#include "tendril/io/atomic_file.hpp"
#include "tendril/plot/report.hpp"

namespace tendril::plot {
namespace {

namespace fs = std::filesystem;

Error no_report(const fs::path& folder) {
  std::error_code fault;
  if (fs::exists(folder / "run.log", fault))
    return {folder.string(),
            "has no report.json: the run is still at work, or was killed; wait for its end, or go on with it by "
            "tendril run --resume"};
  return {folder.string(), "is not the folder of a run: it has no report.json; give what tendril run --out wrote"};
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
  if (folder && !fs::exists(file, fault)) return no_report(path);
  const Result<std::string> text = read_text(file);
  if (!text) return text.error();
  Result<Report> report = parse_report(text.value(), path.string());
  if (!report || !folder) return report;
  if (Status status = read_probes(path / "probes", report.value().probes); !status) return status.error();
  return report;
}

}  // namespace tendril::plot
