#include "picture_bindings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tendril/io/atomic_file.hpp"
#include "tendril/plot/run_page.hpp"
#include "tendril/render/legend.hpp"
#include "tendril/render/picture.hpp"
#include "tendril/render/png_file.hpp"
#include "threads.hpp"
#include "without_python.hpp"

namespace py = pybind11;

namespace tendril::python {
namespace {

namespace fs = std::filesystem;

template <class T>
T taken(Result<T> result) {
  if (!result) throw std::invalid_argument(result.error().message());
  return std::move(result.value());
}

template <class List>
auto named(const List& list, const std::string& name, const char* what) {
  const auto found = std::ranges::find_if(list, [&](const auto& entry) { return name == entry.name; });
  if (found != list.end()) return *found;
  std::vector<std::string> names;
  for (const auto& entry : list) names.push_back(entry.name);
  throw std::invalid_argument(fmt::format("{}: '{}' is unknown; there are {}", what, name, fmt::join(names, ", ")));
}

using Point = std::array<float, 3>;
Eigen::Vector3f vector(const Point& p) { return {p[0], p[1], p[2]}; }

// Python's side has checked the numbers.
render::Image draw(const fs::path& path, std::optional<int> frame, const fs::path& out, std::pair<int, int> size,
                   int samples, const std::variant<std::string, Point>& camera, const std::optional<Point>& target,
                   double fov, double zoom, const std::string& colour,
                   const std::optional<std::pair<float, float>>& range, const std::string& hair, bool dark, bool ground,
                   bool bodies, std::optional<float> thickness, const std::vector<fs::path>& meshes,
                   std::optional<double> scale, const std::string& up) {
  render::PictureOptions options;
  options.width = size.first, options.height = size.second, options.samples = samples;
  if (const auto* name = std::get_if<std::string>(&camera))
    options.view = named(render::named_views(), *name, "camera").towards_eye;
  else
    options.eye = vector(std::get<Point>(camera));
  if (target) options.target = vector(*target);
  options.field_of_view = float(fov * std::numbers::pi / 180.0), options.zoom = float(zoom);
  options.colour = colour, options.range = range;
  options.melanin = named(render::hair_colours(), hair, "hair").melanin;
  options.dark = dark, options.ground = ground, options.bodies = bodies;
  options.thickness = thickness, options.meshes = meshes;
  const WithoutPython without;
  const Computing computing;
  RecordingOptions reading;
  reading.scale = scale;
  if (!up.empty()) reading.up = up == "z" ? UpAxis::z : UpAxis::y;
  const Recording recording = taken(Recording::open(path, reading));
  const std::vector<int> frames = {frame.value_or(recording.frames().front())};
  const render::Setting setting = taken(render::prepare(recording, frames, options));
  render::Image image = taken(render::draw(recording, frames.front(), setting, options));
  if (setting.range) render::paint_legend({setting.label, setting.unit, *setting.range, dark}, image);
  if (!out.empty()) taken(render::write_png(out, image));
  return image;
}

py::array_t<std::uint8_t> levels(const render::Image& image) {
  py::array_t<std::uint8_t> out({image.height, image.width, 3});
  std::ranges::copy(render::screen_levels(image), out.mutable_data());
  return out;
}

void make_page(const std::vector<fs::path>& inputs, const fs::path& out) {
  const WithoutPython without;
  const Computing computing;
  std::vector<plot::Report> reports;
  for (const fs::path& input : inputs) reports.push_back(taken(plot::read_report(input)));
  const plot::Page page =
      reports.size() == 1 ? plot::report_page(reports.front()) : taken(plot::comparison_page(reports));
  taken(write_file(out, page.html()));
}

}  // namespace

void bind_pictures(py::module_& module) {
  module.def(
      "render",
      [](const fs::path& path, std::optional<int> frame, const fs::path& out, std::pair<int, int> size, int samples,
         const std::variant<std::string, Point>& camera, const std::optional<Point>& target, double fov, double zoom,
         const std::string& colour, const std::optional<std::pair<float, float>>& range, const std::string& hair,
         bool dark, bool ground, bool bodies, std::optional<float> thickness, const std::vector<fs::path>& meshes,
         std::optional<double> scale, const std::string& up) {
        return levels(draw(path, frame, out, size, samples, camera, target, fov, zoom, colour, range, hair, dark,
                           ground, bodies, thickness, meshes, scale, up));
      },
      py::arg("path"), py::arg("frame"), py::arg("out"), py::arg("size"), py::arg("samples"), py::arg("camera"),
      py::arg("target"), py::arg("fov"), py::arg("zoom"), py::arg("color"), py::arg("range"), py::arg("hair"),
      py::arg("dark"), py::arg("ground"), py::arg("bodies"), py::arg("thickness"), py::arg("meshes"), py::arg("scale"),
      py::arg("up"));
  module.def("plot", &make_page, py::arg("inputs"), py::arg("out"));
}

}  // namespace tendril::python
