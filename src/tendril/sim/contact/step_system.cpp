#include "tendril/sim/contact/step_system.hpp"

#include <Eigen/Core>
#include <algorithm>

#include "tendril/linalg/packed_rows.hpp"

namespace tendril {

// In full; models with a structure of their own know better.
void StepSystem::point_compliance(std::size_t block, std::span<const MaterialPoint> points, float* rows) const {
  const std::size_t size = block_size(block), count = 3 * points.size();
  thread_local Eigen::MatrixXd jacobian, columns, compliance;  // Jᵀ, A^-1 Jᵀ, J A^-1 Jᵀ
  jacobian.setZero(Eigen::Index(size), Eigen::Index(count));
  for (std::size_t c = 0; c < count; ++c)
    add_point_impulse(points[c / 3], Eigen::Vector3d::Unit(Eigen::Index(c % 3)),
                      {jacobian.col(Eigen::Index(c)).data(), size});
  columns = jacobian;
  apply_inverse(block, count, {columns.data(), size * count});
  compliance.noalias() = jacobian.transpose() * columns;
  std::fill_n(rows, PackedRows::size(points.size()), 0.0f);
  for (std::size_t row = 0; row < count; ++row) {
    float* const to = rows + PackedRows::begin(row / 3) + row % 3 * PackedRows::stride(row / 3);
    const std::size_t own = row - row % 3;
    for (std::size_t c = 0; c < own + 3; ++c)
      to[c] = float(compliance(Eigen::Index(row), Eigen::Index(c)) * (c < own ? 1.0 : 0.5));
  }
}

std::vector<BlockPlace> all_blocks(std::span<StepSystem* const> systems) {
  std::vector<BlockPlace> blocks;
  for (StepSystem* const system : systems)
    for (std::size_t b = 0; b < system->block_count(); ++b) blocks.push_back({system, b});
  return blocks;
}

}  // namespace tendril
