// A scene made ready to run: the models with their motions (World, constant), and what moves (WorldState).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/rods/chain/trees.hpp"
#include "tendril/rods/der/stepper.hpp"
#include "tendril/sagfree/outcome.hpp"
#include "tendril/scene/root_binding.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/sim/attraction.hpp"
#include "tendril/sim/clock.hpp"
#include "tendril/sim/contact/colliders.hpp"
#include "tendril/sim/contact/memory.hpp"
#include "tendril/sim/followers.hpp"
#include "tendril/sim/joined_places.hpp"
#include "tendril/sim/models/strand_model.hpp"

namespace tendril {

struct World {
  struct Part {
    StrandSet settings;
    der::Strands strands;                    // those that are simulated, as vertices with frames
    ModelHandle model;                       // how they move
    std::vector<std::size_t> hold_settings;  // per hold of `strands`: its entry in settings.holds
    Pose to_drawn;  // from the start pose, which is the drawn one carried by the root's motion at time 0, back to it
    std::vector<der::Load> loads;      // of the scene
    std::optional<RootBinding> roots;  // of `strands`, to the mesh that moves them
    std::optional<Attraction> attraction;
    std::optional<Followers> followers;         // nothing: every strand is simulated
    std::optional<RootBinding> follower_roots;  // of the whole groom
    std::vector<double> radius;                 // [m] per vertex of the groom
    std::optional<sagfree::Outcome> sag_free;   // of `strands`; nothing: their rest shape is the drawn one
    std::vector<chain::Tie> ties;               // of strands that hang on each other

    // The start pose of all strands, simulated or carried.
    const Curves& groom() const { return followers ? followers->groom() : strands.description().curves; }
    // Which of `strands` a strand of the groom is; nothing if guides carry it.
    std::optional<std::size_t> simulated(std::size_t strand) const;
    ModelTraits traits() const { return tendril::traits(settings.model); }

    // For the strands and their model alike.
    Status add_load(const der::Load& load);
    void clear_loads();
    PartState start() const;
  };
  // Two vertices of simulated strands, numbered through all parts, or one and a place, that stay together.
  struct Joint {
    collide::StrandPoint a, b;                        // b: nobody if it is the place
    Eigen::Vector3d place = Eigen::Vector3d::Zero();  // [m]
    bool is_tie = false;  // their model holds them together; the joint is there for what contact does to them
  };
  RunSettings run;
  std::vector<Part> parts;
  ContactSettings contact;
  std::vector<Collider> colliders;
  std::vector<Joint> joints;
  JoinedPlaces joined;  // of all joints
  std::vector<ProbeSettings> probes;
  GroomRepairs repairs;            // of all grooms
  std::vector<std::string> notes;  // what was repaired or assumed, a sentence each

  bool has_contact() const { return contact.law != ContactLaw::none || !std::ranges::all_of(joints, &Joint::is_tie); }
  std::size_t strand_count() const;  // simulated
  std::size_t vertex_count() const;
  std::size_t first_vertex(std::size_t part) const;  // of those that are simulated, through all parts
  std::size_t groom_strand_count() const;            // with those that guides carry
  std::size_t groom_vertex_count() const;
  std::optional<std::size_t> part_named(const std::string& name) const;
};

// A pose that the roots of a part were given from outside, in place of their motion: they go from `before` to `now` in
// one sub-step, after which both are the same. Both carry the drawn strands.
struct GivenPose {
  Pose before, now;
};

// All that a restart needs.
struct WorldState {
  Clock clock;
  std::vector<PartState> parts;
  std::vector<std::optional<GivenPose>> given_poses;  // per part
  ContactMemory contact;

  void swap(WorldState& other) noexcept {
    std::swap(clock, other.clock);
    parts.swap(other.parts);
    given_poses.swap(other.given_poses);
    std::swap(contact, other.contact);
  }
};

Result<World> make_world(const Scene& scene);
WorldState start(const World& world);

// What drive() and the attraction need beside the state; thrown away and made again at any time.
struct DriveScratch {
  der::Drive drive;
  std::vector<Pose> before;  // of the roots, when the step begins
  Attraction::Scratch attraction;
};

// What a step goes through, as the motions see it: pre-roll holds them at their start.
struct DriveSpan {
  double start = 0.0, end = 0.0;              // [s]
  double dt = 0.0;                            // [s]
  double given_start = 0.0, given_end = 1.0;  // share of the way to a given pose
};
DriveSpan drive_span(const World& world, const Clock& from, std::int64_t ticks, bool frozen);

// Clamps and holds of part i, which are where their motions have them at the start of the span, get their targets for
// its end, whatever turns they make on the way; what is attracted gets its places.
void drive(const World& world, std::size_t i, const DriveSpan& span, const WorldState& state, DriveScratch& scratch,
           der::Targets& targets);

// Where the roots of a part have been carried from the start pose; one pose for all strands, or one for each.
// `share` of the way to a given pose.
void root_poses(const World& world, std::size_t i, double time, double share, const WorldState& state,
                std::vector<Pose>& out);

std::uint64_t hash(const World& world, const WorldState& state);
der::Energies total_energies(const World& world, const WorldState& state);

// The first number of a state that is not finite.
struct BadNumber {
  std::string set;
  std::size_t strand = 0, vertex = 0;
};
std::optional<BadNumber> find_not_finite(const World& world, const std::vector<PartState>& parts);

}  // namespace tendril
