#include "tendril/serve/run_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>

#include "tendril/io/folder_lock.hpp"
#include "tendril/io/ply_file.hpp"
#include "tendril/sim/run.hpp"

namespace tendril::serve {
namespace {

namespace fs = std::filesystem;
constexpr const char *report_name = "report.json", *probes_name = "probes", *csv = ".csv";

// A file that grows line by line, without a line that is not whole yet.
Content whole_lines(InnerFile file) {
  std::string end(std::min<std::uint64_t>(file.size(), 4096), '\0');
  const std::uint64_t from = file.size() - end.size();
  const std::size_t newline = file.read(from, end) ? end.rfind('\n') : std::string::npos;
  const std::uint64_t size = newline == std::string::npos ? 0 : from + newline + 1;
  return {std::move(file), size};
}

class RecordedRun : public RunSource {
 public:
  static Result<std::unique_ptr<RunSource>> open(const fs::path& path, const RecordingOptions& options) {
    auto run = std::unique_ptr<RecordedRun>(new RecordedRun(path, options));
    if (Status status = run->reopen(); !status) return status.error();
    return std::unique_ptr<RunSource>(std::move(run));
  }

  RunFacts facts() override {
    const std::lock_guard lock(mutex_);
    refresh();
    return facts_;
  }

  Result<Content> frame(int number) override {
    const std::lock_guard lock(mutex_);
    if (recording_->still() && number == recording_->still()->number) return still_;
    if (!knows(number)) recording_->refresh();  // it may have been written since
    if (!knows(number) || recording_->still()) return Error{path_.string(), fmt::format("has no frame {}", number)};
    return file(frame_name(number));
  }

  Result<Content> rest() override {
    const std::lock_guard lock(mutex_);
    if (!recording_->rest()) return Error{path_.string(), "has nothing that holds for all frames"};
    return file(rest_name);
  }

  Result<Content> body(std::size_t index) override {
    const std::lock_guard lock(mutex_);
    if (index >= recording_->bodies().size()) return Error{path_.string(), fmt::format("has no body {}", index)};
    const std::string& name = recording_->bodies()[index].file;
    const Result<InnerFile> opened = InnerFile::open(path_, name);
    if (!opened) return opened.error();
    Mesh& known = meshes_[index];
    if (known.tag == opened.value().tag()) return known.content;
    const Result<std::string> bytes = opened.value().text(largest_mesh);
    if (!bytes) return Error{name, bytes.error().what};
    const Result<TriangleMesh> mesh = read_ply_mesh(std::as_bytes(std::span(bytes.value())), name);
    if (!mesh) return mesh.error();
    known = {opened.value().tag(), Content::with_tag(mesh_bytes(mesh.value()))};
    return known.content;
  }

  Result<Content> records() override { return lines(records_name); }

  Result<Content> probe(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    const std::vector<std::string> known = probe_names();
    const auto found = std::ranges::find(known, name);
    if (found == known.end()) return Error{path_.string(), "has no probe of this name"};
    return lines(fs::path(probes_name) / (*found + csv));
  }

  Result<Content> report() override {
    const std::lock_guard lock(mutex_);
    refresh();
    if (!is_folder() || facts_.in_progress) return Error{path_.string(), "has no report yet"};
    return file(report_name);
  }

 private:
  RecordedRun(const fs::path& path, const RecordingOptions& options) : path_(path), options_(options) {}

  bool is_folder() const {
    std::error_code fault;
    return fs::is_directory(path_, fault);
  }
  bool knows(int number) const { return std::ranges::binary_search(recording_->frames(), number); }

  Result<Content> file(const fs::path& name) const {
    Result<InnerFile> opened = InnerFile::open(path_, name);
    if (!opened) return opened.error();
    return Content(std::move(opened.value()));
  }
  Result<Content> lines(const fs::path& name) const {
    Result<InnerFile> opened = InnerFile::open(path_, name);
    if (!opened) return opened.error();
    return whole_lines(std::move(opened.value()));
  }

  std::vector<std::string> probe_names() const {
    std::vector<std::string> names;
    std::error_code fault;
    for (const fs::directory_entry& entry : fs::directory_iterator(path_ / probes_name, fault))
      if (entry.path().extension() == csv && InnerFile::open(path_, fs::path(probes_name) / entry.path().filename()))
        names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
  }

