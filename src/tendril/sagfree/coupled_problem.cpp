#include "tendril/sagfree/coupled_problem.hpp"

#include <algorithm>
#include <limits>

namespace tendril::sagfree {

using Eigen::Index;
using Eigen::VectorXd;

CoupledProblem::CoupledProblem(std::vector<const StrandProblem*> strands, bool shares_stiffness)
    : strands_(std::move(strands)), shares_(shares_stiffness), offsets_{0}, unknown_offsets_{0} {
  std::vector<double> initial;
  if (shares_) {  // the factors stand first
    variables_ = {Variable::bend, Variable::twist, Variable::stretch};
    initial.assign(variables_.size(), 1.0);
  }
  for (const StrandProblem* strand : strands_) {
    for (std::size_t i = 0; i < strand->size(); ++i) {
      const Variable v = strand->variable(i);
      const double p0 = strand->initial()[Index(i)];
      const bool shared = shares_ && is_stiffness(v) && !strand->is_fixed(i);
      index_.push_back(shared ? index_of_shared(v) : Index(initial.size()));
      scale_.push_back(shared ? p0 : 1.0);
      if (!shared) initial.push_back(p0), variables_.push_back(v);
    }
    offsets_.push_back(Index(index_.size()));
    unknown_offsets_.push_back(unknown_offsets_.back() + strand->inverse_mass().size());
  }
  initial_ = Eigen::Map<VectorXd>(initial.data(), Index(initial.size()));
  inverse_mass_.resize(unknown_offsets_.back());
  for (std::size_t s = 0; s < strands_.size(); ++s)
    inverse_mass_.segment(unknown_offsets_[s], strands_[s]->inverse_mass().size()) = strands_[s]->inverse_mass();
}

Index CoupledProblem::index_of_shared(Variable variable) const {
  return std::ranges::find(variables_, variable) - variables_.begin();
}

VectorXd CoupledProblem::weights(double stiffness, double rest) const {
  VectorXd weights = VectorXd::Zero(initial_.size());
  for (std::size_t s = 0; s < strands_.size(); ++s)
    for (std::size_t i = 0; i < strands_[s]->size(); ++i) {
      const std::size_t at = std::size_t(offsets_[s]) + i;
      const double change = scale_[at] / strands_[s]->unit(i);
      weights[index_[at]] += change * change * (is_stiffness(strands_[s]->variable(i)) ? stiffness : rest);
    }
  return weights;
}

std::vector<std::pair<Index, Index>> CoupledProblem::stiffness_neighbours() const {
  std::vector<std::pair<Index, Index>> pairs;
  for (std::size_t s = 0; s < strands_.size() && !shares_; ++s) {
    const std::size_t stride = strands_[s]->parameters_per_joint();
    for (std::size_t i = 0; i + stride < strands_[s]->size(); ++i)
      if (is_stiffness(strands_[s]->variable(i)) && !strands_[s]->is_fixed(i) && !strands_[s]->is_fixed(i + stride))
        pairs.emplace_back(offsets_[s] + Index(i), offsets_[s] + Index(i + stride));
  }
  return pairs;
}

void CoupledProblem::force(const VectorXd& z, VectorXd& f) const {
  if (is_banded()) return strands_[0]->force(z, f);
  f.resize(inverse_mass_.size());
  VectorXd own;
  for (std::size_t s = 0; s < strands_.size(); ++s) {
    strands_[s]->force(expand(z, s), own);
    f.segment(unknown_offsets_[s], own.size()) = own;
  }
}

void CoupledProblem::jacobian(const VectorXd& z, std::vector<ForceColumn>& columns) const {
  if (is_banded()) return strands_[0]->jacobian(z, columns);
  columns.clear();
  std::vector<ForceColumn> own;
  for (std::size_t s = 0; s < strands_.size(); ++s) {
    strands_[s]->jacobian(expand(z, s), own);
    for (ForceColumn& column : own) column.first += std::size_t(unknown_offsets_[s]);
    columns.insert(columns.end(), own.begin(), own.end());
  }
}

void CoupledProblem::add_transposed(const std::vector<ForceColumn>& columns, const VectorXd& y, VectorXd& g) const {
  for (std::size_t i = 0; i < columns.size(); ++i) g[index_[i]] += scale_[i] * columns[i].dot(y);
}

void CoupledProblem::add_gauss_newton(const std::vector<ForceColumn>& columns, double weight,
                                      Band<double>& hessian) const {
  strands_[0]->add_gauss_newton(columns, weight, hessian);
}

Eigen::SparseMatrix<double> CoupledProblem::matrix(const std::vector<ForceColumn>& columns) const {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t r = 0; r < columns[i].count; ++r)
      if (columns[i].values[r] != 0.0)
        entries.emplace_back(int(columns[i].first + r), int(index_[i]), scale_[i] * columns[i].values[r]);
  Eigen::SparseMatrix<double> j(inverse_mass_.size(), initial_.size());
  j.setFromTriplets(entries.begin(), entries.end());
  return j;
}

VectorXd CoupledProblem::expand(const VectorXd& z, std::size_t strand) const {
  VectorXd p(offsets_[strand + 1] - offsets_[strand]);
  for (Index i = 0; i < p.size(); ++i) {
    const auto at = std::size_t(offsets_[strand] + i);
    p[i] = scale_[at] * z[index_[at]];
  }
  return p;
}

// A factor that strands disagree about becomes the largest.
VectorXd CoupledProblem::join(const std::vector<VectorXd>& p) const {
  VectorXd z = VectorXd::Constant(initial_.size(), -std::numeric_limits<double>::infinity());
  for (std::size_t s = 0; s < strands_.size(); ++s)
    for (Index i = 0; i < p[s].size(); ++i) {
      const auto at = std::size_t(offsets_[s] + i);
      z[index_[at]] = std::max(z[index_[at]], p[s][i] / scale_[at]);
    }
  return z;
}

Box CoupledProblem::join(const std::vector<Box>& boxes) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Box box{VectorXd::Constant(initial_.size(), -infinity), VectorXd::Constant(initial_.size(), infinity)};
  for (std::size_t s = 0; s < strands_.size(); ++s)
    for (Index i = 0; i < boxes[s].lower.size(); ++i) {
      const auto at = std::size_t(offsets_[s] + i);
      const Index k = index_[at];
      box.lower[k] = std::max(box.lower[k], boxes[s].lower[i] / scale_[at]);
      box.upper[k] = std::min(box.upper[k], boxes[s].upper[i] / scale_[at]);
    }
  return box;
}

}  // namespace tendril::sagfree
