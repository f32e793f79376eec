// Many one-step problems by many solvers: Table 2 and figure 11.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/bundle.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::experiments::contact {

// Bundles of hair, all to one tolerance.
struct Batch {
  std::string name;
  std::vector<BundleOptions> problems;
  double kept = 1.0;  // share of the contacts of each
  double tolerance = 1e-3;
  int most_sweeps = 10000;  // the slowest of the plain ones takes 6250 by mfb+enum
};

// As hair has them: 306 bundles of 4 to 60 strands, friction 0.3 and 0.6, three margins of contacts.
Batch plain_batch(bool quick);
// Where local solvers fail: friction of 1 and 1.5, and strands that hardly stretch, so that W_ii are nearly singular
// (condition 10^4 to 10^6). A twentieth of the contacts: with all of them sweeps do not get to 1e-6.
Batch hard_batch(bool quick);
// The same with a friction of 3, where contacts have several solutions each and even exact sweeps may circle.
Batch extreme_batch(bool quick);

struct Contestant {
  std::string name;
  tendril::contact::Options options;
  std::string partner = {};  // the same without the fail-safe
  bool is_exact = true;      // its answers obey Coulomb's law

  bool is_hybrid() const { return !partner.empty(); }
};
// Every local solver in Gauss-Seidel, alone and with the fail-safe; then `auto`.
std::vector<Contestant> contestants(const Batch& batch);

// One solver on all problems.
struct Run {
  Contestant contestant;
  std::vector<int> sweeps = {};
  std::vector<double> errors = {}, milliseconds = {};
  std::vector<char> converged = {};
  std::size_t local_solves = 0, alternated = 0, failed = 0;

  std::size_t over() const;  // problems left above the tolerance
  double mean_sweeps() const, mean_milliseconds() const, worst_error() const;
  double needing_more_than(int count) const;  // share of the problems
};

struct BatchResult {
  Batch batch;
  std::size_t contacts_least = 0, contacts_most = 0;
  std::vector<Run> runs = {};

  const Run& of(const std::string& name) const;
};

// All three; done once, for both the table and the figure.
const std::vector<BatchResult>& all_batches(bool quick);

}  // namespace tendril::experiments::contact
