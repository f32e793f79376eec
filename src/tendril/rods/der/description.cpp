#include "tendril/rods/der/description.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <span>

namespace tendril::der {
namespace {

constexpr double shortest_edge = 1e-8;  // [m]
constexpr double smallest_chi = 1e-6;   // 1 + cosine of the turning angle: a fold-back of 180 degrees to 0.08 degrees

std::string vertex_name(std::size_t strand, std::size_t vertex) {
  return fmt::format("strand {}, vertex {}", strand, vertex);
}

std::optional<Error> wrong_geometry(const Curves& curves) {
  for (std::size_t s = 0; s < curves.strands(); ++s) {
    const auto x = curves.strand(s);
    if (x.size() < 2)
      return Error{fmt::format("strand {}", s),
                   fmt::format("has {} {}; a strand needs 2 or more", x.size(), x.size() == 1 ? "vertex" : "vertices")};
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!x[i].allFinite()) return Error{vertex_name(s, i), "position is not a finite number"};
    for (std::size_t i = 0; i + 1 < x.size(); ++i)
      if (!((x[i + 1] - x[i]).norm() > shortest_edge))
        return Error{vertex_name(s, i + 1),
                     fmt::format("coincides with the vertex before it; edges must be longer than {} m", shortest_edge)};
    for (std::size_t i = 1; i + 1 < x.size(); ++i) {
      const double chi = 1.0 + (x[i] - x[i - 1]).normalized().dot((x[i + 1] - x[i]).normalized());
      if (!(chi > smallest_chi))
        return Error{vertex_name(s, i), "folds back by 180 degrees; the curvature there is infinite"};
    }
  }
  return std::nullopt;
}

// Checks `values` on the owners of an element: vertices [first, count - last) of each strand.
std::optional<Error> wrong_values(const Curves& curves, std::span<const double> values, std::size_t first,
                                  std::size_t last, const char* name, bool positive) {
  if (values.size() != curves.points.size())
    return Error{name, fmt::format("has {} entries; {} vertices need one each", values.size(), curves.points.size())};
  for (std::size_t s = 0; s < curves.strands(); ++s)
    for (std::size_t i = first; i + last < curves.vertices(s); ++i) {
      const double value = values[curves.offsets[s] + i];
      if (!std::isfinite(value)) return Error{vertex_name(s, i), fmt::format("{} is not a finite number", name)};
      if (positive && !(value > 0.0))
        return Error{vertex_name(s, i), fmt::format("{} is {}; it must be positive", name, value)};
    }
  return std::nullopt;
}

// The same for the joints of point clamps, which stand at the ends.
std::optional<Error> wrong_clamp_joint(const Description& d, std::span<const double> moduli, const char* name) {
  for (std::size_t s = 0; s < d.curves.strands(); ++s)
    for (const std::size_t i : {std::size_t(0), d.curves.vertices(s) - 1})
      if (const double value = moduli[d.curves.offsets[s] + i];
          has_joint(d, s, i) && !(value > 0.0 && std::isfinite(value)))
        return Error{vertex_name(s, i), fmt::format("{} is {}; it must be positive and finite", name, value)};
  return std::nullopt;
}

std::optional<Error> wrong_director(const Description& d) {
  constexpr double smallest_angle = 1e-3;  // [rad] to the first edge
  for (std::size_t s = 0; s < d.curves.strands(); ++s) {
    const Eigen::Vector3d& director = of_strand(d.root_director, s);
    if (!director.allFinite() || director.isZero(0.0))
      return Error{fmt::format("strand {}", s), "the root director is not a direction: it is zero or not finite"};
    const Eigen::Vector3d tangent = (d.curves.strand(s)[1] - d.curves.strand(s)[0]).normalized();
    if (!(director.normalized().cross(tangent).norm() > smallest_angle))
      return Error{fmt::format("strand {}", s), "the root director lies along the first edge; it must point across"};
  }
  return std::nullopt;
}

std::optional<Error> wrong_connector(const Description& d, std::size_t i) {
  const Connector& c = d.connectors[i];
  const std::string name = fmt::format("connector {}", i);
  if (c.strand >= d.curves.strands())
    return Error{name, fmt::format("names strand {}; there are {}", c.strand, d.curves.strands())};
  const Clamps& clamps = of_strand(d.clamps, c.strand);
  if ((c.at_tip ? clamps.tip : clamps.root) != Clamp::free)
    return Error{name, fmt::format("is at the {} of strand {}, which a clamp holds; a connector needs a free end",
                                   c.at_tip ? "tip" : "root", c.strand)};
  if (!(c.mass > 0.0) || !std::isfinite(c.mass))
    return Error{name, fmt::format("has the mass {} kg; it must be positive and finite", c.mass)};
  if (!std::isfinite(c.offset)) return Error{name, "has an offset that is not a finite number"};
  if (!(c.axial_inertia >= 0.0) || !(c.transverse_inertia >= 0.0) || !std::isfinite(c.transverse_inertia))
    return Error{name, "has an inertia that is negative or not finite"};
  if (!(c.axial_inertia <= 2.0 * c.transverse_inertia * (1.0 + 1e-9)))
    return Error{name, fmt::format("has the inertia {} kg m2 about its axis and {} across: no body has more than twice "
                                   "as much about its axis",
                                   c.axial_inertia, c.transverse_inertia)};
  return std::nullopt;
}

}  // namespace

