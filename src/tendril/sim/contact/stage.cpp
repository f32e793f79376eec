#include "tendril/sim/contact/stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tendril/base/parallel.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/collide/merge.hpp"
#include "tendril/collide/tracking.hpp"
#include "tendril/sim/contact/separation.hpp"

namespace tendril {
namespace {

using collide::Contact;
using Eigen::Vector3d;

constexpr std::size_t most_contacts = std::size_t{1} << 22;  // some 4 GB
constexpr int most_rounds = 16, rounds_with_points = 3;
constexpr double push_acceleration = 100.0;  // [m/s2], of what touches: that harder overlaps are not pushed apart
constexpr double length_in_skin = 0.25;      // of an edge that grows out of a clamped one
constexpr double search_margin = 4.0;  // in radii, beyond the margin of contacts: how far these may lead strands astray
// Of the radius: shallower ones are left to the next step. What has been inside from the start is to come out steadily,
// so more is asked of it than not to go back: as much as a solver may leave of what is asked.
constexpr double noticeable_dive = 0.05, noticeable_return = 0.005, steady_return = 0.03;
constexpr double has_come_out = 1e-15;  // [m], the depth of what was inside once: it is not to go back

collide::Margin margin_of(const World& world) { return {world.contact.margin, 0.0}; }

// [m/s] at which an overlap is to be opened (docs/theory/coupling.md, Eq. 5).
double push_of_gap(double gap, double step, const ContactSettings& settings) {
  return gap >= 0.0 ? 0.0 : std::min(-gap / std::max(settings.push_time, step), settings.push_speed);
}

Vector3d mean(const std::vector<Vector3d>& vectors) {
  Vector3d sum = Vector3d::Zero();
  for (const Vector3d& v : vectors) sum += v;
  return sum / double(std::max<std::size_t>(1, vectors.size()));
}

Vector3d between(const std::vector<Vector3d>& values, std::size_t vertex, double along) {
  return values[vertex] + along * (values[vertex + 1] - values[vertex]);
}

// [m], that the segment which begins at vertex v may be in a body: its ends no deeper than they have been, and what is
// between them no deeper than it has been, or than they are.
double allowed_depth(const ContactMemory& depths, std::size_t v, double along) {
  if (along == 0.0) return depths.depth[v];
  if (along == 1.0) return depths.depth[v + 1];
  return std::max(std::lerp(depths.depth[v], depths.depth[v + 1], along), depths.edge_depth[v]);
}

}  // namespace

Vector3d ContactStage::velocity_at(const BlockVectors& velocity, const collide::StrandPoint& at) const {
  const BlockPlace& block = blocks_[at.strand];
  return block.system->point_velocity(block.point(at.edge, at.along), velocity[at.strand]);
}

Vector3d ContactStage::start_velocity_at(const collide::StrandPoint& at) const {
  return has_start_velocity_[at.strand] != 0 ? velocity_at(start_velocity_, at) : Vector3d::Zero();
}

void ContactStage::begin(const World& world, std::span<StepSystem* const> systems, const WorldState& state) {
  blocks_ = all_blocks(systems);
  step_ = systems.front()->step();
  geometry_.set_positions(world, state);
  for (BlockVectors* vectors : {&start_velocity_, &free_velocity_}) vectors->shape(blocks_);
  motion_.resize(geometry_.positions.size()), ends_.resize(motion_.size()), common_ends_.resize(motion_.size());
  is_driven_.resize(motion_.size()), is_driven_vertex_.resize(motion_.size()),
      has_start_velocity_.resize(blocks_.size());
  is_settled_.assign(motion_.size(), 0);
  crossings_.clear();
  solver_.begin();
  parallel_for(blocks_.size(), [&](std::size_t b) {
    const auto& [system, block] = blocks_[b];
    has_start_velocity_[b] = system->has_start_velocity();
    if (has_start_velocity_[b] != 0) system->start_velocity(block, start_velocity_[b]);
    system->free_velocity(block, free_velocity_[b]);
    set_driven(std::uint32_t(b));
    set_motion(free_velocity_, std::uint32_t(b));
  });
  common_motion_ = mean(motion_);
  parallel_for(blocks_.size(), [&](std::size_t b) { set_end(free_velocity_, std::uint32_t(b)); });
}

void ContactStage::set_driven(std::uint32_t b) {
  const std::size_t first = geometry_.offsets[b], count = geometry_.offsets[b + 1] - first;
  blocks_[b].system->find_driven(blocks_[b].block, std::span(is_driven_vertex_).subspan(first, count),
                                 std::span(is_driven_).subspan(first, count - 1));
}

void ContactStage::set_motion(const BlockVectors& velocity, std::uint32_t b) {
  const std::size_t first = geometry_.offsets[b], count = geometry_.offsets[b + 1] - first;
  const std::span<Vector3d> motion = std::span(motion_).subspan(first, count),
                            ends = std::span(ends_).subspan(first, count);
  const BlockPlace& block = blocks_[b];
  block.system->vertex_velocities(block.block, velocity[b], motion);
  if (has_start_velocity_[b] != 0) {
    block.system->vertex_velocities(block.block, start_velocity_[b], ends);  // room that set_ends fills
    for (std::size_t k = 0; k < count; ++k) motion[k] -= ends[k];
  }
  for (Vector3d& way : motion) way *= step_;
}

Status ContactStage::detect(const World& world, const WorldState& state, ContactMemory& next, StepContacts& report) {
  const collide::Polylines strands = geometry_.polylines();
  with_strands_.clear(), with_bodies_.clear();
  if (world.contact.law != ContactLaw::none) {
    if (world.contact.between_strands) {
      const collide::Margin wide{world.contact.margin + search_margin, 0.0};
      if (Status found = near_pairs_.find(strands, common_ends_, {margin_of(world), wide}, pairs_); !found)
        return found;
      stray_pairs_.clear();
      narrow_.find(strands, pairs_, {margin_of(world), 0.0, motion_, common_ends_, wide, most_contacts},
                   collide::LastContacts(state.contact.contacts), with_strands_);
      near_pairs_.learn(narrow_.distances());
      if (narrow_.has_found_too_many())
        return Error{"contact", fmt::format("more than {} contacts: strands lie in each other; check their scale and "
                                            "radius",
                                            most_contacts)};
    }
    if (Status found = collide::find_body_contacts(
            strands, bodies_, {0.0, margin_of(world), motion_, &clearances_, is_driven_}, with_bodies_);
        !found)
      return found;
  }
  collide::join_contacts(with_strands_, with_bodies_, found_);
  note_depths(state.contact, next, report);
  std::erase_if(found_, [&](const Contact* contact) { return is_idle(world, *contact); });
  return ok();
}

bool ContactStage::is_driven(const collide::StrandPoint& at) const {
  if (at.strand == collide::nobody) return true;
  const std::size_t v = geometry_.offsets[at.strand] + at.edge;
  if (at.along == 0.0 || at.along == 1.0) return is_driven_vertex_[at.along == 0.0 ? v : v + 1] != 0;
  return is_driven_[v] != 0;
}

// Whether a joint holds both together, there or within an edge: they overlap by right.
bool ContactStage::is_joined(const World& world, const collide::StrandPoint& a, const collide::StrandPoint& b) const {
  const auto near = [](const collide::StrandPoint& x, const collide::StrandPoint& y) {
    return x.strand == y.strand && std::abs(x.arc() - y.arc()) <= 1.0 + 1e-9;
  };
  return std::ranges::any_of(world.joints, [&](const World::Joint& joint) {
    return (near(a, joint.a) && near(b, joint.b)) || (near(a, joint.b) && near(b, joint.a));
  });
}

// Where no impulse moves either side, or a joint holds both, there is nothing to be solved.
bool ContactStage::is_idle(const World& world, const Contact& contact) const {
  return (is_driven(contact.a) && is_driven(contact.b)) || is_joined(world, contact.a, contact.b) ||
         (!world.colliders.empty() && is_in_skin(contact));
}

// Where there is a body to grow out of, the clamped edges of a groom are a part of its skin. Other strands of it are
// drawn through them, and lie between them and the head, where no impulse could keep what both ask for. So is what has
// just grown out of them: who moves that a little flings the rest of the strand about. Bodies keep that off by the
// other end of its edge.
bool ContactStage::is_in_skin(const Contact& contact) const {
  if (contact.with_body()) return has_just_grown(contact.a);
  return geometry_.part[contact.a.strand] == geometry_.part[contact.b.strand] &&
         (is_driven(contact.a) || is_driven(contact.b) || has_just_grown(contact.a) || has_just_grown(contact.b));
}

bool ContactStage::has_just_grown(const collide::StrandPoint& at) const {
  const std::uint32_t v = geometry_.offsets[at.strand] + at.edge;
  if (is_driven_[v] != 0) return false;
  const bool before = at.edge > 0 && is_driven_[v - 1] != 0;
  const bool after = v + 2 < geometry_.offsets[at.strand + 1] && is_driven_[v + 1] != 0;
  return (before && at.along < length_in_skin) || (after && 1.0 - at.along < length_in_skin);
}

// By the scene: bodies are, and so are points within an edge of which one end is driven. What moves such a point moves
// the rest of its strand many times as far.
bool ContactStage::is_held(const collide::StrandPoint& at) const {
  return at.strand == collide::nobody || (at.along < 1.0 && is_driven({at.strand, at.edge, 0.0})) ||
         (at.along > 0.0 && is_driven({at.strand, at.edge, 1.0}));
}

ContactStage::Active ContactStage::active(const World& world, const Contact& contact) const {
  Active made{.contact = contact, .normal_drift = std::max(0.0, contact.gap) / step_};
  // Roots that were drawn in each other or in a body stay so, and what grows out of them cannot be pushed out at once:
  // it is enough if it comes no closer.
  if (!is_held(contact.a) || !is_held(contact.b)) made.push = push_of_gap(contact.gap, step_, world.contact);
  Vector3d start = start_velocity_at(contact.a);
  if (contact.with_body()) {
    made.body_velocity = collide::chord_velocity(bodies_[contact.body.body], contact.body, dt_);
    start += made.body_velocity * (dt_ / step_);
  } else {
    start -= start_velocity_at(contact.b);
  }
  made.normal_drift -= contact.normal.dot(start);
  return made;
}

// What was found, with the impulses of the step before.
void ContactStage::warm_start(const World& world, const ContactMemory& last) {
  collide::match_contacts(last.contacts, found_, match_);
  active_.resize(found_.size());
  parallel_for(found_.size(), [&](std::size_t i) {
    active_[i] = active(world, *found_[i]);
    if (match_[i] != collide::nobody) active_[i].impulse = step_ * last.forces[match_[i]];
  });
  joint_impulses_ = last.joint_forces;
  for (Vector3d& impulse : joint_impulses_) impulse *= step_;
}

// What has been in a body from the start may be there, less and less: vertices, and the insides of edges.
void ContactStage::note_depths(const ContactMemory& last, ContactMemory& next, StepContacts& report) const {
  const std::size_t vertices = geometry_.positions.size();
  next.depth.assign(vertices, 0.0), next.edge_depth.assign(vertices, 0.0);
  std::vector<char> driven(vertices, 0);
  for (const Contact& contact : with_strands_) report.strand_overlap = std::max(report.strand_overlap, -contact.gap);
  for (const Contact& contact : with_bodies_) {
    const std::size_t edge = geometry_.offsets[contact.a.strand] + contact.a.edge;
    const bool inside_edge = contact.a.along != 0.0 && contact.a.along != 1.0;
    const std::size_t v = contact.a.along == 1.0 ? edge + 1 : edge;
    double& depth = inside_edge ? next.edge_depth[v] : next.depth[v];
    depth = std::max(depth, -contact.gap);
    if (!inside_edge) driven[v] = is_driven(contact.a);
  }
  for (std::size_t v = 0; v < vertices; ++v) {
    const double now = next.depth[v], allowed = last.depth.empty() ? now : last.depth[v];
    if (now == 0.0 && allowed == 0.0 && next.edge_depth[v] == 0.0) continue;  // as most
    next.depth[v] = allowed > 0.0 ? std::max(std::min(allowed, now), has_come_out) : 0.0;
    if (!last.edge_depth.empty()) next.edge_depth[v] = std::min(next.edge_depth[v], last.edge_depth[v]);
    if (driven[v] != 0) continue;
    double& beyond = allowed > 0.0 ? report.regrowth : report.penetration;
    beyond = std::max(beyond, now - allowed);
    report.inside += next.depth[v] > has_come_out;
    report.deepest_inside = std::max(report.deepest_inside, next.depth[v]);
  }
}

double ContactStage::friction(const World& world, const Contact& contact) const {
  if (world.contact.law != ContactLaw::coulomb) return 0.0;
  const auto& part = [&](const collide::StrandPoint& at) -> const StrandSet& {
    return world.parts[geometry_.part[at.strand]].settings;
  };
  const auto factor = [&](const collide::StrandPoint& at) {
    const FrictionFactor& f = part(at).friction_factor;
    return f.root + geometry_.share_of_way(at) * (f.tip - f.root);
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
    ContactRow row{active.contact.a, active.contact.b, collide::contact_frame(active.contact.normal)};
    row.drift = -(row.frame * active.body_velocity);
    row.drift[0] = active.normal_drift, row.push = active.push;
    row.push_strength = push_acceleration * step_;
    row.mu = friction(world, active.contact);
    start_[i] = row.frame * active.impulse;
    rows_[i] = row;
  });
  // What has come apart is closed within the step.
  joint_impulses_.resize(world.joints.size(), Vector3d::Zero());
  for (std::size_t j = 0; j < world.joints.size(); ++j) {
    const World::Joint& joint = world.joints[j];
    ContactRow row{.a = joint.a, .b = joint.b, .law = contact::Law::bilateral};
    const auto place = [&](const collide::StrandPoint& at) {
      return between(geometry_.positions, geometry_.offsets[at.strand] + at.edge, at.along);
    };
    row.drift = place(joint.a) / step_ - start_velocity_at(joint.a);
    row.drift -= joint.b.strand == collide::nobody ? Vector3d(joint.place / step_)
                                                   : Vector3d(place(joint.b) / step_ - start_velocity_at(joint.b));
    rows_.push_back(row), start_.push_back(joint_impulses_[j]);
  }
}

