#include "tendril/sim/sag_free_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

namespace tendril {

std::string sag_free_json(const sagfree::Summary& s) {
  const nlohmann::json out = {{"strands", s.strands},
                              {"converged", s.converged},
                              {"failed", s.failed},
                              {"unstable", s.unstable},
                              {"imbalance_before_median", s.imbalance_before_median},
                              {"imbalance_median", s.imbalance_median},
                              {"imbalance_max", s.imbalance_max},
                              {"stiffness_factor_median", s.stiffness_factor_median},
                              {"stiffness_factor_max", s.stiffness_factor_max},
                              {"mu_median", s.mu_median},
                              {"mu_min", s.mu_min},
                              {"newton_mean", s.newton_mean},
                              {"qp_iterations_mean", s.qp_iterations_mean}};
  return out.dump();
}

double largest_drift(const der::Strands& strands, const sagfree::Outcome& outcome, const der::State& state) {
  const Curves& drawn = strands.description().curves;
  std::vector<Eigen::Vector3d> positions(strands.vertex_count());
  der::gather_positions(strands, state, positions);
  double largest = 0.0;
  for (std::size_t s = 0; s < strands.size(); ++s) {
    if (outcome.strands[s].status != sagfree::StrandStatus::balanced) continue;
    double length = 0.0, moved = 0.0;
    for (std::size_t v = drawn.offsets[s]; v < drawn.offsets[s + 1]; ++v) {
      moved = std::max(moved, (positions[v] - drawn.points[v]).norm());
      if (v + 1 < drawn.offsets[s + 1]) length += (drawn.points[v + 1] - drawn.points[v]).norm();
    }
    largest = std::max(largest, moved / length);
  }
  return largest;
}

}  // namespace tendril
