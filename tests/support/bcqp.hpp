// What the tests of box-constrained quadratic programs share: problems, ways to solve them, and judges that know only
// dense algebra and the definition of the problem.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <string>
#include <vector>

#include "tendril/base/random.hpp"
#include "tendril/linalg/bcqp/bcqp.hpp"

namespace tendril::bcqp::support {

struct BoxProblem {
  Band<double> a;
  std::vector<double> b, lower, upper;
  std::size_t size() const { return b.size(); }
};

// The problems of the reference files, with what is known about them.
struct Reference {
  BoxProblem problem;
  std::vector<double> x;
};
Reference reference_of_12();   // band of 4, random
Reference reference_of_196();  // band of 21: parameters of a strand, badly scaled

std::vector<double> numbers(const std::string& file, const std::string& key);  // `key` may be "a/b"

// A = L D Lᵀ with a random banded L and D in [1, spread], its rows and columns scaled by up to e^±skew. One in ten
// entries each is without lower bound, without upper one, without both, and fixed.
BoxProblem random_problem(Random& random, std::size_t n, std::size_t width, double spread = 10.0, double skew = 1.0);

Band<double> band_of(const Eigen::MatrixXd& a, std::size_t width);
Eigen::MatrixXd dense(const Band<double>& a);
Eigen::SparseMatrix<double> sparse(const Band<double>& a);

struct Solved {
  Report report;
  std::vector<double> x;
};
enum class Storage { band, sparse };
Solved solved(const BoxProblem& problem, const Options& options, Storage storage = Storage::band,
              const std::vector<double>& start = {});

// Largest violation of the optimality conditions, in the unit of D^-1/2 b; a point outside of the box is infinitely
// bad.
double optimality_error(const BoxProblem& problem, const std::vector<double>& x);

// The minimum by trying all 3^n sets of active bounds.
std::vector<double> brute_force(const BoxProblem& problem);

double largest_difference(const std::vector<double>& a, const std::vector<double>& b);
bool in_box(const BoxProblem& problem, std::span<const double> x);

// A method as users choose it.
struct Way {
  Method method = Method::automatic;
  Preconditioner preconditioner = Preconditioner::asc;
  Expansion expansion = Expansion::fixed_step;
  bool scaled = true;
  Storage storage = Storage::band;

  Options options() const;
  std::string name() const;
};
Solved run(const Way& way, const BoxProblem& problem, const std::vector<double>& start = {});
std::vector<Way> all_ways();  // of every method and preconditioner, on both matrices, scaled and not
std::vector<Way> ways_of(Method method);
std::vector<Way> solving_ways();  // those that end in the box: all but penalty

}  // namespace tendril::bcqp::support
