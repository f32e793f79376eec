#include "tendril/scene/mesh_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>
#include <utility>

#include "tendril/base/parallel.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/mesh_file.hpp"
#include "tendril/io/numbered_name.hpp"
#include "tendril/io/pc2_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector3d;
using Eigen::Vector3f;

// "head_####.obj" around its run of #.
struct Pattern {
  std::string before, after;
  std::size_t digits = 0;  // at least
};

struct NumberedFile {
  std::uint64_t number = 0;
  fs::path path;
};

Result<Pattern> parse_pattern(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::size_t begin = name.find('#'), end = std::min(name.find_first_not_of('#', begin), name.size());
  if (name.find('#', end) != std::string::npos)
    return Error{path.string(), "has # at two places; one run of # stands for the frame's number, as in head_####.obj"};
  return Pattern{name.substr(0, begin), name.substr(end), end - begin};
}

std::string numbered(const Pattern& pattern, std::uint64_t number) {
  return fmt::format("{}{:0{}}{}", pattern.before, number, pattern.digits, pattern.after);
}

// The number in a name that fits the pattern.
std::optional<std::uint64_t> frame_number(const Pattern& pattern, std::string_view name) {
  constexpr std::size_t most_digits = 18;  // so that every number and the one after it fit
  if (name.size() < pattern.before.size() + pattern.digits + pattern.after.size()) return std::nullopt;
  if (!name.starts_with(pattern.before) || !name.ends_with(pattern.after)) return std::nullopt;
  name = name.substr(pattern.before.size(), name.size() - pattern.before.size() - pattern.after.size());
  if (name.size() > most_digits || name.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::uint64_t number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

Result<std::vector<NumberedFile>> matching_files(const fs::path& path, const Pattern& pattern) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<NumberedFile> files;
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    const auto number = frame_number(pattern, entry->path().filename().string());
    std::error_code ignored;
    if (number && !entry->is_directory(ignored))
      files.push_back({*number, path.parent_path() / entry->path().filename()});
  }
  if (fault) return Error{folder.string(), fmt::format("cannot be searched for frames: {}", fault.message())};
  std::ranges::sort(files, {}, [](const NumberedFile& file) { return std::pair(file.number, file.path); });
  return files;
}

Result<std::vector<NumberedFile>> find_frames(const fs::path& path) {
  const auto pattern = parse_pattern(path);
  if (!pattern) return pattern.error();
  auto found = matching_files(path, pattern.value());
  if (!found) return found.error();
  const std::vector<NumberedFile>& files = found.value();
  if (files.empty())
    return Error{path.string(),
                 fmt::format("no file has such a name; the first frame could be {}", numbered(pattern.value(), 1))};
  for (std::size_t f = 1; f < files.size(); ++f) {
    const NumberedFile &before = files[f - 1], &file = files[f];
    if (file.number == before.number)
      return Error{file.path.string(), fmt::format("is frame {} a second time, besides {}; remove one of them",
                                                   file.number, before.path.filename().string())};
    if (file.number != before.number + 1)
      return Error{(path.parent_path() / numbered(pattern.value(), before.number + 1)).string(),
                   fmt::format("is missing between {} and {}; a sequence has no gaps", before.path.filename().string(),
                               file.path.filename().string())};
  }
  if (files.size() == 1)
    return Error{files[0].path.string(), "is the only frame, and one frame does not move; a sequence has two or more"};
  return found;
}

struct ToMetres {
  double scale = 1.0;
  UpAxis up = UpAxis::y;

  Vector3f apply(const Vector3d& p) const {
    return (scale * (up == UpAxis::z ? Vector3d(p.x(), p.z(), -p.y()) : p)).cast<float>();
  }
};

