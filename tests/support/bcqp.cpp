#include "support/bcqp.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/test_data.hpp"

namespace tendril::bcqp::support {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using nlohmann::json;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

json read(const std::string& file) { return json::parse(std::ifstream(test_data(file))); }

std::vector<double> list(const json& values, double missing) {
  std::vector<double> out;
  for (const json& value : values) out.push_back(value.is_null() ? missing : double(value));
  return out;
}

Band<double> band(const json& rows) {
  Band<double> a(rows[0].size(), rows.size() - 1);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t j = 0; j + r < a.size; ++j) a.at(j + r, j) = rows[r][j];
  return a;
}

VectorXd vector(const std::vector<double>& values) { return VectorXd::Map(values.data(), Index(values.size())); }

// One in ten has no lower bound, one no upper bound, one neither, and one is fixed.
void draw_bounds(Random& random, double scale, double& lower, double& upper) {
  const std::uint64_t kind = random.below(10);
  const double one = scale * random.normal(), other = scale * random.normal();
  lower = kind == 0 || kind == 1 ? -infinity : std::min(one, other);
  upper = kind == 1 || kind == 2 ? infinity : std::max(one, other);
  if (kind == 3) upper = lower;
}

}  // namespace

std::vector<double> numbers(const std::string& file, const std::string& key) {
  return list(read(file).at(json::json_pointer("/" + key)), std::nan(""));
}

Reference reference_of_12() {
  const json data = read("der-sagfree_asc.json"), &qp = data["bcqp"];
  return {{band(data["band_lower"]), qp["b"], list(qp["lo"], -infinity), list(qp["hi"], infinity)}, qp["x"]};
}

Reference reference_of_196() {
  const json data = read("der-sagfree_bcqp.json");
  std::vector<double> b = data["g"];
  for (double& value : b) value = -value;
  return {{band(data["H_band_lower"]), b, list(data["lo"], -infinity), list(data["hi"], infinity)}, data["x"]};
}

BoxProblem random_problem(Random& random, std::size_t n, std::size_t width, double spread, double skew) {
  const Index size = Index(n);
  MatrixXd l = MatrixXd::Identity(size, size);
  VectorXd pivots(size), scale(size);
  for (Index j = 0; j < size; ++j) {
    pivots[j] = std::pow(spread, random.uniform());
    scale[j] = std::exp(skew * random.uniform(-1.0, 1.0));
    for (Index i = j + 1; i < std::min(size, j + 1 + Index(width)); ++i)
      l(i, j) = random.normal() / std::sqrt(double(width));
  }
  BoxProblem problem;
  problem.a = band_of(scale.asDiagonal() * (l * pivots.asDiagonal() * l.transpose()) * scale.asDiagonal(), width);
  problem.lower.resize(n), problem.upper.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    problem.b.push_back(3.0 * scale[Index(i)] * random.normal());
    draw_bounds(random, 1.0 / scale[Index(i)], problem.lower[i], problem.upper[i]);
  }
  return problem;
}

Band<double> band_of(const MatrixXd& a, std::size_t width) {
  Band<double> out(std::size_t(a.rows()), width);
  for (std::size_t j = 0; j < out.size; ++j)
    for (std::size_t i = j; i < std::min(out.size, j + width + 1); ++i) out.at(i, j) = a(Index(i), Index(j));
  return out;
}

MatrixXd dense(const Band<double>& a) {
  MatrixXd out = MatrixXd::Zero(Index(a.size), Index(a.size));
  for (std::size_t j = 0; j < a.size; ++j)
    for (std::size_t i = j; i < std::min(a.size, j + a.width + 1); ++i)
      out(Index(i), Index(j)) = out(Index(j), Index(i)) = a.at(i, j);
  return out;
}

Eigen::SparseMatrix<double> sparse(const Band<double>& a) { return dense(a).sparseView(); }

Solved solved(const BoxProblem& problem, const Options& options, Storage storage, const std::vector<double>& start) {
  Options chosen = options;
  chosen.warm_start = !start.empty();
  Workspace work;
  Solved out{{}, start.empty() ? std::vector<double>(problem.size(), std::nan("")) : start};
  out.report = storage == Storage::band
                   ? solve(problem.a, problem.b, problem.lower, problem.upper, chosen, work, out.x)
                   : solve(sparse(problem.a), problem.b, problem.lower, problem.upper, chosen, work, out.x);
  return out;
}

