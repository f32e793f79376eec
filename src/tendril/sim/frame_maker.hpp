// Frames (io/frame_file.hpp) of a world: for the cache, and for whoever watches a simulation as it goes.
#pragma once

#include <string>
#include <vector>

#include "tendril/io/frame_file.hpp"
#include "tendril/sim/bodies.hpp"
#include "tendril/sim/groom_pose.hpp"
#include "tendril/sim/strand_channels.hpp"
#include "tendril/sim/tensions.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

class FrameMaker {
 public:
  // `channels` are those of OutputSettings.
  FrameMaker(const World& world, const std::vector<std::string>& channels);

  // At the state's time; what is carried by guides gets its velocity from the last step. Tensions may have been found
  // already.
  Frame frame(int number, bool usable, const World& world, const LastStep& last, const WorldState& state,
              GroomScratch& scratch, FoundTensions tensions = {}) const;
  // What holds for all frames.
  Frame rest(const World& world) const;
  const std::vector<Body>& bodies() const { return bodies_; }

 private:
  bool has(const char* channel) const;

  std::vector<std::string> channels_;
  std::vector<Body> bodies_;
  RestLengths rest_;
  Frame shared_;  // offsets, and channels that are the same in all frames
};

}  // namespace tendril
