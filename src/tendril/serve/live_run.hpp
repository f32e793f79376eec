// A simulation that is watched and handled while it goes, seen from its own thread (live.hpp has that): orders go in
// between steps, frames come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/serve/live_orders.hpp"
#include "tendril/serve/root_drag.hpp"
#include "tendril/serve/run_facts.hpp"
#include "tendril/sim/frame_maker.hpp"
#include "tendril/sim/run.hpp"
#include "tendril/sim/simulation.hpp"

namespace tendril::serve {

class LiveRun {
 public:
  static Result<LiveRun> create(Scene scene);

  const Simulation& simulation() const { return simulation_; }
  bool is_static() const { return simulation_.world().run.mode == RunMode::statics; }
  const LiveControls& defaults() const { return defaults_; }  // those of the scene
  RunFacts facts() const;
  const FrameMaker& maker() const { return maker_; }
  // Of all sets of strands, in their order; nothing: it cannot be dragged.
  const std::vector<std::optional<RootDrag>>& drags() const { return drags_; }

  Status control(const LiveControls& controls);
  void drag(const DragOrder& order);  // of a set that can be dragged
  void reset();

  // One time step; of a static scene the equilibrium.
  Status step();
  bool under_way() const;  // roots that are dragged have not arrived
  // How many steps it takes from a frame that is shown to the next: as near to 60 frames in a second as steps allow,
  // whatever the frames of the scene, so that no order waits long.
  std::int64_t steps_per_frame() const;
  double frame_seconds() const;  // [s] simulated from one to the next

  // The state as a frame, and what it took since the last one.
  Result<std::vector<std::byte>> show(int number, FrameRecord& record);

 private:
  LiveRun(Simulation simulation, FrameMaker maker);
  double step_seconds() const;

  Simulation simulation_;
  FrameMaker maker_;
  GroomScratch scratch_;
  LiveControls defaults_, controls_;
  std::vector<std::optional<RootDrag>> drags_;
  FrameRecord taken_;  // since the last frame
};

}  // namespace tendril::serve
