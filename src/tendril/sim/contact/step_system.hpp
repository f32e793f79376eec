// The one-step systems of all parts of a world as one: blocks are numbered through. A contact solver sees this and
// nothing of the models.
#pragma once

#include <span>
#include <vector>

#include "tendril/contracts/one_step.hpp"

namespace tendril {

class StepSystem {
 public:
  virtual ~StepSystem() = default;
  virtual std::size_t block_count() const = 0;
  virtual std::size_t block_size(std::size_t block) const = 0;
  virtual double step() const = 0;
  virtual bool has_start_velocity() const { return true; }  // false: all of it is zero, and nobody need ask
  virtual void start_velocity(std::size_t block, std::span<double> out) const = 0;
  virtual void free_velocity(std::size_t block, std::span<double> out) const = 0;
  virtual void apply_inverse(std::size_t block, std::size_t columns, std::span<double> out) const = 0;
  // The same, but of each column only what follows its first number that is not zero is asked for: half of a symmetric
  // matrix, for models that get it with less work.
  virtual void apply_inverse_downwards(std::size_t block, std::size_t columns, std::span<double> out) const {
    apply_inverse(block, columns, out);
  }
  // What impulses at points of a block, from its tip to its root, do to these points: C = J A^-1 Jᵀ in single precision
  // (linalg/packed_rows.hpp).
  virtual void point_compliance(std::size_t block, std::span<const MaterialPoint> points, float* rows) const;
  // Whether the velocity of a point on an element is linear between those of its ends.
  virtual bool points_follow_vertices() const { return false; }
  virtual UnknownRange unknowns_of(const MaterialPoint& point) const = 0;
  virtual bool is_driven(const MaterialPoint& point) const = 0;
  // Of all vertices of a block, and of the insides of its elements.
  virtual void find_driven(std::size_t block, std::span<char> vertices, std::span<char> elements) const {
    for (std::size_t k = 0; k < elements.size(); ++k) {
      vertices[k] = is_driven({block, k, 0.0});
      elements[k] = is_driven({block, k, 0.5});
    }
    vertices.back() = is_driven({block, elements.size() - 1, 1.0});
  }
  virtual Eigen::Vector3d point_velocity(const MaterialPoint& point, std::span<const double> velocity) const = 0;
  // Of points of one block, four numbers for each, the last of them 0.
  virtual void point_velocities(std::span<const MaterialPoint> points, std::span<const double> velocity,
                                double* out) const {
    for (const MaterialPoint& point : points) out = put_four(point_velocity(point, velocity), out);
  }
  // Of all vertices of a block: those between its elements, and its ends.
  virtual void vertex_velocities(std::size_t block, std::span<const double> velocity,
                                 std::span<Eigen::Vector3d> out) const {
    for (std::size_t k = 0; k + 1 < out.size(); ++k) out[k] = point_velocity({block, k, 0.0}, velocity);
    out.back() = point_velocity({block, out.size() - 2, 1.0}, velocity);
  }
  virtual void add_point_impulse(const MaterialPoint& point, const Eigen::Vector3d& impulse,
                                 std::span<double> out) const = 0;
  // Where the vertices of a block end with these velocities, if that is not where the velocities of its points lead, as
  // `out` has it.
  virtual void set_end_positions(std::size_t /*block*/, std::span<const double> /*velocity*/,
                                 std::span<Eigen::Vector3d> /*out*/) const {}
  virtual void set_velocity(std::size_t block, std::span<const double> velocity) = 0;
  // Once the step has been advanced: the velocity that has led a block to its end, if its links have led it elsewhere
  // than set_velocity() said; false: they have not.
  virtual bool end_velocity(std::size_t /*block*/, std::span<double> /*out*/) const { return false; }

 protected:
  static double* put_four(const Eigen::Vector3d& v, double* out) {
    out[0] = v[0], out[1] = v[1], out[2] = v[2], out[3] = 0.0;
    return out + 4;
  }
};

// A block of one of the systems.
struct BlockPlace {
  StepSystem* system = nullptr;
  std::size_t block = 0;  // of the system

  MaterialPoint point(std::size_t element, double along) const { return {block, element, along}; }
};

std::vector<BlockPlace> all_blocks(std::span<StepSystem* const> systems);

}  // namespace tendril
