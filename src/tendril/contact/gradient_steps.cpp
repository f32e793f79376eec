#include "tendril/contact/gradient_steps.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/base/parallel.hpp"

namespace tendril::contact {
namespace {

using Eigen::Map;
using Eigen::Vector3d;

constexpr int power_steps = 4;  // within some percent; the length of steps is found as they go

// Contacts of each block, with the trace of what the block makes of their W_ii.
struct Touch {
  std::uint32_t contact;
  double share;
};

std::vector<std::vector<Touch>> touches_of_blocks(const NodeSpace& space) {
  std::vector<std::vector<Touch>> touches(space.blocks.size());
  for (std::uint32_t i = 0; i < space.size(); ++i)
    for (std::size_t s = 0; s < 2; ++s) {
      const NodeContact& contact = space.contacts[i];
      if (contact.block[s] != Side::none && contact.share[s] > 0.0)
        touches[std::size_t(contact.block[s])].push_back({i, contact.share[s]});
    }
  return touches;
}

// The largest eigenvalue of D^1/2 W_o D^1/2, which is that of C_o Hᵀ D H: powers of it, on velocities of the nodes.
class BlockSpectrum {
 public:
  BlockSpectrum(const NodeSpace& space, std::size_t index, std::span<const Touch> touches, const BlockProduct& respond)
      : space_(space), index_(std::int32_t(index)), block_(space.blocks[index]), touches_(touches), respond_(respond) {}

  double largest_eigenvalue() {
    velocity_.resize(block_.rows());
    for (std::size_t i = 0; i < velocity_.size(); ++i) velocity_[i] = i % 4 == 3 ? 0.0 : 1.0 + 0.1 * double(i % 4);
    double eigenvalue = 1.0;
    for (int k = 0; k < power_steps; ++k) {
      const double before = norm(velocity_);
      push();
      respond_(std::size_t(index_), force_.data(), velocity_.data());
      const double after = norm(velocity_);
      if (!(after > 0.0 && before > 0.0)) return eigenvalue;
      eigenvalue = after / before;
      for (double& v : velocity_) v /= after;
    }
    return eigenvalue;
  }

 private:
  static double norm(std::span<const double> v) {
    double sum = 0.0;
    for (const double x : v) sum += x * x;
    return std::sqrt(sum);
  }
  template <class F>  // f(coefficient, node within the block)
  void for_nodes(const NodeContact& contact, const F& f) const {
    for (std::size_t k = 0; k < 4; ++k)
      if (contact.weight[k] != 0.0 && contact.block[k / 2] == index_)
        f(Eigen::Matrix3d(contact.weight[k] * contact.frame), contact.node[k] - block_.first_node);
    for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t)
      if (std::int32_t(space_.terms[t].block) == index_)
        f(space_.terms[t].matrix, space_.terms[t].node - block_.first_node);
  }

  // Hᵀ D H v
  void push() {
    force_.assign(block_.rows(), 0.0);
    for (const auto& [contact, share] : touches_) {
      Vector3d u = Vector3d::Zero();
      for_nodes(space_.contacts[contact], [&](const Eigen::Matrix3d& a, std::size_t node) {
        u.noalias() += a * Map<const Vector3d>(velocity_.data() + 4 * node);
      });
      u /= share;
      for_nodes(space_.contacts[contact], [&](const Eigen::Matrix3d& a, std::size_t node) {
        Map<Vector3d>(force_.data() + 4 * node).noalias() += a.transpose() * u;
      });
    }
  }

  const NodeSpace& space_;
  const std::int32_t index_;
  const NodeBlock& block_;
  const std::span<const Touch> touches_;
  const BlockProduct& respond_;
  std::vector<double> velocity_, force_;
};

}  // namespace

std::vector<double> gradient_steps(const NodeSpace& space, const BlockProduct& respond) {
  const std::vector<std::vector<Touch>> touches = touches_of_blocks(space);
  std::vector<double> eigenvalue(space.blocks.size(), 1.0), steps(space.size(), 0.0);
  parallel_for(space.blocks.size(), [&](std::size_t b) {
    if (!touches[b].empty()) eigenvalue[b] = BlockSpectrum(space, b, touches[b], respond).largest_eigenvalue();
  });
  for (std::size_t i = 0; i < space.size(); ++i) {
    const NodeContact& contact = space.contacts[i];
    double bound = 0.0;
    for (std::size_t s = 0; s < 2; ++s)
      if (contact.block[s] != Side::none) bound += eigenvalue[std::size_t(contact.block[s])] * contact.share[s];
    steps[i] = contact.scale > 0.0 && bound > 0.0 ? 1.0 / bound : 0.0;
  }
  return steps;
}

}  // namespace tendril::contact
