#include "tendril/contact/gradients_in_turns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "tendril/contact/apgd.hpp"
#include "tendril/contact/large_first.hpp"
#include "tendril/contact/neighbourhood.hpp"
#include "tendril/contact/rungs.hpp"
#include "tendril/contact/spot_sweeps.hpp"

namespace tendril::contact {
namespace {

constexpr std::size_t fewest_contacts = 300;  // below it all are their own neighbours
// Of the contacts: with no more above the tolerance sweeps visit these alone, and all are iterated on until so few are.
// Where that leaves more than a handful, twice as few are asked for the next time.
constexpr double few = 0.03, very_few = 0.01, handful = 0.01;
constexpr double aim = 0.5;  // of the tolerance, in neighbourhoods: so that they stay below it
constexpr int most_turns = 20, most_local_sweeps = 1000;
constexpr int most_rings = 4;     // of neighbours: as many more as turns were futile, and with each more sweeps
constexpr double futile = 0.7;    // of the error: a turn that leaves more than that
constexpr double too_many = 0.5;  // of the contacts: so many neighbours are better solved with all

class Turns {
 public:
  Turns(const NodeSpace& space, const Options& options, double speed, NodeResponse& response, Impulses& r)
      : space_(space), options_(options), speed_(speed), response_(response), r_(r), error_(response_.error(r)) {}

  double error() const { return error_ / speed_; }
  Report report() const {
    Report report;
    report.solver = Solver::apgd, report.error = error();
    report.sweeps = int(std::ceil(sweeps_ + (spots_ ? spots_->sweeps() : 0.0)));
    if (!spots_) return report;
    report.local_solves = spots_->visits();
    report.rescued = spots_->others().rescued, report.unsolved = spots_->others().unsolved;
    return report;
  }
  bool is_done() const { return !(error() > options_.tolerance); }
  bool are_few() const { return share_above() <= few_; }
  bool are_a_handful() const { return share_above() <= handful; }

  void all_contacts() {
    if (!gradients_) gradients_.emplace(space_, active_isa(), precision_of_gradients(space_, options_));
    sweeps_ += gradients_until_few(*gradients_, options_, speed_, few_ * very_few / few, r_).sweeps;
    error_ = response_.error(r_);
  }

  void those_above() {
    if (!spots_) spots_.emplace(space_, options_, speed_);
    spots_->run(response_, r_);
    error_ = response_.worst();
    if (!are_a_handful()) few_ *= 0.5;
  }

  // Those above the tolerance together with their neighbours. Sweeps count by the share of contacts that took part.
  // False: these would be too many.
  bool neighbourhoods_of_those_above() {
    const double before = error_;
    std::vector<char> is_chosen(space_.size(), 0);
    std::ranges::transform(response_.errors(), is_chosen.begin(), [&](double e) { return char(is_above(e)); });
    const std::vector<Neighbourhood> parts = neighbourhoods(space_, is_chosen, rings_, r_, response_.velocities());
    std::size_t members = 0;
    for (const Neighbourhood& part : parts) members += part.space.size();
    if (rings_ > 1 && double(members) > too_many * double(space_.size())) return false;
    std::vector<double> sweeps(parts.size());
    solve_large_first(
        parts.size(), [&](std::size_t k) { return parts[k].space.size() >= large_problem; },
        [&](std::size_t k) { sweeps[k] = solve_apart(parts[k].space); });
    sweeps_ += std::accumulate(sweeps.begin(), sweeps.end(), 0.0);
    std::vector<std::uint32_t> moved;
    for (const Neighbourhood& part : parts) moved.insert(moved.end(), part.blocks.begin(), part.blocks.end());
    error_ = response_.error(r_, moved);
    if (error_ > futile * before) rings_ = std::min(rings_ + 1, most_rings);
    return true;
  }

 private:
  double solve_apart(const NodeSpace& part) {
    Impulses local;
    for (const NodeContact& contact : part.contacts) local.push_back(r_[contact.name]);
    Options closer = options_;
    closer.tolerance = aim * options_.tolerance, closer.max_sweeps = rings_ * most_local_sweeps;
    closer.observer = nullptr;
    const Report report = accelerated_gradients(part, closer, speed_, local);
    for (std::size_t i = 0; i < part.size(); ++i) r_[part.contacts[i].name] = local[i];
    return double(report.sweeps) * double(part.size()) / double(space_.size());
  }
  double share_above() const {
    return double(std::ranges::count_if(response_.errors(), [&](double e) { return is_above(e); })) /
           double(space_.size());
  }
  bool is_above(double error) const { return error > options_.tolerance * speed_; }

  const NodeSpace& space_;
  const Options& options_;
  const double speed_;
  NodeResponse& response_;
  Impulses& r_;
  std::optional<NodeGradients> gradients_;
  std::optional<SpotSweeps> spots_;
  double error_, sweeps_ = 0.0, few_ = few;
  int rings_ = 1;
};

}  // namespace

Report gradients_in_turns(const NodeSpace& space, const Options& options, double speed, NodeResponse& response,
                          Impulses& r) {
  if (space.size() < fewest_contacts || options.max_sweeps > 0) return accelerated_gradients(space, options, speed, r);
  Turns turns(space, options, speed, response, r);
  for (int k = 0; k < most_turns && !turns.is_done(); ++k) {
    if (!turns.are_few()) {
      turns.all_contacts();
      if (!turns.are_few()) break;
    }
    if (!turns.is_done()) turns.those_above();
    if (!turns.is_done() && turns.are_a_handful() && !turns.neighbourhoods_of_those_above()) break;
  }
  Report report = turns.report();
  if (report.error <= options.tolerance) return report.outcome = Outcome::converged, report;
  if (space.is_packed()) return report.outcome = Outcome::stalled, report;  // for who has full precision
  return followed(report, accelerated_gradients(space, options, speed, r));
}

}  // namespace tendril::contact
