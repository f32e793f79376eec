#include "tendril/scene/guides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "tendril/base/parallel.hpp"
#include "tendril/rods/arc_length.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

const Vector3d& root(const Curves& curves, std::size_t strand) { return curves.points[curves.offsets[strand]]; }

// Each guide is the strand whose root is farthest from those chosen before; the first strand begins.
std::vector<std::size_t> spread_over_roots(const Curves& curves, std::size_t count) {
  std::vector<std::size_t> chosen;
  std::vector<double> distance(curves.strands(), std::numeric_limits<double>::infinity());
  for (std::size_t next = 0; chosen.size() < count;) {
    chosen.push_back(next);
    distance[next] = -1.0;
    for (std::size_t s = 0; s < curves.strands(); ++s)
      if (distance[s] >= 0.0)
        distance[s] = std::min(distance[s], (root(curves, s) - root(curves, chosen.back())).squaredNorm());
    next = std::size_t(std::ranges::max_element(distance) - distance.begin());
  }
  std::ranges::sort(chosen);
  return chosen;
}

Result<std::vector<std::size_t>> marked_by(const Groom& groom, const std::string& name) {
  const GroomAttribute* attribute = groom.attribute(name);
  if (attribute == nullptr) {
    std::string known;
    for (const GroomAttribute& a : groom.attributes) known += (known.empty() ? "" : ", ") + a.name;
    return Error{"guides", fmt::format("the groom has no attribute '{}'; it has {}; write \"all\", \"every 10\", a "
                                       "number, a groom file or an attribute of the strands",
                                       name, known.empty() ? "none" : known)};
  }
  if (attribute->per_vertex || attribute->components != 1)
    return Error{"guides", fmt::format("the attribute '{}' must have one number per strand", name)};
  std::vector<std::size_t> chosen;
  for (std::size_t s = 0; s < attribute->values.size(); ++s)
    if (attribute->values[s] != 0.0) chosen.push_back(s);
  if (chosen.empty())
    return Error{"guides", fmt::format("the attribute '{}' marks no strand: it is 0 everywhere", name)};
  return chosen;
}

// The three nearest roots; of equally near ones those that come first.
std::array<std::uint32_t, GuideBinding::most> nearest(const Vector3d& at, const std::vector<Vector3d>& roots) {
  struct Candidate {
    double distance;
    std::uint32_t guide;
  };
  std::array<Candidate, GuideBinding::most> best;
  best.fill({std::numeric_limits<double>::infinity(), 0});
  for (std::uint32_t g = 0; g < roots.size(); ++g) {
    const Candidate candidate{(roots[g] - at).squaredNorm(), g};
    const auto place = std::ranges::find_if(best, [&](const Candidate& c) { return candidate.distance < c.distance; });
    if (place == best.end()) continue;
    std::move_backward(place, best.end() - 1, best.end());
    *place = candidate;
  }
  std::array<std::uint32_t, GuideBinding::most> guides;
  for (std::size_t i = 0; i < guides.size(); ++i) guides[i] = i < roots.size() ? best[i].guide : best[0].guide;
  return guides;
}

// Some points of a strand at equal shares of its length, seen from its root.
constexpr int samples = 6;
using Shape = std::array<Vector3d, samples>;
Shape shape_of(std::span<const Vector3d> points) {
  const std::vector<double> lengths = arc_lengths(points);
  Shape shape;
  for (int k = 0; k < samples; ++k)
    shape[std::size_t(k)] = point_at(points, spot_at(lengths, lengths.back() * (k + 1) / samples)) - points[0];
  return shape;
}

// Weights by the inverse square of the distance: of the roots, and of the strands with their roots laid on each other.
// The latter keeps a strand beside a parting from following guides of the other side.
std::array<double, GuideBinding::most> weights_of(const Vector3d& root, const Shape& shape,
                                                  const std::array<std::uint32_t, GuideBinding::most>& guides,
                                                  const std::vector<Vector3d>& roots, const std::vector<Shape>& shapes,
                                                  std::size_t different) {
  std::array<double, GuideBinding::most> distance{}, weight{};
  double least = std::numeric_limits<double>::infinity(), sum = 0.0;
  for (std::size_t i = 0; i < different; ++i) {
    double apart = 0.0;
    for (std::size_t k = 0; k < shape.size(); ++k) apart += (shape[k] - shapes[guides[i]][k]).norm() / samples;
    distance[i] = (roots[guides[i]] - root).squaredNorm() + apart * apart;
    least = std::min(least, distance[i]);
  }
  // Relative to the nearest one, so that nothing overflows; one at the same place with the same shape takes all.
  for (std::size_t i = 0; i < different; ++i) {
    weight[i] = distance[i] == least ? 1.0 : least / distance[i];
    sum += weight[i];
  }
  for (double& w : weight) w /= sum;
  return weight;
}

