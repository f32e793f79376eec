// The closest chains of points with links of given lengths (docs/theory/chain.md): of one chain or of many, with any
// points held, joints that resist bending, compliant links and slack ones. Chains are cut at held points; pieces with a
// free end go through lanes, those between two held points one by one. Joints go through lanes if nothing is held but
// the first points. What remains is solved chain by chain as a whole. Rivals take held points as they come. The result
// of a chain does not depend on the others, their order or the number of threads.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/base/aligned.hpp"
#include "tendril/rods/chain/project_kernels.hpp"
#include "tendril/rods/chain/run.hpp"

namespace tendril::chain {

struct Projections {
  std::vector<Vector3d> positions;  // [m]
  std::vector<double> multipliers;  // [kg], of links; times length / dt^2 a tension [N]
  std::vector<Outcome> chains;
};

// Keeps its memory from call to call.
class Projector {
 public:
  // The arrays must fit each other; chains with numbers that cannot be used (bad_input) get their prediction.
  void project(const Chains& chains, const Options& options, Projections& out);

 private:
  template <class T>
  struct BlockArrays {
    AlignedVector<T> prediction, inverse_mass, length, start, compliance, positions, multipliers;
    AlignedVector<T> stiffness, share, rest;
  };
  struct Worker {
    BlockArrays<double> doubles;
    BlockArrays<float> singles;
    AlignedVector<std::byte> memory;
  };

  void split(const Chains& chains, const Options& options, Projections& out);
  void split_chain(const Chains& chains, std::uint32_t chain, bool is_bent);
  // Of runs with joints (`bent`) or without, as many in a block as there are lanes.
  void project_blocks(const Chains& chains, const Options& options, bool bent, std::span<const Run> runs,
                      std::size_t lanes, Projections& out);
  template <class T>
  static void project_block(const Chains& chains, const Options& options, bool bent, std::span<const Run> runs,
                            std::size_t lanes, std::span<Outcome> outcomes, BlockArrays<T>& with, Worker& worker,
                            Projections& out);

  std::vector<Run> open_, bent_,
      closed_;                          // with a free end, long ones first, without joints and with; between held ends
  std::vector<std::uint32_t> general_;  // chains that are solved as a whole, once all else has been projected
  std::vector<Outcome> outcomes_, closed_outcomes_;
  std::vector<Worker> workers_;
};

}  // namespace tendril::chain
