#include "tendril/sagfree/imbalance.hpp"

#include <cmath>

#include "tendril/base/parallel.hpp"

namespace tendril::sagfree {
namespace {

using der::HoldLayout;
using P = der::ParameterLayout;

// Sums of squares over the free unknowns of one lane.
struct Sums {
  double net = 0.0, load = 0.0, weight = 0.0;  // weight: as on earth, what forces are compared with where nothing pulls
};

Sums lane_sums(const der::Strands& strands, std::size_t g, const der::Targets& targets, const der::StepTerms& terms,
               const std::vector<double>& force, std::size_t lane) {
  const der::Strands::Group& group = strands.groups()[g];
  const auto w = strands.lanes();
  const std::span<const double> parameters = strands.parameters(g), holds = targets.holds[g];
  const auto parameter = [&](int k, int c) { return parameters[der::stream_at(k, P::components, c, w, lane)]; };
  const std::size_t s = group.strands[lane];
  const int first = group.first[lane], edges = int(strands.vertices(s)) - 1;
  double length = 0.0;
  for (int k = first; k < first + edges; ++k) length += parameter(k, P::reference_length);
  Sums sums;
  for (int k = first; k <= first + edges; ++k)
    for (int c = 0; c < 4; ++c) {
      const double weight = c == 0 ? 9.81 * parameter(k, P::mass) : 0.0;
      sums.weight += weight * weight;
      const int hold = group.hold_of[std::size_t(k)];
      const bool is_free = hold < 0 || holds[der::stream_at(hold, HoldLayout::components, c, w, lane)] > 0.5;
      if (!is_free || (c == 3 && k == first + edges)) continue;
      const double arm = c == 3 ? length : 1.0;
      const double net = force[der::stream_at(k, 4, c, w, lane)] / arm;
      double load = c < 3 ? parameter(k, P::mass) * terms.gravity[c] : 0.0;
      if (terms.loads != nullptr) load += terms.loads[der::stream_at(k, 4, c, w, lane)] / arm;
      sums.net += net * net, sums.load += load * load;
    }
  return sums;
}

}  // namespace

der::StepTerms static_terms(const Eigen::Vector3d& gravity, const der::Strands::Group& group) {
  der::StepTerms terms;
  for (int c = 0; c < 3; ++c) terms.gravity[c] = gravity[c];
  if (!group.loads.empty()) terms.loads = group.loads.data();
  return terms;
}

std::vector<double> imbalances(const der::Strands& strands, const Eigen::Vector3d& gravity, const der::State& state) {
  const der::Targets targets = strands.make_targets();
  std::vector<double> out(strands.size(), 0.0);
  parallel_for(strands.groups().size(), [&](std::size_t g) {
    const der::Strands::Group& group = strands.groups()[g];
    const der::StepTerms terms = static_terms(gravity, group);
    std::vector<double> force(std::size_t(group.vertices * 4 * strands.lanes()));
    strands.kernels().residual(strands.view(g, targets), terms, state.current[g].data(), force.data());
    for (std::size_t lane = 0; lane < std::size_t(group.owned); ++lane) {
      const Sums sums = lane_sums(strands, g, targets, terms, force, lane);
      if (sums.net != 0.0) out[group.strands[lane]] = std::sqrt(sums.net / (sums.load > 0.0 ? sums.load : sums.weight));
    }
  });
  return out;
}

}  // namespace tendril::sagfree
