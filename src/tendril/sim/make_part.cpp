#include "tendril/sim/make_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tendril/sim/ties.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

// The radius of an edge is the mean of its ends.
void set_radius(const Curves& curves, const std::vector<double>& radius, double aspect, der::Description& description) {
  for (std::size_t s = 0; s < curves.strands(); ++s)
    for (std::size_t v = curves.offsets[s]; v < curves.offsets[s + 1]; ++v) {
      const bool last = v + 1 == curves.offsets[s + 1];
      description.semi_axis1[v] = last ? radius[v] : 0.5 * (radius[v] + radius[v + 1]);
      description.semi_axis2[v] = aspect * description.semi_axis1[v];
    }
}

// `radius` receives that of the vertices.
Status set_material(const StrandSet& set, const Groom& groom, der::Description& description,
                    std::vector<double>& radius) {
  radius = description.semi_axis1;
  if (set.radius_of_groom && !groom.radius.empty()) radius = groom.radius;
  if (set.radius_map)
    if (Status status = apply(*set.radius_map, groom, "radius", radius); !status) return status;
  if (radius != description.semi_axis1) set_radius(groom.curves, radius, set.material.aspect, description);
  if (!set.young_map) return ok();
  std::vector<double> young(groom.curves.points.size(), set.material.young);
  if (Status status = apply(*set.young_map, groom, "young", young); !status) return status;
  const double shear_share = set.material.shear / set.material.young;
  const double stretch_share = set.material.stretch_young.value_or(set.material.young) / set.material.young;
  for (std::size_t s = 0; s < groom.curves.strands(); ++s)
    for (std::size_t v = groom.curves.offsets[s]; v < groom.curves.offsets[s + 1]; ++v) {
      const bool last = v + 1 == groom.curves.offsets[s + 1];
      description.bend_modulus[v] = young[v], description.twist_modulus[v] = shear_share * young[v];
      description.stretch_modulus[v] = stretch_share * (last ? young[v] : 0.5 * (young[v] + young[v + 1]));
    }
  return ok();
}

Result<der::Description> describe(const StrandSet& set, const Groom& groom, std::vector<double>& radius) {
  if (const auto* prepared = std::get_if<PreparedSource>(&set.source)) {
    radius = prepared->groom->groom.radius;
    if (radius.empty()) radius = prepared->groom->description.semi_axis1;
    return prepared->groom->description;
  }
  der::Description description = der::describe(groom.curves, set.material, set.clamps);
  if (Status status = set_material(set, groom, description, radius); !status) return status.error();
  return description;
}

// Of values per vertex, those of some strands.
template <class T>
std::vector<T> selected(const Curves& curves, const std::vector<T>& all, const std::vector<std::size_t>& strands) {
  std::vector<T> some;
  for (const std::size_t s : strands)
    if (!all.empty())
      some.insert(some.end(), all.begin() + std::ptrdiff_t(curves.offsets[s]),
                  all.begin() + std::ptrdiff_t(curves.offsets[s + 1]));
  return some;
}

// Of values per strand, which a single one may stand for.
template <class T>
void select_strands(const std::vector<std::size_t>& strands, std::vector<T>& values) {
  if (values.size() <= 1) return;
  std::vector<T> some;
  for (const std::size_t s : strands) some.push_back(values[s]);
  values = std::move(some);
}

// The same of some strands only.
der::Description selected(const der::Description& all, const std::vector<std::size_t>& strands) {
  using D = der::Description;
  D some = all;
  some.curves = selected_curves(all.curves, strands);
  for (auto values : {&D::semi_axis1, &D::semi_axis2, &D::density, &D::stretch_modulus, &D::bend_modulus,
                      &D::twist_modulus, &D::reference_length, &D::rest_strain, &D::rest_twist})
    some.*values = selected(all.curves, all.*values, strands);
  some.rest_curvature = selected(all.curves, all.rest_curvature, strands);
  select_strands(strands, some.damping), select_strands(strands, some.clamps);
  select_strands(strands, some.root_director);
  return some;
}

// The groom, and what of it is simulated.
struct Cast {
  der::Description groom, guides;
  std::optional<GuideBinding> binding;  // nothing: all of the groom is simulated
  std::size_t guide_count = 0;
  std::vector<double> radius;  // [m] per vertex of the groom

  // Places among the guides of a strand of the groom, or of all.
  Result<std::vector<std::size_t>> guides_of(const std::optional<std::int64_t>& strand, const std::string& what) const {
    std::vector<std::size_t> places;
    if (!strand) {
      places.resize(guide_count);
      std::iota(places.begin(), places.end(), std::size_t(0));
    } else if (!binding) {
      places.push_back(std::size_t(*strand));
    } else {
      const auto found = std::ranges::lower_bound(binding->strands, std::size_t(*strand));
      if (found == binding->strands.end() || *found != std::size_t(*strand))
        return Error{what, fmt::format("strand {} is not a guide, so nothing can act on it; choose a guide, or write "
                                       "guides = \"all\"",
                                       *strand)};
      places.push_back(std::size_t(found - binding->strands.begin()));
    }
    return places;
  }
};

