#include "live_strands.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tendril/base/parallel.hpp"

namespace tendril::python {
namespace {

using Eigen::Vector3d;

// Often enough that Ctrl-C feels immediate, seldom enough that waiting for Python's lock does not show.
constexpr auto pause_interval = std::chrono::milliseconds(50);

[[noreturn]] void refuse(const Error& error) { throw std::invalid_argument(error.message()); }
void expect(const Status& status) {
  if (!status) refuse(status.error());
}

der::Strands create(der::Description description, std::vector<der::Hold> holds, Isa isa) {
  Result<der::Strands> made = der::Strands::create(std::move(description), std::move(holds), isa);
  if (!made) refuse(made.error());
  return std::move(made.value());
}

void expect_vector(const Vector3d& v, const char* name) {
  if (!v.allFinite()) refuse({name, "is not three finite numbers"});
}

void expect_options(const der::StepOptions& options, std::int64_t steps) {
  if (!std::isfinite(options.dt) || !(options.dt > 0.0))
    refuse({"dt", fmt::format("is {}; it must be a positive number of seconds", options.dt)});
  if (steps < 1) refuse({"steps", fmt::format("is {}; it must be 1 or more", steps)});
  if (options.newton < 1)
    refuse({"newton", fmt::format("is {}; it must be 1 or more, or \"converge\"", options.newton)});
  if (options.max_iterations < 1)
    refuse({"max_iterations", fmt::format("is {}; it must be 1 or more", options.max_iterations)});
  if (!(options.tolerance > 0.0)) refuse({"tolerance", fmt::format("is {}; it must be positive", options.tolerance)});
  expect_vector(options.gravity, "gravity");
  expect_vector(options.wind, "wind");
  for (const double number : {options.air.density, options.air.normal, options.air.tangential})
    if (!std::isfinite(number) || number < 0.0)
      refuse({"air", fmt::format("has {} as a density or a drag coefficient; they must be 0 or more", number)});
}

bool same(const Pose& a, const Pose& b) {
  return a.rotation.coeffs() == b.rotation.coeffs() && a.translation == b.translation;
}

// A pose that rests keeps its bits: interpolating would shake it in the last one.
void blend(const std::vector<Pose>& from, const std::vector<Pose>& to, double s, std::vector<Pose>& out) {
  out.resize(to.size());
  for (std::size_t i = 0; i < to.size(); ++i) out[i] = same(from[i], to[i]) ? to[i] : interpolate(from[i], to[i], s);
}

void blend(const der::Drive& from, const der::Drive& to, double s, der::Drive& out) {
  blend(from.root, to.root, s, out.root);
  blend(from.tip, to.tip, s, out.tip);
  blend(from.holds, to.holds, s, out.holds);
  out.hold_angles.resize(to.hold_angles.size());
  for (std::size_t i = 0; i < to.hold_angles.size(); ++i)
    out.hold_angles[i] =
        s == 1.0 ? to.hold_angles[i] : from.hold_angles[i] + s * (to.hold_angles[i] - from.hold_angles[i]);
}

void add(const der::StepReport& step, RunReport& run) {
  der::StepReport& worst = run.worst;
  if (step.outcome > worst.outcome)
    worst.outcome = step.outcome, worst.trouble = step.trouble, worst.strand = step.strand;
  worst.troubled = std::max(worst.troubled, step.troubled);
  worst.iterations = std::max(worst.iterations, step.iterations);
  worst.clamped_pivots += step.clamped_pivots;
  worst.residual = std::max(worst.residual, step.residual);
  if (step.outcome == Outcome::failed) return;
  ++run.steps;
  run.usable += step.outcome == Outcome::usable;
}

}  // namespace

LiveStrands::LiveStrands(der::Description description, std::vector<der::Hold> holds, Isa isa)
    : strands_([&] {
        const Computing computing;
        return create(std::move(description), std::move(holds), isa);
      }()),
      state_(strands_.start()),
      targets_(strands_.make_targets()) {
  wanted_.root.assign(strands_.size(), Pose{});
  wanted_.tip = wanted_.root;
  wanted_.holds.assign(strands_.holds().size(), Pose{});
  wanted_.hold_angles.assign(strands_.holds().size(), 0.0);
  reached_ = wanted_;
}

LiveStrands::LiveStrands(const LiveStrands& other) : LiveStrands(other, Guard(other)) {}

LiveStrands::LiveStrands(const LiveStrands& other, const Guard&)
    : strands_(other.strands_),
      state_(other.state_),
      targets_(other.targets_),
      wanted_(other.wanted_),
      reached_(other.reached_),
      time_base_(other.time_base_),
      time_step_(other.time_step_),
      time_steps_(other.time_steps_) {}

const std::vector<Vector3d>& LiveStrands::positions() {
  const Guard guard(*this);
  if (positions_.empty()) positions_.resize(vertices()), der::gather_positions(strands_, state_, positions_);
  return positions_;
}

void LiveStrands::refresh() {
  if (!positions_.empty()) der::gather_positions(strands_, state_, positions_);
}

std::vector<Vector3d> LiveStrands::velocities() const {
  const Guard guard(*this);
  std::vector<Vector3d> out(vertices());
  der::gather_velocities(strands_, state_, out);
  return out;
}

std::vector<double> LiveStrands::thetas() const {
  const Guard guard(*this);
  std::vector<double> out(vertices());
  der::gather_thetas(strands_, state_, out);
  return out;
}

std::vector<double> LiveStrands::theta_velocities() const {
  const Guard guard(*this);
  std::vector<double> out(vertices());
  der::gather_theta_velocities(strands_, state_, out);
  return out;
}

std::vector<double> LiveStrands::reference_twists() const {
  const Guard guard(*this);
  std::vector<double> out(vertices());
  der::gather_reference_twists(strands_, state_, out);
  return out;
}

std::vector<Vector3d> LiveStrands::directors() const {
  const Guard guard(*this);
  return gather_directors();
}

std::vector<Vector3d> LiveStrands::gather_directors() const {
  std::vector<Vector3d> out(vertices());
  der::gather_directors(strands_, state_, out);
  for (std::size_t s = 0; s < strands(); ++s)
    out[offsets()[s + 1] - 1].setConstant(std::numeric_limits<double>::quiet_NaN());
  return out;
}

std::vector<FrameMatrix> LiveStrands::frames() const {
  const Guard guard(*this);
  std::vector<FrameMatrix> out(vertices());
  std::vector<Vector3d> x(vertices());
  std::vector<double> theta(vertices());
  const std::vector<Vector3d> directors = gather_directors();
  der::gather_positions(strands_, state_, x);
  der::gather_thetas(strands_, state_, theta);
  parallel_for(strands(), [&](std::size_t s) {
    const std::size_t last = offsets()[s + 1] - 1;
    for (std::size_t v = offsets()[s]; v < last; ++v) {
      const Vector3d tangent = (x[v + 1] - x[v]).normalized(), across = tangent.cross(directors[v]);
      const double c = std::cos(theta[v]), sine = std::sin(theta[v]);
      out[v].col(0) = c * directors[v] + sine * across;
      out[v].col(1) = c * across - sine * directors[v];
      out[v].col(2) = tangent;
    }
    out[last].setConstant(std::numeric_limits<double>::quiet_NaN());
  });
  return out;
}

double LiveStrands::time() const {
  const Guard guard(*this);
  return time_base_ + double(time_steps_) * time_step_;
}

void LiveStrands::advance_clock(double dt) {
  if (dt != time_step_) time_base_ += double(time_steps_) * time_step_, time_step_ = dt, time_steps_ = 0;
  ++time_steps_;
}

std::uint64_t LiveStrands::hash() const {
  const Guard guard(*this);
  return der::hash(strands_, state_);
}

void LiveStrands::set_positions(std::span<const Vector3d> positions) {
  const Guard guard(*this);
  expect(der::set_positions(strands_, positions, state_));
  refresh();
}

void LiveStrands::set_velocities(std::span<const Vector3d> velocities) {
  const Guard guard(*this);
  expect(der::set_velocities(strands_, velocities, state_));
  refresh();
}

void LiveStrands::set_thetas(std::vector<double> thetas) {
  const Guard guard(*this);
  expect(der::set_thetas(strands_, without_last(std::move(thetas)), state_));
  refresh();
}

void LiveStrands::set_theta_velocities(std::vector<double> velocities) {
  const Guard guard(*this);
  expect(der::set_theta_velocities(strands_, without_last(std::move(velocities)), state_));
  refresh();
}

void LiveStrands::set_directors(std::vector<Vector3d> directors, std::span<const double> nearest_twists) {
  const Guard guard(*this);
  if (directors.size() == vertices())
    for (std::size_t s = 0; s < strands(); ++s) directors[offsets()[s + 1] - 1] = Vector3d::UnitY();  // nobody's
  expect(der::set_directors(strands_, directors, nearest_twists, state_));
  refresh();
}

void LiveStrands::set_pose(std::size_t strand, End end, const Pose& pose) {
  const Guard guard(*this);
  const der::Clamps& clamps = strands_.clamps(strand);
  if ((end == End::root ? clamps.root : clamps.tip) == der::Clamp::free)
    refuse({fmt::format("strand {}", strand),
            fmt::format("its {} is free; only a clamped end has a pose", end == End::root ? "root" : "tip")});
  (end == End::root ? wanted_.root : wanted_.tip)[strand] = pose;
}

void LiveStrands::set_hold(std::size_t hold, const Pose* pose, const double* angle) {
  const Guard guard(*this);
  if (angle != nullptr && !std::isfinite(*angle))
    refuse({fmt::format("hold {}", hold), "the angle is not a finite number"});
  if (pose != nullptr) wanted_.holds[hold] = *pose;
  if (angle != nullptr) wanted_.hold_angles[hold] = *angle;
}

void LiveStrands::add_load(const der::Load& load) {
  const Guard guard(*this);
  expect(strands_.add_load(load));
}

void LiveStrands::clear_loads() {
  const Guard guard(*this);
  strands_.clear_loads();
}

RunReport LiveStrands::step(const der::StepOptions& options, std::int64_t steps, const std::function<void()>& pause) {
  expect_options(options, steps);
  const bool bdf2 = options.integrator == der::Integrator::bdf2;
  der::Drive from, to;
  {
    const Guard guard(*this);
    from = reached_, to = wanted_;
  }
  RunReport report;
  auto last_pause = std::chrono::steady_clock::now();
  for (std::int64_t k = 1; k <= steps; ++k) {
    bool pause_now = false;
    {
      const Guard guard(*this);
      blend(from, to, double(k) / double(steps), drive_);
      strands_.drive(drive_, state_, targets_);
      const der::StepReport one = der::step(strands_, targets_, options, state_, work_, trial_);
      add(one, report);
      if (one.outcome != Outcome::failed) {
        der::commit(trial_, options.dt, bdf2, state_);
        if (!bdf2) state_.previous_dt = 0.0;  // a later BDF2 step must not take an older step for the last one
        std::swap(reached_, drive_);
        advance_clock(options.dt);
      }
      const auto now = std::chrono::steady_clock::now();
      pause_now = now - last_pause > pause_interval;
      if (pause_now) last_pause = now;
      if (pause_now || k == steps || one.outcome == Outcome::failed) refresh();
      if (one.outcome == Outcome::failed) return report;
    }
    if (pause_now && k < steps) pause();
  }
  return report;
}

std::vector<der::StaticReport> LiveStrands::solve_static(const der::StaticOptions& options) {
  expect_vector(options.gravity, "gravity");
  if (!(options.tolerance > 0.0)) refuse({"tolerance", fmt::format("is {}; it must be positive", options.tolerance)});
  if (options.max_iterations < 1)
    refuse({"max_iterations", fmt::format("is {}; it must be 1 or more", options.max_iterations)});
  const Guard guard(*this);
  strands_.drive(wanted_, state_, targets_);
  std::vector<der::StaticReport> reports = der::solve_static(strands_, targets_, options, state_);
  reached_ = wanted_;
  refresh();
  return reports;
}

std::vector<der::Energies> LiveStrands::energies(std::size_t begin, std::size_t end, const Vector3d& gravity) const {
  expect_vector(gravity, "gravity");
  const Guard guard(*this);
  std::vector<der::Energies> out(end - begin);
  parallel_for(out.size(), [&](std::size_t i) {
    out[i] = der::energies(der::extract(strands_, targets_, state_, begin + i), gravity);
  });
  return out;
}

std::vector<der::Reactions> LiveStrands::reactions(std::size_t begin, std::size_t end, const Vector3d& gravity) const {
  expect_vector(gravity, "gravity");
  const Guard guard(*this);
  std::vector<der::Reactions> out(end - begin);
  parallel_for(out.size(),
               [&](std::size_t i) { out[i] = der::reactions(strands_, targets_, state_, begin + i, gravity); });
  return out;
}

std::vector<Eigen::Vector4d> LiveStrands::forces(const Vector3d& gravity) const {
  expect_vector(gravity, "gravity");
  const Guard guard(*this);
  std::vector<Eigen::Vector4d> out(vertices());
  parallel_for(strands(), [&](std::size_t s) {
    const der::Rod rod = der::extract(strands_, targets_, state_, s);
    const Eigen::VectorXd net = der::net_force(rod, gravity);
    for (int i = 0; i < rod.user_vertices; ++i)
      out[offsets()[s] + std::size_t(i)] = net.segment<4>(4 * (rod.first + i));
    out[offsets()[s + 1] - 1][3] = 0.0;  // under a tip clamp the ghost edge has a torque there; it is the clamp's
  });
  return out;
}

std::vector<std::array<bool, 4>> LiveStrands::held() const {
  const Guard guard(*this);
  std::vector<std::array<bool, 4>> out(vertices());
  parallel_for(strands(), [&](std::size_t s) {
    const der::Rod rod = der::extract(strands_, targets_, state_, s);
    for (std::size_t i = 0; i < std::size_t(rod.user_vertices); ++i)
      for (std::size_t c = 0; c < 4; ++c) out[offsets()[s] + i][c] = !rod.is_free(4 * (std::size_t(rod.first) + i) + c);
    out[offsets()[s + 1] - 1][3] = true;
  });
  return out;
}

Band<double> LiveStrands::hessian(std::size_t strand, HessianKind kind, double dt) const {
  if (kind == HessianKind::step && (!std::isfinite(dt) || dt < 0.0))
    refuse({"dt", fmt::format("is {}; it must be a positive number of seconds, or 0 for the stiffness alone", dt)});
  const Guard guard(*this);
  const der::Rod rod = der::extract(strands_, targets_, state_, strand);
  const Band<double> all = kind == HessianKind::step ? der::step_hessian(rod, dt) : der::exact_hessian(rod);
  Band<double> own(4 * std::size_t(rod.user_vertices) - 1, all.width);
  const std::size_t first = 4 * std::size_t(rod.first);
  for (std::size_t c = 0; c < own.size; ++c)
    for (std::size_t r = c; r < std::min(own.size, c + own.width + 1); ++r) own.at(r, c) = all.at(first + r, first + c);
  return own;
}

std::vector<double> LiveStrands::without_last(std::vector<double> per_edge) const {
  if (per_edge.size() == vertices())
    for (std::size_t s = 0; s < strands(); ++s) per_edge[offsets()[s + 1] - 1] = 0.0;
  return per_edge;
}

template <class T>
std::vector<T> LiveStrands::joints_only(std::vector<T> per_joint) const {
  for (std::size_t s = 0; s < strands(); ++s)
    for (const std::size_t v : {offsets()[s], offsets()[s + 1] - 1})
      if (!der::has_joint(strands_.description(), s, v - offsets()[s])) per_joint[v] = T{};
  return per_joint;
}

std::vector<double> LiveStrands::reference_lengths() const {
  const Guard guard(*this);
  return without_last(strands_.reference_lengths());
}

std::vector<double> LiveStrands::rest_strains() const {
  const Guard guard(*this);
  return without_last(strands_.rest_strains());
}

std::vector<double> LiveStrands::rest_twists() const {
  const Guard guard(*this);
  return joints_only(strands_.rest_twists());
}

std::vector<std::array<double, 4>> LiveStrands::rest_curvatures() const {
  const Guard guard(*this);
  return joints_only(strands_.rest_curvatures());
}

std::vector<double> LiveStrands::masses() const {
  const Guard guard(*this);
  return strands_.masses();
}

void LiveStrands::set_rest(const std::vector<double>* strain, const std::vector<std::array<double, 4>>* curvature,
                           const std::vector<double>* twist) {
  const Guard guard(*this);
  der::RestState rest = strands_.rest_state();
  if (strain != nullptr) rest.strain = *strain;
  if (curvature != nullptr) rest.curvature = *curvature;
  if (twist != nullptr) rest.twist = *twist;
  expect(strands_.set_rest(std::move(rest)));
}

der::RestState LiveStrands::rest_state() const {
  const Guard guard(*this);
  der::RestState rest = strands_.rest_state();
  rest.strain = without_last(std::move(rest.strain)), rest.stretch_modulus = without_last(rest.stretch_modulus);
  rest.curvature = joints_only(std::move(rest.curvature)), rest.twist = joints_only(std::move(rest.twist));
  rest.bend_modulus = joints_only(rest.bend_modulus), rest.twist_modulus = joints_only(rest.twist_modulus);
  return rest;
}

sagfree::Outcome LiveStrands::make_sag_free(const sagfree::Options& options) {
  const Guard guard(*this);
  Result<sagfree::Outcome> outcome = sagfree::optimise(options, state_, strands_);
  if (!outcome) throw std::invalid_argument(outcome.error().message());
  return std::move(outcome.value());
}

}  // namespace tendril::python
