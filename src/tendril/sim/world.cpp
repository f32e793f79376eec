#include "tendril/sim/world.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "tendril/base/hash.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/sagfree/strands_by_status.hpp"
#include "tendril/sim/contact/geometry.hpp"
#include "tendril/sim/make_part.hpp"

namespace tendril {
namespace {

void tell_about_groom(const StrandSet& set, World& world) {
  const auto* source = std::get_if<GroomSource>(&set.source);
  if (source == nullptr) return;
  world.repairs += source->loaded->repairs;
  const std::string file = source->request.file.string();
  for (const std::string& assumption : source->loaded->assumptions) world.notes.push_back(file + ": " + assumption);
  if (source->loaded->repairs.any()) world.notes.push_back(file + ": repaired: " + source->loaded->repairs.text());
}

void tell_about_prepared(const StrandSet& set, const RunSettings& run, World& world) {
  const auto* source = std::get_if<PreparedSource>(&set.source);
  if (source == nullptr || source->groom->gravity == run.gravity) return;
  const Eigen::Vector3d& g = source->groom->gravity;
  world.notes.push_back(
      fmt::format("{}: was prepared for gravity = [{}, {}, {}]; under another it will not keep its "
                  "shape",
                  source->file.string(), g.x(), g.y(), g.z()));
}

// Of the root's motion at a time, from the start pose.
Pose motion_pose(const World::Part& part, const Motion& motion, double time) {
  return is_identity(part.to_drawn) ? motion.at(time) : compose(motion.at(time), part.to_drawn);
}

void drive_at(const World& world, std::size_t i, double time, double share, const WorldState& state,
              der::Drive& drive) {
  const World::Part& part = world.parts[i];
  root_poses(world, i, time, share, state, drive.root);
  drive.tip.assign(1, motion_pose(part, part.settings.tip_motion, time));
  drive.holds.clear(), drive.hold_angles.clear();
  for (const std::size_t h : part.hold_settings) {
    drive.holds.push_back(motion_pose(part, part.settings.holds[h].motion, time));
    drive.hold_angles.push_back(part.settings.holds[h].twist.at(time));
  }
}

// [rad] that no clamp of the part turns by more than in the span.
double largest_turn(const World::Part& part, const std::optional<GivenPose>& given, const DriveSpan& span) {
  const double seconds = std::abs(span.end - span.start);
  double rate = std::max(part.settings.root_motion.largest_turn_rate(), part.settings.tip_motion.largest_turn_rate());
  if (part.roots) rate = std::max(rate, part.roots->largest_turn_rate());
  const double turn = given ? given->before.rotation.angularDistance(given->now.rotation) : 0.0;
  return std::max(turn, seconds * rate);
}

void tell_about_mesh(const World::Part& part, World& world) {
  constexpr double far = 1e-3;  // [m] more than a root stands off its skin
  if (!part.roots || part.roots->largest_distance() <= far) return;
  world.notes.push_back(fmt::format("{}: root {} is {:.3g} mm off the mesh that carries it; check scale and up of both",
                                    part.settings.name, part.roots->largest_distance_root(),
                                    1e3 * part.roots->largest_distance()));
}

// A surface with holes has an inside only near its faces.
void tell_about_surfaces(World& world) {
  for (const Collider& collider : world.colliders)
    if (collider.repairs.any())
      world.notes.push_back(fmt::format("{}: its mesh: {}", collider.settings.name, collider.repairs.text()));
}

void tell_about_twins(World& world) {
  if (world.contact.law == ContactLaw::none || !world.contact.between_strands) return;
  if (const std::size_t count = twin_count(StrandGeometry(world)); count > 0)
    world.notes.push_back(
        fmt::format("{} of {} strands were drawn exactly on another one: these do not touch each other", count,
                    world.strand_count()));
}

// Strands that do not start as promised are named.
void tell_about_sag_free(const World::Part& part, World& world) {
  constexpr std::size_t most_named = 5;
  if (!part.sag_free) return;
  for (const auto& [status, strands] : sagfree::strands_by_status(*part.sag_free)) {
    if (status == sagfree::StrandStatus::balanced) continue;
    const std::span<const std::size_t> named(strands.data(), std::min(strands.size(), most_named));
    world.notes.push_back(fmt::format("{}: sag-free start: {} of {} strands {}: {} (strand {}{})", part.settings.name,
                                      strands.size(), part.strands.size(), strands.size() == 1 ? "is" : "are",
                                      sagfree::meaning(status), fmt::join(named, ", "),
                                      strands.size() > most_named ? ", ..." : ""));
  }
}

collide::StrandPoint vertex_point(std::size_t first_strand, std::uint32_t strand, std::uint32_t vertex,
                                  std::size_t vertices) {
  const bool last = vertex + 1 == vertices;
  return {std::uint32_t(first_strand + strand), last ? vertex - 1 : vertex, last ? 1.0 : 0.0};
}

// A vertex of the groom as a point of a simulated strand, numbered through all parts.
Result<collide::StrandPoint> joint_point(const World& world, const JointEnd& end, const std::string& joint) {
  std::size_t strand = 0;
  for (const World::Part& part : world.parts) {
    if (part.settings.name != end.set) {
      strand += part.strands.size();
      continue;
    }
    const std::optional<std::size_t> simulated = part.simulated(std::size_t(end.strand));
    if (!simulated)
      return Error{joint, fmt::format("strand {} of '{}' is not a guide, so nothing can hold it", end.strand, end.set)};
    const auto vertices = std::ptrdiff_t(part.strands.vertices(*simulated));
    const std::ptrdiff_t vertex = end.vertex < 0 ? vertices + end.vertex : end.vertex;
    return vertex_point(strand, std::uint32_t(*simulated), std::uint32_t(vertex), std::size_t(vertices));
  }
  return Error{joint, fmt::format("there are no strands named '{}'", end.set)};
}

Status add_joint(const PointJointSettings& settings, World& world) {
  const Result<collide::StrandPoint> a = joint_point(world, settings.a, settings.name);
  if (!a) return a.error();
  World::Joint joint{a.value(), {}, Eigen::Vector3d::Zero()};
  if (settings.b.set.empty()) {
    std::size_t strand = a.value().strand;
    for (const World::Part& part : world.parts) {
      if (strand < part.strands.size()) {
        const Curves& drawn = part.strands.description().curves;
        const std::size_t v = drawn.offsets[strand] + a.value().edge + (a.value().along == 1.0 ? 1 : 0);
        joint.place = drawn.points[v];
        break;
      }
      strand -= part.strands.size();
    }
  } else {
    const Result<collide::StrandPoint> b = joint_point(world, settings.b, settings.name);
    if (!b) return b.error();
    if (b.value().strand == a.value().strand && b.value().arc() == a.value().arc())
      return Error{settings.name, "joins a vertex to itself"};
    joint.b = b.value();
  }
  world.joints.push_back(joint);
  return ok();
}

void add_ties(World& world) {
  std::size_t first = 0;
  for (const World::Part& part : world.parts) {
    const auto point = [&](std::uint32_t strand, std::uint32_t vertex) {
      return vertex_point(first, strand, vertex, part.strands.vertices(strand));
    };
    for (const chain::Tie& tie : part.ties)
      world.joints.push_back({.a = point(tie.strand, 0), .b = point(tie.parent, tie.vertex), .is_tie = true});
    first += part.strands.size();
  }
}

}  // namespace

std::size_t World::strand_count() const {
  std::size_t total = 0;
  for (const Part& part : parts) total += part.strands.size();
  return total;
}

std::size_t World::vertex_count() const { return first_vertex(parts.size()); }

std::size_t World::first_vertex(std::size_t part) const {
  std::size_t first = 0;
  for (std::size_t i = 0; i < part; ++i) first += parts[i].strands.vertex_count();
  return first;
}

std::size_t World::groom_strand_count() const {
  std::size_t total = 0;
  for (const Part& part : parts) total += part.groom().strands();
  return total;
}

std::size_t World::groom_vertex_count() const {
  std::size_t total = 0;
  for (const Part& part : parts) total += part.groom().points.size();
  return total;
}

std::optional<std::size_t> World::part_named(const std::string& name) const {
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].settings.name == name) return i;
  return std::nullopt;
}

