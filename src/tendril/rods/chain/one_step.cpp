#include "tendril/rods/chain/one_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "tendril/base/flush_denormals.hpp"
#include "tendril/base/parallel.hpp"

namespace tendril::chain {

using Eigen::Map;

double projection_tolerance(const Settings& settings, double mean_length, double step, const Vector3d& gravity) {
  constexpr double share = 1e-6, least = 1e-12, most = 1e-8, weightless = 1.0;  // [m/s²]
  if (settings.tolerance) return *settings.tolerance;
  const double fall = step * step * std::max(weightless, gravity.norm());
  return std::clamp(share * fall / mean_length, least, most);
}

void OneStep::begin_step(const Strands& strands, const Clamped& before, const Ends& ends, const Surroundings& around,
                         const Motion& motion) {
  strands_ = &strands, before_ = &before, ends_ = &ends, around_ = &around, motion_ = &motion, contact_ = {};
  const std::size_t n = strands.vertex_count(), count = strands.size();
  ratio_ = motion.x_before.empty() ? 0.0 : around.dt / around.previous_dt;
  step_ = (1.0 + ratio_) / (1.0 + 2.0 * ratio_) * around.dt;
  from_.resize(n), aim_.resize(n), inertia_.resize(n), inverse_.resize(n);
  stiffness_.resize(n), rest_.resize(n), tolerance_.resize(count);
  free_.resize(n), velocity_.resize(n);
  if (blocks_.size() != count) blocks_.resize(count), asked_ = std::make_unique<std::once_flag[]>(count);
  for (std::size_t b = 0; b < count; ++b) std::destroy_at(&asked_[b]), std::construct_at(&asked_[b]);  // as new
  compliance_.resize(strands.gives_way() ? strands.lengths().size() : 0);
  for (std::size_t link = 0; link < compliance_.size(); ++link)
    compliance_[link] = strands.compliance(link) / (step_ * step_);
}

void OneStep::prepare(std::size_t b) {
  const FlushDenormals flush;
  predict(b);
  tolerance_[b] = tolerance_for(strands_->mean_length(b));
  if (strands_->is_bent()) set_joints(b);
  blocks_[b].is_usable = blocks_[b].on_links = true, blocks_[b].touched = blocks_[b].at_start = false;
}

void OneStep::linearise(const Strands& strands, const Clamped& before, const Ends& ends, const Surroundings& around,
                        const Motion& motion) {
  begin_step(strands, before, ends, around, motion);
  const std::size_t count = strands.size();
  parallel_for(count, [&](std::size_t b) { prepare(b); });
  project_free();
  parallel_for(count, [&](std::size_t b) {
    for (std::size_t v = strands.offset(b); v < strands.offset(b) + strands.vertices(b); ++v) {
      if (strands.is_held(v)) projected_.positions[v] = ends.place[v];  // to the last bit
      free_[v] = (projected_.positions[v] - from_[v]) / step_;
    }
    if (has_expected(b)) subtract_expected(b);
  });
  velocity_ = free_;
}

Options OneStep::projection() const {
  Options options;
  options.method = strands_->settings().method, options.max_iterations = strands_->settings().max_iterations;
  return options;
}

double OneStep::tolerance_for(double mean_length) const {
  return projection_tolerance(strands_->settings(), mean_length, step_, around_->gravity);
}

Chains OneStep::chains() const {
  Chains all{aim_, inverse_, strands_->lengths(), strands_->offsets()};
  all.compliance = compliance_, all.tolerance = tolerance_, all.slack = strands_->settings().slack;
  if (pulls_along_old_links()) all.start = motion_->x;
  if (strands_->is_bent()) all.joints = {stiffness_, strands_->shares(), rest_};
  return all;
}

Joints OneStep::joints_of_block(std::size_t b) const {
  if (!strands_->is_bent()) return {};
  return joints_of({stiffness_, strands_->shares(), rest_}, strands_->offset(b), strands_->link(b, 0),
                   strands_->vertices(b));
}

bool OneStep::has_expected(std::size_t b) const {
  if (around_->expected.empty()) return false;
  const auto forces = around_->expected.subspan(strands_->offset(b), strands_->vertices(b));
  return std::ranges::any_of(forces, [](const Vector3d& force) { return !force.isZero(0.0); });
}

// Air drags more across an edge than along it, half of it at each end. The larger coefficient is implicit, in a number
// per point in place of a matrix; what it is too much in the other direction acts with the speed of now (Eq. 30).
void OneStep::add_drag(std::size_t first, std::size_t n, std::size_t i, Vector3d& sum) {
  const der::Air& air = around_->air;
  const double h = step_;
  double most = 0.0;
  for (std::size_t k = i > 0 ? i - 1 : 0; k < std::min(i + 1, n - 1); ++k) {
    const Vector3d edge = motion_->x[first + k + 1] - motion_->x[first + k];
    const double length = edge.norm(), area = strands_->width(first + k) * length;
    if (length == 0.0) continue;  // slack
    const Vector3d tangent = edge / length;
    const Vector3d against = 0.5 * (motion_->v[first + k] + motion_->v[first + k + 1]) - around_->wind;
    const Vector3d along = against.dot(tangent) * tangent, across = against - along;
    const double normal = 0.25 * air.density * air.normal * area * across.norm();
    const double tangential = 0.25 * air.density * air.tangential * std::numbers::pi * area * along.norm();
    const double larger = std::max(normal, tangential);
    most += larger;
    sum += h * h * ((larger - tangential) * along + (larger - normal) * across);
  }
  inertia_[first + i] += h * most;
  sum += h * most * (from_[first + i] + h * around_->wind);
}

// Where points would go without links and joints (Eqs. 21, 22, 30).
void OneStep::predict(std::size_t b) {
  const std::size_t first = strands_->offset(b), n = strands_->vertices(b);
  const double h = step_, density = around_->air.density;
  const bool expects = has_expected(b);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t v = first + i;
    const Vector3d &x = motion_->x[v], &speed = motion_->v[v];
    Vector3d onward = speed;
    from_[v] = x;
    if (!motion_->x_before.empty()) {
      const double share = ratio_ * ratio_ / (1.0 + 2.0 * ratio_);
      from_[v] = x + share * (x - motion_->x_before[v]);
      onward = speed + share * (speed - motion_->v_before[v]);
    }
    const double m = strands_->mass(v);
    inertia_[v] = m;
    Vector3d sum = m * (from_[v] + h * onward) + h * h * (m * around_->gravity + strands_->force(v));
    if (expects) sum += h * h * around_->expected[v];
    if (density > 0.0) add_drag(first, n, i, sum);
    if (!around_->anchor.empty()) {
      inertia_[v] += h * h * around_->anchor_stiffness[v];
      sum += h * h * around_->anchor_stiffness[v] * around_->anchor[v];
    }
    const bool is_held = strands_->is_held(v);
    aim_[v] = is_held ? ends_->place[v] : Vector3d(sum / inertia_[v]);
    inverse_[v] = is_held ? 0.0 : 1.0 / inertia_[v];
  }
}

