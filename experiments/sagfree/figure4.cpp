// Figure 4: the rest shape of a coil of 2000 vertices, without bounds: what the order and the number of variables cost.
#include <fmt/format.h>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/sagfree/sagfree.hpp"
#include "experiments/sagfree/scenes.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/sagfree/optimise.hpp"
#include "tendril/scene/generator.hpp"

namespace tendril::experiments::sagfree {
namespace {

using Eigen::VectorXd;
using tendril::sagfree::Box;
using tendril::sagfree::Freedom;
using tendril::sagfree::LagrangianOptions;
using tendril::sagfree::Program;
using tendril::sagfree::StrandProblem;

constexpr int rounds = 7;  // of which the best counts

der::Strands coil(int count, double turns) {
  GeneratorOptions options = default_options(GeneratorKind::coil);
  options.vertices = count, options.radius = 0.02, options.turns = turns, options.pitch = 0.01;
  options.axis = Eigen::Vector3d::UnitX();
  der::Material material;
  material.radius = 1e-3, material.young = material.shear = 1e9, material.density = density;
  return der::Strands::create(der::describe(generate(options, 1), material, {})).value();
}

Box no_box(const StrandProblem& problem) {
  const VectorXd far = VectorXd::Constant(Eigen::Index(problem.size()), std::numeric_limits<double>::infinity());
  return {-far, far};
}

LagrangianOptions settings(double rest_weight) {
  LagrangianOptions options;
  options.multipliers = false, options.penalty = 1e9, options.rest_weight = rest_weight;
  return options;
}

// A weight of changes, over the largest diagonal entry of a rest curvature. Four components do the work of two: without
// a weight the matrix is singular, and the solution has an error of round-off over this share. A large share, on the
// other hand, leaves a net force.
double rest_weight(const StrandProblem& problem, double share) {
  const Program program = program_after(0, problem, no_box(problem), settings(1.0));
  double largest = 0.0;
  for (std::size_t i = 0; i < problem.size(); ++i)
    if (problem.variable(i) == tendril::sagfree::Variable::curvature0)
      largest = std::max(largest, program.matrix.at(i, i));
  return share * largest;
}

struct Solved {
  VectorXd x;
  double ordering = 1e300, solving = 1e300;  // [s]
  double total() const { return ordering + solving; }
};

void solve_banded(const Program& program, Solved& best) {
  Band<double> matrix = program.matrix;
  best.x = program.b, best.ordering = 0.0;
  const Timer timer;
  factorise(matrix, Pivots::clamp_to_positive);
  tendril::solve(matrix, std::span<double>(best.x.data(), std::size_t(best.x.size())));
  best.solving = std::min(best.solving, timer.seconds());
}

// The lower triangle, without zeros.
Eigen::SparseMatrix<double> sparse(const Band<double>& band) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t column = 0; column < band.size; ++column)
    for (std::size_t row = column; row < std::min(band.size, column + band.width + 1); ++row)
      if (band.at(row, column) != 0.0) entries.emplace_back(int(row), int(column), band.at(row, column));
  Eigen::SparseMatrix<double> matrix(Eigen::Index(band.size), Eigen::Index(band.size));
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void solve_reordered(const Eigen::SparseMatrix<double>& matrix, const VectorXd& b, Solved& best) {
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::AMDOrdering<int>> factor;
  const Timer ordering;
  factor.analyzePattern(matrix);
  best.ordering = std::min(best.ordering, ordering.seconds());
  const Timer solving;
  factor.factorize(matrix);
  best.x = factor.solve(b);
  best.solving = std::min(best.solving, solving.seconds());
}

// Nonzeros in a row of the whole matrix, on average.
double filling(const Program& program) {
  const double lower = double(sparse(program.matrix).nonZeros()), n = double(program.matrix.size);
  return (2.0 * lower - n) / n;
}

double relative_difference(const VectorXd& a, const VectorXd& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / b.lpNorm<Eigen::Infinity>();
}

der::Strands optimum(const der::Strands& strands, const StrandProblem& problem, double rest_weight) {
  VectorXd p = problem.initial();
  minimise(problem, no_box(problem), settings(rest_weight), {}, p);
  return with_parameters(strands, problem, p);
}

der::Strands swept(der::Strands strands) {
  tendril::sagfree::Options options;
  options.gravity = down, options.mu = 1e6, options.check_stability = false;
  tendril::sagfree::optimise(options, strands.start(), strands).value();
  return strands;
}

double largest_difference_of_curvature(const der::Strands& a, const der::Strands& b) {
  const auto of_a = a.rest_curvatures(), of_b = b.rest_curvatures();
  double largest = 0.0;
  for (std::size_t v = 0; v < of_a.size(); ++v)
    for (std::size_t c = 0; c < 4; ++c) largest = std::max(largest, std::abs(of_a[v][c] - of_b[v][c]));
  return largest;
}

std::vector<Eigen::Vector3d> after_half_a_second(const der::Strands& strands) {
  Motion motion(strands, down);
  motion.run(120);
  return motion.positions();
}

void compare_systems(const Program& of4, const Program& of2, Findings& out) {
  Solved reordered, banded4, banded2;
  const Eigen::SparseMatrix<double> sparse4 = sparse(of4.matrix);
  for (int round = 0; round < rounds; ++round) {  // in turn: a busy machine hits all of them
    solve_reordered(sparse4, of4.b, reordered);
    solve_banded(of4, banded4), solve_banded(of2, banded2);
  }
  const double rows2 = filling(of2), rows4 = filling(of4);
  out.claim("nonzeros per row, 2D and 4D", "22.0 and 32.0", fmt::format("{:.2f} and {:.2f}", rows2, rows4),
            "within 1 of the paper's", std::abs(rows2 - 22.0) < 1.0 && std::abs(rows4 - 32.0) < 1.0);
  const double difference = relative_difference(banded4.x, reordered.x);
  out.claim("4D, banded against reordered", "identical results", fmt::format("differ by {:.1e}, relative", difference),
            "below 1e-7", difference < 1e-7);
  out.claim("4D, time of banded against ordering and solving", "5.0 against 2.0 + 5.0 ms",
            fmt::format("{:.1f} against {:.1f} + {:.1f} ms", 1e3 * banded4.total(), 1e3 * reordered.ordering,
                        1e3 * reordered.solving),
            "banded is faster", banded4.total() < reordered.total());
  out.claim("banded, time of 2D over 4D", "0.42 (2.1 over 5.0 ms)",
            fmt::format("{:.2f} ({:.1f} over {:.1f} ms)", banded2.total() / banded4.total(), 1e3 * banded2.total(),
                        1e3 * banded4.total()),
            "at most 0.5", banded2.total() <= 0.5 * banded4.total());
  plot::BarChart times;
  times.title = "Time of one system", times.description = "The best of seven solves.";
  times.value.label = "time", times.value.unit = "ms";
  times.categories = {"4D, reordered", "4D, banded", "2D, banded"};
  times.add("ordering", {1e3 * reordered.ordering, 0.0, 0.0});
  times.add("solving", {1e3 * reordered.solving, 1e3 * banded4.solving, 1e3 * banded2.solving});
  out.bars.push_back(std::move(times));
}

// On a shorter coil: on the long one the weight that keeps 4D solvable leaves a net force that is not small.
void compare_optima(Findings& out) {
  const der::Strands strands = coil(400, 4.0);
  const StrandProblem four = problem_of(strands, Freedom::rest_shape4), two = problem_of(strands, Freedom::rest_shape);
  const double weight = rest_weight(four, 1e-13);
  const der::Strands by_four = optimum(strands, four, weight), by_two = optimum(strands, two, weight);
  const double apart = largest_difference_of_curvature(by_four, by_two);
  out.claim("rest curvatures of 2D and 4D, 400 vertices and 4 turns", "equivalent results",
            fmt::format("differ by {:.1e}", apart), "at most 3e-6", apart <= 3e-6);
  const double of_two = drift(by_two, 0.5), of_four = drift(by_four, 0.5);
  out.claim("their drift in 0.5 s", "none to be seen", fmt::format("{:.1e} and {:.1e} m", of_two, of_four),
            "below 1e-6 m", std::max(of_two, of_four) < 1e-6);
}

}  // namespace

