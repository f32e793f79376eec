#include "groom_bindings.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tendril/io/groom_file.hpp"
#include "tendril/scene/groom_source.hpp"
#include "without_python.hpp"

namespace py = pybind11;

namespace tendril::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Offsets = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

template <class F>
auto unlocked(F&& f) {
  const WithoutPython without;
  return f();
}

py::array_t<double> table(const std::vector<double>& values, int components) {
  const auto rows = py::ssize_t(values.size() / std::size_t(components));
  if (components == 1) return py::array_t<double>(rows, values.data());
  return py::array_t<double>({rows, py::ssize_t(components)}, values.data());
}

py::dict read(const std::filesystem::path& path, std::optional<double> scale, const std::optional<std::string>& up,
              int subsample, int resample) {
  GroomRequest request{path, scale, {}, subsample, resample};
  if (up) request.up = *up == "z" ? UpAxis::z : UpAxis::y;
  Result<LoadedGroom> loaded = unlocked([&] { return load_groom(request); });
  if (!loaded) throw std::invalid_argument(loaded.error().message());
  const Groom& groom = loaded.value().groom;
  py::dict out, attributes;
  const auto* first = groom.curves.points.empty() ? nullptr : groom.curves.points[0].data();
  out["points"] = py::array_t<double>({py::ssize_t(groom.curves.points.size()), py::ssize_t(3)}, first);
  Offsets offsets(py::ssize_t(groom.curves.offsets.size()));
  std::copy(groom.curves.offsets.begin(), groom.curves.offsets.end(), offsets.mutable_data());
  out["offsets"] = offsets;
  out["radius"] = groom.radius.empty() ? py::object(py::none()) : py::object(table(groom.radius, 1));
  for (const GroomAttribute& a : groom.attributes) attributes[py::str(a.name)] = table(a.values, a.components);
  out["attributes"] = attributes;
  out["repairs"] = py::cast(loaded.value().repairs.counts());
  out["assumptions"] = py::cast(loaded.value().assumptions);
  return out;
}

// The arrays were checked by the Python side: offsets rise from 0 to the number of points.
void write(const std::filesystem::path& path, const Numbers& points, const Offsets& offsets,
           const std::optional<Numbers>& radius, const py::dict& attributes) {
  Groom groom;
  groom.metres_per_unit = 1.0, groom.up = UpAxis::y;
  groom.curves.offsets.assign(offsets.data(), offsets.data() + offsets.size());
  for (py::ssize_t i = 0; i < points.size(); i += 3)
    groom.curves.points.emplace_back(points.data()[i], points.data()[i + 1], points.data()[i + 2]);
  if (radius) groom.radius.assign(radius->data(), radius->data() + radius->size());
  for (const auto& [name, value] : attributes) {
    const auto values = value.cast<Numbers>();
    const bool per_vertex = values.shape(0) == py::ssize_t(groom.curves.points.size());
    groom.attributes.push_back({name.cast<std::string>(),
                                per_vertex,
                                values.ndim() == 1 ? 1 : int(values.shape(1)),
                                {values.data(), values.data() + values.size()}});
  }
  const Status status = unlocked([&] { return write_groom(path, groom); });
  if (!status) throw std::invalid_argument(status.error().message());
}

}  // namespace

void bind_groom(py::module_& module) {
  module.def("read_groom", &read);
  module.def("write_groom", &write);
}

}  // namespace tendril::python
