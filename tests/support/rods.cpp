#include "support/rods.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace tendril::der::support {

std::vector<Isa> available_sets() {
  std::vector<Isa> sets;
  for (const Isa isa : {Isa::reference, Isa::v2, Isa::avx2, Isa::avx512})
    if (machine_has(isa)) sets.push_back(isa);
  return sets;
}
std::string set_name(const testing::TestParamInfo<Isa>& info) { return std::string(isa_name(info.param)); }

std::string curvature_name(const testing::TestParamInfo<Curvature>& info) {
  const char* names[] = {"FourD", "Averaged", "Slerped", "SlerpedApproximate"};
  return names[static_cast<int>(info.param)];
}

Material hair() { return {}; }
Material rope() {
  Material m;
  m.radius = 3e-3, m.young = 5e6, m.shear = 2e6, m.stretch_young = 5e8, m.density = 800.0;
  return m;
}
Material cable() {
  Material m;
  m.radius = 5e-3, m.young = 200e9, m.shear = 77e9, m.density = 7850.0;
  return m;
}
Material scene_material(double young) {
  Material m;
  m.radius = 2e-4, m.young = young, m.shear = young, m.stretch_young = 1e9, m.density = 1300.0;
  return m;
}

Vector3d random_vector(Random& random) {
  return {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
}

std::vector<Vector3d> smooth_strand(Random& random, std::size_t vertices, double length, double turn) {
  const auto [dx, dy, dz] = random.direction();
  Vector3d tangent(dx, dy, dz), axis = tangent.cross(random_vector(random)).normalized();
  std::vector<Vector3d> x = {0.1 * random_vector(random)};
  while (x.size() < vertices) {
    x.push_back(x.back() + tangent * (length / double(vertices - 1) * random.uniform(0.9, 1.1)));
    axis = (axis + 0.3 * random_vector(random)).normalized();
    tangent = Eigen::AngleAxisd(turn * random.uniform(0.5, 1.5), axis) * tangent;
  }
  return x;
}

std::vector<Vector3d> straight_strand(std::size_t vertices, double length, const Vector3d& along) {
  std::vector<Vector3d> x;
  for (std::size_t i = 0; i < vertices; ++i) x.push_back(along * (length * double(i) / double(vertices - 1)));
  return x;
}

void append(Curves& curves, const std::vector<Vector3d>& points) {
  curves.points.insert(curves.points.end(), points.begin(), points.end());
  curves.offsets.push_back(curves.points.size());
}
Curves one(const std::vector<Vector3d>& points) {
  Curves curves;
  append(curves, points);
  return curves;
}

namespace {

template <class T, class F>
std::vector<T> gathered(const Simulation& s, F&& gather) {
  std::vector<T> out(s.strands.vertex_count());
  gather(s.strands, s.state, out);
  return out;
}

}  // namespace

Simulation::Simulation(Strands s) : strands(std::move(s)), state(strands.start()), targets(strands.make_targets()) {}
Simulation::Simulation(const Description& description, const std::vector<Hold>& holds, Isa isa)
    : Simulation(std::move(Strands::create(description, holds, isa).value())) {}

StepReport Simulation::try_step(const StepOptions& options) {
  return der::step(strands, targets, options, state, work, trial);
}
StepReport Simulation::step(const StepOptions& options) {
  const StepReport report = try_step(options);
  if (report.outcome != Outcome::failed) commit(trial, options.dt, options.integrator == Integrator::bdf2, state);
  return report;
}
StepReport Simulation::step(const StepOptions& options, const Drive& drive) {
  strands.drive(drive, state, targets);
  return step(options);
}
void Simulation::run(const StepOptions& options, int steps) {
  for (int i = 0; i < steps; ++i)
    if (const StepReport r = step(options); r.outcome == Outcome::failed) {
      ADD_FAILURE() << "step " << i << ", strand " << r.strand << ": " << text(r.trouble);
      return;
    }
}

std::vector<Vector3d> Simulation::positions() const { return gathered<Vector3d>(*this, gather_positions); }
std::vector<Vector3d> Simulation::velocities() const { return gathered<Vector3d>(*this, gather_velocities); }
std::vector<Vector3d> Simulation::directors() const { return gathered<Vector3d>(*this, gather_directors); }
std::vector<double> Simulation::thetas() const { return gathered<double>(*this, gather_thetas); }
std::vector<double> Simulation::theta_velocities() const { return gathered<double>(*this, gather_theta_velocities); }
std::vector<double> Simulation::reference_twists() const { return gathered<double>(*this, gather_reference_twists); }
Rod Simulation::rod(std::size_t strand) const { return extract(strands, targets, state, strand); }
Energies Simulation::energies(const Vector3d& gravity) const {
  return total_energies(strands, targets, gravity, state);
}

Vector3d carried(const Vector3d& a, const Vector3d& b, const Vector3d& u) {
  return Eigen::Quaterniond::FromTwoVectors(a, b) * u;
}

Eigen::Map<const Vector3d> read3(const Rod& rod, int slot, int component) {
  return Eigen::Map<const Vector3d>(&rod.state[std::size_t(slot * StateLayout::components + component)]);
}
double& value_of(Rod& rod, int slot, int component) {
  return rod.state[std::size_t(slot * StateLayout::components + component)];
}

Rod displaced(const Rod& rod, const VectorXd& dq) {
  Rod out = rod;
  for (int k = 0; k < rod.vertices; ++k)
    for (int c = 0; c < 4; ++c) value_of(out, k, c) += dq[4 * k + c];
  Vector3d tangent_behind = Vector3d::Zero(), director_behind = Vector3d::Zero();
  for (int k = 0; k + 1 < rod.vertices; ++k) {
    const Vector3d old_tangent = (rod.position(k + 1) - rod.position(k)).normalized();
    const Vector3d tangent = (out.position(k + 1) - out.position(k)).normalized();
    Vector3d director = carried(old_tangent, tangent, read3(rod, k, StateLayout::director));
    director = (director - director.dot(tangent) * tangent).normalized();
    for (int c = 0; c < 3; ++c) value_of(out, k, StateLayout::director + c) = director[c];
    if (k > 0) {
      double& twist = value_of(out, k, StateLayout::reference_twist);
      const Vector3d u = Eigen::AngleAxisd(twist, tangent) * carried(tangent_behind, tangent, director_behind);
      twist += std::atan2(u.cross(director).dot(tangent), u.dot(director));
    }
    tangent_behind = tangent, director_behind = director;
  }
  return out;
}

void shake(Random& random, Simulation& s) {
  std::vector<Vector3d> x = s.positions();
  std::vector<double> theta = s.thetas();
  for (std::size_t strand = 0; strand < s.strands.size(); ++strand)
    for (std::size_t v = s.strands.offset(strand); v < s.strands.offset(strand + 1); ++v) {
      const std::size_t next = v + 1 < s.strands.offset(strand + 1) ? v + 1 : v - 1;
      const double edge =
          (s.strands.description().curves.points[next] - s.strands.description().curves.points[v]).norm();
      x[v] += 0.1 * edge * random_vector(random);
      if (v + 1 < s.strands.offset(strand + 1)) theta[v] += random.uniform(-0.4, 0.4);
    }
  ASSERT_TRUE(set_positions(s.strands, x, s.state));
  ASSERT_TRUE(set_thetas(s.strands, theta, s.state));
}

Eigen::MatrixXd full(const Band<double>& band) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(Eigen::Index(band.size), Eigen::Index(band.size));
  for (std::size_t c = 0; c < band.size; ++c)
    for (std::size_t r = c; r < std::min(band.size, c + band.width + 1); ++r)
      out(Eigen::Index(r), Eigen::Index(c)) = out(Eigen::Index(c), Eigen::Index(r)) = band.at(r, c);
  return out;
}

}  // namespace tendril::der::support
