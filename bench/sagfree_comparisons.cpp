#include "sagfree_comparisons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "lapack.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/sagfree/augmented_lagrangian.hpp"
#include "tendril/sagfree/optimise.hpp"
#include "tendril/scene/generator.hpp"
#include "tendril/scene/presets.hpp"

namespace tendril::bench {
namespace {

using sagfree::Mode;

constexpr double unmeasured = std::numeric_limits<double>::infinity();

void append(const Curves& from, Curves& to) {
  for (std::size_t s = 0; s < from.strands(); ++s) {
    to.points.insert(to.points.end(), from.strand(s).begin(), from.strand(s).end());
    to.offsets.push_back(to.points.size());
  }
}

// 30 vertices, 0.3 m, held out sideways.
Curves horizontal_strand() {
  GeneratorOptions generator = default_options(GeneratorKind::horizontal);
  generator.vertices = 30, generator.length = 0.3;
  return generate(generator, 1);
}

// --- The sweep against the augmented Lagrangian ---

// The horizontal strand, and wide curls of so few vertices that the augmented Lagrangian gets through.
Curves few_strands() {
  GeneratorOptions generator = default_options(GeneratorKind::curly);
  generator.count = 9, generator.vertices = 20, generator.curl_turns = 1.5, generator.curl_radius = 0.015;
  Curves curves = horizontal_strand();
  append(generate(generator, 1), curves);
  return curves;
}

Curves repeated(const Curves& curves, int times) {
  Curves out;
  for (int i = 0; i < times; ++i) append(curves, out);
  return out;
}

// As thick and stiff as hair, with one modulus for all, as in the paper: with hair's own shear modulus, a quarter of
// that, the augmented Lagrangian stops short on most of the curls.
der::Strands hair_of(const Curves& curves) {
  der::Material material = material_of(*find_preset("human-hair"));
  material.shear = material.young;
  return der::Strands::create(der::describe(curves, material, {})).value();
}

// One problem for both: the augmented Lagrangian has a box for its bounds, and starts as the paper does, where the
// strand is drawn. At this mu every strand has a bound that acts.
sagfree::Options problem_for(Mode mode) {
  sagfree::Options options;
  options.mode = mode, options.bound = sagfree::CurvatureBound::box;
  options.mu = 0.8, options.check_stability = false, options.max_iterations = 1000;
  return options;
}

double seconds_per_strand(Mode mode, const Curves& curves) {
  der::Strands strands = hair_of(curves);
  const double seconds = sagfree::optimise(problem_for(mode), strands.start(), strands).value().seconds;
  return seconds / double(curves.strands());
}

// Both optima as points p, on the strands where the augmented Lagrangian converges.
struct Agreement {
  Curves converged;
  std::size_t stopped = 0;
  int newton_iterations = 0;  // of all that converged
  double difference = 0.0;    // the largest of all parameters
};

// To tighter tolerances than the mode's own, and without its last corrections (docs/theory/sag-free.md, Eq. 12): they
// lead to balance by a change that is small, but not to the optimum.
sagfree::LagrangianOptions tight() {
  sagfree::LagrangianOptions options;
  options.step_tolerance = 1e-7, options.balance_tolerance = 1e-8, options.max_iterations = 1000;
  return options;
}

void compare_strand(const der::Strands& drawn, const der::RestState& swept, std::size_t strand, Agreement& out) {
  const sagfree::Options options = problem_for(Mode::full);
  const sagfree::StrandProblem problem(drawn, drawn.make_targets(), drawn.start(), strand, options.gravity,
                                       sagfree::Freedom::full);
  Eigen::VectorXd p = problem.initial();
  const auto report = minimise(problem, box_of(problem, options, *options.mu), tight(), {}, p);
  if (report.ending != sagfree::Ending::converged) {
    ++out.stopped;
    return;
  }
  out.newton_iterations += report.iterations;
  out.difference = std::max(out.difference, (p - problem.read(drawn, swept)).cwiseAbs().maxCoeff());
  const std::span<const Eigen::Vector3d> points = drawn.description().curves.strand(strand);
  append(Curves{{points.begin(), points.end()}, {0, points.size()}}, out.converged);
}

Agreement agreement(const Curves& curves) {
  const der::Strands drawn = hair_of(curves);
  der::Strands swept = drawn;
  (void)sagfree::optimise(problem_for(Mode::sweep), swept.start(), swept).value();
  const der::RestState rest = swept.rest_state();
  Agreement out;
  for (std::size_t s = 0; s < curves.strands(); ++s) compare_strand(drawn, rest, s, out);
  return out;
}

// --- Quadratic programs ---

// That of the sixth Newton iteration on the horizontal strand, with 1 GPa, a radius of 0.2 mm and mu = 0.4: 196
// unknowns, five bounds that act, diagonals from 1e5 to 2e23.
sagfree::Program horizontal_program() {
  der::Material material;
  material.radius = 2e-4, material.young = material.shear = 1e9, material.density = 1300.0;
  der::Description description = der::describe(horizontal_strand(), material, {});
  description.root_director = {Eigen::Vector3d::UnitZ()};  // gravity bends about one axis of the section
  const der::Strands strands = der::Strands::create(std::move(description)).value();
  const sagfree::Options bounds;
  const sagfree::StrandProblem problem(strands, strands.make_targets(), strands.start(), 0, bounds.gravity,
                                       sagfree::Freedom::full);
  sagfree::LagrangianOptions options;
  options.penalty = 1e9;
  return program_after(5, problem, box_of(problem, bounds, 0.4), options);
}

std::span<const double> span_of(const Eigen::VectorXd& v) { return {v.data(), std::size_t(v.size())}; }

// A way to solve the program, unscaled as in the paper, and its least time.
class ProgramCase {
 public:
  ProgramCase(const sagfree::Program& program, bcqp::Method method, bcqp::Preconditioner preconditioner)
      : program_(program), x_(program.b.size()) {
    options_.method = method, options_.preconditioner = preconditioner;
    options_.jacobi_scaling = false;
  }

