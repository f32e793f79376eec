// Which unknown rules which part of a strand. Each of the two curvatures and the twist is constant on equal pieces of
// its own; between two neighbouring ends of any of them lies a *piece* of constant Darboux vector
// (docs/theory/superhelix.md, "Unknowns").
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace tendril::superhelix {

// How many pieces each component has: the default is the 16 unknowns of the literature.
struct Counts {
  int bend1 = 6, bend2 = 6, twist = 4;
};

class Partition {
 public:
  explicit Partition(const Counts& counts);

  std::size_t pieces() const { return ends_.size() - 1; }
  std::size_t unknowns() const { return components_.size(); }
  double begin(std::size_t piece) const { return ends_[piece]; }  // as a share of the strand's length
  double end(std::size_t piece) const { return ends_[piece + 1]; }
  std::size_t piece_at(double share) const;

  // Of an unknown: 0 bends towards m1, 1 towards m2, 2 twists; and where it rules.
  int component(std::size_t unknown) const { return components_[unknown]; }
  double begin_of(std::size_t unknown) const { return spans_[unknown][0]; }
  double end_of(std::size_t unknown) const { return spans_[unknown][1]; }

  // Bending towards m1 turns about m2, bending towards m2 turns about -m1 (Eq. 8).
  Eigen::Vector3d darboux(std::size_t piece, std::span<const double> q) const {
    const auto& u = unknowns_[piece];
    return {-q[u[1]], q[u[0]], q[u[2]]};
  }
  // The transpose of darboux(): a vector of forces on a piece's Darboux vector goes to its unknowns.
  void add_transposed(std::size_t piece, const Eigen::Vector3d& f, std::span<double> out) const {
    const auto& u = unknowns_[piece];
    out[u[0]] += f.y(), out[u[1]] -= f.x(), out[u[2]] += f.z();
  }
  // Unknown and sign behind component c of a piece's Darboux vector.
  struct Entry {
    std::size_t unknown;
    double sign;
  };
  Entry entry(std::size_t piece, std::size_t c) const {
    const auto& u = unknowns_[piece];
    return c == 0 ? Entry{u[1], -1.0} : c == 1 ? Entry{u[0], 1.0} : Entry{u[2], 1.0};
  }

 private:
  std::vector<double> ends_;                          // of the pieces, from 0 to 1
  std::vector<std::array<std::size_t, 3>> unknowns_;  // per piece: of bend1, bend2, twist
  std::vector<int> components_;                       // per unknown
  std::vector<std::array<double, 2>> spans_;          // per unknown
};

// Adds the block of the Darboux vectors of two pieces to a matrix of the unknowns; of different pieces both halves.
template <class Matrix>
void add_block(const Partition& partition, std::size_t i, std::size_t j, const Eigen::Matrix3d& block, Matrix& out) {
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      const auto [row, row_sign] = partition.entry(i, a);
      const auto [column, column_sign] = partition.entry(j, b);
      const double value = row_sign * column_sign * block(Eigen::Index(a), Eigen::Index(b));
      out(Eigen::Index(row), Eigen::Index(column)) += value;
      if (i != j) out(Eigen::Index(column), Eigen::Index(row)) += value;
    }
}

}  // namespace tendril::superhelix
