// Strands whose stiffness is chosen together: one problem over all of them, in which a shared factor stands in for the
// stiffness of many elements (docs/theory/sag-free.md, "Stiffness in common").
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstddef>
#include <utility>
#include <vector>

#include "tendril/sagfree/box.hpp"
#include "tendril/sagfree/strand_problem.hpp"

namespace tendril::sagfree {

// Parameters z, of which each parameter of a strand is a multiple: p_i = scale_i z_k(i). Without sharing z is p, strand
// after strand. The strands must outlive it.
class CoupledProblem {
 public:
  CoupledProblem(const StrandProblem& strand) : CoupledProblem({&strand}, false) {}  // by itself
  CoupledProblem(std::vector<const StrandProblem*> strands, bool shares_stiffness);

  std::size_t size() const { return std::size_t(initial_.size()); }
  bool is_banded() const { return strands_.size() == 1 && !shares_; }
  std::size_t half_bandwidth() const { return strands_[0]->half_bandwidth(); }

  const Eigen::VectorXd& initial() const { return initial_; }
  const Eigen::VectorXd& inverse_mass() const { return inverse_mass_; }  // of the unknowns of all strands
  Variable variable(std::size_t index) const { return variables_[index]; }
  // Of changes of z, where `stiffness` and `rest` are those of changes of p.
  Eigen::VectorXd weights(double stiffness, double rest) const;
  // Stiffness of the same kind at neighbouring joints; none if it is shared.
  std::vector<std::pair<Eigen::Index, Eigen::Index>> stiffness_neighbours() const;

  void force(const Eigen::VectorXd& z, Eigen::VectorXd& f) const;
  // Derivatives by p, strand after strand, on the unknowns of all strands.
  void jacobian(const Eigen::VectorXd& z, std::vector<ForceColumn>& columns) const;
  // g += Jᵀ y
  void add_transposed(const std::vector<ForceColumn>& columns, const Eigen::VectorXd& y, Eigen::VectorXd& g) const;
  // hessian += weight Jᵀ diag(inverse mass) J; only if is_banded().
  void add_gauss_newton(const std::vector<ForceColumn>& columns, double weight, Band<double>& hessian) const;
  // J, by z.
  Eigen::SparseMatrix<double> matrix(const std::vector<ForceColumn>& columns) const;

  // Parameters of one strand; and z from those of all, or from their boxes.
  Eigen::VectorXd expand(const Eigen::VectorXd& z, std::size_t strand) const;
  Eigen::VectorXd join(const std::vector<Eigen::VectorXd>& p) const;
  Box join(const std::vector<Box>& boxes) const;

 private:
  Eigen::Index index_of_shared(Variable variable) const;

  std::vector<const StrandProblem*> strands_;
  bool shares_;
  std::vector<Eigen::Index> offsets_, unknown_offsets_;  // of each strand's parameters and unknowns, then the ends
  std::vector<Eigen::Index> index_;                      // k(i)
  std::vector<double> scale_;
  std::vector<Variable> variables_;  // by z
  Eigen::VectorXd initial_, inverse_mass_;
};

}  // namespace tendril::sagfree