double optimality_error(const BoxProblem& problem, const std::vector<double>& x) {
  if (!in_box(problem, x)) return infinity;
  const MatrixXd a = dense(problem.a);
  const VectorXd scale = a.diagonal().cwiseSqrt(), b = vector(problem.b);
  const VectorXd g = (a * vector(x) - b).cwiseQuotient(scale);
  double worst = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool may_sink = x[i] > problem.lower[i], may_rise = x[i] < problem.upper[i];
    const double slope = g[Index(i)];
    if ((slope > 0.0 && may_sink) || (slope < 0.0 && may_rise)) worst = std::max(worst, std::abs(slope));
  }
  const double unit = b.cwiseQuotient(scale).norm();
  return unit > 0.0 ? worst / unit : worst;
}

namespace {

// The minimum on the face where digit i of `set` says free (0), at lower (1) or at upper (2); empty if it is no point.
std::vector<double> on_face(const BoxProblem& problem, const MatrixXd& a, std::size_t set) {
  std::vector<double> x(problem.size());
  std::vector<Index> free;
  for (std::size_t i = 0; i < x.size(); ++i, set /= 3) {
    if (set % 3 == 0) free.push_back(Index(i));
    x[i] = set % 3 == 0 ? 0.0 : set % 3 == 1 ? problem.lower[i] : problem.upper[i];
    if (!std::isfinite(x[i])) return {};
  }
  const VectorXd right = vector(problem.b) - a * vector(x);
  const VectorXd found = MatrixXd(a(free, free)).ldlt().solve(right(free));
  for (std::size_t f = 0; f < free.size(); ++f) x[std::size_t(free[f])] = found[Index(f)];
  return in_box(problem, x) ? x : std::vector<double>{};
}

}  // namespace

std::vector<double> brute_force(const BoxProblem& problem) {
  const MatrixXd a = dense(problem.a);
  std::vector<double> best;
  double least = infinity;
  std::size_t sets = 1;
  for (std::size_t i = 0; i < problem.size(); ++i) sets *= 3;
  for (std::size_t set = 0; set < sets; ++set) {
    const std::vector<double> x = on_face(problem, a, set);
    if (x.size() != problem.size()) continue;
    const double value = 0.5 * vector(x).dot(a * vector(x)) - vector(problem.b).dot(vector(x));
    if (value < least) least = value, best = x;
  }
  return best;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() ? 0.0 : infinity;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::isfinite(a[i]) ? std::abs(a[i] - b[i]) : infinity);
  return largest;
}

bool in_box(const BoxProblem& problem, std::span<const double> x) {
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!std::isfinite(x[i]) || x[i] < problem.lower[i] || x[i] > problem.upper[i]) return false;
  return true;
}

Options Way::options() const {
  Options options;
  options.method = method;
  options.preconditioner = preconditioner;
  options.expansion = expansion;
  options.jacobi_scaling = scaled;
  return options;
}

std::string Way::name() const {
  std::string out(bcqp::name(method));
  if (method == Method::mprgp) out += "_" + std::string(bcqp::name(preconditioner));
  if (expansion == Expansion::projected_cg) out += "_projected";
  return out + (scaled ? "" : "_unscaled") + (storage == Storage::sparse ? "_sparse" : "");
}

Solved run(const Way& way, const BoxProblem& problem, const std::vector<double>& start) {
  return solved(problem, way.options(), way.storage, start);
}

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const Storage storage : {Storage::band, Storage::sparse})
    for (const bool scaled : {true, false}) {
      for (std::size_t m = 0; m < method_names().size(); ++m)
        if (Method(m) != Method::mprgp) ways.push_back({Method(m), Preconditioner::asc, {}, scaled, storage});
      for (std::size_t p = 0; p < preconditioner_names().size(); ++p)
        ways.push_back({Method::mprgp, Preconditioner(p), {}, scaled, storage});
      ways.push_back({Method::mprgp, Preconditioner::asc, Expansion::projected_cg, scaled, storage});
    }
  return ways;
}

std::vector<Way> ways_of(Method method) {
  std::vector<Way> ways = all_ways();
  std::erase_if(ways, [&](const Way& way) { return way.method != method; });
  return ways;
}

std::vector<Way> solving_ways() {
  std::vector<Way> ways = all_ways();
  std::erase_if(ways, [](const Way& way) { return way.method == Method::penalty; });
  return ways;
}

}  // namespace tendril::bcqp::support
