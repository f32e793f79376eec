#include "tendril/sim/contact/stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <utility>

#include "tendril/base/parallel.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/collide/tracking.hpp"

namespace tendril {
namespace {

using collide::Contact;
using collide::StrandPoint;
using Eigen::Vector3d;

constexpr int most_rounds = 16;
// What keeps some strands apart drives others through each other: with so many crossings, and so many times as many as
// there have been, more rounds only add to them. A shorter step is the remedy.
constexpr std::size_t many_crossings = 64, times_as_many = 8;
constexpr double push_acceleration = 100.0;  // [m/s2], of what touches: that harder overlaps are not pushed apart
// Of the radius. What has been inside from the start is to come out steadily, so more is asked of it than not to go
// back: as much as a solver may leave of what is asked; and as much again in each further round in which that was not
// enough.
constexpr double steady_return = 0.03;
constexpr double jam_error = 1e-2;  // below that nobody is being pressed together

// [m/s] at which an overlap is to be opened (docs/theory/coupling.md, Eq. 5).
double push_of_gap(double gap, double step, const ContactSettings& settings) {
  return gap >= 0.0 ? 0.0 : std::min(-gap / std::max(settings.push_time, step), settings.push_speed);
}

}  // namespace

ContactStage::Active ContactStage::active(const World& world, const Contact& contact) const {
  const double step = motion_.step();
  Active made{.contact = &contact, .normal_drift = std::max(0.0, contact.gap) / step};
  // Roots that were drawn in each other or in a body stay so, and what grows out of them cannot be pushed out at once:
  // it is enough if it comes no closer.
  if (!motion_.is_held(contact.a) || !motion_.is_held(contact.b))
    made.push = push_of_gap(contact.gap, step, world.contact);
  Vector3d start = motion_.start_velocity_at(contact.a);
  if (contact.with_body()) {
    made.body_velocity = collide::chord_velocity(detection_.body_at_start(contact.body.body), contact.body, dt_);
    start += made.body_velocity * (dt_ / step);
  } else {
    start -= motion_.start_velocity_at(contact.b);
  }
  made.normal_drift -= contact.normal.dot(start);
  return made;
}

// The surface where the step led is what must not be passed.
ContactStage::Active ContactStage::active(const Contact& contact, double time, double allowed, int round) const {
  const StrandGeometry& geometry = motion_.geometry();
  Active made{.contact = &contact,
              .body_velocity = collide::chord_velocity(detection_.body_at_end(contact.body.body), contact.body, dt_)};
  const double radius = geometry.radius[geometry.offsets[contact.a.strand] + contact.a.edge];
  const double more = allowed > 0.0 ? steady_return * radius : 0.0;
  const double aim = std::max(0.0, allowed - more) - (round - 1) * more;
  made.way_back = -(contact.gap + aim) / (time * motion_.step());
  made.normal_drift = -made.way_back - contact.normal.dot(motion_.velocity_at(velocity_, contact.a));
  return made;
}

// What was found, with the impulses of the step before.
void ContactStage::warm_start(const World& world, const ContactMemory& last) {
  const collide::ContactRefs& found = detection_.found();
  collide::match_contacts(last.contacts, found, match_);
  active_.resize(found.size()), missed_.clear();
  parallel_for(found.size(), [&](std::size_t i) {
    active_[i] = active(world, *found[i]);
    if (match_[i] != collide::nobody) active_[i].impulse = motion_.step() * last.forces[match_[i]];
  });
  joint_impulses_ = last.joint_forces;
  joint_impulses_.resize(world.joints.size(), Vector3d::Zero());
  for (std::size_t j = 0; j < joint_impulses_.size(); ++j)
    joint_impulses_[j] *= world.joints[j].is_tie ? 0.0 : motion_.step();  // their model holds ties without contact
}

double ContactStage::friction(const World& world, const Contact& contact) const {
  if (world.contact.law != ContactLaw::coulomb) return 0.0;
  const StrandGeometry& geometry = motion_.geometry();
  const auto part = [&](const StrandPoint& at) -> const StrandSet& {
    return world.parts[geometry.part[at.strand]].settings;
  };
  const auto factor = [&](const StrandPoint& at) {
    const FrictionFactor& f = part(at).friction_factor;
    return f.root + geometry.share_of_way(at) * (f.tip - f.root);
  };
  const std::string& a = part(contact.a).name;
  if (contact.with_body())
    return factor(contact.a) * world.contact.friction.between(a, world.colliders[contact.body.body].settings.name);
  return factor(contact.a) * factor(contact.b) * world.contact.friction.between(a, part(contact.b).name);
}

void ContactStage::make_rows(const World& world) {
  rows_.resize(active_.size()), start_.resize(active_.size());
  parallel_for(active_.size(), [&](std::size_t i) {
    const Active& active = active_[i];
    const Contact& contact = *active.contact;
    ContactRow row{contact.a, contact.b, collide::contact_frame(contact.normal)};
    row.drift = -(row.frame * active.body_velocity);
    row.drift[0] = active.normal_drift, row.push = active.push;
    if (contact.with_body() && is_jammed_[contact.a.strand] != 0) give_way(world, active, row);
    row.push_strength = push_acceleration * motion_.step();
    row.mu = friction(world, contact);
    start_[i] = row.frame * active.impulse;
    rows_[i] = row;
  });
  for (std::size_t j = 0; j < world.joints.size(); ++j) add_joint_row(world.joints[j], joint_impulses_[j]);
}

// A body that comes nearer to a jammed strand pushes it as an overlap does (Eq. 5): softly. So does one into which the
// step had led it, no faster than others; but it is to go no deeper.
void ContactStage::give_way(const World& world, const Active& active, ContactRow& row) const {
  const double back = std::max(0.0, active.way_back);
  const double nearer = std::max(0.0, active.contact->normal.dot(active.body_velocity) * dt_ / motion_.step());
  row.drift[0] += back > 0.0 ? back : nearer;
  row.push += back > 0.0 ? std::min(back, world.contact.push_speed) : nearer;
}

// What has come apart is closed within the step; what was drawn apart, at this speed.
void ContactStage::add_joint_row(const World::Joint& joint, const Vector3d& impulse) {
  constexpr double fastest = 0.5;  // [m/s]
  ContactRow row{.a = joint.a, .b = joint.b, .law = contact::Law::bilateral};
  const double step = motion_.step();
  const bool is_pinned = joint.b.strand == collide::nobody;
  const Vector3d a = motion_.place_of(joint.a), b = is_pinned ? joint.place : motion_.place_of(joint.b);
  row.drift = a / step - motion_.start_velocity_at(joint.a);
  row.drift -= is_pinned ? Vector3d(b / step) : Vector3d(b / step - motion_.start_velocity_at(joint.b));
  const double apart = (a - b).norm(), near = fastest * step;
  if (apart > near) row.drift -= (1.0 - near / apart) / step * (a - b);
  rows_.push_back(row), start_.push_back(impulse);
}

void ContactStage::solve(const World& world, StepContacts& report) {
  contact::Options options;
  options.solver = world.contact.solver;
  options.tolerance = world.contact.tolerance;
  options.max_sweeps = world.contact.max_iterations;
  options.local = world.contact.local;
  options.block_velocities = false;
  options.interrupted = interrupted_;
  std::swap(velocity_, last_velocity_);
  contact::Solution solution = solver_.solve(row_system(), options, start_, velocity_);
  report.coarse_solves += solver_.way() != StepSolver::Way::general;
  report.refined_solves += solver_.way() == StepSolver::Way::general_after_nodes;
  report.replaced_solves += solver_.was_replaced();
  find_jams(world, solution, report);
  solution.report.add_effort(report.solver);
  report.solver = solution.report;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    active_[i].impulse = rows_[i].frame.transpose() * solution.r[i];
    active_[i].gives_way = active_[i].push > 0.0 && solution.pushes[i] <= 0.0;
  }
  for (std::size_t j = 0; j < joint_impulses_.size(); ++j) joint_impulses_[j] = solution.r[active_.size() + j];
}

