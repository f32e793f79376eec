#include "tendril/contact/gradient_steps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "tendril/base/parallel.hpp"

namespace tendril::contact {
namespace {

using Eigen::Map;
using Eigen::Vector3d;

constexpr int power_steps = 4;  // within some percent; the length of steps is found as they go

// The largest eigenvalue of T^-1/2 W_o T^-1/2, which is that of C_o Hᵀ T^-1 H: powers of it, on velocities of the
// nodes.
class BlockSpectrum {
 public:
  // Memory may be used again.
  struct Numbers {
    std::vector<double> velocity, force;  // four per node
  };

  BlockSpectrum(const NodeSpace& space, std::size_t index, std::span<const std::uint32_t> touches,
                std::span<const double> weights, const BlockProduct& respond, Numbers& numbers)
      : space_(space),
        weights_(weights),
        index_(std::int32_t(index)),
        block_(space.blocks[index]),
        touches_(touches),
        respond_(respond),
        velocity_(numbers.velocity),
        force_(numbers.force) {}

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
  Map<Vector3d> at(std::vector<double>& numbers, std::uint32_t node) const {
    return Map<Vector3d>(numbers.data() + 4 * std::size_t(node - block_.first_node));
  }

  // Hᵀ T^-1 H v
  void push() {
    force_.assign(block_.rows(), 0.0);
    for (const std::uint32_t i : touches_) {
      const NodeContact& contact = space_.contacts[i];
      const double share = contact.share[contact.block[0] == index_ ? 0 : 1] / weights_[i];
      if (contact.has_terms())
        push_terms(contact, share);
      else
        push_nodes(contact, share);
    }
  }
  void push_nodes(const NodeContact& contact, double share) {
    const auto for_nodes = [&](const auto& f) {
      for (std::size_t k = 0; k < 4; ++k)
        if (contact.weight[k] != 0.0 && contact.block[k / 2] == index_) f(contact.weight[k], contact.node[k]);
    };
    Vector3d u = Vector3d::Zero();
    for_nodes([&](double weight, std::uint32_t node) { u += weight * at(velocity_, node); });
    if (!space_.frames_are_rotations) u = (contact.frame.transpose() * (contact.frame * u)).eval();
    u /= share;
    for_nodes([&](double weight, std::uint32_t node) { at(force_, node) += weight * u; });
  }
  void push_terms(const NodeContact& contact, double share) {
    const auto for_terms = [&](const auto& f) {
      for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t)
        if (std::int32_t(space_.terms[t].block) == index_) f(space_.terms[t].matrix, space_.terms[t].node);
    };
    Vector3d u = Vector3d::Zero();
    for_terms([&](const Eigen::Matrix3d& a, std::uint32_t node) { u.noalias() += a * at(velocity_, node); });
    u /= share;
    for_terms([&](const Eigen::Matrix3d& a, std::uint32_t node) { at(force_, node).noalias() += a.transpose() * u; });
  }

  const NodeSpace& space_;
  const std::span<const double> weights_;
  const std::int32_t index_;
  const NodeBlock& block_;
  const std::span<const std::uint32_t> touches_;
  const BlockProduct& respond_;
  std::vector<double>&velocity_, &force_;
};

}  // namespace

GradientSteps::GradientSteps(const NodeSpace& space, BlockProduct respond)
    : space_(space),
      respond_(std::move(respond)),
      first_touch_(space.blocks.size() + 1, 0),
      eigenvalue_(space.blocks.size(), 1.0) {
  const auto for_touches = [&](const auto& f) {
    for (std::uint32_t i = 0; i < space.size(); ++i)
      for (std::size_t s = 0; s < 2; ++s)
        if (const NodeContact& c = space.contacts[i]; c.block[s] != Side::none && c.share[s] > 0.0)
          f(std::size_t(c.block[s]), i);
  };
  for_touches([&](std::size_t block, std::uint32_t) { ++first_touch_[block + 1]; });
  std::partial_sum(first_touch_.begin(), first_touch_.end(), first_touch_.begin());
  touches_.resize(first_touch_.back());
  std::vector<std::uint32_t> next(first_touch_.begin(), first_touch_.end() - 1);
  for_touches([&](std::size_t block, std::uint32_t i) { touches_[next[block]++] = i; });
}

void GradientSteps::find(std::span<const double> weights, std::span<double> steps) {
  parallel_for(space_.blocks.size(), [&](std::size_t b) {
    thread_local BlockSpectrum::Numbers numbers;
    const auto touches = std::span(touches_).subspan(first_touch_[b], first_touch_[b + 1] - first_touch_[b]);
    if (!touches.empty())
      eigenvalue_[b] = BlockSpectrum(space_, b, touches, weights, respond_, numbers).largest_eigenvalue();
  });
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const NodeContact& contact = space_.contacts[i];
    double bound = 0.0;
    for (std::size_t s = 0; s < 2; ++s)
      if (contact.block[s] != Side::none) bound += eigenvalue_[std::size_t(contact.block[s])] * contact.share[s];
    steps[i] = contact.scale > 0.0 && bound > 0.0 ? weights[i] / bound : 0.0;
  }
}

}  // namespace tendril::contact
