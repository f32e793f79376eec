// Some strands of a step, or trees of them, as chains with arrays of their own, to be projected by themselves.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "tendril/rods/chain/project.hpp"

namespace tendril::chain {

struct Selection {
  std::vector<std::uint32_t> which;  // strands, or trees
  std::vector<Vector3d> aim, start, rest;
  std::vector<double> inverse, length, stiffness, share, compliance, tolerance;
  std::vector<std::uint32_t> offsets = {0}, parents;
  Projections found;

  void clear() {
    which.clear(), offsets.assign(1, 0), parents.clear();
    for (auto* points : {&aim, &start, &rest}) points->clear();
    for (auto* numbers : {&inverse, &length, &stiffness, &share, &compliance, &tolerance}) numbers->clear();
  }
  Chains chains(bool is_bent, bool slack) const {
    Chains all{aim, inverse, length, offsets, start, compliance};
    all.slack = slack, all.parents = parents, all.tolerance = tolerance;
    if (is_bent) all.joints = {stiffness, share, rest, parents};
    return all;
  }
};

}  // namespace tendril::chain