std::optional<std::size_t> World::Part::simulated(std::size_t strand) const {
  if (!followers) return strand;
  const std::uint32_t guide = followers->guide_of(strand);
  return guide == Followers::none ? std::nullopt : std::optional<std::size_t>(guide);
}

Status World::Part::add_load(const der::Load& load) {
  if (Status added = strands.add_load(load); !added) return added;
  return model->add_load(load);
}

void World::Part::clear_loads() { strands.clear_loads(), model->clear_loads(); }

PartState World::Part::start() const {
  PartState state(strands.start());
  model->start(strands, state);
  return state;
}

Result<World> make_world(const Scene& scene) {
  World world;
  world.run = scene.run, world.probes = scene.probes, world.contact = scene.contact;
  for (std::size_t i = 0; i < scene.strands.size(); ++i) {
    Result<World::Part> part = make_part(scene.strands[i], scene.joints, scene.run.seed + i, scene.run.gravity);
    if (!part) return part.error();
    world.parts.push_back(std::move(part.value()));
    tell_about_groom(scene.strands[i], world);
    tell_about_prepared(scene.strands[i], scene.run, world);
    tell_about_mesh(world.parts.back(), world);
    tell_about_sag_free(world.parts.back(), world);
  }
  Result<std::vector<Collider>> colliders = make_colliders(scene.colliders, world);
  if (!colliders) return colliders.error();
  world.colliders = std::move(colliders.value());
  tell_about_surfaces(world), tell_about_twins(world);
  for (const PointJointSettings& joint : scene.point_joints)
    if (Status made = add_joint(joint, world); !made) return made.error();
  add_ties(world);
  std::vector<JoinedPlaces::Pair> joined;
  for (const World::Joint& joint : world.joints) joined.emplace_back(joint.a, joint.b);
  world.joined = JoinedPlaces(world.strand_count(), joined);
  const auto measures_force = [&](const ProbeSettings& probe) {
    if (probe.kind == ProbeKind::tension && world.parts[*world.part_named(probe.set)].traits().tensions) return false;
    return probe.kind != ProbeKind::path && probe.kind != ProbeKind::contact_force;
  };
  if (scene.run.mode == RunMode::dynamic && scene.run.newton && std::ranges::any_of(scene.probes, measures_force))
    world.notes.push_back(
        "probes of forces measure what a step leaves unbalanced, too: write newton = \"converge\" for forces to rely "
        "on");
  for (const ProbeSettings& probe : scene.probes)
    if (!world.parts[*world.part_named(probe.set)].simulated(std::size_t(probe.strand)) &&
        probe.kind != ProbeKind::path)
      return Error{probe.name, fmt::format("strand {} of '{}' is not a guide: only its path can be measured",
                                           probe.strand, probe.set)};
  return world;
}

