// A groom in motion, frame by frame: what the writers of animated formats take. Frames are fetched one at a time, so a
// sequence may be larger than memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/io/groom.hpp"

namespace tendril {

struct CurveFrame {
  int number = 1;
  double time = 0.0;              // [s]
  std::vector<float> positions;   // three per vertex [m]
  std::vector<float> velocities;  // three per vertex [m/s]; empty: unknown
};

struct CurveSequence {
  struct Set {
    std::string name;
    std::size_t strands = 0;
  };
  std::string name = "groom";
  double fps = 60.0;
  Groom groom;              // in metres, y up: the strands of all sets one after the other; its points are not used
  std::vector<Set> sets;    // at least one
  std::vector<int> frames;  // numbers, rising
  std::function<Result<CurveFrame>(std::size_t index)> fetch;
  // For motion blur: a further sample after each frame, by this share of a frame. 0: there are none; at most 1.
  double shutter = 0.0;
  std::function<Result<CurveFrame>(std::size_t index)> fetch_shutter;  // without positions: this frame has none
};

// `count` of its frames, from the one at index `first` on.
CurveSequence excerpt(CurveSequence sequence, std::size_t first, std::size_t count);

// A groom that stands still, as a sequence of one frame.
CurveSequence still(const Groom& groom, const std::string& name);

}  // namespace tendril
