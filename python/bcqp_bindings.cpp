// NumPy on one side, the box-constrained solvers on the other. python/tendril/bcqp.py has checked the shapes.
#include "bcqp_bindings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tendril/linalg/bcqp/bcqp.hpp"
#include "without_python.hpp"

namespace py = pybind11;

namespace tendril::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Places = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

template <class E>
E chosen(std::optional<E> found, const char* what, const std::string& name, std::span<const std::string_view> names) {
  if (found) return *found;
  throw std::invalid_argument(
      fmt::format("{}: \"{}\" is not known; choose one of {}", what, name, fmt::join(names, ", ")));
}

bcqp::Options options_from(const py::dict& values) {
  const auto text = [&](const char* key) { return values[key].cast<std::string>(); };
  const auto number = [&](const char* key) { return values[key].cast<double>(); };
  bcqp::Options options;
  options.method = chosen(bcqp::method_named(text("method")), "method", text("method"), bcqp::method_names());
  options.preconditioner = chosen(bcqp::preconditioner_named(text("preconditioner")), "preconditioner",
                                  text("preconditioner"), bcqp::preconditioner_names());
  options.expansion =
      chosen(bcqp::expansion_named(text("expansion")), "expansion", text("expansion"), bcqp::expansion_names());
  options.tolerance = number("tolerance");
  options.absolute_tolerance = number("absolute_tolerance");
  options.max_iterations = values["max_iterations"].cast<int>();
  options.jacobi_scaling = values["scaling"].cast<bool>();
  options.proportioning = number("proportioning");
  options.box_weight = number("box_weight");
  return options;
}

std::span<const double> span_of(const Numbers& array) { return {array.data(), std::size_t(array.size())}; }

template <class T>
py::array_t<T> column(const std::vector<bcqp::Sample>& samples, T bcqp::Sample::*field) {
  py::array_t<T> out(py::ssize_t(samples.size()));
  for (std::size_t i = 0; i < samples.size(); ++i) out.mutable_data()[i] = samples[i].*field;
  return out;
}

py::object history_of(const std::vector<bcqp::Sample>& samples) {
  return py::dict(py::arg("iteration") = column(samples, &bcqp::Sample::iteration),
                  py::arg("seconds") = column(samples, &bcqp::Sample::seconds),
                  py::arg("projected_gradient") = column(samples, &bcqp::Sample::projected_gradient),
                  py::arg("objective") = column(samples, &bcqp::Sample::objective));
}

py::dict report_of(const bcqp::Report& report) {
  py::dict out;
  out["status"] = std::string(bcqp::name(report.outcome));
  out["method"] = std::string(bcqp::name(report.method));
  out["iterations"] = report.iterations;
  out["residual"] = report.residual;
  out["projected_gradient"] = report.projected_gradient;
  out["objective"] = report.objective;
  out["active"] = report.active;
  out["violation"] = report.violation;
  out["cg_steps"] = report.cg_steps;
  out["expansions"] = report.expansions;
  out["proportionings"] = report.proportionings;
  out["factorisations"] = report.factorisations;
  return out;
}

template <class A>
py::dict solve(const A& a, const Numbers& b, const Numbers& lower, const Numbers& upper,
               const std::optional<Numbers>& start, const py::dict& values) {
  bcqp::Options options = options_from(values);
  std::vector<bcqp::Sample> samples;
  const bool history = values["history"].cast<bool>();
  if (history) options.observer = [&](const bcqp::Sample& sample, auto) { samples.push_back(sample); };
  options.warm_start = start.has_value();
  py::array_t<double> x(b.size());
  if (start) std::copy_n(start->data(), b.size(), x.mutable_data());
  const std::span<double> result(x.mutable_data(), std::size_t(x.size()));
  const bcqp::Report report = [&] {
    const WithoutPython without;
    bcqp::Workspace work;
    return bcqp::solve(a, span_of(b), span_of(lower), span_of(upper), options, work, result);
  }();
  py::dict out = report_of(report);
  out["x"] = x;
  out["history"] = history ? history_of(samples) : py::object(py::none());
  return out;
}

// Row r, column j of the array holds entry (j + r, j); what lies beyond the last row is not read.
Band<double> band_from(const Numbers& rows) {
  Band<double> band(std::size_t(rows.shape(1)), std::size_t(rows.shape(0) - 1));
  for (std::size_t r = 0; r <= band.width; ++r)
    for (std::size_t j = 0; j + r < band.size; ++j) band.at(j + r, j) = rows.data()[r * band.size + j];
  return band;
}

// Entries of the lower triangle; those at one place are added up.
Eigen::SparseMatrix<double> sparse_from(Eigen::Index n, const Places& rows, const Places& columns,
                                        const Numbers& values) {
  std::vector<Eigen::Triplet<double>> entries;
  for (py::ssize_t k = 0; k < values.size(); ++k)
    if (rows.data()[k] >= columns.data()[k])
      entries.emplace_back(int(rows.data()[k]), int(columns.data()[k]), values.data()[k]);
  Eigen::SparseMatrix<double> a(n, n);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

}  // namespace

void bind_bcqp(py::module_& module) {
  module.def("bcqp_band", [](const Numbers& rows, const Numbers& b, const Numbers& lower, const Numbers& upper,
                             const std::optional<Numbers>& start, const py::dict& options) {
    return solve(band_from(rows), b, lower, upper, start, options);
  });
  module.def("bcqp_sparse", [](const Places& rows, const Places& columns, const Numbers& values, const Numbers& b,
                               const Numbers& lower, const Numbers& upper, const std::optional<Numbers>& start,
                               const py::dict& options) {
    return solve(sparse_from(b.size(), rows, columns, values), b, lower, upper, start, options);
  });
}

}  // namespace tendril::python