void ContactStage::solve(const World& world, StepContacts& report) {
  contact::Options options;
  options.solver = world.contact.solver;
  options.tolerance = world.contact.tolerance;
  options.max_sweeps = world.contact.max_iterations;
  options.block_velocities = false;
  std::swap(velocity_, last_velocity_);
  contact::Solution solution = solver_.solve(row_system(), options, start_, velocity_);
  report.coarse_solves += solver_.way() != StepSolver::Way::general;
  report.refined_solves += solver_.way() == StepSolver::Way::general_after_nodes;
  solution.report.add_effort(report.solver);
  report.solver = solution.report;
  for (std::size_t i = 0; i < active_.size(); ++i) {
    active_[i].impulse = rows_[i].frame.transpose() * solution.r[i];
    active_[i].gives_way = active_[i].push > 0.0 && solution.pushes[i] <= 0.0;
  }
  for (std::size_t j = 0; j < joint_impulses_.size(); ++j) joint_impulses_[j] = solution.r[active_.size() + j];
}

void ContactStage::unsettle(std::uint32_t strand) {
  std::fill(is_settled_.begin() + geometry_.offsets[strand], is_settled_.begin() + geometry_.offsets[strand + 1], 0);
}

// After the first round most strands go where they went before: what was judged then need not be judged again.
void ContactStage::mark_moved(const BlockVectors& before) {
  moved_.clear();
  for (const std::uint32_t b : solver_.touched())
    if (!std::ranges::equal(velocity_[b], before[b])) moved_.push_back(b), unsettle(b);
}

