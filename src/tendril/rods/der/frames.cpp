#include "tendril/rods/der/frames.hpp"

#include "tendril/geometry/transport.hpp"
#include "tendril/rods/der/streams.hpp"

namespace tendril::der {

void carry_frames(std::span<const double> before, std::span<double> state, int begin, int vertices, int lanes,
                  std::size_t lane) {
  using L = StateLayout;
  Vec3<double> tangent_behind{}, director_behind{};
  for (int k = begin; k + 1 < vertices; ++k) {
    const auto tangent_in = [&](std::span<const double> stream) {
      return make_edge(read3(stream, k + 1, L::position, lanes, lane) - read3(stream, k, L::position, lanes, lane))
          .tangent;
    };
    const Vec3<double> tangent = tangent_in(state);
    const Vec3<double> director =
        transport_director_anywhere(tangent_in(before), tangent, read3(state, k, L::director, lanes, lane));
    write3(state, k, L::director, lanes, lane, director);
    double& twist = state[state_at(k, L::reference_twist, lanes, lane)];
    if (k > begin) twist = reference_twist(tangent_behind, director_behind, tangent, director, twist);
    tangent_behind = tangent, director_behind = director;
  }
}

}  // namespace tendril::der