WorldState start(const World& world) {
  WorldState state;
  for (const World::Part& part : world.parts) state.parts.push_back(part.start());
  state.given_poses.resize(world.parts.size());
  return state;
}

DriveSpan drive_span(const World& world, const Clock& from, std::int64_t ticks, bool frozen) {
  constexpr auto whole = double(Clock::ticks_per_substep);
  const double substep = world.run.dt(), begun = double(from.ticks % Clock::ticks_per_substep) / whole;
  const Clock to{from.ticks + ticks};
  return {frozen ? 0.0 : from.time(substep), frozen ? 0.0 : to.time(substep), double(ticks) / whole * substep, begun,
          std::min(1.0, begun + double(ticks) / whole)};
}

void root_poses(const World& world, std::size_t i, double time, double share, const WorldState& state,
                std::vector<Pose>& out) {
  const World::Part& part = world.parts[i];
  if (const auto& given = state.given_poses[i]) {
    const Pose pose = interpolate(given->before, given->now, share);
    out.assign(1, is_identity(part.to_drawn) ? pose : compose(pose, part.to_drawn));
  } else if (part.roots) {
    out.resize(part.roots->size());
    parallel_for(out.size(), [&](std::size_t s) { out[s] = part.roots->pose(s, time); });
  } else {
    out.assign(1, motion_pose(part, part.settings.root_motion, time));
  }
}