void ContactStage::move_strands() {
  parallel_for(moved_.size(), [&](std::size_t k) { set_motion(velocity_, moved_[k]), set_end(velocity_, moved_[k]); });
}

// Whether strands meet does not depend on what they do together: without that their boxes are smaller.
void ContactStage::set_end(const BlockVectors& velocity, std::uint32_t b) {
  const std::size_t first = geometry_.offsets[b], count = geometry_.offsets[b + 1] - first;
  for (std::size_t v = first; v < first + count; ++v) {
    ends_[v] = geometry_.positions[v] + motion_[v];
    common_ends_[v] = geometry_.positions[v] + (motion_[v] - common_motion_);
  }
  // Models whose points do not go straight know better.
  blocks_[b].system->set_end_positions(blocks_[b].block, velocity[b], std::span(ends_).subspan(first, count));
}

// All that was not found wanting in this round.
void ContactStage::settle() {
  std::ranges::fill(is_settled_, 1);
  for (const Active& one : missed_) {
    unsettle(one.contact.a.strand);
    if (!one.contact.with_body()) unsettle(one.contact.b.strand);
  }
  for (const auto& [pair, crossing] : crossings_) is_settled_[pair.first] = is_settled_[pair.second] = 0;
}

// Of strands that pass through each other the material points that met are kept on the sides on which they started out;
// if that was not enough, both segments as a whole.
Status ContactStage::find_crossings(const World& world, std::vector<Active>& missed, StepContacts& report) {
  if (!world.contact.between_strands) return ok();
  const collide::Polylines strands = geometry_.polylines();
  if (Status found = near_pairs_.find_astray(strands, common_ends_, moved_, stray_pairs_); !found) return found;
  const auto ways = near_pairs_.ways();
  crossing_search_.among(strands, common_ends_, stray_pairs_, {{}, {}, ways}, is_settled_, new_crossings_);
  crossing_search_.among(strands, common_ends_, pairs_, {narrow_.separators(), narrow_.distances(), ways}, is_settled_,
                         crossings_);
  crossings_.insert(crossings_.end(), new_crossings_.begin(), new_crossings_.end());
  std::ranges::sort(crossings_, {}, &collide::StrandCrossing::segments);
  // A pair just beyond the boxes may have been found twice.
  const auto again = std::ranges::unique(crossings_, {}, &collide::StrandCrossing::segments);
  crossings_.erase(again.begin(), again.end());
  report.crossings = 0;
  const auto add = [&](const Contact& contact) {
    if (!is_idle(world, contact)) missed.push_back(active(world, contact));
  };
  for (const auto& [pair, crossing] : crossings_) {
    const std::optional<Separation> sides = Separation::of(geometry_, pair);
    if (!sides || is_idle(world, sides->at(crossing.s, crossing.t))) continue;  // nothing can be done
    ++report.crossings;
    if (report.rounds < rounds_with_points)
      add(sides->at(crossing.s, crossing.t));
    else
      for (const Contact& corner : sides->corners()) add(corner);
  }
  return ok();
}