  void measure() {
    const Timer timer;
    const bcqp::Report report =
        bcqp::solve(program_.matrix, span_of(program_.b), span_of(program_.lower), span_of(program_.upper), options_,
                    work_, {x_.data(), std::size_t(x_.size())});
    seconds = std::min(seconds, timer.seconds());
    iterations = report.outcome == bcqp::Outcome::converged ? report.iterations : unmeasured;
  }

  double seconds = unmeasured, iterations = unmeasured;

 private:
  const sagfree::Program& program_;
  bcqp::Options options_;
  bcqp::Workspace work_;
  Eigen::VectorXd x_;
};

// LAPACK's Cholesky solution with the same matrix, as if there were no bounds; infinite: it failed.
double lapack_seconds(const Lapack& lapack, const sagfree::Program& program) {
  std::vector<double> band = program.matrix.values, rhs(program.b.begin(), program.b.end());
  const Timer timer;
  const bool solved = lapack.solve(int(program.matrix.size), int(program.matrix.width), band, rhs);
  return solved ? timer.seconds() : unmeasured;
}

}  // namespace

void compare_with_lagrangian(int rounds, Report& report) {
  constexpr int repeats = 32;  // for the sweep, which takes strands of equal size together
  const Agreement both = agreement(few_strands());
  const std::size_t strands = both.converged.strands();
  nlohmann::json& values = report.values["lagrangian"];
  values = {{"strands", strands}, {"alm_stopped", both.stopped}, {"sweep_repeats", repeats}};
  if (strands == 0) {
    report.lines.push_back("sweep      not compared: the augmented Lagrangian stopped short on every strand");
    return;
  }
  const Curves many = repeated(both.converged, repeats);
  double sweep = unmeasured, lagrangian = unmeasured;
  for (int round = 0; round < rounds; ++round) {
    sweep = std::min(sweep, seconds_per_strand(Mode::sweep, many));
    lagrangian = std::min(lagrangian, seconds_per_strand(Mode::full, both.converged));
  }
  values["sweep_seconds_per_strand"] = sweep, values["alm_seconds_per_strand"] = lagrangian;
  values["alm_newton_mean"] = double(both.newton_iterations) / double(strands);
  values["sweep_over_alm"] = lagrangian / sweep, values["sweep_alm_difference"] = both.difference;
  report.bars.push_back({"sweep_over_alm", lagrangian / sweep, 1000.0, false});
  report.bars.push_back({"sweep_alm_difference", both.difference, 1e-6});
  report.lines.push_back(fmt::format(
      "sweep      {:.1f} us per strand, the augmented Lagrangian {:.1f} ms ({:.0f} times); parameters differ by {:.1e} "
      "on {} strands, it stopped short on {}",
      1e6 * sweep, 1e3 * lagrangian, lagrangian / sweep, both.difference, strands, both.stopped));
}

void compare_programs(int rounds, Report& report) {
  using bcqp::Method, bcqp::Preconditioner;
  const sagfree::Program program = horizontal_program();
  ProgramCase asc(program, Method::mprgp, Preconditioner::asc), ic(program, Method::mprgp, Preconditioner::ic),
      pdas(program, Method::pdas, Preconditioner::none);
  const std::optional<Lapack> lapack = Lapack::load();
  double reference = unmeasured;
  for (int turn = 0; turn < 20 * rounds; ++turn) {
    for (ProgramCase* each : {&asc, &ic, &pdas}) each->measure();
    if (lapack) reference = std::min(reference, lapack_seconds(*lapack, program));
  }
  nlohmann::json& values = report.values["program"];
  values = {{"unknowns", program.matrix.size},    {"asc_iterations", asc.iterations}, {"ic_iterations", ic.iterations},
            {"pdas_iterations", pdas.iterations}, {"asc_seconds", asc.seconds},       {"ic_seconds", ic.seconds},
            {"pdas_seconds", pdas.seconds}};
  report.bars.push_back({"ic_over_asc_iterations", ic.iterations / asc.iterations, 3.0, false});
  report.bars.push_back({"ic_over_asc_seconds", ic.seconds / asc.seconds, 1.0, false});
  report.lines.push_back(fmt::format(
      "program    MPRGP with asc {} iterations, {:.3f} ms; with ic {}, {:.3f} ms; PDAS {}, {:.3f} ms", asc.iterations,
      1e3 * asc.seconds, ic.iterations, 1e3 * ic.seconds, pdas.iterations, 1e3 * pdas.seconds));
  if (!lapack) {
    report.lines.push_back("LAPACK     left out: Debian's liblapack3 and libblas3 are not installed");
    return;
  }
  values["lapack"] = lapack->name(), values["lapack_seconds"] = reference;
  report.bars.push_back({"asc_over_lapack", asc.seconds / reference, 10.0});
  report.lines.push_back(
      fmt::format("LAPACK     dpbsv on the same matrix {:.3f} ms, {}", 1e3 * reference, lapack->name()));
}

}  // namespace tendril::bench
