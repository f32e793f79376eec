#include "tendril/contact/gradients_in_turns.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/contact/apgd.hpp"
#include "tendril/contact/neighbourhood.hpp"
#include "tendril/contact/node_response.hpp"
#include "tendril/contact/rungs.hpp"

namespace tendril::contact {
namespace {

constexpr std::size_t fewest_contacts = 300;  // below it all are their own neighbours
// Of the contacts, that those above the tolerance have for neighbours: at most so many are solved by themselves, and
// all are iterated on until so few are left.
constexpr double few = 0.25, very_few = 0.08;
constexpr double aim = 0.5;  // of the tolerance, among the few: so that they stay below it
constexpr int most_turns = 20, most_local_sweeps = 100;
constexpr int most_rings = 4;     // of neighbours: as many more as turns were futile, and with each more sweeps
constexpr double futile = 0.7;    // of the error: a turn that leaves more than that
constexpr double too_many = 0.5;  // of the contacts: so many neighbours are better solved with all

class Turns {
 public:
  Turns(const NodeSpace& space, const Options& options, double speed, Impulses& r)
      : space_(space),
        options_(options),
        speed_(speed),
        r_(r),
        response_(space),
        neighbours_(neighbours_of_one(space)),
        error_(response_.error(r)) {}

  double error() const { return error_ / speed_; }
  double sweeps() const { return sweeps_; }
  // Of the contacts, that those above the tolerance and their neighbours are, about.
  double share_to_solve() const { return neighbours_ * share_above(); }

  void all_contacts() {
    sweeps_ += gradients_until_few(space_, options_, speed_, very_few / neighbours_, r_).sweeps;
    error_ = response_.error(r_);
  }

  // Those above the tolerance, with their neighbours. Sweeps count by the share of contacts that took part. False:
  // these would be too many.
  bool few_contacts() {
    const double before = error_;
    std::vector<char> is_chosen(space_.size(), 0);
    std::ranges::transform(response_.errors(), is_chosen.begin(), [&](double e) { return char(is_above(e)); });
    const auto [part, blocks] = neighbourhood(space_, is_chosen, rings_, r_, response_.velocities());
    if (rings_ > 1 && double(part.size()) > too_many * double(space_.size())) return false;
    Impulses local;
    for (const NodeContact& contact : part.contacts) local.push_back(r_[contact.name]);
    Options closer = options_;
    closer.tolerance = aim * options_.tolerance, closer.max_sweeps = rings_ * most_local_sweeps;
    closer.observer = nullptr;
    const Report report = accelerated_gradients(part, closer, speed_, local);
    for (std::size_t i = 0; i < part.size(); ++i) r_[part.contacts[i].name] = local[i];
    sweeps_ += double(report.sweeps) * double(part.size()) / double(space_.size());
    error_ = response_.error(r_, blocks);
    if (error_ > futile * before) rings_ = std::min(rings_ + 1, most_rings);
    return true;
  }

 private:
  double share_above() const {
    return double(std::ranges::count_if(response_.errors(), [&](double e) { return is_above(e); })) /
           double(space_.size());
  }
  // Contacts that share a block with a contact, in the mean.
  static double neighbours_of_one(const NodeSpace& space) {
    double sides = 0.0;
    for (const NodeContact& contact : space.contacts)
      sides += double(std::ranges::count_if(contact.block, [](std::int32_t b) { return b != Side::none; }));
    return std::max(1.0, 2.0 * sides / double(std::max<std::size_t>(1, space.blocks.size())));
  }
  bool is_above(double error) const { return error > options_.tolerance * speed_; }

  const NodeSpace& space_;
  const Options& options_;
  const double speed_;
  Impulses& r_;
  NodeResponse response_;
  const double neighbours_;
  double error_, sweeps_ = 0.0;
  int rings_ = 1;
};

}  // namespace

Report gradients_in_turns(const NodeSpace& space, const Options& options, double speed, Impulses& r) {
  if (space.size() < fewest_contacts || options.max_sweeps > 0) return accelerated_gradients(space, options, speed, r);
  Turns turns(space, options, speed, r);
  for (int k = 0; k < most_turns && turns.error() > options.tolerance; ++k) {
    if (turns.share_to_solve() <= few) {
      if (!turns.few_contacts()) break;
      continue;
    }
    turns.all_contacts();
    if (turns.share_to_solve() > few) break;
  }
  Report report;
  report.solver = Solver::apgd, report.error = turns.error(), report.sweeps = int(std::ceil(turns.sweeps()));
  if (report.error <= options.tolerance) return report.outcome = Outcome::converged, report;
  return followed(report, accelerated_gradients(space, options, speed, r));
}

}  // namespace tendril::contact
