// NumPy on one side, the contact solvers on the other. python/tendril/contact.py has checked the shapes.
#include "contact_bindings.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tendril/contact/contact_rows.hpp"
#include "tendril/contact/solver.hpp"
#include "tendril/io/any_contact_problem.hpp"
#include "without_python.hpp"

namespace py = pybind11;

namespace tendril::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Places = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;
using Flags = py::array_t<bool, py::array::c_style | py::array::forcecast>;

contact::Options options_from(const py::dict& values) {
  contact::Options options;
  options.solver = *contact::solver_named(values["solver"].cast<std::string>());
  options.tolerance = values["tolerance"].cast<double>();
  options.max_sweeps = values["max_sweeps"].cast<int>();
  options.effort = *contact::effort_named(values["effort"].cast<std::string>());
  options.freezing = values["freezing"].cast<bool>();
  if (values["local"].is_none()) return options;
  options.local = contact::LocalOptions{*contact::local_method_named(values["local"].cast<std::string>()),
                                        values["fail_safe"].cast<bool>()};
  return options;
}

contact::Impulses impulses_from(const Numbers& rows) {
  contact::Impulses out;
  for (py::ssize_t i = 0; i + 2 < rows.size(); i += 3)
    out.emplace_back(rows.data()[i], rows.data()[i + 1], rows.data()[i + 2]);
  return out;
}

py::array_t<double> rows_of(const contact::Impulses& rows) {
  py::array_t<double> out({py::ssize_t(rows.size()), py::ssize_t(3)});
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(rows[i].data(), 3, out.mutable_data() + 3 * py::ssize_t(i));
  return out;
}

py::dict dict_of(const contact::Solution& solution) {
  const contact::Report& report = solution.report;
  py::dict out;
  out["r"] = rows_of(solution.r), out["u"] = rows_of(solution.u);
  out["v"] = py::array_t<double>(solution.v.size(), solution.v.data());
  out["status"] = std::string(contact::name(report.outcome));
  out["solver"] = std::string(contact::name(report.solver));
  out["error"] = report.error;
  out["sweeps"] = report.sweeps;
  out["local_solves"] = report.local_solves;
  out["rescued"] = report.rescued;
  out["unsolved"] = report.unsolved;
  out["immovable"] = report.immovable;
  out["jammed"] = report.jammed;
  out["islands"] = report.islands;
  return out;
}

Eigen::SparseMatrix<double> sparse_from(Eigen::Index rows, Eigen::Index columns, const Places& i, const Places& j,
                                        const Numbers& values) {
  std::vector<Eigen::Triplet<double>> entries;
  for (py::ssize_t k = 0; k < values.size(); ++k)
    entries.emplace_back(int(i.data()[k]), int(j.data()[k]), values.data()[k]);
  Eigen::SparseMatrix<double> out(rows, columns);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}

template <class T>
T or_raise(Result<T> result) {
  if (!result) throw std::invalid_argument(result.error().message());
  return std::move(result.value());
}

std::vector<double> vector_of(const Numbers& values) { return {values.data(), values.data() + values.size()}; }

std::vector<contact::Law> laws_of(const Flags& joints) {
  std::vector<contact::Law> laws(std::size_t(joints.size()));
  std::transform(joints.data(), joints.data() + joints.size(), laws.begin(),
                 [](bool joint) { return joint ? contact::Law::bilateral : contact::Law::coulomb; });
  return laws;
}

contact::ExplicitDelassus problem_by_w(const Places& i, const Places& j, const Numbers& values, const Numbers& b,
                                       const Numbers& mu, const Flags& joints) {
  const Eigen::Index n = b.size();
  return or_raise(contact::ExplicitDelassus::create(
      sparse_from(n, n, i, j, values), Eigen::Map<const Eigen::VectorXd>(b.data(), n), vector_of(mu), laws_of(joints)));
}

contact::Problem problem_by_blocks(const std::vector<Numbers>& blocks, const Numbers& f, const Places& i,
                                   const Places& j, const Numbers& values, const Numbers& w, const Numbers& mu,
                                   const Flags& joints, bool inverses) {
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  contact::Problem problem;
  Eigen::Index first = 0;
  for (const Numbers& block : blocks) {
    const Eigen::Index n = block.shape(0);
    const Eigen::Map<const Rows> matrix(block.data(), n, n);
    const Eigen::Map<const Eigen::VectorXd> part(f.data() + first, n);
    inverses ? problem.add_compliance(matrix, part) : problem.add_block(matrix, part);
    first += n;
  }
  or_raise(contact::add_contacts(sparse_from(w.size(), f.size(), i, j, values), vector_of(w), vector_of(mu), problem));
  const std::vector<contact::Law> laws = laws_of(joints);
  for (std::size_t c = 0; c < laws.size(); ++c) problem.contacts[c].law = laws[c];
  or_raise(contact::check(problem));
  return problem;
}

template <class Problem>
py::dict solution_of(const Problem& problem, const Numbers& start, const py::dict& options) {
  const contact::Options chosen = options_from(options);
  const contact::Impulses first = impulses_from(start);
  const contact::Solution solution = [&] {
    const WithoutPython without;
    return contact::solve(problem, chosen, first);
  }();
  return dict_of(solution);
}