Result<Cast> choose_cast(const StrandSet& set, const Groom& groom) {
  std::vector<double> groom_radius;
  Result<der::Description> described = describe(set, groom, groom_radius);
  if (!described) return described.error();
  Cast cast{std::move(described.value()), {}, {}, groom.curves.strands(), std::move(groom_radius)};
  std::vector<std::size_t> strands;
  if (const auto* file = std::get_if<GuideFile>(&set.guides)) {
    for (const auto* map : {&set.radius_map, &set.young_map})
      if (*map && (*map)->per_strand)
        return Error{"guides",
                     fmt::format("a map per strand is of the groom's strands, not of the guides in {}; use a map "
                                 "along the strand, or guides of the groom",
                                 file->path.string())};
    std::vector<double> radius;
    Result<der::Description> guides = describe(set, *file->groom, radius);
    if (!guides) return Error{file->path.string(), guides.error().message()};
    cast.guides = std::move(guides.value());
  } else {
    Result<std::vector<std::size_t>> chosen = choose_guides(set.guides, groom);
    if (!chosen) return chosen.error();
    if (chosen.value().size() == groom.curves.strands()) return cast.guides = cast.groom, cast;
    strands = std::move(chosen.value());
    cast.guides = selected(cast.groom, strands);
  }
  cast.guide_count = cast.guides.curves.strands();
  Result<GuideBinding> binding = bind_to_guides(set.guides, groom, cast.guides.curves, std::move(strands));
  if (!binding) return binding.error();
  cast.binding = std::move(binding.value());
  return cast;
}

void carry(const Pose& pose, Curves& curves) {
  for (Vector3d& point : curves.points) point = apply(pose, point);
}

Status add_connectors(const StrandSet& set, const std::vector<JointSettings>& joints, Cast& cast) {
  for (const JointSettings& joint : joints) {
    if (joint.set != set.name) continue;
    const Result<std::vector<std::size_t>> places = cast.guides_of(joint.strand, joint.name);
    if (!places) return places.error();
    for (const std::size_t s : places.value()) {
      cast.guides.connectors.push_back(joint.connector);
      cast.guides.connectors.back().strand = s;
    }
  }
  return ok();
}

Status add_loads(const StrandSet& set, const Cast& cast, World::Part& part) {
  for (const LoadSettings& load : set.loads) {
    const Result<std::vector<std::size_t>> places = cast.guides_of(load.strand, "loads");
    if (!places) return places.error();
    for (const std::size_t s : places.value()) {
      part.loads.push_back({s, load.vertex, load.force, load.torque});
      if (Status status = part.add_load(part.loads.back()); !status) return status;
    }
  }
  return ok();
}

Result<RootBinding> bind_roots(const StrandSet& set, const Curves& curves) {
  std::vector<Vector3d> roots;
  for (std::size_t s = 0; s < curves.strands(); ++s) roots.push_back(curves.points[curves.offsets[s]]);
  return RootBinding::bind(set.root_mesh, roots);
}

Status bind_to_mesh(World::Part& part) {
  if (!part.settings.root_mesh) return ok();
  Result<RootBinding> roots = bind_roots(part.settings, part.strands.description().curves);
  if (!roots) return roots.error();
  part.roots = std::move(roots.value());
  if (!part.followers) return ok();
  Result<RootBinding> followers = bind_roots(part.settings, part.groom());
  if (!followers) return followers.error();
  part.follower_roots = std::move(followers.value());
  return ok();
}

void add_followers(Cast& cast, World::Part& part) {
  if (!cast.binding) return;
  const PartState start = part.start();
  std::vector<Vector3d> directors(part.strands.vertex_count());
  der::gather_directors(part.strands, start, directors);  // theta is 0 at the start: they are the material frames
  Curves guides = part.strands.description().curves;
  der::gather_positions(part.strands, start, guides.points);  // not quite as drawn in every model
  part.followers.emplace(std::move(cast.groom.curves), std::move(guides), std::move(directors),
                         std::move(*cast.binding));
}

// What a prepared groom says of those of its strands that are simulated.
sagfree::Outcome prepared_outcome(const PreparedGroom& prepared, const std::optional<GuideBinding>& guides) {
  if (!guides) return prepared.outcome;
  sagfree::Outcome some;
  for (const std::size_t s : guides->strands) some.strands.push_back(prepared.outcome.strands[s]);
  some.stiffness_factor = selected(prepared.groom.curves, prepared.outcome.stiffness_factor, guides->strands);
  return some;
}