// Where the step leads deeper into a body than its start, the surface there is what must not be passed.
Status ContactStage::find_dives(const World& world, const ContactMemory& depths, std::vector<Active>& missed) {
  is_left_out_.resize(is_driven_.size());
  for (std::size_t v = 0; v < is_driven_.size(); ++v) is_left_out_[v] = is_driven_[v] | is_settled_[v];
  if (Status found = dive_search_.find(geometry_, ends_, end_bodies_, is_left_out_, clearances_, dives_); !found)
    return found;
  for (const auto& [contact, time] : dives_) {
    if (is_idle(world, contact)) continue;
    const std::size_t v = geometry_.offsets[contact.a.strand] + contact.a.edge;
    const double allowed = allowed_depth(depths, v, contact.a.along);
    const double noticeable = (allowed > 0.0 ? noticeable_return : noticeable_dive) * geometry_.radius[v];
    if (-contact.gap <= allowed + noticeable) continue;
    Active made{.contact = contact,
                .body_velocity = collide::chord_velocity(end_bodies_[contact.body.body], contact.body, dt_)};
    const double aim = std::max(0.0, allowed - steady_return * geometry_.radius[v]);
    made.normal_drift = (contact.gap + aim) / (time * step_) - contact.normal.dot(velocity_at(velocity_, contact.a));
    missed.push_back(made);
  }
  return ok();
}