  // rest.tendril is written once by each run: another one means that another run is in the folder. cache.json follows
  // the first frame.
  std::string run_tag() const {
    const Result<InnerFile> rest = InnerFile::open(path_, rest_name);
    const bool has_index = bool(InnerFile::open(path_, cache_index_name));
    return (rest ? rest.value().tag() : "") + (has_index ? "+" : "-");
  }

  Status reopen() {
    const std::string tag = run_tag();
    Result<Recording> opened = Recording::open(path_, options_);
    if (!opened) return opened.error();
    const Recording& recording = opened.value();
    const Result<Frame> first = recording.frame(recording.frames().front());
    if (!first) return first.error();
    if (recording.still()) {
      const Result<std::vector<std::byte>> bytes = encode_frame(*recording.still(), path_.string());
      if (!bytes) return bytes.error();
      still_ = Content::with_tag(bytes.value());
    }
    recording_ = std::move(opened.value());
    run_tag_ = tag;
    meshes_.assign(recording_->bodies().size(), {});
    facts_ = {};
    facts_.name = recording_->name(), facts_.path = path_.string(), facts_.fps = recording_->fps();
    facts_.strands = first.value().offsets.size() - 1, facts_.vertices = first.value().offsets.back();
    facts_.sets = recording_->sets();
    for (const CacheBody& body : recording_->bodies()) facts_.bodies.push_back({body.name, body.deforms});
    facts_.rest = recording_->rest().has_value();
    facts_.channels = channel_facts(first.value());
    if (facts_.rest) facts_.rest_channels = channel_facts(*recording_->rest());
    facts_.colours = render::colour_quantities(first.value(), facts_.rest ? &*recording_->rest() : nullptr);
    ask_disk();
    return ok();
  }

  // Asking the disk at most four times a second.
  void refresh() {
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < std::chrono::milliseconds(250)) return;
    asked_ = now;
    if (!recording_->still() && run_tag() != run_tag_)
      if (reopen()) return;  // else what is known of the run before stays
    ask_disk();
  }

  void ask_disk() {
    recording_->refresh();
    facts_.frames = recording_->frames();
    facts_.notes = recording_->notes();
    facts_.stopped.clear();
    if (!is_folder()) return;
    facts_.records = bool(InnerFile::open(path_, records_name));
    facts_.probes = probe_names();
    facts_.in_progress = FolderLock::is_held(path_);
    facts_.report = !facts_.in_progress && read_report();
  }

  // Why the run stopped, and its notes.
  bool read_report() {
    const Result<InnerFile> opened = InnerFile::open(path_, report_name);
    if (!opened) return false;
    if (opened.value().tag() != report_tag_) {
      const Result<std::string> text = opened.value().text(1 << 28);
      report_ = nlohmann::json::parse(text ? text.value() : "", nullptr, false);
      report_tag_ = opened.value().tag();
    }
    if (!report_.is_object()) return true;
    if (report_.contains("stopped") && report_["stopped"].is_string()) facts_.stopped = report_["stopped"];
    if (report_.contains("notes") && report_["notes"].is_array())
      for (const nlohmann::json& note : report_["notes"])
        if (note.is_string()) facts_.notes.push_back(note);
    return true;
  }

  const fs::path path_;
  const RecordingOptions options_;
  std::mutex mutex_;
  std::optional<Recording> recording_;
  Content still_;
  RunFacts facts_;
  struct Mesh {
    std::string tag;  // of the file that it was read from
    Content content;
  };
  static constexpr std::uint64_t largest_mesh = 1 << 30;  // [bytes]

  std::string run_tag_, report_tag_;
  std::vector<Mesh> meshes_;  // of the bodies that were asked for
  nlohmann::json report_;
  std::chrono::steady_clock::time_point asked_;
};

}  // namespace

Result<std::unique_ptr<RunSource>> open_run(const fs::path& path, const RecordingOptions& options) {
  return RecordedRun::open(path, options);
}

std::vector<std::byte> mesh_bytes(const TriangleMesh& mesh) {
  std::vector<std::byte> out;
  const auto add = [&](auto number) {
    const auto bytes = std::as_bytes(std::span(&number, 1));
    out.insert(out.end(), bytes.begin(), bytes.end());
  };
  out.reserve(8 + 12 * (mesh.points.size() + mesh.triangles.size()));
  add(std::uint32_t(mesh.points.size())), add(std::uint32_t(mesh.triangles.size()));
  for (const Eigen::Vector3d& point : mesh.points)
    for (const double c : point) add(float(c));
  for (const auto& triangle : mesh.triangles)
    for (const auto corner : triangle) add(std::uint32_t(corner));
  return out;
}

}  // namespace tendril::serve
