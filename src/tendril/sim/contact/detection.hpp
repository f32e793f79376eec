// Where strands touch each other and bodies: at the start of a step, and what the velocities that contact has led to
// would pass through (docs/theory/coupling.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/collide/continuous.hpp"
#include "tendril/collide/merge.hpp"
#include "tendril/collide/narrow.hpp"
#include "tendril/collide/near_pairs.hpp"
#include "tendril/sim/contact/dives.hpp"
#include "tendril/sim/contact/memory.hpp"
#include "tendril/sim/contact/step_contacts.hpp"
#include "tendril/sim/contact/step_motion.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

class ContactDetection {
 public:
  // What a step led through, though it was not in contact at its start.
  struct Missed {
    // Strands that pass through each other: sides that their points, or all of their segments, have to stay on.
    std::vector<collide::Contact> crossings;
    // Places that are deeper in a body than they may be, and how deep that is: the surface is not to be passed.
    struct Dive {
      collide::Contact contact;
      double time, allowed;  // of the step, and [m]
    };
    std::vector<Dive> dives;

    bool empty() const { return crossings.empty() && dives.empty(); }
  };

  explicit ContactDetection(const StepMotion& motion) : motion_(motion) {}

  // At the start of the step, in order, of which something is to be solved. `next` gets the depths in bodies.
  Status find(const World& world, const DriveSpan& span, const WorldState& state, ContactMemory& next,
              StepContacts& report);
  const collide::ContactRefs& found() const { return found_; }

  // After strands `moved` go elsewhere than when they were last judged. What was judged then and goes where it went
  // need not be judged again.
  Status find_missed(const World& world, std::span<const std::uint32_t> moved, const ContactMemory& depths,
                     StepContacts& report);
  const Missed& missed() const { return missed_; }

  // What deforms as it is at the start, and at the end.
  const collide::Body& body_at_start(std::size_t index) const { return bodies_[index]; }
  const collide::Body& body_at_end(std::size_t index) const { return end_bodies_[index]; }

 private:
  Status find_pairs(const World& world, const WorldState& state);
  Status find_crossings(const World& world, std::span<const std::uint32_t> moved, StepContacts& report);
  Status find_dives(const World& world, const ContactMemory& depths);
  void search_crossings();
  void settle();
  void unsettle(std::uint32_t strand);
  bool is_idle(const World& world, const collide::Contact& contact) const;
  bool is_in_skin(const collide::Contact& contact) const;

  const StepMotion& motion_;
  std::vector<collide::Body> bodies_, end_bodies_;
  collide::NearPairs near_pairs_;
  collide::Narrow narrow_;
  std::vector<collide::SegmentPair> pairs_, stray_pairs_;
  collide::ContactRefs with_strands_;
  std::vector<collide::Contact> with_bodies_;
  collide::ContactRefs found_;  // of both
  collide::CrossingSearch crossing_search_;
  std::vector<collide::StrandCrossing> crossings_, new_crossings_;
  collide::Clearances clearances_;
  DiveSearch dive_search_;
  std::vector<Dive> dives_;
  std::vector<char> is_settled_;   // of strands that were not found wanting where they go, by each of their vertices
  std::vector<char> is_left_out_;  // settled, or driven: edges, by their first vertices
  Missed missed_;
};

}  // namespace tendril