Status ContactStage::find_missed(const World& world, const ContactMemory& depths, std::vector<Active>& missed,
                                 StepContacts& report) {
  missed.clear();
  if (world.contact.law == ContactLaw::none) return ok();
  if (Status found = find_crossings(world, missed, report); !found) return found;
  return find_dives(world, depths, missed);
}

// A contact of strands at the same place gives way.
void ContactStage::add(std::vector<Active>& missed) {
  const auto before = [](const Active& x, const Active& y) { return collide::contact_order(x.contact, y.contact) < 0; };
  const std::size_t known = active_.size();  // in order
  std::ranges::stable_sort(missed, before);
  for (Active& one : missed) {
    const auto [same, beyond] = std::equal_range(active_.begin(), active_.begin() + std::ptrdiff_t(known), one, before);
    if (one.contact.with_body() || same == beyond) {
      active_.push_back(one);
    } else {
      one.impulse = same->impulse;
      *same = one;
    }
  }
  std::ranges::inplace_merge(active_, active_.begin() + std::ptrdiff_t(known), before);
}

void ContactStage::remember(ContactMemory& next) const {
  next.contacts.clear(), next.forces.clear(), next.joint_forces.clear();
  next.vertex_forces.assign(geometry_.positions.size(), Vector3d::Zero());
  const auto push = [&](const collide::StrandPoint& at, const Vector3d& force) {
    const std::size_t v = geometry_.offsets[at.strand] + at.edge;
    next.vertex_forces[v] += (1.0 - at.along) * force, next.vertex_forces[v + 1] += at.along * force;
  };
  const auto push_both = [&](const collide::StrandPoint& a, const collide::StrandPoint& b, const Vector3d& force) {
    push(a, force);
    if (b.strand != collide::nobody) push(b, -force);
  };
  for (const Active& active : active_) {
    next.contacts.push_back(active.contact), next.forces.push_back(active.impulse / step_);
    push_both(active.contact.a, active.contact.b, next.forces.back());
  }
  for (std::size_t j = 0; j < joint_impulses_.size(); ++j) {
    next.joint_forces.push_back(joint_impulses_[j] / step_);
    push_both(rows_[active_.size() + j].a, rows_[active_.size() + j].b, next.joint_forces.back());
  }
}