py::dict solve_w(const Places& i, const Places& j, const Numbers& values, const Numbers& b, const Numbers& mu,
                 const Flags& joints, const Numbers& start, const py::dict& options) {
  return solution_of(problem_by_w(i, j, values, b, mu, joints), start, options);
}

py::dict solve_blocks(const std::vector<Numbers>& blocks, const Numbers& f, const Places& i, const Places& j,
                      const Numbers& values, const Numbers& w, const Numbers& mu, const Flags& joints,
                      const Numbers& start, const py::dict& options) {
  const bool inverses = options["inverses"].cast<bool>();
  return solution_of(problem_by_blocks(blocks, f, i, j, values, w, mu, joints, inverses), start, options);
}

// `r` and `u` are those of a solution, or empty.
void write(const std::filesystem::path& path, AnyContactProblem problem, const Numbers& r, const Numbers& u) {
  contact::Solution solution;
  solution.r = impulses_from(r), solution.u = impulses_from(u);
  const bool solved = r.size() > 0;
  const Status status = [&] {
    const WithoutPython without;
    return write_any_contact_problem(path, problem, solved ? &solution : nullptr);
  }();
  or_raise(status);
}

void write_w(const std::filesystem::path& path, const Places& i, const Places& j, const Numbers& values,
             const Numbers& b, const Numbers& mu, const Flags& joints, const Numbers& r, const Numbers& u) {
  write(path, problem_by_w(i, j, values, b, mu, joints), r, u);
}

void write_blocks(const std::filesystem::path& path, const std::vector<Numbers>& blocks, const Numbers& f,
                  const Places& i, const Places& j, const Numbers& values, const Numbers& w, const Numbers& mu,
                  const Flags& joints, const Numbers& r, const Numbers& u) {
  write(path, problem_by_blocks(blocks, f, i, j, values, w, mu, joints, false), r, u);
}

template <class T>
py::array_t<T> array_of(const T* values, Eigen::Index count) {
  return py::array_t<T>(count, values);
}

// Shape, values, rows and where columns start.
py::tuple columns_of(const Eigen::SparseMatrix<double>& matrix) {
  return py::make_tuple(py::make_tuple(matrix.rows(), matrix.cols()), array_of(matrix.valuePtr(), matrix.nonZeros()),
                        array_of(matrix.innerIndexPtr(), matrix.nonZeros()),
                        array_of(matrix.outerIndexPtr(), matrix.cols() + 1));
}

// law(i): of each.
template <class LawOf>
Flags joints_of(std::size_t count, const LawOf& law) {
  Flags out{py::ssize_t(count)};
  for (std::size_t i = 0; i < count; ++i) out.mutable_data()[i] = law(i) == contact::Law::bilateral;
  return out;
}

py::dict dict_of(const contact::ExplicitDelassus& problem) {
  std::vector<double> mu;
  for (std::size_t i = 0; i < problem.size(); ++i) mu.push_back(problem.mu(i));
  const Eigen::VectorXd b = problem.free_velocity();
  py::dict out;
  out["W"] = columns_of(problem.matrix());
  out["b"] = array_of(b.data(), b.size()), out["mu"] = py::array_t<double>(py::cast(mu));
  out["joints"] = joints_of(problem.size(), [&](std::size_t i) { return problem.law(i); });
  return out;
}

py::dict dict_of(const contact::Problem& problem) {
  std::vector<double> mu, drift;
  for (const contact::Contact& contact : problem.contacts) {
    mu.push_back(contact.mu);
    drift.insert(drift.end(), contact.drift.data(), contact.drift.data() + 3);
  }
  py::list blocks;
  for (const contact::Block& block : problem.blocks) {
    const auto n = py::ssize_t(block.size);
    blocks.append(py::array_t<double>({n, n}, problem.matrix(block).data()));  // symmetric: rows may be columns
  }
  py::dict out;
  out["M_blocks"] = blocks;
  out["H"] = columns_of(contact::rows_of(problem));
  out["f"] = array_of(problem.f.data(), Eigen::Index(problem.f.size()));
  out["w"] = py::array_t<double>(py::cast(drift)), out["mu"] = py::array_t<double>(py::cast(mu));
  out["joints"] = joints_of(problem.size(), [&](std::size_t i) { return problem.contacts[i].law; });
  return out;
}

py::dict read(const std::filesystem::path& path, std::optional<std::size_t> which) {
  const AnyContactProblem problem = or_raise([&] {
    const WithoutPython without;
    return read_any_contact_problem(path, which);
  }());
  // Blocks that are given by their inverses have no M: such a problem comes as W.
  if (const auto* blocks = std::get_if<contact::Problem>(&problem);
      blocks != nullptr && std::ranges::any_of(blocks->blocks, [](const contact::Block& block) {
        return block.given == contact::Given::inverse;
      }))
    return dict_of(contact::ExplicitDelassus(*blocks));
  return std::visit([](const auto& given) { return dict_of(given); }, problem);
}

}  // namespace

void bind_contact(py::module_& module) {
  module.def("contact_w", &solve_w);
  module.def("contact_blocks", &solve_blocks);
  module.def("contact_read", &read);
  module.def("contact_write_w", &write_w);
  module.def("contact_write_blocks", &write_blocks);
}

}  // namespace tendril::python