// Where a strand that bindings name is among the guides. Of strands of the groom the name is their groom_id, or their
// index if there are no ids; of guides of their own it is their index.
std::map<double, std::uint32_t> named_guides(const Groom& groom, std::size_t guides,
                                             const std::vector<std::size_t>& strands) {
  const GroomAttribute* ids = groom.attribute("groom_id");
  if (ids != nullptr && (ids->per_vertex || ids->components != 1)) ids = nullptr;
  std::map<double, std::uint32_t> places;
  for (std::uint32_t g = 0; g < guides; ++g) {
    const double strand = strands.empty() ? double(g) : double(strands[g]);
    places.emplace(strands.empty() || ids == nullptr ? strand : ids->values[strands[g]], g);
  }
  return places;
}

Status take_bindings(const Groom& groom, const GroomAttribute& closest, const GroomAttribute& weights,
                     std::size_t guides, const std::vector<std::size_t>& strands, GuideBinding& binding) {
  constexpr std::size_t most = GuideBinding::most;
  const std::map<double, std::uint32_t> places = named_guides(groom, guides, strands);
  const auto wrong = [](std::size_t s, const std::string& what) {
    return Error{"guides", fmt::format("strand {} of the groom {}", s, what)};
  };
  for (std::size_t s = 0; s < groom.curves.strands(); ++s) {
    if (std::ranges::binary_search(strands, s)) continue;  // a guide follows itself
    double sum = 0.0;
    for (std::size_t i = 0; i < most; ++i) {
      const double named = closest.values[most * s + i], weight = weights.values[most * s + i];
      if (!(weight >= 0.0) || !std::isfinite(weight)) return wrong(s, fmt::format("has the guide weight {}", weight));
      const auto found = std::isfinite(named) ? places.find(named) : places.end();
      if (found == places.end() && weight > 0.0)
        return wrong(s, fmt::format("follows the strand {}, which is no guide", named));
      if (found != places.end()) binding.closest[s][i] = found->second;
      binding.weights[s][i] = weight, sum += weight;
    }
    if (!(sum > 0.0)) return wrong(s, "has guide weights that are all 0");
    for (double& w : binding.weights[s]) w /= sum;
  }
  return ok();
}

const GroomAttribute* triple(const Groom& groom, const char* name) {
  const GroomAttribute* attribute = groom.attribute(name);
  return attribute != nullptr && !attribute->per_vertex && attribute->components == 3 ? attribute : nullptr;
}

}  // namespace

Result<std::vector<std::size_t>> choose_guides(const GuideChoice& choice, const Groom& groom) {
  const std::size_t count = groom.curves.strands();
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t(0));
  if (const auto* every = std::get_if<EveryNth>(&choice)) {
    std::erase_if(all, [&](std::size_t s) { return s % std::size_t(every->n) != 0; });
    return all;
  }
  if (const auto* some = std::get_if<GuideCount>(&choice))
    return std::size_t(some->count) >= count ? all : spread_over_roots(groom.curves, std::size_t(some->count));
  if (const auto* marked = std::get_if<GuideAttribute>(&choice)) return marked_by(groom, marked->name);
  return all;
}

Result<GuideBinding> bind_to_guides(const GuideChoice& choice, const Groom& groom, const Curves& guides,
                                    std::vector<std::size_t> strands) {
  GuideBinding binding{std::move(strands), {}, {}};
  binding.closest.resize(groom.curves.strands()), binding.weights.resize(groom.curves.strands());
  const GroomAttribute *closest = triple(groom, "closest_guides"), *weights = triple(groom, "guide_weights");
  const bool of_groom = std::holds_alternative<GuideAttribute>(choice) || std::holds_alternative<GuideFile>(choice);
  if (of_groom && closest != nullptr && weights != nullptr) {
    if (Status taken = take_bindings(groom, *closest, *weights, guides.strands(), binding.strands, binding); !taken)
      return taken.error();
  } else {
    std::vector<Vector3d> roots(guides.strands());
    std::vector<Shape> shapes(guides.strands());
    for (std::size_t g = 0; g < guides.strands(); ++g)
      roots[g] = root(guides, g), shapes[g] = shape_of(guides.strand(g));
    parallel_for(groom.curves.strands(), [&](std::size_t s) {
      const Vector3d& at = root(groom.curves, s);
      binding.closest[s] = nearest(at, roots);
      binding.weights[s] = weights_of(at, shape_of(groom.curves.strand(s)), binding.closest[s], roots, shapes,
                                      std::min(GuideBinding::most, roots.size()));
    });
  }
  for (std::size_t g = 0; g < binding.strands.size(); ++g) {
    binding.closest[binding.strands[g]].fill(std::uint32_t(g));
    binding.weights[binding.strands[g]] = {1.0, 0.0, 0.0};
  }
  return binding;
}

Curves selected_curves(const Curves& curves, const std::vector<std::size_t>& strands) {
  Curves out;
  for (const std::size_t s : strands) {
    const std::span<const Vector3d> strand = curves.strand(s);
    out.points.insert(out.points.end(), strand.begin(), strand.end());
    out.offsets.push_back(out.points.size());
  }
  return out;
}

}  // namespace tendril