void drive(const World& world, std::size_t i, const DriveSpan& span, const WorldState& state, DriveScratch& scratch,
           der::Targets& targets) {
  constexpr double largest_piece = 1.0, most_pieces = 1000.0;  // [rad], of a turn
  const World::Part& part = world.parts[i];
  const double turn = largest_turn(part, state.given_poses[i], span);
  const int pieces = int(std::clamp(std::ceil(turn / largest_piece), 1.0, most_pieces));
  for (int piece = 1; piece <= pieces; ++piece) {
    const auto between = [&](double from, double to) {
      return piece == pieces ? to : from + (to - from) * piece / pieces;
    };
    drive_at(world, i, between(span.start, span.end), between(span.given_start, span.given_end), state, scratch.drive);
    part.strands.drive(scratch.drive, state.parts[i], targets, piece > 1);
  }
  if (!part.attraction) return;
  root_poses(world, i, span.start, span.given_start, state, scratch.before);
  part.attraction->aim(part.strands, state.parts[i], scratch.before, scratch.drive.root, span.dt, scratch.attraction,
                       targets);
}

std::uint64_t hash(const World& world, const WorldState& state) {
  Hash digest;
  for (std::size_t i = 0; i < world.parts.size(); ++i) digest.word(der::hash(world.parts[i].strands, state.parts[i]));
  return digest.value();
}

der::Energies total_energies(const World& world, const WorldState& state) {
  der::Energies total;
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const World::Part& part = world.parts[i];
    const der::Energies e = part.model->energies(part.strands, world.run.gravity, state.parts[i]);
    total.stretch += e.stretch, total.bend += e.bend, total.twist += e.twist;
    total.kinetic += e.kinetic, total.external += e.external;
  }
  return total;
}

std::optional<BadNumber> find_not_finite(const World& world, const std::vector<PartState>& parts) {
  const auto finite = [](double v) { return std::isfinite(v); };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (std::ranges::all_of(parts[i].current.all(), finite)) continue;
    const der::Strands& strands = world.parts[i].strands;
    BadNumber bad{world.parts[i].settings.name, 0, 0};
    std::vector<Eigen::Vector3d> vectors(strands.vertex_count());
    std::vector<double> numbers(strands.vertex_count());
    std::vector<char> broken(strands.vertex_count(), 0);
    for (const auto gather : {der::gather_positions, der::gather_velocities, der::gather_directors}) {
      gather(strands, parts[i], vectors);
      for (std::size_t v = 0; v < vectors.size(); ++v) broken[v] |= !vectors[v].allFinite();
    }
    for (const auto gather : {der::gather_thetas, der::gather_theta_velocities, der::gather_reference_twists}) {
      gather(strands, parts[i], numbers);
      for (std::size_t v = 0; v < numbers.size(); ++v) broken[v] |= !std::isfinite(numbers[v]);
    }
    for (std::size_t s = 0; s < strands.size(); ++s)
      for (std::size_t v = 0; v < strands.vertices(s); ++v)
        if (broken[strands.offset(s) + v]) return bad.strand = s, bad.vertex = v, bad;
    return bad;
  }
  return std::nullopt;
}

}  // namespace tendril