// Points of one frame in metres; `where` names file and frame.
template <class PointAt>
Result<std::vector<Vector3f>> convert(std::size_t count, const PointAt& point_at, const ToMetres& to_metres,
                                      const std::string& where) {
  std::vector<Vector3f> points(count);
  for (std::size_t p = 0; p < count; ++p) {
    points[p] = to_metres.apply(point_at(p));
    if (!points[p].allFinite())
      return Error{fmt::format("{}, point {}", where, p),
                   fmt::format("a coordinate is not a finite number below {:.2g} m", 3.4e38)};
  }
  return points;
}

Result<std::vector<Vector3f>> convert(const TriangleMesh& mesh, const NumberedFile& file, const ToMetres& to_metres) {
  return convert(
      mesh.points.size(), [&](std::size_t p) { return mesh.points[p]; }, to_metres,
      fmt::format("{}: frame {}", file.path.string(), file.number));
}

bool is_stl(const fs::path& path) {
  const std::string extension = path.extension().string();
  return std::ranges::equal(extension, std::string_view(".stl"),
                            [](char c, char s) { return c == s || c == s - 'a' + 'A'; });
}

Status check_same(const TriangleMesh& first, const TriangleMesh& mesh, const NumberedFile& first_file,
                  const NumberedFile& file) {
  const std::string first_name = first_file.path.filename().string();
  const char* const remedy = is_stl(file.path)
                                 ? "in an .stl points that meet become one, so write the frames as .obj or .ply"
                                 : "every frame needs the points and faces of the first, in the same order";
  if (mesh.points.size() != first.points.size())
    return Error{file.path.string(), fmt::format("has {} points, but {} has {}; {}", mesh.points.size(), first_name,
                                                 first.points.size(), remedy)};
  if (mesh.triangles != first.triangles)
    return Error{file.path.string(), fmt::format("has other triangles than {}; {}", first_name, remedy)};
  return ok();
}

Status read_frame(const NumberedFile& file, const NumberedFile& first_file, const TriangleMesh& first,
                  const ToMetres& to_metres, std::vector<Vector3f>& points) {
  const auto mesh = read_triangle_mesh(file.path);
  if (!mesh) return mesh.error();
  if (auto same = check_same(first, mesh.value(), first_file, file); !same) return same;
  auto converted = convert(mesh.value(), file, to_metres);
  if (!converted) return converted.error();
  points = std::move(converted.value());
  return ok();
}

Status read_numbered_frames(const fs::path& path, const ToMetres& to_metres, MeshSequence& sequence) {
  const auto found = find_frames(path);
  if (!found) return found.error();
  const std::vector<NumberedFile>& files = found.value();
  auto first = read_triangle_mesh(files[0].path);
  if (!first) return first.error();
  sequence.frames.resize(files.size());
  std::vector<Status> statuses(files.size(), ok());
  parallel_for(files.size(), [&](std::size_t f) {
    statuses[f] = read_frame(files[f], files[0], first.value(), to_metres, sequence.frames[f]);
  });
  for (const Status& status : statuses)
    if (!status) return status;
  sequence.triangles = std::move(first.value().triangles);
  return ok();
}

Result<PointCache> read_point_cache(const fs::path& path) {
  const auto bytes = read_bytes(path);
  if (!bytes) return bytes.error();
  return read_pc2(bytes.value(), path.string());
}

Status check_cache(const PointCache& cache, const fs::path& path, const TriangleMesh& mesh, const fs::path& mesh_path) {
  if (static_cast<std::size_t>(cache.points) != mesh.points.size())
    return Error{path.string(), fmt::format("has {} points, but {} has {}; both must be of the same mesh", cache.points,
                                            mesh_path.string(), mesh.points.size())};
  if (cache.sample_count() < 2)
    return Error{path.string(), fmt::format("has {} sample; a mesh moves if there are two or more",
                                            cache.sample_count() == 0 ? "no" : "one")};
  if (!(cache.rate > 0.0f))
    return Error{path.string(),
                 fmt::format("has {} frames from one sample to the next; there must be more than 0", cache.rate)};
  return ok();
}