// Rests turn along with the root (Eq. 31). Damping is about how joints are bent now, turned as the rests turn.
void OneStep::set_joints(std::size_t b) {
  const std::size_t first = strands_->offset(b), n = strands_->vertices(b);
  const double h = step_, damping = strands_->damping(b) / h;
  const Eigen::Quaterniond turn = ends_->turn[b], turned = turn * before_->turn[b].conjugate();
  const auto now = of(motion_->x, b);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t v = first + i;
    const double k = strands_->stiffness(v);
    stiffness_[v] = h * h * k * (1.0 + damping), rest_[v].setZero();
    if (k == 0.0) continue;
    rest_[v] = turn * strands_->rest(v);
    if (damping > 0.0)
      rest_[v] = (rest_[v] + damping * (turned * strands_->bend(b, i, now, *before_))) / (1.0 + damping);
    if (i == 0) rest_[v] += strands_->root_tangent(b, *ends_);
    if (i + 1 == n) rest_[v] -= ends_->tip[b];
  }
}

void OneStep::start_velocity(std::size_t block, std::span<double> out) const {
  for (std::size_t i = 0; i < strands_->vertices(block); ++i) {
    const std::size_t v = strands_->offset(block) + i;
    Map<Vector3d>{&out[3 * i]} = (motion_->x[v] - from_[v]) / step_;
  }
}

void OneStep::free_velocity(std::size_t block, std::span<double> out) const {
  for (std::size_t i = 0; i < strands_->vertices(block); ++i)
    Map<Vector3d>{&out[3 * i]} = free_[strands_->offset(block) + i];
}

// At the links of x: A with what pushes if that leaves it definite, else without.
void OneStep::factorise(std::size_t b, std::span<const Vector3d> x, std::span<const double> multipliers) const {
  const std::size_t first = strands_->offset(b), n = strands_->vertices(b), links = strands_->link(b, 0);
  Block& block = blocks_[b];
  thread_local std::vector<Vector3d> z;
  thread_local std::vector<double> mass, D, softness;
  thread_local std::vector<char> is_free, active;
  thread_local BendingMatrix bending;
  z.resize(n - 1), mass.resize(n), is_free.resize(n), softness.clear(), active.clear();
  D.assign(multipliers.begin(), multipliers.end());
  for (std::size_t i = 0; i < n; ++i) mass[i] = inertia_[first + i], is_free[i] = strands_->is_held(first + i) ? 0 : 1;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double l = strands_->lengths()[links + i];
    z[i] = x[i] - x[i + 1];
    if (!compliance_.empty()) softness.push_back(compliance_[links + i] * l * l);
    if (strands_->settings().slack) active.push_back(D[i] > 0.0 ? 1 : 0);
  }
  bending.assemble(joints_of_block(b), n);
  const auto attempt = [&] { return block.band.factorise({mass, is_free, bending, D, softness, active}, z); };
  block.is_usable = attempt() && block.band.is_definite();
  if (block.is_usable) return;
  for (double& d : D) d = std::max(d, 0.0);
  block.is_usable = attempt();
}

