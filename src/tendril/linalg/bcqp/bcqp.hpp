// Box-constrained quadratic programs: the x of  min ½ xᵀA x - bᵀx,  lower <= x <= upper,  for a symmetric positive
// definite A, banded or sparse (docs/theory/box-qp.md). Bounds may be infinite; where they are equal the entry is
// fixed.
//
// Whatever the problem, solve() comes back with one of the outcomes below and with a point inside the box (but for the
// method `penalty`, which is there to show how far outside it ends). What it calls converged is always a point where
// the projected gradient is as small as was asked for, or nothing but round-off.
#pragma once

#include <Eigen/SparseCore>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "tendril/linalg/banded_ldlt.hpp"

namespace tendril::bcqp {

enum class Method : std::uint8_t {
  automatic,  // "auto": pdas; if it fails mprgp with asc, 500 iterations; if that fails ipm
  mprgp,      // conjugate gradients on faces of the box; converges from anywhere, its objective never rises
  pdas,       // primal-dual active set: a few factorisations, but it may cycle
  ipm,        // interior points (Mehrotra): a flat count of factorisations
  pgs,        // projected Gauss-Seidel: for well-conditioned problems, and for comparison
  penalty,    // quadratic penalty on violated bounds in place of bounds: for comparison
};

enum class Preconditioner : std::uint8_t {
  none,
  diagonal,
  jacobi,  // two sweeps of weighted Jacobi
  ssor,
  ic,   // incomplete Cholesky on the pattern of A
  mic,  // the same, modified: what is dropped goes to the diagonal
  amg,  // smoothed aggregation; allocates in every solve
  asc,  // active-set Cholesky: one factorisation of A, substitution on the face
};

// What MPRGP does where the minimum along its direction is out of the box.
enum class Expansion : std::uint8_t {
  fixed_step,    // "fixed": a gradient step of safe length
  projected_cg,  // "projected-cg": the whole step, cut by the box. Often faster, but there is no proof: it may stall
};

enum class Outcome : std::uint8_t {
  converged,
  iteration_limit,
  cycled,                 // pdas met the same active set twice
  stalled,                // round-off lets it go no further
  not_positive_definite,  // a direction without positive curvature was met, or a pivot that is not positive
  infeasible_box,         // lower > upper, or a bound that is NaN or on the wrong side of infinity
  not_finite,             // in A, b or the start; or numbers overflowed
};

std::string_view name(Method method);
std::string_view name(Preconditioner preconditioner);
std::string_view name(Expansion expansion);
std::string_view name(Outcome outcome);
std::optional<Method> method_named(std::string_view name);
std::optional<Preconditioner> preconditioner_named(std::string_view name);
std::optional<Expansion> expansion_named(std::string_view name);
std::span<const std::string_view> method_names();
std::span<const std::string_view> preconditioner_names();
std::span<const std::string_view> expansion_names();

// One iterate, for plots of convergence against time.
struct Sample {
  int iteration = 0;
  double seconds = 0.0;  // [s] since the start of the solve, set-up included, observers not
  double projected_gradient = 0.0;
  double objective = 0.0;
};
using Observer = std::function<void(const Sample&, std::span<const double> x)>;

struct Options {
  Method method = Method::automatic;
  Preconditioner preconditioner = Preconditioner::asc;  // of mprgp
  Expansion expansion = Expansion::fixed_step;          // of mprgp
  double tolerance = 1e-10;                             // on Report::residual; below 1e-13 round-off wins
  double absolute_tolerance = 0.0;                      // on Report::projected_gradient
  int max_iterations = 0;                               // 0: 10000 for mprgp and pgs, 30 for pdas, 100 for the others
  bool jacobi_scaling = true;                           // off: for comparisons of preconditioners
  bool warm_start = false;                              // x holds a guess; pdas starts from its active set
  double proportioning = 1.0;                           // Γ of mprgp: how early it leaves a face
  double box_weight = 1e6;                              // of penalty, in the unit of A
  Observer observer;                                    // called at the start and after every iteration, if given
};

struct Report {
  Outcome outcome = Outcome::iteration_limit;
  Method method = Method::automatic;                     // the one that found x
  int iterations = 0;                                    // of all methods that were tried
  int cg_steps = 0, expansions = 0, proportionings = 0;  // of mprgp
  int factorisations = 0;                                // whole ones, of A or of a part of it
  double projected_gradient = 0.0;  // norm; with Jacobi scaling that of D^-1/2 times it, D the diagonal of A; of
                                    // penalty: of the gradient of what it minimises
  double residual = 0.0;            // the same over its value at the point of the box that is next to 0
  double objective = 0.0;
  double violation = 0.0;  // largest distance of an entry to the box: 0 but for penalty
  std::size_t active = 0;  // entries at a bound
};

// Grows once; after that, solves of the same size do not allocate (banded A, any preconditioner but amg). Any state
// that it has may be thrown away: results do not depend on it. One per thread.
class Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;

  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

// All spans have as many entries as A has rows. x: the start (with warm_start), then the result.
[[nodiscard]] Report solve(const Band<double>& a, std::span<const double> b, std::span<const double> lower,
                           std::span<const double> upper, const Options& options, Workspace& work, std::span<double> x);

// Of a sparse A only the lower triangle is read.
[[nodiscard]] Report solve(const Eigen::SparseMatrix<double>& a, std::span<const double> b,
                           std::span<const double> lower, std::span<const double> upper, const Options& options,
                           Workspace& work, std::span<double> x);

}  // namespace tendril::bcqp