std::string ContactStage::name_of(const World& world, const StrandPoint& at) const {
  const StrandGeometry& geometry = motion_.geometry();
  const std::uint32_t part = geometry.part[at.strand];
  const auto first = std::ranges::lower_bound(geometry.part, part);
  return fmt::format("{}, strand {}, vertex {}", world.parts[part].settings.name,
                     std::ptrdiff_t(at.strand) - (first - geometry.part.begin()), std::lround(at.arc()));
}

// What the solver has given up on, and what still approaches noticeably there. Such strands are not asked for more: it
// would only add up their impulses. The worst error is about that of the fastest, so the speed without contact is about
// fastest / error.
void ContactStage::find_jams(const World& world, const contact::Solution& solution, StepContacts& report) {
  // Who limits the iterations has what they come to, jams aside that the solver itself has seen.
  const bool gave_up = world.contact.max_iterations == 0 ? solution.report.outcome != contact::Outcome::converged
                                                         : solution.report.jammed > 0;
  if (!gave_up || !(solution.report.error > jam_error)) return;
  const Contact* worst = nullptr;
  double fastest = 0.0;
  for (std::size_t i = 0; i < active_.size(); ++i)
    if (-solution.u[i][0] > fastest) worst = active_[i].contact, fastest = -solution.u[i][0];
  std::size_t count = 0;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (!(-solution.u[i][0] > jam_error * fastest / solution.report.error)) continue;
    ++count;
    for (const StrandPoint& at : {active_[i].contact->a, active_[i].contact->b})
      if (at.strand != collide::nobody) is_jammed_[at.strand] = 1;
  }
  report.jammed = std::max(report.jammed, count);
  if (worst == nullptr || report.jam) return;  // later rounds ask for more than the laws do
  const std::string other =
      worst->with_body() ? world.colliders[worst->body.body].settings.name : name_of(world, worst->b);
  report.jam = Jam{fmt::format("{}, and {}", name_of(world, worst->a), other), fastest};
}