Status make_sag_free(const StrandSet& set, const std::optional<GuideBinding>& guides, const Vector3d& gravity,
                     World::Part& part) {
  if (const auto* source = std::get_if<PreparedSource>(&set.source); source && !std::get_if<GuideFile>(&set.guides))
    part.sag_free = prepared_outcome(*source->groom, guides);
  // A prepared groom brings the rest state of discrete elastic rods; other models find their own.
  const bool is_prepared = part.sag_free && (set.model == StrandModelKind::der);
  if (is_prepared || (!set.sag_free && !part.sag_free)) return ok();
  sagfree::Options options = set.sag_free.value_or(sagfree::Options{});
  options.gravity = gravity;
  Result<sagfree::Outcome> outcome = part.model->make_sag_free(options, part.strands);
  if (!outcome) return outcome.error();
  part.sag_free = std::move(outcome.value());
  if (part.settings.sag_free) part.settings.sag_free->progress = nullptr;  // who was told may be gone before the world
  return ok();
}

// What hangs on another strand is held by that alone.
void free_roots(const std::vector<chain::Tie>& ties, der::Description& description) {
  if (ties.empty()) return;
  description.clamps.resize(description.curves.strands(), description.clamps.front());
  for (const chain::Tie& tie : ties) description.clamps[tie.strand].root = der::Clamp::free;
}

Result<World::Part> assemble(const StrandSet& set, const std::vector<JointSettings>& joints, std::uint64_t seed,
                             const Vector3d& gravity) {
  const Groom groom = make_groom(set.source, seed);
  Result<Cast> chosen = choose_cast(set, groom);
  if (!chosen) return chosen.error();
  Cast& cast = chosen.value();
  if (!set.root_motion.still() || !set.tip_motion.still() || set.root_mesh)
    if (Status status = check_moving_clamps(set.clamps, cast.guides.curves); !status) return status.error();
  const Pose start = set.root_motion.at(0.0);
  const bool moved = !is_identity(start);
  if (moved) carry(start, cast.groom.curves), carry(start, cast.guides.curves);
  cast.guides.curvature = set.curvature;
  for (Vector3d& director : cast.guides.root_director) director = start.rotation * director;
  if (set.director) cast.guides.root_director = {start.rotation * *set.director};
  if (set.rest_shape == RestShape::straight) {
    cast.guides.rest_curvature.assign(cast.guides.curves.points.size(), {});
    cast.guides.rest_twist.assign(cast.guides.curves.points.size(), 0.0);
  }
  Result<std::vector<chain::Tie>> ties = ties_of(set.parents, cast.guides.curves);
  if (!ties) return ties.error();
  free_roots(ties.value(), cast.guides);
  if (Status status = add_connectors(set, joints, cast); !status) return status.error();
  std::vector<der::Hold> holds;
  std::vector<std::size_t> hold_settings;
  for (std::size_t h = 0; h < set.holds.size(); ++h) {
    const Result<std::vector<std::size_t>> places = cast.guides_of(set.holds[h].strand, "holds");
    if (!places) return places.error();
    for (const std::size_t s : places.value())
      holds.push_back({s, set.holds[h].vertex, set.holds[h].components}), hold_settings.push_back(h);
  }
  Result<der::Strands> made =
      der::Strands::create(description_for(set.model, std::move(cast.guides)), std::move(holds));
  if (!made) return made.error();
  Result<ModelHandle> model = make_model(set, made.value(), ties.value());
  if (!model) return model.error();
  World::Part part{set,
                   std::move(made.value()),
                   std::move(model.value()),
                   std::move(hold_settings),
                   moved ? inverse(start) : Pose{},
                   {},
                   {},
                   {},
                   {},
                   {},
                   std::move(cast.radius),
                   {},
                   {}};
  part.ties = std::move(ties.value());
  if (Status status = add_loads(set, cast, part); !status) return status.error();
  if (Status status = make_sag_free(set, cast.binding, gravity, part); !status) return status.error();
  add_followers(cast, part);
  if (Status status = bind_to_mesh(part); !status) return status.error();
  if (set.attraction.frequency > 0.0) part.attraction.emplace(set.attraction, part.strands);
  return part;
}

}  // namespace

Status check_moving_clamps(const der::Clamps& clamps, const Curves& curves) {
  const auto reach = [](der::Clamp clamp) -> std::size_t {
    return clamp == der::Clamp::edge ? 2 : clamp == der::Clamp::point;
  };
  const std::size_t held = reach(clamps.root) + reach(clamps.tip);
  if (reach(clamps.root) == 0 || reach(clamps.tip) == 0) return ok();
  for (std::size_t s = 0; s < curves.strands(); ++s)
    if (curves.vertices(s) < held)
      return Error{fmt::format("strand {}", s),
                   fmt::format("has {} vertices; the moving clamps at its two ends need {}", curves.vertices(s), held)};
  return ok();
}

Result<World::Part> make_part(const StrandSet& set, const std::vector<JointSettings>& joints, std::uint64_t seed,
                              const Vector3d& gravity) {
  Result<World::Part> part = assemble(set, joints, seed, gravity);
  if (!part) return Error{set.name, part.error().message()};
  return part;
}

}  // namespace tendril
