// NumPy on one side, the contact solvers on the other. python/tendril/contact.py has checked the shapes.
#include "contact_bindings.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tendril/contact/solver.hpp"
#include "without_python.hpp"

namespace py = pybind11;

namespace tendril::python {
namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Places = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

contact::Options options_from(const py::dict& values) {
  contact::Options options;
  options.solver = *contact::solver_named(values["solver"].cast<std::string>());
  options.tolerance = values["tolerance"].cast<double>();
  options.max_sweeps = values["max_sweeps"].cast<int>();
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

std::vector<double> vector_of(const Numbers& values) { return {values.data(), values.data() + values.size()}; }

py::dict solve_w(const Places& i, const Places& j, const Numbers& values, const Numbers& b, const Numbers& mu,
                 const Numbers& start, const py::dict& options) {
  const Eigen::Index n = b.size();
  Result<contact::ExplicitDelassus> problem = contact::ExplicitDelassus::create(
      sparse_from(n, n, i, j, values), Eigen::Map<const Eigen::VectorXd>(b.data(), n), vector_of(mu),
      std::vector<contact::Law>(std::size_t(mu.size()), contact::Law::coulomb));
  if (!problem) throw std::invalid_argument(problem.error().message());
  const contact::Options chosen = options_from(options);
  const contact::Impulses first = impulses_from(start);
  const contact::Solution solution = [&] {
    const WithoutPython without;
    return contact::solve(problem.value(), chosen, first);
  }();
  return dict_of(solution);
}

// The rows of H of one contact, block by block: at most two.
void add_contact(const Eigen::SparseMatrix<double, Eigen::RowMajor>& h, std::size_t contact,
                 const std::vector<std::int32_t>& block_of, const Eigen::Vector3d& drift, double mu,
                 contact::Problem& problem) {
  std::vector<std::pair<std::int32_t, Eigen::MatrixXd>> sides;
  for (int row = 0; row < 3; ++row)
    for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(h, Eigen::Index(3 * contact) + row); it; ++it) {
      const std::int32_t block = block_of[std::size_t(it.col())];
      auto side = std::ranges::find(sides, block, [](const auto& entry) { return entry.first; });
      if (side == sides.end()) {
        sides.emplace_back(block, Eigen::MatrixXd::Zero(3, Eigen::Index(problem.blocks[std::size_t(block)].size)));
        side = sides.end() - 1;
      }
      side->second(row, it.col() - Eigen::Index(problem.blocks[std::size_t(block)].first)) = it.value();
    }
  if (sides.size() > 2)
    throw std::invalid_argument("H: contact " + std::to_string(contact) + " touches more than two blocks of M_blocks");
  contact::Contact out{{}, {}, drift, mu, contact::Law::coulomb};
  if (!sides.empty()) out.a = problem.add_side(sides[0].first, sides[0].second);
  if (sides.size() == 2) out.b = problem.add_side(sides[1].first, sides[1].second);
  problem.contacts.push_back(out);
}

py::dict solve_blocks(const std::vector<Numbers>& blocks, const Numbers& f, const Places& i, const Places& j,
                      const Numbers& values, const Numbers& w, const Numbers& mu, const Numbers& start,
                      const py::dict& options) {
  contact::Problem problem;
  std::vector<std::int32_t> block_of;
  const bool inverses = options["inverses"].cast<bool>();
  for (const Numbers& block : blocks) {
    const Eigen::Index n = block.shape(0), first = Eigen::Index(problem.f.size());
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    block_of.resize(block_of.size() + std::size_t(n), std::int32_t(problem.blocks.size()));
    const Eigen::Map<const Rows> matrix(block.data(), n, n);
    const Eigen::Map<const Eigen::VectorXd> part(f.data() + first, n);
    inverses ? problem.add_compliance(matrix, part) : problem.add_block(matrix, part);
  }
  const Eigen::SparseMatrix<double, Eigen::RowMajor> h =
      sparse_from(3 * mu.size(), Eigen::Index(problem.f.size()), i, j, values);
  for (py::ssize_t c = 0; c < mu.size(); ++c)
    add_contact(h, std::size_t(c), block_of, {w.data()[3 * c], w.data()[3 * c + 1], w.data()[3 * c + 2]}, mu.data()[c],
                problem);
  if (Status status = contact::check(problem); !status) throw std::invalid_argument(status.error().message());
  const contact::Options chosen = options_from(options);
  const contact::Impulses first = impulses_from(start);
  const contact::Solution solution = [&] {
    const WithoutPython without;
    return contact::solve(problem, chosen, first);
  }();
  return dict_of(solution);
}

}  // namespace

void bind_contact(py::module_& module) {
  module.def("contact_w", &solve_w);
  module.def("contact_blocks", &solve_blocks);
}

}  // namespace tendril::python