Result<StepContacts> ContactStage::resolve(const World& world, const DriveSpan& span,
                                           std::span<StepSystem* const> systems, const WorldState& state,
                                           ContactMemory& next) {
  StepContacts report;
  Timer timer;
  dt_ = span.dt;
  begin(world, systems, state);
  if (Status made = collider_bodies(world, span, state, 0.0, bodies_); !made) return made.error();
  if (Status made = collider_bodies(world, span, state, 1.0, end_bodies_); !made) return made.error();
  if (Status found = detect(world, state, next, report); !found) return found.error();
  warm_start(world, state.contact);
  report.detection_seconds = timer.seconds();
  for (report.rounds = 1;; ++report.rounds) {
    timer = Timer();
    make_rows(world);
    if (!rows_.empty())
      solve(world, report);
    else
      velocity_ = free_velocity_;
    report.solve_seconds += timer.seconds();
    timer = Timer();
    mark_moved(report.rounds == 1 ? free_velocity_ : last_velocity_);
    move_strands();
    if (Status found = find_missed(world, next, missed_, report); !found) return found.error();
    settle();
    report.detection_seconds += timer.seconds();
    if (missed_.empty() || report.rounds == most_rounds) break;
    add(missed_);
  }
  report.contacts = active_.size();
  report.overlaps_left = std::size_t(std::ranges::count_if(active_, &Active::gives_way));
  report.over_tolerance = !rows_.empty() && report.solver.outcome != contact::Outcome::converged;
  for (const std::uint32_t b : solver_.touched()) blocks_[b].system->set_velocity(blocks_[b].block, velocity_[b]);
  remember(next);
  return report;
}

}  // namespace tendril
