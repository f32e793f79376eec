#include "tendril/sim/simulation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tendril/base/parallel.hpp"
#include "tendril/base/text.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/sim/checkpoint.hpp"
#include "tendril/sim/make_part.hpp"
#include "tendril/sim/probes.hpp"
#include "tendril/sim/strand_channels.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

// A wrench as dead loads: the moment along the edge as a torque, the rest as a couple of forces at its ends.
std::vector<der::Load> loads_of(const AppliedWrench& wrench, std::size_t strand, const der::Strands& strands,
                                const der::State& state) {
  const std::size_t n = strands.vertices(strand);
  const std::size_t vertex = wrench.vertex < 0 ? n - std::size_t(-wrench.vertex) : std::size_t(wrench.vertex);
  const std::size_t first = vertex + 1 == n ? vertex - 1 : vertex;  // of the edge
  std::vector<Vector3d> positions(strands.vertex_count());
  der::gather_positions(strands, state, positions);
  const Vector3d edge = positions[strands.offset(strand) + first + 1] - positions[strands.offset(strand) + first];
  const Vector3d couple = wrench.moment.cross(edge) / edge.squaredNorm();  // edge x couple = the moment across
  return {{strand, int(vertex), wrench.force, 0.0},
          {strand, int(first), -couple, wrench.moment.dot(edge) / edge.norm()},
          {strand, int(first) + 1, couple, 0.0}};
}

}  // namespace

Result<Simulation> Simulation::create(Scene scene) {
  Simulation made(std::move(scene));
  Result<World> world = make_world(made.scene_);
  if (!world) return world.error();
  made.world_ = std::move(world.value());
  made.state_ = start(made.world_);
  const RunSettings& run = made.world_.run;
  const auto preroll = std::int64_t(run.preroll / run.dt() + 0.5);
  for (std::int64_t i = 1; i <= preroll; ++i) {
    const SubstepReport taken = substep(made.world_, true, i == preroll, made.work_, made.state_);
    if (taken.stopped) return Error{"pre-roll", taken.last.message()};
    made.has_stepped_ = i == preroll, made.last_dt_ = taken.last_dt;
  }
  made.begin_here();
  return made;
}

Result<Simulation> Simulation::load(const std::filesystem::path& path) {
  const Result<std::vector<std::byte>> bytes = read_bytes(path);
  if (!bytes) return bytes.error();
  const Result<Checkpoint> head = decode_checkpoint_scene(bytes.value(), path.string());
  if (!head) return head.error();
  if (Status status = check_isa(head.value(), path.string()); !status) return status.error();
  Result<Scene> scene =
      parse_scene(head.value().scene, std::filesystem::path(head.value().scene_folder) / path.filename());
  if (!scene) return scene.error();
  if (scene.value().hash != head.value().scene_hash)
    return Error{path.string(),
                 fmt::format("holds a scene whose files in {} have changed since", head.value().scene_folder)};
  Simulation made(std::move(scene.value()));
  Result<World> world = make_world(made.scene_);
  if (!world) return world.error();
  made.world_ = std::move(world.value());
  Result<Checkpoint> checkpoint = decode_checkpoint(bytes.value(), made.world_, path.string());
  if (!checkpoint) return checkpoint.error();
  made.state_ = std::move(checkpoint.value().state);
  made.begin_here();
  return made;
}

Status Simulation::save(const std::filesystem::path& path) const {
  const std::int64_t substeps = state_.clock.ticks / Clock::ticks_per_substep;
  const Checkpoint checkpoint{
      scene_.hash, std::string(active_isa_name()), frame(), int(substeps % world_.run.substeps), false, "{}",
      scene_.text, scene_.folder.string(),         state_};
  const Result<std::vector<std::byte>> bytes = encode_checkpoint(checkpoint);
  if (!bytes) return bytes.error();
  return write_file(path, bytes.value());
}

int Simulation::frame() const {
  return 1 + int(state_.clock.ticks / (Clock::ticks_per_substep * std::int64_t(world_.run.substeps)));
}

Result<std::size_t> Simulation::part_of(const std::string& set) const {
  if (const std::optional<std::size_t> part = world_.part_named(set)) return *part;
  std::vector<std::string_view> known;
  for (const World::Part& part : world_.parts) known.push_back(part.settings.name);
  return Error{set, fmt::format("there are no strands of this name{}", did_you_mean(set, known))};
}

