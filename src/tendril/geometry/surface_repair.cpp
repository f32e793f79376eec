#include "tendril/geometry/surface_repair.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tendril/geometry/same_places.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using Triangle = std::array<std::uint32_t, 3>;

// Where the corners are on one line to round-off, no side of it is the outer one.
bool has_area(const TriangleMesh& mesh, const Triangle& corners) {
  const Vector3d &a = mesh.points[corners[0]], &b = mesh.points[corners[1]], &c = mesh.points[corners[2]];
  const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
  return (b - a).cross(c - a).norm() > 1e-14 * longest * longest;
}

struct HalfEdge {
  std::uint32_t low, high, triangle;
  bool rising;  // whether the triangle goes from the lower end to the higher one

  auto ends() const { return std::pair(low, high); }
};

std::vector<HalfEdge> half_edges(const TriangleMesh& mesh, const std::vector<std::uint32_t>& same) {
  std::vector<HalfEdge> edges;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = same[mesh.triangles[t][k]], b = same[mesh.triangles[t][(k + 1) % 3]];
      edges.push_back({std::min(a, b), std::max(a, b), t, a < b});
    }
  std::ranges::stable_sort(edges, {}, &HalfEdge::ends);
  return edges;
}

// The triangles beyond the edges of each, where there is exactly one.
struct Neighbours {
  struct Beyond {
    std::uint32_t triangle;
    bool agrees;  // goes through the edge the other way, as it should
  };
  std::vector<std::vector<Beyond>> of;
  std::vector<char> on_rim;  // has an edge that is open or branches

  Neighbours(const std::vector<HalfEdge>& edges, std::size_t triangles, SurfaceRepairs& repairs)
      : of(triangles), on_rim(triangles, 0) {
    for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
      while (end < edges.size() && edges[end].ends() == edges[begin].ends()) ++end;
      if (end - begin == 2) {
        const HalfEdge &a = edges[begin], &b = edges[begin + 1];
        of[a.triangle].push_back({b.triangle, a.rising != b.rising});
        of[b.triangle].push_back({a.triangle, a.rising != b.rising});
        continue;
      }
      ++(end - begin == 1 ? repairs.open : repairs.branching);
      for (std::size_t e = begin; e < end; ++e) on_rim[edges[e].triangle] = 1;
    }
  }
};

double volume(const TriangleMesh& mesh, std::uint32_t t) {
  const Triangle& c = mesh.triangles[t];
  const Vector3d& origin = mesh.points[mesh.triangles[0][0]];
  return (mesh.points[c[0]] - origin).cross(mesh.points[c[1]] - origin).dot(mesh.points[c[2]] - origin) / 6.0;
}

// One connected piece of the surface. Triangles are turned to agree with most of them or, where it is closed and they
// disagree, so that its volume is positive.
struct Piece {
  std::vector<std::uint32_t> triangles;
  bool closed = true, agreed = true;
};

Piece collect_piece(std::uint32_t first, const Neighbours& neighbours, std::vector<char>& seen, std::vector<char>& turn,
                    std::size_t& twisted) {
  Piece piece{{first}};
  seen[first] = 1;
  for (std::size_t k = 0; k < piece.triangles.size(); ++k) {
    const std::uint32_t t = piece.triangles[k];
    piece.closed = piece.closed && neighbours.on_rim[t] == 0;
    for (const auto& [other, agrees] : neighbours.of[t]) {
      const char wanted = agrees ? turn[t] : char(1 - turn[t]);
      piece.agreed = piece.agreed && agrees;
      if (seen[other] == 0) {
        seen[other] = 1, turn[other] = wanted;
        piece.triangles.push_back(other);
      } else if (turn[other] != wanted) {
        ++twisted;  // from both sides
      }
    }
  }
  return piece;
}

// [m3], as the triangles are to be turned.
double volume(const TriangleMesh& mesh, const Piece& piece, const std::vector<char>& turn) {
  double sum = 0.0;
  for (const std::uint32_t t : piece.triangles) sum += turn[t] != 0 ? -volume(mesh, t) : volume(mesh, t);
  return sum;
}

void turn_all(const Piece& piece, std::vector<char>& turn) {
  for (const std::uint32_t t : piece.triangles) turn[t] = char(1 - turn[t]);
}

void orient(TriangleMesh& mesh, SurfaceRepairs& repairs) {
  const std::size_t count = mesh.triangles.size();
  const Neighbours neighbours(half_edges(mesh, same_places(mesh.points)), count, repairs);
  std::vector<char> seen(count, 0), turn(count, 0);
  std::vector<Piece> pieces;
  for (std::uint32_t t = 0; t < count; ++t) {
    if (seen[t] != 0) continue;
    pieces.push_back(collect_piece(t, neighbours, seen, turn, repairs.twisted));
    const Piece& piece = pieces.back();
    const auto turned =
        std::size_t(std::ranges::count_if(piece.triangles, [&](std::uint32_t k) { return turn[k] != 0; }));
    const bool most = 2 * turned > piece.triangles.size();
    if (piece.agreed ? false : piece.closed ? volume(mesh, piece, turn) < 0.0 : most) turn_all(piece, turn);
  }
  repairs.twisted /= 2;
  // A shell within another may well face inwards; all of it together may not.
  double all = 0.0;
  for (const Piece& piece : pieces) all += piece.closed ? volume(mesh, piece, turn) : 0.0;
  if (all < 0.0)
    for (const Piece& piece : pieces)
      if (piece.closed) turn_all(piece, turn);
  for (std::size_t t = 0; t < count; ++t)
    if (turn[t] != 0) std::swap(mesh.triangles[t][1], mesh.triangles[t][2]), ++repairs.turned;
}

}  // namespace

std::string SurfaceRepairs::text() const {
  std::vector<std::string> parts;
  const auto say = [&](std::size_t count, const char* one, const char* many) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  say(without_area, "triangle without area left out", "triangles without area left out");
  say(turned, "triangle turned round", "triangles turned round");
  say(open, "open edge", "open edges");
  say(branching, "edge of more than two triangles", "edges of more than two triangles");
  say(twisted, "edge at which triangles cannot agree", "edges at which triangles cannot agree");
  return fmt::format("{}", fmt::join(parts, ", "));
}

SurfaceRepairs repair_surface(TriangleMesh& mesh) {
  SurfaceRepairs repairs;
  const std::size_t before = mesh.triangles.size();
  std::erase_if(mesh.triangles, [&](const Triangle& corners) { return !has_area(mesh, corners); });
  repairs.without_area = before - mesh.triangles.size();
  if (!mesh.triangles.empty()) orient(mesh, repairs);
  return repairs;
}

}  // namespace tendril
