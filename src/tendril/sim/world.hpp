// A scene made ready to run: the models with their motions (World, constant), and what moves (WorldState).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/rods/der/stepper.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/sim/clock.hpp"

namespace tendril {

struct World {
  struct Part {
    StrandSet settings;
    der::Strands strands;
    std::vector<std::size_t> hold_settings;  // per hold of `strands`: its entry in settings.holds
    Pose to_drawn;  // from the start pose, which is the drawn one carried by the root's motion at time 0, back to it
  };
  RunSettings run;
  std::vector<Part> parts;
  GroomRepairs repairs;            // of all grooms
  std::vector<std::string> notes;  // what was repaired or assumed, a sentence each

  std::size_t strand_count() const;
  std::size_t vertex_count() const;
};

// All that a restart needs.
struct WorldState {
  Clock clock;
  std::vector<der::State> parts;

  void swap(WorldState& other) noexcept {
    std::swap(clock, other.clock);
    parts.swap(other.parts);
  }
};

Result<World> make_world(const Scene& scene);
WorldState start(const World& world);

// Clamps and holds of `state`, which are where their motions have them at time `from`, get their targets for time `to`,
// whatever turns they make on the way.
void drive(const World::Part& part, double from, double to, const der::State& state, der::Drive& work,
           der::Targets& targets);

std::uint64_t hash(const World& world, const WorldState& state);
bool all_finite(const WorldState& state);

}  // namespace tendril
