#include "experiments/contact/bare_hair.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "experiments/contact/hair.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/collide/merge.hpp"
#include "tendril/collide/tracking.hpp"
#include "tendril/scene/generator.hpp"
#include "tendril/sim/models/der_model.hpp"

namespace tendril::experiments::contact {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

constexpr collide::Margin margin{0.1, 0.0};
constexpr double push_time = 0.04, push_speed = 0.05;  // [s], [m/s] for overlaps

der::Strands make_strands(const BareHairOptions& options) {
  GeneratorOptions generator = default_options(GeneratorKind::straight);
  generator.count = options.strands, generator.vertices = options.vertices, generator.length = 0.15;
  der::Material material;
  material.radius = options.radius, material.density = 1320.0, material.damping = 0.005;
  material.young = wisp_modulus(options.radius), material.shear = material.young / 2.6;
  return der::Strands::create(
             der::describe(generate(generator, options.seed), material, {der::Clamp::edge, der::Clamp::free}))
      .value();
}

void or_throw(const Status& status) {
  if (!status) throw std::runtime_error(status.error().message());
}

}  // namespace

BareHair::BareHair(const BareHairOptions& options)
    : options_(options),
      strands_(make_strands(options)),
      state_(strands_.start()),
      trial_(state_),
      targets_(strands_.make_targets()),
      system_(DerModel().make_step()),
      positions_(strands_.vertex_count()),
      radii_(strands_.vertex_count(), options.radius) {
  step_options_.dt = dt, step_options_.gravity = {0.0, -9.81, 0.0};
  for (const std::size_t offset : strands_.description().curves.offsets) offsets_.push_back(std::uint32_t(offset));
  bodies_.push_back({collide::Ellipsoid{{0.074, 0.108, 0.092}}, {}, {}, {}});
  der::gather_positions(strands_, state_, positions_);
}

// Turns to and fro, and sways; both grow and fade.
Pose BareHair::head(double time) const {
  Pose pose;
  if (time >= options_.shaken) return pose;
  const double envelope = std::sin(pi * time / options_.shaken);
  pose.rotation = Eigen::AngleAxisd(0.9 * envelope * std::sin(2.0 * pi * 2.5 * time), Vector3d::UnitY());
  pose.translation = 0.03 * envelope * std::sin(2.0 * pi * 2.0 * time) * Vector3d::UnitX();
  return pose;
}

void BareHair::step() {
  ++steps_;
  der::Drive drive;
  drive.root[0] = head(time());
  bodies_[0].start = head(time() - dt), bodies_[0].end = head(time());
  strands_.drive(drive, state_, targets_);
  system_->linearise({strands_, targets_, {}, step_options_, {}, scratch_}, state_);
  StepSystem* const systems[] = {system_.get()};
  blocks_ = all_blocks(systems);
  set_free_motion();
  find_contacts();
  make_rows();
  resolve();
  const der::StepReport report = system_->advance(trial_);
  if (report.outcome == Outcome::failed) throw std::runtime_error(der::text(report.trouble));
  der::commit(trial_, dt, false, state_);
  der::gather_positions(strands_, state_, positions_);
}

// Where vertices would go without contact.
void BareHair::set_free_motion() {
  free_velocity_.shape(blocks_);
  motion_.resize(positions_.size()), ends_.resize(positions_.size());
  parallel_for(blocks_.size(), [&](std::size_t b) {
    blocks_[b].system->free_velocity(b, free_velocity_[b]);
    const std::uint32_t first = offsets_[b], last = offsets_[b + 1] - 1;
    for (std::uint32_t v = first; v <= last; ++v) {
      const bool tip = v == last;
      const MaterialPoint at{b, (tip ? v - 1 : v) - first, tip ? 1.0 : 0.0};
      motion_[v] = dt * blocks_[b].system->point_velocity(at, free_velocity_[b]);
      ends_[v] = positions_[v] + motion_[v];
    }
  });
}

bool BareHair::is_driven(const collide::StrandPoint& at) const {
  return at.strand == collide::nobody ||
         blocks_[at.strand].system->is_driven(blocks_[at.strand].point(at.edge, at.along));
}

void BareHair::find_contacts() {
  last_contacts_.swap(contacts_);
  const collide::Polylines lines{positions_, offsets_, radii_, {}};
  collide::ContactRefs with_strands, found;
  std::vector<collide::Contact> with_bodies;
  or_throw(grid_.find_swept(lines, ends_, {margin, true}, pairs_));
  narrow_.find(lines, pairs_, {margin, 0.0, motion_}, collide::LastContacts(last_contacts_), with_strands);
  or_throw(collide::find_body_contacts(lines, bodies_, {0.0, margin, motion_}, with_bodies));
  collide::join_contacts(with_strands, with_bodies, found);
  contacts_.clear();
  for (const collide::Contact* const one : found)
    if (!is_driven(one->a) || !is_driven(one->b)) contacts_.push_back(*one);
}

// Gaps may close within the step, overlaps open slowly (docs/theory/coupling.md, Eqs. 4 and 5).
void BareHair::make_rows() {
  const Eigen::Matrix3d turn(Eigen::AngleAxisd(options_.turn, Vector3d::UnitX()));
  std::vector<std::uint32_t> match;
  collide::match_contacts(last_contacts_, collide::refs_to(contacts_), match);
  rows_.clear(), start_.clear();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const collide::Contact& contact = contacts_[i];
    ContactRow row{contact.a, contact.b, turn * collide::contact_frame(contact.normal), Vector3d::Zero(),
                   contact.with_body() ? options_.mu_head : options_.mu};
    if (contact.with_body()) row.drift = -(row.frame * collide::chord_velocity(bodies_[0], contact.body, dt));
    row.drift[0] += contact.gap >= 0.0 ? contact.gap / dt : std::max(contact.gap / push_time, -push_speed);
    rows_.push_back(row);
    start_.push_back(match[i] == collide::nobody ? Vector3d::Zero() : Vector3d(row.frame * impulses_[match[i]]));
  }
}

void BareHair::resolve() {
  problem_.clear(), assembly_.clear(), impulses_.clear();
  if (rows_.empty()) return;
  touches_.collect(blocks_.size(), rows_);
  assembly_.assemble(blocks_, free_velocity_, rows_, touches_, problem_);
  const tendril::contact::Solution solution = tendril::contact::solve(problem_, options_.solver, start_);
  BlockVectors velocity = free_velocity_;
  touches_.add_response(blocks_, rows_, solution.r, velocity);
  for (const std::uint32_t b : touches_.blocks()) blocks_[b].system->set_velocity(blocks_[b].block, velocity[b]);
  for (std::size_t i = 0; i < rows_.size(); ++i) impulses_.push_back(rows_[i].frame.transpose() * solution.r[i]);
}

}  // namespace tendril::experiments::contact
