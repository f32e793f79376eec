// NumPy on one side, LiveStrands on the other. Arrays come in flat and complete: python/tendril/der.py has already
// spread numbers over vertices, so that here is only what needs C++. Everything that computes runs without Python's
// lock.
#include "der_bindings.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "live_strands.hpp"
#include "without_python.hpp"

namespace py = pybind11;

namespace tendril::python {
namespace {

using Eigen::Vector3d;
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Array4 = std::array<double, 4>;

template <class F>
decltype(auto) unlocked(F&& compute) {
  const WithoutPython without;
  return compute();
}

// Names of an enumeration, in its order.
template <class E, std::size_t n>
E named(std::string_view name, const std::array<std::string_view, n>& names, const char* what) {
  for (std::size_t i = 0; i < n; ++i)
    if (names[i] == name) return E(i);
  throw std::invalid_argument(
      fmt::format("{}: \"{}\" is not known; choose one of {}", what, name, fmt::join(names, ", ")));
}
constexpr std::array<std::string_view, 4> curvature_names = {"4d", "2d-averaged", "2d-slerped",
                                                             "2d-slerped-approximate"};
constexpr std::array<std::string_view, 3> clamp_names = {"free", "edge", "point"};
constexpr std::array<std::string_view, 2> end_names = {"root", "tip"};
constexpr std::array<std::string_view, 2> kind_names = {"step", "exact"};
constexpr std::array<std::string_view, 2> integrator_names = {"euler", "bdf2"};
constexpr std::array<std::string_view, 4> isa_names = {"reference", "v2", "avx2", "avx512"};
constexpr std::array<std::string_view, 3> outcome_names = {"converged", "usable", "failed"};
constexpr std::array<std::string_view, 5> status_names = {"converged", "iteration limit", "step too small",
                                                          "not positive definite", "not finite"};
template <class E, std::size_t n>
py::str name_of(E value, const std::array<std::string_view, n>& names) {
  return py::str(std::string(names[std::size_t(value)]));
}

// From NumPy.

std::vector<double> numbers(const Numbers& array) { return {array.data(), array.data() + array.size()}; }

// Rows of n numbers.
template <class Row, std::size_t n>
std::vector<Row> rows(const Numbers& array, const char* name) {
  if (array.ndim() != 2 || array.shape(1) != py::ssize_t(n))
    throw std::invalid_argument(fmt::format("{}: must be an array of {} columns", name, n));
  std::vector<Row> out(std::size_t(array.shape(0)));
  for (std::size_t i = 0; i < out.size(); ++i)
    for (std::size_t c = 0; c < n; ++c) out[i][Eigen::Index(c)] = array.data()[n * i + c];
  return out;
}
std::vector<Vector3d> vectors(const Numbers& array, const char* name) { return rows<Vector3d, 3>(array, name); }

Vector3d vector(const Numbers& array, const char* name) {
  if (array.size() != 3) throw std::invalid_argument(fmt::format("{}: must be three numbers", name));
  return {array.data()[0], array.data()[1], array.data()[2]};
}

// A quaternion (w, x, y, z) or a matrix of 3 x 3.
Pose make_pose(const Numbers& rotation, const Numbers& translation) {
  constexpr double slack = 1e-6;  // single precision passes, a mistake does not
  Pose pose;
  pose.translation = vector(translation, "translation");
  const double* r = rotation.data();
  if (rotation.ndim() == 1 && rotation.size() == 4) {
    pose.rotation = Eigen::Quaterniond(r[0], r[1], r[2], r[3]);
    if (!(std::abs(pose.rotation.norm() - 1.0) < slack))
      throw std::invalid_argument("rotation: must be a unit quaternion (w, x, y, z)");
  } else if (rotation.ndim() == 2 && rotation.shape(0) == 3 && rotation.shape(1) == 3) {
    const Eigen::Matrix3d matrix = Eigen::Map<const FrameMatrix>(r);
    if (!((matrix.transpose() * matrix - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() < slack) ||
        !(matrix.determinant() > 0.0))
      throw std::invalid_argument(
          "rotation: must be a rotation matrix: orthonormal columns, no mirror image, no scale");
    pose.rotation = Eigen::Quaterniond(matrix);
  } else {
    throw std::invalid_argument("rotation: must be a matrix of 3 x 3 or a quaternion (w, x, y, z)");
  }
  if (!pose.translation.allFinite()) throw std::invalid_argument("translation: is not three finite numbers");
  if (const double norm = pose.rotation.norm(); std::abs(norm - 1.0) > 1e-15) pose.rotation.normalize();
  return pose;
}

std::vector<std::size_t> offsets_from(const py::array_t<std::int64_t>& array) {
  return {array.data(), array.data() + array.size()};
}

// What is not in the dictionary, or None, stays empty.
der::Description description_from(const Numbers& points, const py::array_t<std::int64_t>& offsets,
                                  const py::dict& values) {
  const auto given = [&](const char* key) { return values.contains(key) && !values[key].is_none(); };
  const auto optional = [&](const char* key) {
    return given(key) ? numbers(values[key].cast<Numbers>()) : std::vector<double>{};
  };
  der::Description d;
  d.curves.points = vectors(points, "points");
  d.curves.offsets = offsets_from(offsets);
  d.semi_axis1 = optional("semi_axis1"), d.semi_axis2 = optional("semi_axis2");
  d.density = optional("density");
  d.stretch_modulus = optional("stretch_modulus");
  d.bend_modulus = optional("bend_modulus"), d.twist_modulus = optional("twist_modulus");
  d.reference_length = optional("reference_length"), d.rest_strain = optional("rest_strain");
  d.rest_twist = optional("rest_twist");
  if (given("rest_curvature"))
    d.rest_curvature = rows<Array4, 4>(values["rest_curvature"].cast<Numbers>(), "rest curvature");
  d.mass = optional("mass"), d.inertia = optional("inertia");
  d.damping = optional("damping");
  if (given("root_director")) d.root_director = vectors(values["root_director"].cast<Numbers>(), "director");
  d.curvature = named<der::Curvature>(values["curvature"].cast<std::string>(), curvature_names, "curvature");
  d.clamps.clear();
  for (const auto& [root, tip] : values["clamps"].cast<std::vector<std::pair<std::string, std::string>>>())
    d.clamps.push_back({named<der::Clamp>(root, clamp_names, "clamp"), named<der::Clamp>(tip, clamp_names, "clamp")});
  return d;
}

// To NumPy.

void make_read_only(py::array& array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
}

using Shape = std::vector<py::ssize_t>;
Shape shape_of(std::size_t count, Shape inner) {
  inner.insert(inner.begin(), py::ssize_t(count));
  return inner;
}

const double* first(const std::vector<double>& values) { return values.data(); }
template <class Row>
const double* first(const std::vector<Row>& rows) {
  return rows.empty() ? nullptr : rows[0].data();
}

// A copy that is the caller's.
template <class T>
py::array_t<double> copied(const std::vector<T>& values, const Shape& inner) {
  return py::array_t<double>(shape_of(values.size(), inner), first(values));
}

template <class T>
py::array_t<double> copied_read_only(const std::vector<T>& values, const Shape& inner) {
  py::array_t<double> array = copied(values, inner);
  make_read_only(array);
  return array;
}

// Adds a property that is such a copy.
template <class T>
void snapshot(py::class_<LiveStrands>& type, const char* name, std::vector<T> (LiveStrands::*get)() const,
              const Shape& inner) {
  type.def_property_readonly(name, [get, inner](const LiveStrands& strands) {
    return copied_read_only(unlocked([&] { return (strands.*get)(); }), inner);
  });
}

// A read-only view of memory that the object keeps where it is; the view keeps the object alive.
py::array_t<double> positions(const py::object& self) {
  auto& strands = self.cast<LiveStrands&>();
  const auto& values = unlocked([&]() -> const std::vector<Vector3d>& { return strands.positions(); });
  py::array_t<double> view(shape_of(values.size(), {3}), first(values), self);
  make_read_only(view);
  return view;
}

py::dict step_report(const RunReport& run) {
  const der::StepReport& worst = run.worst;
  const bool trouble = worst.trouble != der::Trouble::none;
  py::dict out;
  out["outcome"] = name_of(worst.outcome, outcome_names);
  out["trouble"] = trouble ? py::object(py::str(der::text(worst.trouble))) : py::none();
  out["strand"] = trouble ? py::object(py::int_(worst.strand)) : py::none();
  out["troubled"] = worst.troubled;
  out["iterations"] = worst.iterations;
  out["residual"] = worst.residual;
  out["clamped_pivots"] = worst.clamped_pivots;
  out["steps"] = run.steps;
  out["usable"] = run.usable;
  return out;
}

py::dict step(LiveStrands& strands, double dt, const Numbers& gravity, const std::optional<int>& newton,
              const std::string& integrator, const Numbers& wind, const std::array<double, 3>& air, std::int64_t steps,
              double tolerance, int max_iterations) {
  der::StepOptions options;
  options.dt = dt;
  options.gravity = vector(gravity, "gravity");
  options.wind = vector(wind, "wind");
  options.air = {air[0], air[1], air[2]};
  options.integrator = named<der::Integrator>(integrator, integrator_names, "integrator");
  options.converge = !newton;
  options.newton = newton.value_or(1);
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  const auto let_python_in = [] {  // Ctrl-C arrives here
    std::optional<Computing> computing(std::in_place);
    const py::gil_scoped_acquire acquire;
    computing.reset();  // before handlers of signals run
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  };
  return step_report(unlocked([&] { return strands.step(options, steps, let_python_in); }));
}

py::dict solve_static(LiveStrands& strands, const Numbers& gravity, double tolerance, int max_iterations) {
  der::StaticOptions options;
  options.gravity = vector(gravity, "gravity");
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  const std::vector<der::StaticReport> reports = unlocked([&] { return strands.solve_static(options); });
  const auto n = py::ssize_t(reports.size());
  py::array_t<bool> converged(n), stable(n);
  py::array_t<double> residual(n);
  py::array_t<std::int64_t> iterations(n), load_steps(n), negative_modes(n);
  py::list status;
  for (py::ssize_t i = 0; i < n; ++i) {
    const der::StaticReport& report = reports[std::size_t(i)];
    converged.mutable_at(i) = report.status == SolveStatus::converged;
    stable.mutable_at(i) = report.stable();
    residual.mutable_at(i) = report.residual;
    iterations.mutable_at(i) = report.iterations;
    load_steps.mutable_at(i) = report.load_steps;
    negative_modes.mutable_at(i) = report.negative_modes;
    status.append(name_of(report.status, status_names));
  }
  return py::dict(py::arg("converged") = converged, py::arg("residual") = residual, py::arg("iterations") = iterations,
                  py::arg("load_steps") = load_steps, py::arg("stable") = stable,
                  py::arg("negative_modes") = negative_modes, py::arg("status") = status);
}

// Rows: stretch, bend, twist, kinetic, external.
py::array_t<double> energy(const LiveStrands& strands, std::size_t begin, std::size_t end, const Numbers& gravity) {
  const Vector3d g = vector(gravity, "gravity");
  const std::vector<der::Energies> all = unlocked([&] { return strands.energies(begin, end, g); });
  py::array_t<double> out({py::ssize_t(5), py::ssize_t(all.size())});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const der::Energies& e = all[i];
    const std::array<double, 5> column = {e.stretch, e.bend, e.twist, e.kinetic, e.external};
    for (std::size_t row = 0; row < column.size(); ++row) out.mutable_at(row, i) = column[row];
  }
  return out;
}

py::dict reactions(const LiveStrands& strands, std::size_t begin, std::size_t end, const Numbers& gravity) {
  const Vector3d g = vector(gravity, "gravity");
  const std::vector<der::Reactions> all = unlocked([&] { return strands.reactions(begin, end, g); });
  std::vector<Vector3d> root_force, root_moment, tip_force, tip_moment, moment;
  std::vector<double> tension, bend_radius;
  std::vector<Eigen::Vector4d> holds;
  const auto append = [](const auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
  for (const der::Reactions& r : all) {
    root_force.push_back(r.root.force), root_moment.push_back(r.root.moment);
    tip_force.push_back(r.tip.force), tip_moment.push_back(r.tip.moment);
    append(r.tension, tension), append(r.moment, moment), append(r.bend_radius, bend_radius), append(r.holds, holds);
  }
  return py::dict(py::arg("root_force") = copied(root_force, {3}), py::arg("root_moment") = copied(root_moment, {3}),
                  py::arg("tip_force") = copied(tip_force, {3}), py::arg("tip_moment") = copied(tip_moment, {3}),
                  py::arg("tension") = copied(tension, {}), py::arg("moment") = copied(moment, {3}),
                  py::arg("bend_radius") = copied(bend_radius, {}), py::arg("holds") = copied(holds, {4}));
}

// Dense and symmetric, or the lower band: row r, column j holds entry (j + r, j).
py::array_t<double> hessian(const LiveStrands& strands, std::size_t strand, const std::string& kind, double dt,
                            bool banded) {
  const auto what = named<HessianKind>(kind, kind_names, "kind");
  const Band<double> band = unlocked([&] { return strands.hessian(strand, what, dt); });
  const auto n = py::ssize_t(band.size);
  py::array_t<double> out({banded ? py::ssize_t(band.width + 1) : n, n});
  double* const to = out.mutable_data();
  unlocked([&] {
    std::fill_n(to, out.size(), 0.0);
    for (std::size_t c = 0; c < band.size; ++c)
      for (std::size_t r = c; r < std::min(band.size, c + band.width + 1); ++r) {
        if (banded)
          to[(r - c) * band.size + c] = band.at(r, c);
        else
          to[r * band.size + c] = to[c * band.size + r] = band.at(r, c);
      }
  });
  return out;
}

py::array_t<bool> held(const LiveStrands& strands) {
  const std::vector<std::array<bool, 4>> all = unlocked([&] { return strands.held(); });
  py::array_t<bool> out(shape_of(all.size(), {4}));
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t c = 0; c < 4; ++c) out.mutable_at(i, c) = all[i][c];
  make_read_only(out);
  return out;
}

// Rest values: absent means as they are.
void set_rest(LiveStrands& strands, const std::optional<Numbers>& strain, const std::optional<Numbers>& curvature,
              const std::optional<Numbers>& twist) {
  std::optional<std::vector<double>> strains, twists;
  std::optional<std::vector<Array4>> curvatures;
  if (strain) strains = numbers(*strain);
  if (curvature) curvatures = rows<Array4, 4>(*curvature, "rest curvature");
  if (twist) twists = numbers(*twist);
  const auto pointer = [](const auto& value) { return value ? &*value : nullptr; };
  unlocked([&] { strands.set_rest(pointer(strains), pointer(curvatures), pointer(twists)); });
}

}  // namespace

void bind_der(py::module_& module) {
  using Holds = std::vector<std::tuple<std::size_t, int, std::array<bool, 4>>>;

  module.def("check_geometry", [](const Numbers& points, const py::array_t<std::int64_t>& offsets) {
    const Status status = der::check_geometry({vectors(points, "points"), offsets_from(offsets)});
    if (!status) throw std::invalid_argument(status.error().message());
  });

  py::class_<LiveStrands> type(module, "DerStrands");
  type.def(py::init([](const Numbers& points, const py::array_t<std::int64_t>& offsets, const py::dict& values,
                       const Holds& hold_tuples, const std::optional<std::string>& isa_name) {
    der::Description description = description_from(points, offsets, values);
    std::vector<der::Hold> holds;
    for (const auto& [strand, vertex, components] : hold_tuples) holds.push_back({strand, vertex, components});
    const Isa isa = isa_name ? named<Isa>(*isa_name, isa_names, "isa") : active_isa();
    if (!machine_has(isa)) throw std::invalid_argument(fmt::format("isa: this machine does not have {}", *isa_name));
    return unlocked([&] { return std::make_unique<LiveStrands>(std::move(description), std::move(holds), isa); });
  }));
  type.def(py::init(
      [](const LiveStrands& other) { return unlocked([&] { return std::make_unique<LiveStrands>(other); }); }));

  type.def("__len__", &LiveStrands::strands);
  type.def_property_readonly("offsets", [](const LiveStrands& strands) {
    py::array_t<std::int64_t> out(py::ssize_t(strands.offsets().size()));
    std::copy(strands.offsets().begin(), strands.offsets().end(), out.mutable_data());
    make_read_only(out);
    return out;
  });
  type.def("_holds", [](const LiveStrands& strands) {
    Holds out;
    for (const der::Hold& hold : strands.holds()) out.emplace_back(hold.strand, hold.vertex, hold.components);
    return out;
  });

  type.def_property_readonly("positions", &positions);
  snapshot(type, "velocities", &LiveStrands::velocities, {3});
  snapshot(type, "theta", &LiveStrands::thetas, {});
  snapshot(type, "theta_velocity", &LiveStrands::theta_velocities, {});
  snapshot(type, "directors", &LiveStrands::directors, {3});
  snapshot(type, "reference_twist", &LiveStrands::reference_twists, {});
  snapshot(type, "frames", &LiveStrands::frames, {3, 3});
  type.def_property_readonly("time", [](const LiveStrands& s) { return unlocked([&] { return s.time(); }); });
  type.def_property_readonly("hash", [](const LiveStrands& s) { return unlocked([&] { return s.hash(); }); });
  type.def_property_readonly("held", &held);

  type.def("_set_positions", [](LiveStrands& s, const Numbers& values) {
    unlocked([&, v = vectors(values, "positions")] { s.set_positions(v); });
  });
  type.def("_set_velocities", [](LiveStrands& s, const Numbers& values) {
    unlocked([&, v = vectors(values, "velocities")] { s.set_velocities(v); });
  });
  type.def("_set_theta",
           [](LiveStrands& s, const Numbers& values) { unlocked([&, v = numbers(values)] { s.set_thetas(v); }); });
  type.def("_set_theta_velocity", [](LiveStrands& s, const Numbers& values) {
    unlocked([&, v = numbers(values)] { s.set_theta_velocities(v); });
  });
  type.def("_set_directors", [](LiveStrands& s, const Numbers& directors, const Numbers& twists) {
    unlocked([&, d = vectors(directors, "directors"), t = numbers(twists)] { s.set_directors(d, t); });
  });

  type.def("_set_pose", [](LiveStrands& s, std::size_t strand, const std::string& end, const Numbers& rotation,
                           const Numbers& translation) {
    const auto which = named<End>(end, end_names, "end");
    unlocked([&, pose = make_pose(rotation, translation)] { s.set_pose(strand, which, pose); });
  });
  type.def("_set_hold", [](LiveStrands& s, std::size_t hold, const std::optional<std::pair<Numbers, Numbers>>& pose,
                           const std::optional<double>& angle) {
    std::optional<Pose> made;
    if (pose) made = make_pose(pose->first, pose->second);
    unlocked([&] { s.set_hold(hold, made ? &*made : nullptr, angle ? &*angle : nullptr); });
  });
  type.def("_add_load", [](LiveStrands& s, std::size_t strand, int vertex, const Numbers& force, double torque) {
    unlocked([&, f = vector(force, "force")] { s.add_load({strand, vertex, f, torque}); });
  });
  type.def("clear_loads", &LiveStrands::clear_loads, py::call_guard<WithoutPython>(), "Takes all loads away.");

  type.def("_step", &step);
  type.def("_solve_static", &solve_static);
  type.def("_energy", &energy);
  type.def("_force", [](const LiveStrands& s, const Numbers& gravity) {
    const Vector3d g = vector(gravity, "gravity");
    return copied(unlocked([&] { return s.forces(g); }), {4});
  });
  type.def("_hessian", &hessian);
  type.def("_reactions", &reactions);

  snapshot(type, "reference_length", &LiveStrands::reference_lengths, {});
  snapshot(type, "rest_strain", &LiveStrands::rest_strains, {});
  snapshot(type, "rest_curvature", &LiveStrands::rest_curvatures, {4});
  snapshot(type, "rest_twist", &LiveStrands::rest_twists, {});
  snapshot(type, "mass", &LiveStrands::masses, {});
  type.def("_set_rest", &set_rest);
}

}  // namespace tendril::python
