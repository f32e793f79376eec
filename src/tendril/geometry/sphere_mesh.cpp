#include "tendril/geometry/sphere_mesh.hpp"

#include <Eigen/Geometry>
#include <map>
#include <numbers>
#include <utility>

namespace tendril {
namespace {

TriangleMesh icosahedron() {
  constexpr double g = std::numbers::phi;
  TriangleMesh mesh;
  for (const double a : {-1.0, 1.0})
    for (const double b : {-g, g}) {
      mesh.points.emplace_back(0.0, a, b);
      mesh.points.emplace_back(a, b, 0.0);
      mesh.points.emplace_back(b, 0.0, a);
    }
  // Corners two apart make the edges, and three of them that are all two apart the faces.
  const auto joined = [&](std::size_t i, std::size_t j) { return (mesh.points[i] - mesh.points[j]).norm() < 2.1; };
  for (std::uint32_t i = 0; i < 12; ++i)
    for (std::uint32_t j = i + 1; j < 12; ++j)
      for (std::uint32_t k = j + 1; k < 12; ++k) {
        if (!joined(i, j) || !joined(j, k) || !joined(i, k)) continue;
        const Eigen::Vector3d normal = (mesh.points[j] - mesh.points[i]).cross(mesh.points[k] - mesh.points[i]);
        if (normal.dot(mesh.points[i]) > 0.0)
          mesh.triangles.push_back({i, j, k});
        else
          mesh.triangles.push_back({i, k, j});
      }
  for (Eigen::Vector3d& point : mesh.points) point.normalize();
  return mesh;
}

void cut_in_four(TriangleMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
  const auto middle = [&](std::uint32_t a, std::uint32_t b) {
    const auto [found, is_new] = middles.try_emplace(std::minmax(a, b), std::uint32_t(mesh.points.size()));
    if (is_new) mesh.points.push_back((mesh.points[a] + mesh.points[b]).normalized());
    return found->second;
  };
  std::vector<std::array<std::uint32_t, 3>> triangles;
  for (const auto& [a, b, c] : mesh.triangles) {
    const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    for (const std::array<std::uint32_t, 3>& t :
         {std::array{a, ab, ca}, std::array{b, bc, ab}, std::array{c, ca, bc}, std::array{ab, bc, ca}})
      triangles.push_back(t);
  }
  mesh.triangles.swap(triangles);
}

}  // namespace

TriangleMesh sphere_mesh(int fineness) {
  TriangleMesh mesh = icosahedron();
  for (int i = 0; i < fineness; ++i) cut_in_four(mesh);
  return mesh;
}

}  // namespace tendril
