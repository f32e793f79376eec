#include "tendril/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tendril/base/hash.hpp"

namespace tendril {
namespace {

// Settings for one strand, or for all of a set.
template <class F>
void for_each_strand(const std::optional<std::int64_t>& strand, std::size_t count, F&& f) {
  if (strand) return f(std::size_t(*strand));
  for (std::size_t s = 0; s < count; ++s) f(s);
}

bool is_identity(const Pose& pose) {
  return pose.rotation.coeffs() == Eigen::Quaterniond::Identity().coeffs() && pose.translation.isZero(0.0);
}

// Clamps that hold the same vertex must not be moved: they would pull it to two places.
Status check_moving_clamps(const StrandSet& set, const Curves& curves) {
  const auto reach = [](der::Clamp clamp) -> std::size_t {
    return clamp == der::Clamp::edge ? 2 : clamp == der::Clamp::point;
  };
  const std::size_t held = reach(set.clamps.root) + reach(set.clamps.tip);
  if (reach(set.clamps.root) == 0 || reach(set.clamps.tip) == 0) return ok();
  if (set.root_motion.still() && set.tip_motion.still()) return ok();
  for (std::size_t s = 0; s < curves.strands(); ++s)
    if (curves.vertices(s) < held)
      return Error{fmt::format("{}, strand {}", set.name, s),
                   fmt::format("has {} vertices; the moving clamps at its two ends need {}", curves.vertices(s), held)};
  return ok();
}

// The groom's own radius, where it has one; that of an edge is the mean of its ends.
void take_radius(const StrandSet& set, der::Description& description) {
  const auto* source = std::get_if<GroomSource>(&set.source);
  if (source == nullptr || !set.radius_of_groom || source->loaded->groom.radius.empty()) return;
  const std::vector<double>& radius = source->loaded->groom.radius;
  for (std::size_t s = 0; s < description.curves.strands(); ++s)
    for (std::size_t v = description.curves.offsets[s]; v + 1 < description.curves.offsets[s + 1]; ++v) {
      description.semi_axis1[v] = 0.5 * (radius[v] + radius[v + 1]);
      description.semi_axis2[v] = set.material.aspect * description.semi_axis1[v];
    }
}

void tell_about_groom(const StrandSet& set, World& world) {
  const auto* source = std::get_if<GroomSource>(&set.source);
  if (source == nullptr) return;
  world.repairs += source->loaded->repairs;
  const std::string file = source->request.file.string();
  for (const std::string& assumption : source->loaded->assumptions) world.notes.push_back(file + ": " + assumption);
  if (source->loaded->repairs.any()) world.notes.push_back(file + ": repaired: " + source->loaded->repairs.text());
}

Result<World::Part> make_part(const StrandSet& set, std::uint64_t seed) {
  Curves curves = make_curves(set.source, seed);
  if (Status status = check_moving_clamps(set, curves); !status) return status.error();
  const Pose start = set.root_motion.at(0.0);
  const bool moved = !is_identity(start);
  if (moved)
    for (Eigen::Vector3d& point : curves.points) point = apply(start, point);
  der::Description description = der::describe(std::move(curves), set.material, set.clamps);
  take_radius(set, description);
  description.curvature = set.curvature;
  if (set.director) description.root_director = {start.rotation * *set.director};
  const std::size_t strands = description.curves.strands();
  if (set.rest_shape == RestShape::straight) {
    description.rest_curvature.assign(description.curves.points.size(), {});
    description.rest_twist.assign(description.curves.points.size(), 0.0);
  }
  std::vector<der::Hold> holds;
  std::vector<std::size_t> hold_settings;
  for (std::size_t h = 0; h < set.holds.size(); ++h)
    for_each_strand(set.holds[h].strand, strands, [&](std::size_t s) {
      holds.push_back({s, set.holds[h].vertex, set.holds[h].components});
      hold_settings.push_back(h);
    });
  Result<der::Strands> made = der::Strands::create(std::move(description), std::move(holds));
  if (!made) return Error{set.name, made.error().message()};
  World::Part part{set, std::move(made.value()), std::move(hold_settings), moved ? inverse(start) : Pose{}};
  for (const LoadSettings& load : set.loads) {
    Status status = ok();
    for_each_strand(load.strand, strands, [&](std::size_t s) {
      if (status) status = part.strands.add_load({s, load.vertex, load.force, load.torque});
    });
    if (!status) return Error{set.name, status.error().message()};
  }
  return part;
}

// Where clamps and holds are at a time.
void drive_at(const World::Part& part, double time, der::Drive& drive) {
  const bool moved = !is_identity(part.to_drawn);
  const auto pose = [&](const Motion& motion) {
    return moved ? compose(motion.at(time), part.to_drawn) : motion.at(time);
  };
  drive.root.assign(1, pose(part.settings.root_motion));
  drive.tip.assign(1, pose(part.settings.tip_motion));
  drive.holds.clear(), drive.hold_angles.clear();
  for (const std::size_t h : part.hold_settings) {
    drive.holds.push_back(pose(part.settings.holds[h].motion));
    drive.hold_angles.push_back(part.settings.holds[h].twist.at(time));
  }
}

}  // namespace

std::size_t World::strand_count() const {
  std::size_t total = 0;
  for (const Part& part : parts) total += part.strands.size();
  return total;
}

std::size_t World::vertex_count() const {
  std::size_t total = 0;
  for (const Part& part : parts) total += part.strands.vertex_count();
  return total;
}

Result<World> make_world(const Scene& scene) {
  World world{scene.run, {}, {}, {}};
  for (std::size_t i = 0; i < scene.strands.size(); ++i) {
    Result<World::Part> part = make_part(scene.strands[i], scene.run.seed + i);
    if (!part) return part.error();
    world.parts.push_back(std::move(part.value()));
    tell_about_groom(scene.strands[i], world);
  }
  return world;
}

WorldState start(const World& world) {
  WorldState state;
  for (const World::Part& part : world.parts) state.parts.push_back(part.strands.start());
  return state;
}

void drive(const World::Part& part, double from, double to, const der::State& state, der::Drive& work,
           der::Targets& targets) {
  constexpr double largest_piece = 1.0, most_pieces = 1000.0;  // [rad], of a turn
  const double turn = std::abs(to - from) * std::max(part.settings.root_motion.largest_turn_rate(),
                                                     part.settings.tip_motion.largest_turn_rate());
  const int pieces = int(std::clamp(std::ceil(turn / largest_piece), 1.0, most_pieces));
  for (int i = 1; i <= pieces; ++i) {
    drive_at(part, i == pieces ? to : from + (to - from) * i / pieces, work);
    part.strands.drive(work, state, targets, i > 1);
  }
}

std::uint64_t hash(const World& world, const WorldState& state) {
  Hash digest;
  for (std::size_t i = 0; i < world.parts.size(); ++i) digest.word(der::hash(world.parts[i].strands, state.parts[i]));
  return digest.value();
}

bool all_finite(const WorldState& state) {
  return std::ranges::all_of(state.parts, [](const der::State& part) {
    return std::ranges::all_of(part.current.all(), [](double v) { return std::isfinite(v); });
  });
}

}  // namespace tendril
