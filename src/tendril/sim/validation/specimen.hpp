// The strands of the benchmarks: one strand with all that is done to it, and the few things that are asked of it.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <vector>

#include "tendril/geometry/pose.hpp"
#include "tendril/rods/der/reactions.hpp"
#include "tendril/rods/der/stepper.hpp"
#include "tendril/sim/validation.hpp"

namespace tendril::validation {

inline constexpr double standard_gravity = 9.81;  // [m/s^2]
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Two kinds of strand, far apart in scale: what is right in one unit and wrong in another shows.
struct Scale {
  const char* name;
  der::Material material;
  double length;  // [m]
};
Scale hair();
Scale rope();
// A strand that under its own weight neither resists bending nor gives way: EI / (rho A g L^3) = 1e-14, strain 1e-12.
Scale chain(double length);

struct Stiffness {
  double bend, twist;   // EI, GJ [N m^2]
  double stretch;       // EA [N]
  double line_density;  // rho A [kg/m]
};
Stiffness stiffness(const der::Material& round);

// Makes the shear modulus such that GJ/EI of a round section has this value.
der::Material with_twist_ratio(der::Material material, double twist_over_bend);

struct Specimen {
  der::Strands strands;
  der::State state;
  der::Targets targets;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  // [m/s^2]

  void set_loads(const std::vector<der::Load>& loads);
  void drive(const der::Drive& drive) { strands.drive(drive, state, targets); }
  void set_positions(const std::vector<Eigen::Vector3d>& positions);
  void set_thetas(const std::vector<double>& thetas);
  void set_directors(const std::vector<Eigen::Vector3d>& directors, const std::vector<double>& reference_twists);
  void set_velocities(const std::vector<Eigen::Vector3d>& velocities, const std::vector<double>& theta_velocities);

  // Static equilibrium by the library's solver: false if it did not converge.
  bool settle(double tolerance = 1e-10);
  // The equilibrium nearest to the pose, stable or not: Newton's method on the gradient with the exact Hessian. Ends
  // at a saddle as well as at a minimum, so a branch can be followed beyond the load where it becomes unstable.
  bool balance();
  // Negative modes of the exact Hessian at the pose: 0 means stable.
  int negative_modes() const;

  std::vector<Eigen::Vector3d> positions() const;
  Eigen::Vector3d position(int vertex) const;  // negative: counted from the tip
  Eigen::Vector3d tangent(int edge) const;     // negative: counted from the tip
  der::Rod rod() const { return extract(strands, targets, state, 0); }
  der::Reactions reactions() const { return der::reactions(strands, targets, state, 0, gravity); }
};

Specimen make(const Model& model, der::Description description, std::vector<der::Hold> holds = {});

// A straight strand of n equal edges along x, from the origin, straight at rest.
std::vector<Eigen::Vector3d> straight_line(int edges, double length);
Specimen straight(const Model& model, int edges, double length, const der::Material& material,
                  const der::Clamps& clamps, std::vector<der::Hold> holds = {});

// A strand drawn along `points` whose rest shape is straight and untwisted, with the lengths as drawn.
Specimen bent(const Model& model, std::vector<Eigen::Vector3d> points, const der::Material& material,
              const der::Clamps& clamps, std::vector<der::Hold> holds = {});

// Marches in time: calls `seen` after every step; false if a step failed or did not converge.
bool march(Specimen& specimen, const der::StepOptions& options, int steps,
           const std::function<void(const Specimen&)>& seen);

// The load in [low, high] at which stable(load) turns from true to false, by bisection; NaN if it does not.
double critical_load(double low, double high, const std::function<bool(double)>& stable);

}  // namespace tendril::validation
