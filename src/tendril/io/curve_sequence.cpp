#include "tendril/io/curve_sequence.hpp"

namespace tendril {

CurveSequence excerpt(CurveSequence sequence, std::size_t first, std::size_t count) {
  const auto begin = sequence.frames.begin() + std::ptrdiff_t(first);
  sequence.frames = {begin, begin + std::ptrdiff_t(count)};
  for (auto* fetch : {&sequence.fetch, &sequence.fetch_shutter})
    if (*fetch) *fetch = [whole = *fetch, first](std::size_t i) { return whole(first + i); };
  return sequence;
}

CurveSequence still(const Groom& groom, const std::string& name) {
  CurveSequence sequence;
  sequence.name = name;
  sequence.groom = groom;
  sequence.sets = {{name, groom.curves.strands()}};
  sequence.frames = {1};
  sequence.fetch = [points = groom.curves.points](std::size_t) -> Result<CurveFrame> {
    CurveFrame frame;
    for (const Eigen::Vector3d& p : points)
      for (int c = 0; c < 3; ++c) frame.positions.push_back(float(p[c]));
    return frame;
  };
  return sequence;
}

}  // namespace tendril
