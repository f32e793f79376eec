#include "support/chain_rivals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <type_traits>

#include "tendril/base/aligned.hpp"

namespace tendril::testing {

using chain::RivalKernels;
using chain::RivalOptions;
using chain::Status;

template <class T>
std::vector<Found> run_as(Isa isa, const RivalOptions& options, const std::vector<ChainCase>& chains, double compliance,
                          std::size_t more) {
  const RivalKernels& kernels = chain::rival_kernels(isa);
  const std::size_t lanes = std::is_same_v<T, double> ? kernels.lanes : kernels.single_lanes;
  std::vector<Found> all;
  for (std::size_t first = 0; first < chains.size(); first += lanes) {
    const std::size_t count = std::min(lanes, chains.size() - first);
    const auto of_lane = [&](std::size_t lane) -> const ChainCase& {
      return chains[first + std::min(lane, count - 1)];
    };
    std::size_t points = 0;
    for (std::size_t lane = 0; lane < count; ++lane) points = std::max(points, of_lane(lane).prediction.size());
    points += more;
    AlignedVector<T> prediction(3 * points * lanes, T(0)), start = prediction, positions = prediction;
    AlignedVector<T> inverse_mass(points * lanes, T(0)), length = inverse_mass, multipliers = inverse_mass;
    AlignedVector<T> compliances = inverse_mass;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const ChainCase& from = of_lane(lane);
      const std::size_t own = from.prediction.size();
      const Vector3d origin = from.prediction[0];
      for (std::size_t i = 0; i < points; ++i) {
        const std::size_t v = std::min(i, own - 1);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const auto a = Eigen::Index(axis);
          if (i < own) prediction[(3 * i + axis) * lanes + lane] = T(from.prediction[v][a] - origin[a]);
          start[(3 * i + axis) * lanes + lane] = T(from.start[v][a] - origin[a]);
        }
        if (i < own) inverse_mass[i * lanes + lane] = T(from.inverse_mass[i]);
        if (i + 1 < own) length[i * lanes + lane] = T(from.length[i]), compliances[i * lanes + lane] = T(compliance);
      }
    }
    std::array<Status, 16> status{};
    std::array<std::int32_t, 16> iterations{};
    std::array<T, 16> residual{};
    std::array<bool, 16> certified{};
    const chain::BlockView<T> view{
        points,           prediction.data(),  inverse_mass.data(), length.data(),     start.data(),
        positions.data(), multipliers.data(), status.data(),       iterations.data(), residual.data(),
        certified.data()};
    AlignedVector<std::byte> memory(kernels.bytes(points));
    const T* const soft = compliance > 0.0 ? compliances.data() : nullptr;
    if constexpr (std::is_same_v<T, double>)
      kernels.project(view, options, soft, memory.data());
    else
      kernels.project_single(view, options, soft, memory.data());
    for (std::size_t lane = 0; lane < count; ++lane) {
      const ChainCase& from = of_lane(lane);
      Found found{{}, {}, status[lane], iterations[lane], double(residual[lane]), certified[lane]};
      for (std::size_t i = 0; i < points; ++i) {
        const auto number = [&](std::size_t axis) { return double(positions[(3 * i + axis) * lanes + lane]); };
        const Vector3d x(number(0), number(1), number(2));
        EXPECT_TRUE(x.allFinite()) << "point " << i;
        if (i < from.prediction.size()) found.positions.push_back(x + from.prediction[0]);
        if (i + 1 == points) continue;
        const auto multiplier = double(multipliers[i * lanes + lane]);
        if (i < from.length.size())
          found.multipliers.push_back(multiplier);
        else
          EXPECT_EQ(multiplier, 0.0) << "of a link that only fills up";
      }
      all.push_back(std::move(found));
    }
  }
  return all;
}

template std::vector<Found> run_as<float>(Isa, const RivalOptions&, const std::vector<ChainCase>&, double, std::size_t);

std::vector<Found> run(Isa isa, const RivalOptions& options, const std::vector<ChainCase>& chains, double compliance,
                       std::size_t more) {
  return run_as<double>(isa, options, chains, compliance, more);
}
Found run(const RivalOptions& options, const ChainCase& chain, double compliance) {
  return run(Isa::reference, options, {chain}, compliance)[0];
}

}  // namespace tendril::testing