Findings figure4(const Context&) {
  const der::Strands strands = coil(2000, 20.0);
  const StrandProblem four = problem_of(strands, Freedom::rest_shape4), two = problem_of(strands, Freedom::rest_shape);
  const double weight = rest_weight(four, 1e-8);
  Findings out;
  compare_systems(program_after(0, four, no_box(four), settings(weight)),
                  program_after(0, two, no_box(two), settings(weight)), out);
  compare_optima(out);
  const auto drawn = Motion(strands, down).positions(), naive = after_half_a_second(strands),
             kept = after_half_a_second(swept(strands));
  const double of_naive = largest_distance(drawn, naive), of_sweep = largest_distance(drawn, kept);
  out.claim("drift in 0.5 s, naive and after the sweep", "naive sags, optimised does not",
            fmt::format("{:.2f} and {:.1e} m", of_naive, of_sweep), "more than 0.1 m, and less than 1e-6 m",
            of_naive > 0.1 && of_sweep < 1e-6);
  plot::Chart shapes = side_view("After half a second", "Let go with the drawn shape at rest, and after the sweep.");
  add_shape("naive", naive, shapes), add_shape("after the sweep: as drawn", kept, shapes);
  out.charts.push_back(std::move(shapes));
  out.notes.push_back("The coil is ours: radius 2 cm, 20 turns, pitch 1 cm, thickness 2 mm; the paper gives none.");
  return out;
}

}  // namespace tendril::experiments::sagfree
