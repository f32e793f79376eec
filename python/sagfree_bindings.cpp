// Rest states for DerStrands. Options come in complete and checked: python/tendril/sagfree.py has already done that.
#include "sagfree_bindings.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <string>
#include <vector>

#include "live_strands.hpp"
#include "without_python.hpp"

namespace py = pybind11;

namespace tendril::python {
namespace {

using sagfree::StrandOutcome;

sagfree::Options options_from(const py::dict& in) {
  sagfree::Options options;
  const auto mode = in["mode"].cast<std::string>(), bound = in["bound"].cast<std::string>();
  options.mode = *sagfree::mode_named(mode);
  if (in["start"].cast<std::string>() == "sweep") options.start = sagfree::Start::sweep;
  options.bound = bound == "box" ? sagfree::CurvatureBound::box : sagfree::CurvatureBound::disc;
  const auto gravity = in["gravity"].cast<std::array<double, 3>>();
  options.gravity = {gravity[0], gravity[1], gravity[2]};
  if (!in["mu"].is_none()) options.mu = in["mu"].cast<double>();
  options.twist_share = in["twist_share"].cast<double>();
  options.shortest = in["shortest"].cast<double>(), options.longest = in["longest"].cast<double>();
  options.cap = in["max_stiffness"].cast<double>();
  options.tolerance = in["tolerance"].cast<double>();
  const auto share = in["share"].cast<std::string>();
  if (share == "strand") options.sharing = sagfree::Sharing::strand;
  if (share == "group") options.sharing = sagfree::Sharing::group;
  options.groups = in["groups"].cast<std::vector<int>>();
  options.smoothness = in["smooth"].cast<double>();
  options.growth = in["growth"].cast<bool>();
  options.max_iterations = in["max_iterations"].cast<int>();
  if (in["matrix"].cast<std::string>() == "sparse") options.storage = sagfree::Storage::sparse;
  if (in["curvature_variables"].cast<int>() == 4) options.curvature_variables = sagfree::CurvatureVariables::four;
  return options;
}

py::array_t<double> array(const std::vector<double>& values) {
  return py::array_t<double>(py::ssize_t(values.size()), values.data());
}

py::array_t<double> array(const std::vector<std::array<double, 4>>& rows) {
  return py::array_t<double>({py::ssize_t(rows.size()), py::ssize_t(4)}, rows.empty() ? nullptr : rows[0].data());
}

py::array_t<double> column(const std::vector<StrandOutcome>& strands, double StrandOutcome::*value) {
  std::vector<double> values;
  for (const StrandOutcome& strand : strands) values.push_back(strand.*value);
  return array(values);
}

py::dict sagfree_of(LiveStrands& strands, const py::dict& in) {
  const sagfree::Options options = options_from(in);
  sagfree::Outcome outcome;
  der::RestState rest;
  {
    const WithoutPython released;
    outcome = strands.make_sag_free(options);
    rest = strands.rest_state();
  }
  py::list status;
  py::array_t<std::int64_t> modes(py::ssize_t(outcome.strands.size())), newton(py::ssize_t(outcome.strands.size()));
  for (std::size_t s = 0; s < outcome.strands.size(); ++s) {
    status.append(std::string(sagfree::name(outcome.strands[s].status)));
    modes.mutable_at(s) = outcome.strands[s].negative_modes;
    newton.mutable_at(s) = outcome.strands[s].newton_iterations;
  }
  using namespace py::literals;
  return py::dict("status"_a = status, "mu"_a = column(outcome.strands, &StrandOutcome::mu),
                  "imbalance_before"_a = column(outcome.strands, &StrandOutcome::imbalance_before),
                  "imbalance"_a = column(outcome.strands, &StrandOutcome::imbalance),
                  "stiffness_factor"_a = column(outcome.strands, &StrandOutcome::stiffness_factor),
                  "vertex_stiffness_factor"_a = array(outcome.stiffness_factor), "negative_modes"_a = modes,
                  "newton_iterations"_a = newton,
                  "qp_iterations"_a = column(outcome.strands, &StrandOutcome::qp_iterations),
                  "rest_strain"_a = array(rest.strain), "rest_curvature"_a = array(rest.curvature),
                  "rest_twist"_a = array(rest.twist), "stretch_modulus"_a = array(rest.stretch_modulus),
                  "bend_modulus"_a = array(rest.bend_modulus), "twist_modulus"_a = array(rest.twist_modulus),
                  "seconds"_a = outcome.seconds);
}

}  // namespace

void bind_sagfree(py::module_& module) { module.def("sagfree", &sagfree_of); }

}  // namespace tendril::python
