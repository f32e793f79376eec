#include "tendril/sim/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "tendril/geometry/pose.hpp"
#include "tendril/io/mesh_file.hpp"
#include "tendril/scene/groom_source.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

// Channel names have small letters, digits, _ and - only.
std::string channel_name(const std::string& attribute) {
  std::string name;
  for (const char c : attribute) {
    const char small = char(std::tolower(static_cast<unsigned char>(c)));
    name += (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9') || small == '-' ? small : '_';
  }
  return name.substr(0, 23);
}

// The groom as its only frame. Attributes whose names are in use already stay out.
Frame still_frame(const Groom& groom) {
  constexpr float usual_radius = 40e-6f;  // [m], of a human hair
  Frame frame;
  frame.offsets.assign(groom.curves.offsets.begin(), groom.curves.offsets.end());
  const std::size_t vertices = groom.curves.points.size();
  std::vector<float> positions, radius(vertices, usual_radius);
  for (const Eigen::Vector3d& p : groom.curves.points)
    for (const double c : p) positions.push_back(float(c));
  std::ranges::transform(groom.radius, radius.begin(), [](double r) { return float(r); });
  frame.channels.push_back({"position", PerElement::vertex, 3, std::move(positions)});
  frame.channels.push_back({"radius", PerElement::vertex, 1, std::move(radius)});
  for (const GroomAttribute& attribute : groom.attributes) {
    const std::string name = channel_name(attribute.name);
    if (name.empty() || name == "offset" || frame.channel(name) != nullptr || attribute.components > 16) continue;
    if (frame.channels.size() == 60) break;  // a file may have more attributes than a frame has channels
    frame.channels.push_back({name, attribute.per_vertex ? PerElement::vertex : PerElement::strand,
                              std::uint32_t(attribute.components),
                              std::vector<float>(attribute.values.begin(), attribute.values.end())});
  }
  return frame;
}

}  // namespace

Result<Recording> Recording::open(const fs::path& path, const RecordingOptions& options) {
  std::error_code fault;
  if (!fs::exists(path, fault)) return Error{path.string(), "does not exist; give the folder of a run or a groom file"};
  const bool is_run = fs::is_directory(path, fault) || path.extension() == ".tendril";
  if (is_run && (options.scale || options.up))
    return Error{path.string(), "is of a run, in metres with y up; scale and up are for groom files"};
  Recording recording;
  recording.path_ = path;
  if (fs::is_directory(path, fault)) {
    recording.index_ = read_cache_index(path);
    recording.refresh();
    if (recording.frames_.empty())
      return Error{path.string(), "holds no frames of a run; `tendril run SCENE --out FOLDER` makes some"};
    const Result<Frame> first = read_frame(recording.frame_path(recording.frames_.front()));
    if (!first) return first.error();
    recording.offsets_ = first.value().offsets;
    if (Result<Frame> rest = read_frame(path / rest_name); rest && rest.value().offsets == recording.offsets_)
      recording.rest_ = std::move(rest.value());
  } else if (path.extension() == ".tendril") {
    Result<Frame> frame = read_frame(path);
    if (!frame) return frame.error();
    recording.index_.name = path.stem().string();
    recording.still_ = std::move(frame.value());
  } else {
    Result<LoadedGroom> groom = load_groom({path, options.scale, options.up});
    if (!groom) return groom.error();
    recording.index_.name = path.stem().string();
    recording.still_ = still_frame(groom.value().groom);
    recording.notes_ = groom.value().assumptions;
    if (groom.value().repairs.any()) recording.notes_.push_back(groom.value().repairs.text());
  }
  if (recording.still_) {
    recording.frames_ = {recording.still_->number};
    recording.offsets_ = recording.still_->offsets;
  }
  recording.index_.sets = fitting_sets(recording.index_.sets, recording.offsets_.size() - 1);
  return recording;
}

void Recording::refresh() {
  if (!still_) frames_ = frame_numbers(path_);
}

Result<Frame> Recording::frame(int number) const {
  if (std::ranges::find(frames_, number) == frames_.end())
    return Error{path_.string(),
                 fmt::format("has no frame {}; there are {} to {}", number, frames_.front(), frames_.back())};
  if (still_) return *still_;
  Result<Frame> frame = read_frame(frame_path(number));
  if (frame && frame.value().offsets != offsets_)
    return Error{frame_path(number).string(), "has other strands than the first frame"};
  return frame;
}

Result<std::optional<Frame>> Recording::shutter_frame(int number) const {
  const fs::path path = path_ / shutter_name(number);
  std::error_code fault;
  if (still_ || index_.shutter == 0.0 || !fs::exists(path, fault)) return std::optional<Frame>{};
  Result<Frame> frame = read_frame(path);
  if (!frame) return frame.error();
  if (frame.value().offsets != offsets_) return Error{path.string(), "has other strands than the first frame"};
  return std::optional(std::move(frame.value()));
}

Result<TriangleMesh> Recording::body_mesh(std::size_t body) const {
  return read_triangle_mesh(path_ / index_.bodies[body].file);
}

Result<TriangleMesh> posed(const TriangleMesh& drawn, std::size_t body, bool deforms, const Frame& frame) {
  const Error wrong{fmt::format("frame {}", frame.number),
                    fmt::format("does not have the points or the pose of body {}", body)};
  TriangleMesh mesh = drawn;
  if (deforms) {
    const Channel* channel = frame.channel(fmt::format("body_points_{}", body));
    const auto* values = channel == nullptr ? nullptr : std::get_if<std::vector<float>>(&channel->values);
    if (values == nullptr || values->size() != 3 * mesh.points.size()) return wrong;
    for (std::size_t i = 0; i < mesh.points.size(); ++i)
      mesh.points[i] = {(*values)[3 * i], (*values)[3 * i + 1], (*values)[3 * i + 2]};
    return mesh;
  }
  const Channel* channel = frame.channel("body_pose");
  const auto* values = channel == nullptr ? nullptr : std::get_if<std::vector<double>>(&channel->values);
  if (values == nullptr || values->size() < 7 * (body + 1)) return wrong;
  const double* p = values->data() + 7 * body;
  const Pose pose{Eigen::Quaterniond(p[3], p[4], p[5], p[6]).normalized(), {p[0], p[1], p[2]}};
  for (Eigen::Vector3d& point : mesh.points) point = apply(pose, point);
  return mesh;
}

}  // namespace tendril
