#include "tendril/render/picture.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "tendril/io/mesh_file.hpp"
#include "tendril/io/numbered_name.hpp"
#include "tendril/render/colour_quantity.hpp"
#include "tendril/render/path_tracer.hpp"
#include "tendril/render/sampler.hpp"

namespace tendril::render {
namespace {

using Eigen::Vector3f;

constexpr float hair_radius = 0.25e-3f;  // [m]; what is thicker is a rod

Result<std::vector<Vector3f>> positions(const Frame& frame) {
  const Channel* channel = frame.channel("position");
  const auto* values = channel == nullptr ? nullptr : std::get_if<std::vector<float>>(&channel->values);
  if (values == nullptr || channel->per != PerElement::vertex || channel->components != 3)
    return Error{fmt::format("frame {}", frame.number), "has no positions of three f32 per vertex"};
  std::vector<Vector3f> out;
  out.reserve(values->size() / 3);
  for (std::size_t i = 0; i < values->size(); i += 3) {
    out.emplace_back((*values)[i], (*values)[i + 1], (*values)[i + 2]);
    if (!(out.back().cwiseAbs().maxCoeff() < 1e15f))  // its square is to be finite, too
      return Error{fmt::format("frame {}", frame.number),
                   fmt::format("the position of vertex {} cannot be drawn: it is not finite, or too far away", i / 3)};
  }
  return out;
}

std::vector<float> radii(const Frame& frame) {
  const Channel* channel = frame.channel("radius");
  const auto* values = channel == nullptr ? nullptr : std::get_if<std::vector<float>>(&channel->values);
  if (values == nullptr || channel->per != PerElement::vertex || channel->components != 1)
    return std::vector<float>(frame.offsets.back(), 40e-6f);
  std::vector<float> out = *values;
  for (float& radius : out) radius = radius >= 0.0f && radius < 1e15f ? radius : 0.0f;  // else it is not seen
  return out;
}

float median(std::vector<float> values) {
  if (values.empty()) return 0.0f;
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// A head has some 100 000 hairs. Fewer stand for them by being thicker, up to where they would look like wire; and a
// few strands alone are to be seen at all.
float thickness_for(std::size_t strands, float radius, float pixel) {
  constexpr std::size_t few = 100;
  const float visible = 1.5f * pixel / std::max(radius, 1e-9f);
  if (strands <= few) return std::max(1.0f, visible);
  return std::clamp(std::sqrt(40000.0f / float(strands)), 1.0f, 3.0f);
}

// [m], what one covers in the middle of the picture.
float pixel_size(const Camera& camera, int height) {
  return (camera.eye - camera.target).norm() * 2.0f * std::tan(0.5f * camera.field_of_view) / float(height);
}

// A number from the strand's place alone, the same in all frames.
float strand_chance(std::size_t strand, std::uint32_t purpose) {
  return float(mixed(std::uint32_t(strand), purpose) >> 8) * 0x1p-24f;
}

// Hairs of a head are not alike.
Rgb hair_absorption(const Melanin& melanin, std::size_t strand) {
  const float darker = std::exp(0.35f * (2.0f * strand_chance(strand, 1) - 1.0f));
  const float redder = std::exp(0.25f * (2.0f * strand_chance(strand, 2) - 1.0f));
  return absorption({melanin.eumelanin * darker, melanin.pheomelanin * darker * redder});
}

// Colours for rods: told apart by people who do not see red or green.
Rgb rod_colour(std::size_t set, std::size_t strand) {
  static const Rgb colours[] = {{0.02f, 0.10f, 0.30f}, {0.50f, 0.13f, 0.01f}, {0.01f, 0.22f, 0.14f},
                                {0.45f, 0.30f, 0.02f}, {0.30f, 0.06f, 0.22f}, {0.08f, 0.30f, 0.50f}};
  return colours[set % std::size(colours)] * (0.8f + 0.4f * strand_chance(strand, 3));
}

Surface to_surface(const TriangleMesh& mesh, const Rgb& colour) {
  Surface surface{{}, mesh.triangles, colour};
  for (const Eigen::Vector3d& p : mesh.points) surface.points.push_back(p.cast<float>());
  return surface;
}

Status add_surfaces(const Recording& recording, const Frame& frame, const PictureOptions& options, Stage& stage) {
  const Rgb clay(0.42f, 0.33f, 0.28f);
  for (std::size_t b = 0; options.bodies && b < recording.bodies().size(); ++b) {
    const Result<TriangleMesh> drawn = recording.body_mesh(b);
    if (!drawn) return drawn.error();
    const Result<TriangleMesh> mesh = posed(drawn.value(), b, recording.bodies()[b].deforms, frame);
    if (!mesh) return mesh.error();
    stage.surfaces.push_back(to_surface(mesh.value(), clay));
  }
  for (const std::filesystem::path& pattern : options.meshes) {
    const Result<TriangleMesh> mesh = read_triangle_mesh(numbered_name(pattern, frame.number));
    if (!mesh) return mesh.error();
    stage.surfaces.push_back(to_surface(mesh.value(), clay));
  }
  return ok();
}

// One stage set for each set of the run: they may have different looks.
Status add_strands(const Recording& recording, const Frame& frame, const std::optional<Frame>& later,
                   const Setting& setting, const PictureOptions& options, Stage& stage) {
  const Result<std::vector<Vector3f>> points = positions(frame);
  if (!points) return points.error();
  std::vector<Vector3f> later_points;
  if (later && options.blur) {
    Result<std::vector<Vector3f>> read = positions(*later);
    if (!read) return read.error();
    later_points = std::move(read.value());
  }
  const std::vector<float> radius = radii(frame);
  std::vector<float> values;
  if (setting.range) {
    Result<std::vector<float>> read =
        quantity_values(options.colour, frame, recording.rest() ? &*recording.rest() : nullptr);
    if (!read) return read.error();
    values = std::move(read.value());
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < recording.sets().size(); ++i) {
    const std::size_t last = first + recording.sets()[i].strands;
    const std::size_t begin = frame.offsets[first], end = frame.offsets[last];
    StrandSet set;
    const auto part = [&](const auto& all) {
      return std::vector(all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(end));
    };
    set.points = part(points.value()), set.radius = part(radius);
    if (!later_points.empty()) set.later_points = part(later_points);
    for (std::size_t s = first; s < last; ++s) set.offsets.push_back(frame.offsets[s + 1] - std::uint32_t(begin));
    const bool thin = median(set.radius) < hair_radius;
    set.look = options.look.value_or(thin ? Look::hair : Look::rod);
    for (float& r : set.radius) r *= setting.thickness;
    for (std::size_t s = first; s < last; ++s)
      set.colour.push_back(set.look == Look::hair ? hair_absorption(options.melanin, s) : rod_colour(i, s - first));
    if (setting.range) {
      set.look = thin ? Look::chalk : Look::rod;
      for (std::size_t v = begin; v < end; ++v) set.vertex_colour.push_back(colour(*setting.range, values[v]));
    }
    if (!set.points.empty()) stage.strands.push_back(std::move(set));
    first = last;
  }
  return ok();
}

// Points that decide what is in view: a few frames of many.
Result<std::vector<Vector3f>> points_in_view(const Recording& recording, std::span<const int> frames,
                                             const PictureOptions& options, std::vector<float>* values) {
  constexpr std::size_t most_frames = 9;
  std::vector<Vector3f> all;
  const std::size_t looks = std::min(most_frames, frames.size());
  for (std::size_t i = 0; i < looks; ++i) {
    const int number = frames[looks == 1 ? 0 : i * (frames.size() - 1) / (looks - 1)];
    const Result<Frame> frame = recording.frame(number);
    if (!frame) return frame.error();
    const Result<std::vector<Vector3f>> points = positions(frame.value());
    if (!points) return points.error();
    all.insert(all.end(), points.value().begin(), points.value().end());
    Stage bodies;
    if (Status status = add_surfaces(recording, frame.value(), options, bodies); !status) return status.error();
    for (const Surface& surface : bodies.surfaces) all.insert(all.end(), surface.points.begin(), surface.points.end());
    if (values == nullptr) continue;
    const Result<std::vector<float>> read =
        quantity_values(options.colour, frame.value(), recording.rest() ? &*recording.rest() : nullptr);
    if (!read) return read.error();
    values->insert(values->end(), read.value().begin(), read.value().end());
  }
  return all;
}

// Whether its values have signs.
bool describe_quantity(const Frame& frame, const Frame* rest, const std::string& id, Setting& setting) {
  for (const ColourQuantity& quantity : colour_quantities(frame, rest)) {
    if (quantity.id != id) continue;
    setting.label = quantity.label, setting.unit = quantity.unit;
    return quantity.signed_values;
  }
  return false;
}

}  // namespace

Result<Setting> prepare(const Recording& recording, std::span<const int> frames, const PictureOptions& options) {
  Setting setting;
  const bool false_colour = options.colour != "strand";
  std::vector<float> values;
  const Result<std::vector<Vector3f>> points =
      points_in_view(recording, frames, options, false_colour ? &values : nullptr);
  if (!points) return points.error();
  Eigen::AlignedBox3f box;
  for (const Vector3f& p : points.value()) box.extend(p);
  if (box.isEmpty()) box.extend(Vector3f::Zero());
  setting.centre = box.center();
  setting.radius = std::max(1e-4f, 0.5f * box.diagonal().norm());
  setting.floor = box.min().y() - 0.002f * setting.radius;
  setting.camera =
      framed(points.value(), options.view, options.field_of_view, float(options.width) / float(options.height));
  setting.camera.eye = setting.camera.target + (setting.camera.eye - setting.camera.target) / options.zoom;
  if (options.target) {
    setting.camera.eye += *options.target - setting.camera.target;
    setting.camera.target = *options.target;
  }
  if (options.eye) setting.camera.eye = *options.eye;
  std::size_t strands = 0;
  for (const CurveSequence::Set& set : recording.sets()) strands += set.strands;
  const Result<Frame> first = recording.frame(frames.front());
  if (!first) return first.error();
  setting.thickness = options.thickness.value_or(
      thickness_for(strands, median(radii(first.value())), pixel_size(setting.camera, options.height)));
  if (!false_colour) return setting;
  const bool signed_values =
      describe_quantity(first.value(), recording.rest() ? &*recording.rest() : nullptr, options.colour, setting);
  setting.range = range_of(values, signed_values);
  if (options.range) {
    const auto [low, high] = *options.range;
    setting.range = ValueRange{low, high, false, signed_values && low == -high};
  }
  return setting;
}

Result<Image> draw(const Recording& recording, int number, const Setting& setting, const PictureOptions& options,
                   const std::function<void(int done, int of)>& progress) {
  const Result<Frame> frame = recording.frame(number);
  if (!frame) return frame.error();
  const Result<std::optional<Frame>> later = recording.shutter_frame(number);
  if (!later) return later.error();
  Stage stage;
  if (Status status = add_strands(recording, frame.value(), later.value(), setting, options, stage); !status)
    return status.error();
  if (Status status = add_surfaces(recording, frame.value(), options, stage); !status) return status.error();
  if (options.ground) stage.ground = setting.floor;
  add_studio_light(setting.centre, setting.radius, setting.camera.eye, stage);
  if (options.dark)
    stage.backdrop_top = Rgb(0.015f, 0.016f, 0.019f), stage.backdrop_bottom = Rgb(0.05f, 0.052f, 0.057f);
  else
    stage.backdrop_top = Rgb(0.42f, 0.46f, 0.50f), stage.backdrop_bottom = Rgb(0.80f, 0.80f, 0.79f);
  Image image = trace(stage, setting.camera, {options.width, options.height, options.samples, 24, progress});
  if (!setting.range) develop(image);
  return image;
}

void develop(Image& image) {
  constexpr float white = 3.0f;  // light that just becomes white
  for (Rgb& pixel : image.pixels) pixel = pixel * (1.0f + pixel / (white * white)) / (1.0f + 0.55f * pixel);
}

}  // namespace tendril::render