// After the first round most strands go where they went before.
void ContactStage::find_moved(const BlockVectors& before) {
  moved_.clear();
  for (const std::uint32_t b : solver_.touched())
    if (!std::ranges::equal(velocity_[b], before[b])) moved_.push_back(b);
}

// Of two contacts of strands at the same place the newcomer stays. False: there is none.
bool ContactStage::add_missed(const World& world, int round) {
  const auto before = [](const Active& x, const Active& y) {
    return collide::contact_order(*x.contact, *y.contact) < 0;
  };
  const ContactDetection::Missed& missed = detection_.missed();
  newcomers_.clear();
  for (const Contact& contact : missed.crossings) newcomers_.push_back(active(world, missed_.emplace_back(contact)));
  for (const auto& [contact, time, allowed] : missed.dives)
    if (is_jammed_[contact.a.strand] == 0)
      newcomers_.push_back(active(missed_.emplace_back(contact), time, allowed, round));
  std::ranges::stable_sort(newcomers_, before);
  const std::size_t known = active_.size();
  for (Active& one : newcomers_) {
    const auto [same, beyond] = std::equal_range(active_.begin(), active_.begin() + std::ptrdiff_t(known), one, before);
    if (one.contact->with_body() || same == beyond) {
      active_.push_back(one);
    } else {
      one.impulse = same->impulse;
      *same = one;
    }
  }
  std::ranges::inplace_merge(active_, active_.begin() + std::ptrdiff_t(known), before);
  return !newcomers_.empty();
}

void ContactStage::remember(const World& world, ContactMemory& next) const {
  const StrandGeometry& geometry = motion_.geometry();
  next.contacts.clear(), next.forces.clear(), next.joint_forces.clear();
  next.vertex_forces.assign(geometry.positions.size(), Vector3d::Zero());
  const auto push = [&](const StrandPoint& at, const Vector3d& force) {
    const std::size_t v = geometry.offsets[at.strand] + at.edge;
    next.vertex_forces[v] += (1.0 - at.along) * force, next.vertex_forces[v + 1] += at.along * force;
  };
  const auto push_both = [&](const StrandPoint& a, const StrandPoint& b, const Vector3d& force) {
    push(a, force);
    if (b.strand != collide::nobody) push(b, -force);
  };
  for (const Active& active : active_) {
    next.contacts.push_back(*active.contact), next.forces.push_back(active.impulse / motion_.step());
    push_both(active.contact->a, active.contact->b, next.forces.back());
  }
  for (std::size_t j = 0; j < joint_impulses_.size(); ++j) {
    next.joint_forces.push_back(joint_impulses_[j] / motion_.step());
    if (world.joints[j].is_tie) continue;  // within a tree that the model knows as a whole
    push_both(rows_[active_.size() + j].a, rows_[active_.size() + j].b, next.joint_forces.back());
  }
}

