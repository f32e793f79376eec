// What the tests of rods share: instruction sets, materials, smooth random strands, a small simulation, and poses
// displaced by formulas of their own (Eigen, libm), so that they judge the kernels rather than repeat them.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <numbers>
#include <string>
#include <vector>

#include "tendril/base/random.hpp"
#include "tendril/rods/der/rod.hpp"
#include "tendril/rods/der/stepper.hpp"

namespace tendril::der::support {

using Eigen::Vector3d;
using Eigen::VectorXd;
using std::numbers::pi;

std::vector<Isa> available_sets();
std::string set_name(const testing::TestParamInfo<Isa>& info);
std::string curvature_name(const testing::TestParamInfo<Curvature>& info);

// Three scales of the same model: bending stiffness from 8e-9 to 98 N m^2, stretching from 20 N to 1.6e7 N.
Material hair();
Material rope();
Material cable();
// The rod of the comparisons with flipped frames: L = 0.3 m, along x.
Material scene_material(double young);

Vector3d random_vector(Random& random);
// Its tangent turns by about `turn` radians per vertex about a slowly wandering axis; edges differ by 20 % in length.
std::vector<Vector3d> smooth_strand(Random& random, std::size_t vertices, double length, double turn);
std::vector<Vector3d> straight_strand(std::size_t vertices, double length, const Vector3d& along);

void append(Curves& curves, const std::vector<Vector3d>& points);
Curves one(const std::vector<Vector3d>& points);

// Strands with all that a step needs; what it holds is public.
struct Simulation {
  Strands strands;
  State state, trial;
  Targets targets;
  StepWorkspace work;

  explicit Simulation(Strands s);
  explicit Simulation(const Description& description, const std::vector<Hold>& holds = {}, Isa isa = active_isa());

  StepReport try_step(const StepOptions& options);
  StepReport step(const StepOptions& options);
  StepReport step(const StepOptions& options, const Drive& drive);
  // Fails the test at the first step that does not end well.
  void run(const StepOptions& options, int steps);

  std::vector<Vector3d> positions() const;
  std::vector<Vector3d> velocities() const;
  std::vector<Vector3d> directors() const;
  std::vector<double> thetas() const;
  std::vector<double> theta_velocities() const;
  std::vector<double> reference_twists() const;
  Rod rod(std::size_t strand = 0) const;
  Energies energies(const Vector3d& gravity) const;
};

// Rotation by the smallest angle from unit vector a to unit vector b, as a quaternion: not the kernels' formula.
Vector3d carried(const Vector3d& a, const Vector3d& b, const Vector3d& u);

Eigen::Map<const Vector3d> read3(const Rod& rod, int slot, int component);
double& value_of(Rod& rod, int slot, int component);

// The rod at q + dq, its frames carried along in time and its reference twists continued.
Rod displaced(const Rod& rod, const VectorXd& dq);

// A state some way off the drawn one: moved by a tenth of an edge, twisted by a few tenths of a radian.
void shake(Random& random, Simulation& s);

// Lower band to a full symmetric matrix.
Eigen::MatrixXd full(const Band<double>& band);

}  // namespace tendril::der::support
