// M^-1 of a problem, block by block: by a factor where the matrix is given, by the inverse itself where that is.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "tendril/contact/problem.hpp"

namespace tendril::contact {

class BlockInverses {
 public:
  // Of a problem whose check() is ok, which outlives this. In parallel over blocks.
  explicit BlockInverses(const Problem& problem);

  bool is_definite() const { return is_definite_; }

  // x := M^-1 x, all columns.
  void apply(std::size_t block, Eigen::Ref<Eigen::MatrixXd> x) const;
  Eigen::VectorXd free_velocity(std::size_t block) const;

 private:
  const Problem& problem_;
  std::vector<double> factors_;  // L of L Lᵀ where the matrix is given, as in problem.matrices
  bool is_definite_ = true;
};

}  // namespace tendril::contact