Status read_cached_frames(const fs::path& mesh_path, const fs::path& path, const ToMetres& to_metres,
                          MeshSequence& sequence) {
  if (is_stl(mesh_path))
    return Error{mesh_path.string(), "an .stl does not number its points as a .pc2 does; write the mesh as .obj"};
  auto mesh = read_triangle_mesh(mesh_path);
  if (!mesh) return mesh.error();
  const auto read = read_point_cache(path);
  if (!read) return read.error();
  const PointCache& cache = read.value();
  if (auto good = check_cache(cache, path, mesh.value(), mesh_path); !good) return good;
  for (std::size_t s = 0; s < cache.sample_count(); ++s) {
    const std::size_t count = mesh.value().points.size();
    const float* const sample = cache.samples.data() + 3 * count * s;
    auto points = convert(
        count, [&](std::size_t p) { return Eigen::Map<const Vector3f>(sample + 3 * p).cast<double>().eval(); },
        to_metres, fmt::format("{}: sample {}", path.string(), s));
    if (!points) return points.error();
    sequence.frames.push_back(std::move(points.value()));
  }
  sequence.fps /= static_cast<double>(cache.rate);
  sequence.triangles = std::move(mesh.value().triangles);
  return ok();
}

Status check_request(const MeshSequenceRequest& request) {
  const auto refuse = [&](const std::string& what) { return Error{request.mesh.string(), what}; };
  const auto positive = [](double x) { return x > 0.0 && std::isfinite(x); };
  if (!positive(request.fps))
    return refuse(fmt::format("{} frames per second; they must be a finite number above 0", request.fps));
  if (request.scale && !positive(*request.scale))
    return refuse(fmt::format("{} metres per unit; they must be a finite number above 0", *request.scale));
  if (!std::isfinite(request.start))
    return refuse(fmt::format("{} s is not a time at which the sequence could start", request.start));
  if (is_numbered(request.mesh) && request.points)
    return refuse(fmt::format("has # for a frame's number, so {} would move its points twice; leave out one of them",
                              request.points->string()));
  if (!is_numbered(request.mesh) && !request.points)
    return refuse(
        "is one mesh, which does not move; write # for the digits of the frame's number, as in head_####.obj, or add "
        "the .pc2 file that moves its points");
  return ok();
}

}  // namespace

FrameTime MeshSequence::frame_time(double time) const {
  const double position = (time - start) * fps;  // [frames]
  if (!(position > 0.0)) return {};
  if (position >= static_cast<double>(frames.size() - 1)) return {frames.size() - 1, 0.0};
  const double whole = std::floor(position);
  return {static_cast<std::size_t>(whole), position - whole};
}

Vector3d MeshSequence::point(std::size_t vertex, const FrameTime& time) const {
  const Vector3d here = frames[time.frame][vertex].cast<double>();
  if (time.along == 0.0) return here;
  return here + time.along * (frames[time.frame + 1][vertex].cast<double>() - here);
}

std::vector<Vector3d> MeshSequence::points_at(double time) const {
  const FrameTime at = frame_time(time);
  std::vector<Vector3d> points(frames[at.frame].size());
  for (std::size_t v = 0; v < points.size(); ++v) points[v] = point(v, at);
  return points;
}

Result<std::shared_ptr<const MeshSequence>> read_mesh_sequence(const MeshSequenceRequest& request) {
  if (const auto good = check_request(request); !good) return good.error();
  auto sequence = std::make_shared<MeshSequence>();
  sequence->name = request.mesh.string();
  sequence->fps = request.fps;
  sequence->start = request.start;
  const ToMetres to_metres{request.scale.value_or(1.0), request.up};
  const auto done = request.points ? read_cached_frames(request.mesh, *request.points, to_metres, *sequence)
                                   : read_numbered_frames(request.mesh, to_metres, *sequence);
  if (!done) return done.error();
  return std::shared_ptr<const MeshSequence>(std::move(sequence));
}

}  // namespace tendril
