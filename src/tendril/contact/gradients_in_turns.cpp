#include "tendril/contact/gradients_in_turns.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/contact/apgd.hpp"
#include "tendril/contact/neighbourhood.hpp"
#include "tendril/contact/node_response.hpp"
#include "tendril/contact/rungs.hpp"

namespace tendril::contact {
namespace {

constexpr std::size_t fewest_contacts = 300;    // below it all are their own neighbours
constexpr double few = 0.01, very_few = 0.003;  // of the contacts: on so many alone, and until so few are left
constexpr double aim = 0.5;                     // of the tolerance, among the few: so that they stay below it
constexpr int most_turns = 20, most_local_sweeps = 100;

// One turn: the contacts above the tolerance, with their neighbours. Sweeps count by the share of contacts that took
// part.
void solve_few(const NodeSpace& space, const Options& options, double speed, const NodeResponse& response, Impulses& r,
               double& sweeps) {
  std::vector<char> is_chosen(space.size(), 0);
  for (std::size_t i = 0; i < space.size(); ++i) is_chosen[i] = response.errors()[i] > options.tolerance * speed;
  const NodeSpace part = neighbourhood(space, is_chosen, r, response.velocities());
  Impulses local;
  for (const NodeContact& contact : part.contacts) local.push_back(r[contact.name]);
  Options closer = options;
  closer.tolerance = aim * options.tolerance, closer.max_sweeps = most_local_sweeps, closer.observer = nullptr;
  const Report report = accelerated_gradients(part, closer, speed, local);
  for (std::size_t i = 0; i < part.size(); ++i) r[part.contacts[i].name] = local[i];
  sweeps += double(report.sweeps) * double(part.size()) / double(space.size());
}

}  // namespace

Report gradients_in_turns(const NodeSpace& space, const Options& options, double speed, Impulses& r) {
  if (space.size() < fewest_contacts || options.max_sweeps > 0) return accelerated_gradients(space, options, speed, r);
  NodeResponse response(space);
  Report total;
  total.solver = Solver::apgd, total.error = response.error(r) / speed;
  const auto share_above = [&] {
    const double limit = options.tolerance * speed;
    return double(std::ranges::count_if(response.errors(), [&](double e) { return e > limit; })) / double(space.size());
  };
  double sweeps = 0.0;
  bool is_stuck = false;
  for (int turn = 0; turn < most_turns && total.error > options.tolerance && !is_stuck; ++turn) {
    if (share_above() <= few) {
      solve_few(space, options, speed, response, r, sweeps);
      total.error = response.error(r) / speed;
    } else {
      const Report all = gradients_until_few(space, options, speed, very_few, r);
      sweeps += all.sweeps;
      total.error = response.error(r) / speed;
      is_stuck = share_above() > few;
    }
  }
  total.sweeps = int(std::ceil(sweeps));
  if (total.error <= options.tolerance) return total.outcome = Outcome::converged, total;
  return followed(total, accelerated_gradients(space, options, speed, r));
}

}  // namespace tendril::contact