Result<SimulationStep> Simulation::step() {
  SimulationStep out;
  const std::vector<ActingLoad> before = acting_;
  Status status = act(loads_of_wrenches());
  wrenches_.clear();
  if (!status) {
    // nothing has moved
  } else if (world_.run.mode == RunMode::statics) {
    const StaticFrame frame = solve_static_frame(world_, work_, state_);
    out = {1, int(frame.summary.converged < frame.summary.strands), 0, frame.summary.iterations, frame.measured.force,
           {}};
    static_residuals_ = frame.measured;
  } else {
    const SubstepReport taken = substep(world_, false, true, work_, state_);
    out = {taken.steps, taken.usable, taken.failed, taken.iterations, taken.last.residual, taken.contacts};
    has_stepped_ = !taken.stopped, last_dt_ = taken.last_dt;
    if (taken.stopped) status = Error{fmt::format("at {:.6g} s", time()), taken.last.message()};
  }
  if (status) return out;
  static_cast<void>(act(before));  // they were taken before
  return status.error();
}

Status Simulation::set_pose(const std::string& set, const Pose& pose) {
  const Result<std::size_t> part = part_of(set);
  if (!part) return part.error();
  const World::Part& strands = world_.parts[part.value()];
  if (strands.settings.clamps.root == der::Clamp::free)
    return Error{set, "has free roots: there is nothing that a pose could move"};
  if (Status status = check_moving_clamps(strands.settings.clamps, strands.strands.description().curves); !status)
    return Error{set, status.error().message()};
  if (!pose.rotation.coeffs().allFinite() || !pose.translation.allFinite())
    return Error{set, "the pose has a number that is not finite"};
  std::optional<GivenPose>& given = state_.given_poses[part.value()];
  if (!given) {
    if (world_.parts[part.value()].roots && time() > 0.0)
      return Error{set, "is carried by a mesh, each root for itself; a pose can be given before the first step only"};
    given = GivenPose{world_.parts[part.value()].settings.root_motion.at(time()), {}};
  }
  given->now = pose;
  return ok();
}

Status Simulation::release_pose(const std::string& set) {
  const Result<std::size_t> part = part_of(set);
  if (!part) return part.error();
  state_.given_poses[part.value()].reset();
  return ok();
}

Status Simulation::set_gravity(const Vector3d& gravity) {
  if (!gravity.allFinite()) return Error{"gravity", "has a number that is not finite"};
  world_.run.gravity = gravity;
  return ok();
}

Status Simulation::set_wind(const Vector3d& wind) {
  if (!wind.allFinite()) return Error{"wind", "has a number that is not finite"};
  if (world_.run.air.density == 0.0)
    return Error{"wind", "the scene has no air, so there is no wind; run.air.density = 1.2 makes some"};
  world_.run.wind = wind;
  return ok();
}

Status Simulation::scale_stiffness(double factor) {
  if (!(factor >= 1e-9 && factor <= 1e9)) return Error{"stiffness", "the factor must be from 1e-9 to 1e9"};
  for (World::Part& part : world_.parts) part.strands.scale_stiffness(factor), part.model->scale_stiffness(factor);
  return ok();
}

Status Simulation::set_damping(std::optional<double> seconds) {
  if (seconds && !(*seconds >= 0.0 && *seconds <= 1e9)) return Error{"damping", "must be from 0 s to 1e9 s"};
  for (World::Part& part : world_.parts) part.strands.set_damping(seconds), part.model->set_damping(seconds);
  return ok();
}

Status Simulation::scale_friction(double factor) {
  if (!(factor >= 0.0 && factor <= 1e6)) return Error{"friction", "the factor must be from 0 to 1e6"};
  if (world_.contact.law != ContactLaw::coulomb) return Error{"friction", "the scene has no contact with friction"};
  world_.contact.friction = scene_.contact.friction;
  world_.contact.friction.fallback *= factor;
  for (FrictionSettings::Pair& pair : world_.contact.friction.pairs) pair.mu *= factor;
  return ok();
}

void Simulation::begin_here() {
  beginning_ = {state_, has_stepped_ ? work_.before : WorldState{}, has_stepped_, last_dt_};
}

void Simulation::reset() {
  state_ = beginning_.state;
  work_.before = beginning_.before;
  has_stepped_ = beginning_.has_stepped, last_dt_ = beginning_.last_dt;
  static_residuals_ = {};
  wrenches_.clear();
  static_cast<void>(act({}));
}

Status Simulation::apply_wrench(const AppliedWrench& wrench) {
  const Result<std::size_t> part = part_of(wrench.set);
  if (!part) return part.error();
  const World::Part& strands = world_.parts[part.value()];
  if (wrench.strand >= strands.groom().strands())
    return Error{wrench.set, fmt::format("strand {} does not exist; there are {}, counted from 0", wrench.strand,
                                         strands.groom().strands())};
  if (!strands.simulated(wrench.strand))
    return Error{wrench.set, fmt::format("strand {} is not a guide, so nothing can act on it", wrench.strand)};
  const auto vertices = std::ptrdiff_t(strands.groom().vertices(wrench.strand));
  if (wrench.vertex >= vertices || wrench.vertex < -vertices)
    return Error{wrench.set, fmt::format("vertex {} does not exist in strand {}, which has {}", wrench.vertex,
                                         wrench.strand, vertices)};
  if (!wrench.force.allFinite() || !wrench.moment.allFinite())
    return Error{wrench.set, "the wrench has a number that is not finite"};
  wrenches_.push_back(wrench);
  return ok();
}