Description describe(Curves curves, const Material& material, const Clamps& clamps) {
  Description d;
  const std::size_t n = curves.points.size();
  d.semi_axis1.resize(n);
  for (std::size_t s = 0; s < curves.strands(); ++s) {
    if (curves.vertices(s) == 0) continue;  // check() refuses it
    const std::size_t edges = curves.vertices(s) - 1;
    for (std::size_t i = 0; i <= edges; ++i) {
      const double along = edges > 1 ? std::min(1.0, double(i) / double(edges - 1)) : 0.0;
      d.semi_axis1[curves.offsets[s] + i] =
          material.radius + along * (material.tip_radius.value_or(material.radius) - material.radius);
    }
  }
  d.semi_axis2 = d.semi_axis1;
  for (double& r : d.semi_axis2) r *= material.aspect;
  d.density.assign(n, material.density);
  d.stretch_modulus.assign(n, material.stretch_young.value_or(material.young));
  d.bend_modulus.assign(n, material.young);
  d.twist_modulus.assign(n, material.shear);
  d.damping = {material.damping};
  d.clamps = {clamps};
  d.curves = std::move(curves);
  return d;
}

bool has_joint(const Description& d, std::size_t strand, std::size_t vertex) {
  const Clamps& clamps = of_strand(d.clamps, strand);
  if (vertex == 0) return clamps.root == Clamp::point;
  return vertex + 1 < d.curves.vertices(strand) || clamps.tip == Clamp::point;
}

Eigen::Vector3d first_director(const Description& d, std::size_t strand, const Eigen::Vector3d& t) {
  if (d.root_director.empty()) {
    int smallest = 0;
    t.cwiseAbs().minCoeff(&smallest);
    return t.cross(Eigen::Vector3d::Unit(smallest)).normalized();
  }
  const Eigen::Vector3d wanted = of_strand(d.root_director, strand).normalized();
  return (wanted - wanted.dot(t) * t).normalized();
}

Status check_geometry(const Curves& curves) {
  if (auto wrong = wrong_geometry(curves)) return *wrong;
  return ok();
}

