#include "tendril/sim/contact/detection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tendril/sim/contact/colliders.hpp"
#include "tendril/sim/contact/depths.hpp"
#include "tendril/sim/contact/separation.hpp"

namespace tendril {
namespace {

using collide::Contact;
using collide::StrandPoint;

constexpr std::size_t most_contacts = std::size_t{1} << 22;  // some 4 GB
constexpr int rounds_with_points = 3;
constexpr double sweep_margin = 4.0;  // in radii, beyond the margin of contacts: of what segments sweep
// Of the radius: shallower ones are left to the next step, but what has been inside from the start is to come out.
constexpr double noticeable_dive = 0.05, noticeable_return = 0.005;

collide::Margin margin_of(const World& world) { return {world.contact.margin, 0.0}; }

collide::Margin wide_margin_of(const World& world) { return {world.contact.margin + sweep_margin, 0.0}; }

}  // namespace

Status ContactDetection::find(const World& world, const DriveSpan& span, const WorldState& state, ContactMemory& next,
                              StepContacts& report) {
  if (Status made = collider_bodies(world, span, state, 0.0, bodies_); !made) return made;
  if (Status made = collider_bodies(world, span, state, 1.0, end_bodies_); !made) return made;
  is_settled_.assign(motion_.geometry().positions.size(), 0);
  crossings_.clear(), with_strands_.clear(), with_bodies_.clear();
  if (world.contact.law != ContactLaw::none) {
    if (Status found = find_pairs(world, state); !found) return found;
    const collide::BodySearch search{0.0,          margin_of(world),       motion_.ways(),
                                     &clearances_, motion_.driven_edges(), world.contact.between_strands};
    if (Status found = collide::find_body_contacts(motion_.geometry().polylines(), bodies_, search, with_bodies_);
        !found)
      return found;
  }
  for (const Contact* const contact : with_strands_)
    if (!world.joined.hold(contact->a, contact->b))
      report.strand_overlap = std::max(report.strand_overlap, -contact->gap);
  note_depths(motion_, with_bodies_, state.contact, next, report);
  collide::join_contacts(with_strands_, with_bodies_, found_);
  std::erase_if(found_, [&](const Contact* contact) { return is_idle(world, *contact); });
  return ok();
}

Status ContactDetection::find_pairs(const World& world, const WorldState& state) {
  if (!world.contact.between_strands) return ok();
  const collide::Polylines strands = motion_.geometry().polylines();
  const collide::Margin wide = wide_margin_of(world);
  if (Status found = near_pairs_.find(strands, motion_.common_ends(), {margin_of(world), wide}, pairs_); !found)
    return found;
  stray_pairs_.clear();
  narrow_.find(strands, pairs_, {margin_of(world), 0.0, motion_.ways(), motion_.common_ends(), wide, most_contacts},
               collide::LastContacts(state.contact.contacts), with_strands_);
  near_pairs_.learn(narrow_.distances());
  if (narrow_.has_found_too_many())
    return Error{"contact", fmt::format("more than {} contacts: strands lie in each other; check their scale and "
                                        "radius",
                                        most_contacts)};
  return ok();
}

// Where no impulse moves either side, or a joint holds both, there is nothing to be solved.
bool ContactDetection::is_idle(const World& world, const Contact& contact) const {
  return (motion_.is_driven(contact.a) && motion_.is_driven(contact.b)) || world.joined.hold(contact.a, contact.b) ||
         (!world.colliders.empty() && is_in_skin(contact));
}

// Where there is a body to grow out of, the clamped edges of a groom are a part of its skin. Other strands of it are
// drawn through them, and lie between them and the head, where no impulse could keep what both ask for. So is what has
// just grown out of them: who moves that a little flings the rest of the strand about. Bodies keep that off by the
// other end of its edge.
bool ContactDetection::is_in_skin(const Contact& contact) const {
  if (contact.with_body()) return motion_.has_just_grown(contact.a);
  const auto is_skin = [&](const StrandPoint& at) { return motion_.is_driven(at) || motion_.has_just_grown(at); };
  const std::vector<std::uint32_t>& part = motion_.geometry().part;
  return part[contact.a.strand] == part[contact.b.strand] && (is_skin(contact.a) || is_skin(contact.b));
}

Status ContactDetection::find_missed(const World& world, std::span<const std::uint32_t> moved,
                                     const ContactMemory& depths, StepContacts& report) {
  for (const std::uint32_t strand : moved) unsettle(strand);
  missed_.crossings.clear(), missed_.dives.clear();
  if (world.contact.law == ContactLaw::none) return ok();
  if (Status found = find_crossings(world, moved, report); !found) return found;
  if (Status found = find_dives(world, depths); !found) return found;
  settle();
  return ok();
}

void ContactDetection::unsettle(std::uint32_t strand) {
  const std::vector<std::uint32_t>& offsets = motion_.geometry().offsets;
  std::fill(is_settled_.begin() + offsets[strand], is_settled_.begin() + offsets[strand + 1], 0);
}

// All that was not found wanting in this round.
void ContactDetection::settle() {
  std::ranges::fill(is_settled_, 1);
  for (const Contact& contact : missed_.crossings) unsettle(contact.a.strand), unsettle(contact.b.strand);
  for (const Missed::Dive& dive : missed_.dives) unsettle(dive.contact.a.strand);
  for (const auto& [pair, crossing] : crossings_) is_settled_[pair.first] = is_settled_[pair.second] = 0;
}

void ContactDetection::search_crossings() {
  const collide::Polylines strands = motion_.geometry().polylines();
  const std::span<const Eigen::Vector3d> ends = motion_.common_ends();
  const std::span<const collide::Drift> drifts = near_pairs_.drifts();
  crossing_search_.among(strands, ends, stray_pairs_, {{}, {}, drifts}, is_settled_, new_crossings_);
  crossing_search_.among(strands, ends, pairs_, {narrow_.separators(), narrow_.distances(), drifts}, is_settled_,
                         crossings_);
  crossings_.insert(crossings_.end(), new_crossings_.begin(), new_crossings_.end());
  std::ranges::sort(crossings_, {}, &collide::StrandCrossing::segments);
  // A pair just beyond the boxes may have been found twice.
  const auto again = std::ranges::unique(crossings_, {}, &collide::StrandCrossing::segments);
  crossings_.erase(again.begin(), again.end());
}

// Of strands that pass through each other the material points that met are kept on the sides on which they started out;
// if that was not enough, both segments as a whole.
Status ContactDetection::find_crossings(const World& world, std::span<const std::uint32_t> moved,
                                        StepContacts& report) {
  if (!world.contact.between_strands) return ok();
  const StrandGeometry& geometry = motion_.geometry();
  if (Status found = near_pairs_.find_astray(geometry.polylines(), motion_.common_ends(), moved, stray_pairs_); !found)
    return found;
  search_crossings();
  report.crossings = 0;
  const auto add = [&](const Contact& contact) {
    if (!is_idle(world, contact)) missed_.crossings.push_back(contact);
  };
  for (const auto& [pair, crossing] : crossings_) {
    const std::optional<Separation> sides = Separation::of(geometry, pair);
    if (!sides || is_idle(world, sides->at(crossing.s, crossing.t))) continue;  // nothing can be done
    ++report.crossings;
    if (report.rounds < rounds_with_points)
      add(sides->at(crossing.s, crossing.t));
    else
      for (const Contact& corner : sides->corners()) add(corner);
  }
  return ok();
}

// Where the step leads deeper into a body than its start.
Status ContactDetection::find_dives(const World& world, const ContactMemory& depths) {
  const StrandGeometry& geometry = motion_.geometry();
  const std::span<const char> is_driven = motion_.driven_edges();
  is_left_out_.resize(is_driven.size());
  for (std::size_t v = 0; v < is_driven.size(); ++v) is_left_out_[v] = is_driven[v] | is_settled_[v];
  if (Status found = dive_search_.find(geometry, motion_.ends(), motion_.longest_way(), end_bodies_, is_left_out_,
                                       clearances_, dives_);
      !found)
    return found;
  for (const auto& [contact, time] : dives_) {
    if (is_idle(world, contact)) continue;
    const std::size_t v = geometry.offsets[contact.a.strand] + contact.a.edge;
    const double allowed = allowed_depth(depths, v, contact.a.along);
    const double noticeable = (allowed > 0.0 ? noticeable_return : noticeable_dive) * geometry.radius[v];
    if (-contact.gap > allowed + noticeable) missed_.dives.push_back({contact, time, allowed});
  }
  return ok();
}

}  // namespace tendril
