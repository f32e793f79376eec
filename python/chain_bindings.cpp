// NumPy on one side, projections of chains on the other. python/tendril/chain.py has checked the shapes.
#include "chain_bindings.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "tendril/rods/chain/project.hpp"
#include "tendril/rods/chain/tree.hpp"
#include "without_python.hpp"

namespace py = pybind11;

namespace tendril::python {
namespace {

using Eigen::Vector3d;
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Places = py::array_t<std::uint32_t, py::array::c_style | py::array::forcecast>;

std::span<const double> numbers(const Numbers& array) { return {array.data(), std::size_t(array.size())}; }

std::span<const Vector3d> points(const Numbers& array) {
  static_assert(sizeof(Vector3d) == 3 * sizeof(double));
  return {reinterpret_cast<const Vector3d*>(array.data()), std::size_t(array.size()) / 3};
}

std::span<const std::uint32_t> places(const Places& array) { return {array.data(), std::size_t(array.size())}; }

chain::Options options_from(const py::dict& values) {
  chain::Options options;
  options.method = *chain::method_named(values["method"].cast<std::string>());
  options.tolerance = values["tolerance"].cast<double>();
  options.max_iterations = values["max_iterations"].cast<int>();
  options.single_precision = values["single"].cast<bool>();
  return options;
}

Numbers array_of(const std::vector<Vector3d>& rows) {
  Numbers out({py::ssize_t(rows.size()), py::ssize_t(3)});
  if (!rows.empty()) std::copy_n(rows.front().data(), 3 * rows.size(), out.mutable_data());
  return out;
}

Numbers array_of(const std::vector<double>& values) {
  Numbers out{py::ssize_t(values.size())};
  std::ranges::copy(values, out.mutable_data());
  return out;
}

py::dict outcomes_of(std::span<const chain::Outcome> chains) {
  std::vector<std::string> status;
  const auto count = py::ssize_t(chains.size());
  py::array_t<std::int64_t> iterations{count};
  py::array_t<bool> certified{count};
  Numbers residual{count};
  for (std::size_t c = 0; c < chains.size(); ++c) {
    status.emplace_back(chain::name(chains[c].status));
    iterations.mutable_data()[c] = chains[c].iterations;
    residual.mutable_data()[c] = chains[c].residual;
    certified.mutable_data()[c] = chains[c].certified;
  }
  return py::dict(py::arg("status") = status, py::arg("iterations") = iterations, py::arg("residual") = residual,
                  py::arg("certified") = certified);
}

py::dict project(const Numbers& p, const Numbers& inverse_mass, const Numbers& length, const Places& offsets,
                 const Numbers& start, const Numbers& compliance, const Numbers& stiffness, const Numbers& rest,
                 const py::dict& values) {
  const chain::Options options = options_from(values);
  chain::Chains chains{points(p),       numbers(inverse_mass), numbers(length),
                       places(offsets), points(start),         numbers(compliance)};
  const std::vector<double> shares(stiffness.size() > 0 ? chains.length.size() : 0, 1.0);
  if (!shares.empty()) chains.joints = {numbers(stiffness), shares, points(rest)};
  chains.slack = values["slack"].cast<bool>();
  chain::Projections found;
  {
    const WithoutPython without;
    chain::Projector().project(chains, options, found);
  }
  py::dict out = outcomes_of(found.chains);
  out["positions"] = array_of(found.positions), out["multipliers"] = array_of(found.multipliers);
  return out;
}

py::dict project_tree(const Numbers& p, const Numbers& inverse_mass, const Numbers& length, const Places& parents,
                      const Numbers& start, const Numbers& compliance, const Numbers& stiffness, const Numbers& rest,
                      const py::dict& values) {
  const chain::Options options = options_from(values);
  const chain::Tree tree{points(p),          numbers(inverse_mass), numbers(length),
                         places(parents),    points(start),         numbers(compliance),
                         numbers(stiffness), points(rest),          values["slack"].cast<bool>()};
  const chain::TreeProjection found = [&] {
    const WithoutPython without;
    return chain::project_tree(tree, options);
  }();
  py::dict out = outcomes_of({&found.outcome, 1});
  out["positions"] = array_of(found.positions), out["multipliers"] = array_of(found.multipliers);
  return out;
}

}  // namespace

void bind_chain(py::module_& module) {
  module.def("chain_methods", [] {
    const auto names = chain::method_names();
    return std::vector<std::string>(names.begin(), names.end());
  });
  module.def("chain_project", &project);
  module.def("chain_project_tree", &project_tree);
}

}  // namespace tendril::python