Status check_rest(const Description& d) {
  const auto values = [&](std::span<const double> v, std::size_t first, std::size_t last, const char* name,
                          bool positive) { return wrong_values(d.curves, v, first, last, name, positive); };
  if (auto wrong = values(d.stretch_modulus, 0, 1, "stretch modulus", true)) return *wrong;
  if (auto wrong = values(d.bend_modulus, 1, 1, "bend modulus", true)) return *wrong;
  if (auto wrong = values(d.twist_modulus, 1, 1, "twist modulus", true)) return *wrong;
  if (!d.rest_strain.empty()) {
    if (auto wrong = values(d.rest_strain, 0, 1, "rest strain", false)) return *wrong;
    for (std::size_t s = 0; s < d.curves.strands(); ++s)
      for (std::size_t i = 0; i + 1 < d.curves.vertices(s); ++i)
        if (!(d.rest_strain[d.curves.offsets[s] + i] > -1.0))
          return Error{vertex_name(s, i), "rest strain must be above -1"};
  }
  if (!d.rest_twist.empty())
    if (auto wrong = values(d.rest_twist, 1, 1, "rest twist", false)) return *wrong;
  if (!d.rest_curvature.empty()) {
    if (d.rest_curvature.size() != d.curves.points.size())
      return Error{"rest curvature", fmt::format("has {} entries; {} vertices need one each", d.rest_curvature.size(),
                                                 d.curves.points.size())};
    for (std::size_t s = 0; s < d.curves.strands(); ++s)
      for (std::size_t i = 1; i + 1 < d.curves.vertices(s); ++i)
        for (const double k : d.rest_curvature[d.curves.offsets[s] + i])
          if (!std::isfinite(k)) return Error{vertex_name(s, i), "rest curvature is not a finite number"};
  }
  if (auto wrong = wrong_clamp_joint(d, d.bend_modulus, "bend modulus")) return *wrong;
  if (auto wrong = wrong_clamp_joint(d, d.twist_modulus, "twist modulus")) return *wrong;
  return ok();
}

Status check(const Description& d) {
  if (d.curves.strands() == 0) return Error{"strands", "there are none; give at least one strand"};
  if (auto wrong = wrong_geometry(d.curves)) return *wrong;
  const auto values = [&](std::span<const double> v, std::size_t first, std::size_t last, const char* name,
                          bool positive) { return wrong_values(d.curves, v, first, last, name, positive); };
  if (auto wrong = values(d.semi_axis1, 0, 1, "radius", true)) return *wrong;
  if (auto wrong = values(d.semi_axis2, 0, 1, "radius", true)) return *wrong;
  if (auto wrong = values(d.density, 0, 1, "density", true)) return *wrong;
  if (!d.reference_length.empty())
    if (auto wrong = values(d.reference_length, 0, 1, "reference length", true)) return *wrong;
  if (!d.mass.empty())
    if (auto wrong = values(d.mass, 0, 0, "mass", true)) return *wrong;
  if (!d.inertia.empty())
    if (auto wrong = values(d.inertia, 0, 1, "inertia", true)) return *wrong;
  const auto per_strand = [&](std::size_t size, const char* name) -> std::optional<Error> {
    if (size == 1 || size == d.curves.strands()) return std::nullopt;
    return Error{name,
                 fmt::format("has {} entries; give one, or one for each of {} strands", size, d.curves.strands())};
  };
  if (auto wrong = per_strand(d.damping.size(), "damping")) return *wrong;
  if (auto wrong = per_strand(d.clamps.size(), "clamps")) return *wrong;
  if (Status status = check_rest(d); !status) return status;
  if (!d.root_director.empty()) {
    if (auto wrong = per_strand(d.root_director.size(), "root director")) return *wrong;
    if (auto wrong = wrong_director(d)) return *wrong;
  }
  for (std::size_t i = 0; i < d.connectors.size(); ++i)
    if (auto wrong = wrong_connector(d, i)) return *wrong;
  for (std::size_t s = 0; s < d.damping.size(); ++s)
    if (!(d.damping[s] >= 0.0) || !std::isfinite(d.damping[s]))
      return Error{fmt::format("strand {}", s), fmt::format("damping is {}; it must be 0 s or more", d.damping[s])};
  return ok();
}

}  // namespace tendril::der