const KktBand& OneStep::factor(std::size_t b) const {
  std::call_once(asked_[b], [&] {
    if (blocks_[b].at_start) return;
    const std::size_t links = strands_->link(b, 0), n = strands_->vertices(b);
    factorise(b, of(projected_.positions, b), std::span(projected_.multipliers).subspan(links, n - 1));
  });
  return blocks_[b].band;
}

// Forces to moves, which no link resists (Eq. 32).
void OneStep::solve(std::size_t b, std::span<Vector3d> moves) const {
  thread_local std::vector<double> gaps;
  gaps.assign(strands_->vertices(b) - 1, 0.0);
  const KktBand& band = factor(b);
  if (blocks_[b].is_usable)
    band.solve(moves, gaps);
  else
    std::ranges::fill(moves, Vector3d::Zero());
}

void OneStep::apply_inverse(std::size_t b, std::size_t columns, std::span<double> out) const {
  thread_local std::vector<Vector3d> column;
  const std::size_t n = strands_->vertices(b);
  column.resize(n);
  for (std::size_t c = 0; c < columns; ++c) {
    double* const values = &out[3 * n * c];
    for (std::size_t i = 0; i < n; ++i) column[i] = Map<const Vector3d>(values + 3 * i);
    solve(b, column);
    for (std::size_t i = 0; i < n; ++i) Map<Vector3d>(values + 3 * i) = column[i];
  }
}

// The forces that were expected have led to where the step is linearised; contact finds its own from there (Eq. 33).
void OneStep::subtract_expected(std::size_t b) {
  thread_local std::vector<Vector3d> moves;
  const std::size_t first = strands_->offset(b), n = strands_->vertices(b);
  moves.resize(n);
  for (std::size_t i = 0; i < n; ++i) moves[i] = step_ * around_->expected[first + i];
  solve(b, moves);
  for (std::size_t i = 0; i < n; ++i) free_[first + i] -= moves[i];
  blocks_[b].on_links = false;
}

bool OneStep::is_driven(const MaterialPoint& point) const {
  const std::size_t v = strands_->offset(point.block) + point.element;
  return (point.along == 1.0 || strands_->is_held(v)) && (point.along == 0.0 || strands_->is_held(v + 1));
}

Vector3d OneStep::point_velocity(const MaterialPoint& point, std::span<const double> velocity) const {
  const Map<const Vector3d> a(&velocity[3 * point.element]), b(&velocity[3 * point.element + 3]);
  return (1.0 - point.along) * a + point.along * b;
}

void OneStep::add_point_impulse(const MaterialPoint& point, const Vector3d& impulse, std::span<double> out) const {
  Map<Vector3d>(&out[3 * point.element]) += (1.0 - point.along) * impulse;
  Map<Vector3d>(&out[3 * point.element + 3]) += point.along * impulse;
}

void OneStep::set_velocity(std::size_t b, std::span<const double> velocity) {
  const std::size_t first = strands_->offset(b);
  for (std::size_t i = 0; i < strands_->vertices(b); ++i) velocity_[first + i] = Map<const Vector3d>(&velocity[3 * i]);
  blocks_[b].touched = true;
}

// More than a quarter of a link: there it has turned too far for links to be what they were.
bool OneStep::goes_far(std::size_t b) const {
  constexpr double far = 0.25;
  const std::size_t first = strands_->offset(b), n = strands_->vertices(b);
  for (std::size_t i = 0; i < n; ++i) {
    const double l = strands_->lengths()[strands_->link(b, std::min(i, n - 2))];
    const Vector3d end = from_[first + i] + step_ * free_[first + i];
    if ((end - motion_->x[first + i]).squaredNorm() > far * far * l * l) return true;
  }
  return false;
}

bool OneStep::relinearise_touched() {
  far_.clear();
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    if (block.touched && block.on_links && !block.at_start && !has_expected(b) && !is_tied(b) && goes_far(b))
      far_.push_back(b);
  }
  parallel_for(far_.size(), [&](std::size_t k) { prepare_at_start(far_[k]); });
  return !far_.empty();
}