bool ContactStage::links_lead_astray() {
  constexpr double noticeable = 0.25;  // of a radius
  const std::span<const BlockPlace> blocks = motion_.blocks();
  bool any = false;
  for (const std::uint32_t b : solver_.touched())
    if (blocks[b].system->end_velocity(blocks[b].block, velocity_[b])) any = true;
  if (!any) return false;
  const StrandGeometry& geometry = motion_.geometry();
  const auto is_deeper = [&](std::size_t i) {
    const ContactRow& row = rows_[i];
    Vector3d relative = motion_.velocity_at(velocity_, row.a);
    if (row.b.strand != collide::nobody) relative -= motion_.velocity_at(velocity_, row.b);
    const double deeper = -motion_.step() * (row.frame.row(0).dot(relative) + row.drift[0]);
    return deeper > noticeable * geometry.radius[geometry.offsets[row.a.strand] + row.a.edge];
  };
  return std::ranges::any_of(std::views::iota(std::size_t(0), active_.size()), is_deeper);
}

Result<StepContacts> ContactStage::resolve(const World& world, const DriveSpan& span,
                                           std::span<StepSystem* const> systems, const WorldState& state,
                                           ContactMemory& next) {
  StepContacts report;
  Timer timer;
  dt_ = span.dt;
  motion_.begin(world, systems, state);
  solver_.begin();
  is_jammed_.assign(motion_.geometry().part.size(), 0);
  if (Status found = detection_.find(world, span, state, next, report); !found) return found.error();
  warm_start(world, state.contact);
  report.detection_seconds = timer.seconds();
  bool gives_way = false;  // what is jammed
  std::size_t fewest_crossings = std::numeric_limits<std::size_t>::max() / times_as_many;
  for (report.rounds = 1;; ++report.rounds) {
    timer = Timer();
    make_rows(world);
    if (!rows_.empty())
      solve(world, report);
    else
      velocity_ = motion_.free_velocity();
    if (report.jammed > 0 && !gives_way) {
      gives_way = true;
      std::swap(velocity_, last_velocity_);  // what did not come to pass is no round
      for (Active& active : active_)         // impulses of a jam are no start
        if (is_jammed_[active.contact->a.strand] != 0) active.impulse.setZero();
      make_rows(world);
      solve(world, report);
    }
    report.solve_seconds += timer.seconds();
    if (interrupted_ && interrupted_()) return Error{"contact", "interrupted"};  // the solver may have ended too soon
    timer = Timer();
    find_moved(report.rounds == 1 ? motion_.free_velocity() : last_velocity_);
    motion_.move(velocity_, moved_);
    if (Status found = detection_.find_missed(world, moved_, next, report); !found) return found.error();
    const bool diverges = report.crossings > std::max(many_crossings, times_as_many * fewest_crossings);
    fewest_crossings = std::min(fewest_crossings, report.crossings);
    const bool is_last =
        detection_.missed().empty() || report.rounds == most_rounds || diverges || !add_missed(world, report.rounds);
    report.detection_seconds += timer.seconds();
    if (is_last) break;
  }
  report.contacts = active_.size();
  report.overlaps_left = std::size_t(std::ranges::count_if(active_, &Active::gives_way));
  report.over_tolerance = report.jammed > 0 || (!rows_.empty() && report.solver.outcome != contact::Outcome::converged);
  const std::span<const BlockPlace> blocks = motion_.blocks();
  for (const std::uint32_t b : solver_.touched()) blocks[b].system->set_velocity(blocks[b].block, velocity_[b]);
  remember(world, next);
  return report;
}

}  // namespace tendril