std::vector<Simulation::ActingLoad> Simulation::loads_of_wrenches() const {
  std::vector<ActingLoad> loads;
  for (const AppliedWrench& wrench : wrenches_) {
    const std::size_t part = *world_.part_named(wrench.set);
    const World::Part& strands = world_.parts[part];
    for (const der::Load& load :
         loads_of(wrench, *strands.simulated(wrench.strand), strands.strands, state_.parts[part]))
      loads.push_back({part, load});
  }
  return loads;
}

Status Simulation::act(std::vector<ActingLoad> loads) {
  if (loads.empty() && acting_.empty()) return ok();
  for (World::Part& part : world_.parts) {
    part.clear_loads();
    for (const der::Load& load : part.loads) static_cast<void>(part.add_load(load));  // it was taken before
  }
  acting_ = std::move(loads);
  for (const ActingLoad& acting : acting_)
    if (Status status = world_.parts[acting.part].add_load(acting.load); !status) return status;
  return ok();
}

std::vector<Vector3d> Simulation::positions() const {
  std::vector<Vector3d> out(world_.groom_vertex_count());
  GroomScratch scratch;
  for (std::size_t i = 0, at = 0; i < world_.parts.size(); at += world_.parts[i++].groom().points.size())
    gather_groom(world_, i, state_, scratch, std::span(out).subspan(at, world_.parts[i].groom().points.size()));
  return out;
}

std::vector<Vector3d> Simulation::velocities() const {
  const std::vector<Vector3d> x = positions();
  std::vector<Vector3d> out(x.size());
  GroomScratch scratch;
  for (std::size_t i = 0, at = 0; i < world_.parts.size(); at += world_.parts[i++].groom().points.size()) {
    const std::size_t vertices = world_.parts[i].groom().points.size();
    gather_groom_velocities(world_, i, last_step(), state_, std::span(x).subspan(at, vertices), scratch,
                            std::span(out).subspan(at, vertices));
  }
  return out;
}

std::vector<Vector3d> Simulation::contact_forces() const {
  std::vector<float> numbers(3 * world_.groom_vertex_count());
  gather_contact_forces(world_, state_, numbers);
  std::vector<Vector3d> out(world_.groom_vertex_count());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    out[i / 3][Eigen::Index(i % 3)] = std::isnan(numbers[i]) ? 0.0 : double(numbers[i]);
  return out;
}

std::vector<double> Simulation::radius() const {
  std::vector<double> out;
  for (const World::Part& part : world_.parts) out.insert(out.end(), part.radius.begin(), part.radius.end());
  return out;
}

std::vector<std::size_t> Simulation::offsets() const {
  std::vector<std::size_t> out = {0};
  for (const World::Part& part : world_.parts) {
    const std::size_t base = out.back();
    for (std::size_t s = 0; s < part.groom().strands(); ++s) out.push_back(base + part.groom().offsets[s + 1]);
  }
  return out;
}

Result<std::vector<der::Reactions>> Simulation::reactions(const std::string& set) const {
  const Result<std::size_t> part = part_of(set);
  if (!part) return part.error();
  if (const ModelTraits traits = world_.parts[part.value()].traits(); !traits.reactions)
    return Error{set, fmt::format("has the model '{}', whose reactions are not known; 'der' has them", traits.name)};
  const der::Strands& strands = world_.parts[part.value()].strands;
  const der::Targets targets = strands.make_targets();
  std::vector<der::Reactions> out(strands.size());
  parallel_for(out.size(), [&](std::size_t s) {
    out[s] = der::reactions(strands, targets, state_.parts[part.value()], s, world_.run.gravity);
  });
  return out;
}

Result<std::vector<double>> Simulation::probe(const std::string& name) const {
  std::vector<std::string_view> known;
  GroomScratch scratch;
  FoundTensions tensions;
  for (const ProbeSettings& probe : world_.probes) {
    if (probe.name == name) return measure(world_, probe, last_step(), state_, scratch, tensions);
    known.push_back(probe.name);
  }
  return Error{name, fmt::format("there is no probe of this name{}", did_you_mean(name, known))};
}

Residuals Simulation::residuals() {
  if (world_.run.mode == RunMode::statics) return static_residuals_;
  const bool measurable = has_stepped_ && !work_.targets.empty() && time() > 0.0;
  return measurable ? tendril::residuals(world_, last_dt_, work_, state_) : Residuals{};
}

der::Energies Simulation::energies() const { return total_energies(world_, state_); }

}  // namespace tendril