// The links as they are now, to first order as long as they should be, and the step that these allow (Eq. 34).
void OneStep::prepare_at_start(std::size_t b) {
  const std::size_t first = strands_->offset(b), n = strands_->vertices(b), links = strands_->link(b, 0);
  Block& block = blocks_[b];
  block.at_start = true, block.on_links = false, block.touched = false;
  thread_local std::vector<Vector3d> x, g;
  thread_local std::vector<double> none, gaps;
  x.assign(of(motion_->x, b).begin(), of(motion_->x, b).end()), g.resize(n), gaps.resize(n - 1);
  none.assign(n - 1, strands_->settings().slack ? std::numeric_limits<double>::min() : 0.0);
  for (std::size_t i = 0; i < n; ++i)
    if (strands_->is_held(first + i)) x[i] = ends_->place[first + i];
  factorise(b, of(motion_->x, b), none);
  if (!block.is_usable) return;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double l = strands_->lengths()[links + i];
    gaps[i] = -0.5 * ((x[i] - x[i + 1]).squaredNorm() - l * l);
  }
  for (std::size_t i = 0; i < n; ++i) g[i] = inertia_[first + i] * (aim_[first + i] - x[i]);
  add_bending_force(joints_of_block(b), x, g);
  block.band.solve(g, gaps);
  for (std::size_t i = 0; i < n; ++i)
    free_[first + i] = velocity_[first + i] = (x[i] + g[i] - from_[first + i]) / step_;
}

bool OneStep::is_changed(std::size_t b) const {
  const std::size_t first = strands_->offset(b);
  const bool is_same = std::equal(&velocity_[first], &velocity_[first] + strands_->vertices(b), &free_[first]);
  return !blocks_[b].on_links || (blocks_[b].touched && !is_same);
}

StepReport OneStep::step_some(std::span<const std::size_t> blocks, const Strands& strands, const Clamped& before,
                              const Ends& ends, const Surroundings& around, const Motion& motion,
                              std::vector<Vector3d>& x, std::vector<Vector3d>& v) {
  begin_step(strands, before, ends, around, motion);
  parallel_for(blocks.size(), [&](std::size_t k) { prepare(blocks[k]); });
  clear_selections();
  for (const std::size_t b : blocks) {
    if (!is_tied(b))
      select_strand(b, Toward::aim, some_strands_);
    else if (const std::uint32_t t = strands.trees().tree_of(b); strands.trees().strands(t).front() == b)
      select_tree(t, Toward::aim, some_trees_);
  }
  project_selections();
  StepReport report;
  for (std::size_t k = blocks.size(); k-- > 0;)
    judge(blocks[k], projected_.chains[blocks[k]], put_end(blocks[k], x, v), report);
  return report;
}

// A block's points and velocities where its step ends; whether they are numbers.
bool OneStep::put_end(std::size_t b, std::vector<Vector3d>& x, std::vector<Vector3d>& v) {
  const FlushDenormals flush;
  const std::size_t first = strands_->offset(b), n = strands_->vertices(b);
  bool is_finite = true;
  for (std::size_t i = first; i < first + n; ++i) {
    x[i] = strands_->is_held(i) ? ends_->place[i] : projected_.positions[i];
    v[i] = (x[i] - from_[i]) / step_;
    projected_.positions[i] = x[i];
    is_finite &= x[i].allFinite() && v[i].allFinite();
  }
  return is_finite;
}

// Blocks come from the last to the first.
void OneStep::judge(std::size_t b, const tendril::chain::Outcome& found, bool is_finite, StepReport& report) {
  report.iterations = std::max(report.iterations, found.iterations);
  const bool has_failed = !is_finite || found.status == Status::bad_input;
  if (!has_failed && found.status <= Status::round_off) return;
  report.strand = b, ++report.troubled;
  const auto status = std::size_t(is_finite ? found.status : Status::bad_input);
  ++report.ended[status], report.first[status] = b;
  report.outcome = std::max(report.outcome, has_failed ? tendril::Outcome::failed : tendril::Outcome::usable);
}

bool OneStep::end_velocity(std::size_t b, std::span<double> out) const {
  if (!is_changed(b)) return false;
  const std::size_t first = strands_->offset(b);
  for (std::size_t i = 0; i < strands_->vertices(b); ++i)
    Map<Vector3d>{&out[3 * i]} = (projected_.positions[first + i] - from_[first + i]) / step_;
  return true;
}

StepReport OneStep::advance(std::vector<Vector3d>& x, std::vector<Vector3d>& v) {
  project_touched();
  StepReport report;
  finite_.resize(blocks_.size());
  x.resize(strands_->vertex_count()), v.resize(x.size());
  parallel_for(blocks_.size(), [&](std::size_t b) { finite_[b] = put_end(b, x, v) ? 1 : 0; });
  for (std::size_t b = blocks_.size(); b-- > 0;) judge(b, projected_.chains[b], finite_[b] != 0, report);
  return report;
}

}  // namespace tendril::chain
