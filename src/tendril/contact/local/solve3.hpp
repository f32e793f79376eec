// x of a x = b by elimination with partial pivoting: three rows, written for speed.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <utility>

namespace tendril::contact::local {

// False: a pivot is zero or not a number.
inline bool solve3(Eigen::Matrix3d a, Eigen::Vector3d b, Eigen::Vector3d& x) {
  for (int column = 0; column < 2; ++column) {
    int pivot = column;
    for (int row = column + 1; row < 3; ++row)
      if (std::abs(a(row, column)) > std::abs(a(pivot, column))) pivot = row;
    if (pivot != column) a.row(pivot).swap(a.row(column)), std::swap(b[pivot], b[column]);
    if (!(std::abs(a(column, column)) > 0.0)) return false;
    for (int row = column + 1; row < 3; ++row) {
      const double factor = a(row, column) / a(column, column);
      for (int k = column + 1; k < 3; ++k) a(row, k) -= factor * a(column, k);
      b[row] -= factor * b[column];
    }
  }
  if (!(std::abs(a(2, 2)) > 0.0)) return false;
  x[2] = b[2] / a(2, 2);
  x[1] = (b[1] - a(1, 2) * x[2]) / a(1, 1);
  x[0] = (b[0] - a(0, 1) * x[1] - a(0, 2) * x[2]) / a(0, 0);
  return x.allFinite();
}

}  // namespace tendril::contact::local
