#include "tendril/contact/gradients_in_turns.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/contact/apgd.hpp"
#include "tendril/contact/neighbourhood.hpp"
#include "tendril/contact/newton.hpp"
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
// Turns after which those that are still left get Newton's method, if they are few enough for its matrix.
constexpr int turns_without_newton = 5, newton_steps = 40;
constexpr std::size_t most_newton_contacts = 500;
constexpr int most_futile_turns = 3;  // that leave more than this share of the error
constexpr double futile = 0.9;
// With such tolerances, those of steps in time, a few contacts are not worth many iterations on all of them.
constexpr double coarse_tolerance = 1e-4;
constexpr int last_sweeps = 300;

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
  int newton_sweeps() const { return newton_sweeps_; }
  // Of the contacts, that those above the tolerance and their neighbours are, about.
  double share_to_solve() const { return neighbours_ * share_above(); }

  void all_contacts() {
    sweeps_ += gradients_until_few(space_, options_, speed_, very_few / neighbours_, r_).sweeps;
    error_ = response_.error(r_);
  }

  // Those above the tolerance, with their neighbours. Sweeps count by the share of contacts that took part.
  void few_contacts(bool with_newton) {
    std::vector<char> is_chosen(space_.size(), 0);
    std::ranges::transform(response_.errors(), is_chosen.begin(), [&](double e) { return char(is_above(e)); });
    const auto [part, blocks] = neighbourhood(space_, is_chosen, r_, response_.velocities());
    Impulses local;
    for (const NodeContact& contact : part.contacts) local.push_back(r_[contact.name]);
    Options closer = options_;
    closer.tolerance = aim * options_.tolerance, closer.max_sweeps = most_local_sweeps, closer.observer = nullptr;
    const Report report = accelerated_gradients(part, closer, speed_, local);
    if (with_newton && !is_done(report) && part.size() <= most_newton_contacts) polish(part, closer, report, local);
    for (std::size_t i = 0; i < part.size(); ++i) r_[part.contacts[i].name] = local[i];
    sweeps_ += double(report.sweeps) * double(part.size()) / double(space_.size());
    error_ = response_.error(r_, blocks);
  }

 private:
  // What gradients creep towards.
  void polish(const NodeSpace& part, Options options, const Report& report, Impulses& local) {
    options.max_sweeps = newton_steps;
    const Report newton =
        next_rung(report, local, [&](Impulses& r) { return proximal_newton(part, options, speed_, r); });
    newton_sweeps_ += newton.sweeps - report.sweeps;
  }

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
  int newton_sweeps_ = 0;
};

}  // namespace

Report gradients_in_turns(const NodeSpace& space, const Options& options, double speed, Impulses& r) {
  if (space.size() < fewest_contacts || options.max_sweeps > 0) return accelerated_gradients(space, options, speed, r);
  Turns turns(space, options, speed, r);
  int futile_turns = 0;
  for (int k = 0; k < most_turns && turns.error() > options.tolerance; ++k) {
    if (turns.share_to_solve() <= few) {
      const double before = turns.error();
      const bool with_newton = k >= turns_without_newton;
      turns.few_contacts(with_newton);
      if (with_newton && turns.error() > futile * before && ++futile_turns == most_futile_turns) break;
      continue;
    }
    turns.all_contacts();
    if (turns.share_to_solve() > few) break;
  }
  Report report;
  report.solver = Solver::apgd, report.error = turns.error(), report.sweeps = int(std::ceil(turns.sweeps()));
  report.sweeps_by[std::size_t(Solver::newton)] = turns.newton_sweeps();
  if (report.error <= options.tolerance) return report.outcome = Outcome::converged, report;
  Options last = options;
  if (options.tolerance >= coarse_tolerance && turns.share_to_solve() <= few) last.max_sweeps = last_sweeps;
  return followed(report, accelerated_gradients(space, last, speed, r));
}

}  // namespace tendril::contact
