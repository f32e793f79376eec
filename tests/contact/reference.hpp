// Reference values of tests/data/coulomb-contact_local.json. Cases of the plane are given a third, idle direction.
#pragma once

#include <string>
#include <vector>

#include "tendril/contact/law.hpp"
#include "tendril/contact/local_problem.hpp"

namespace tendril::contact::reference {

// A function of two vectors: x and y, or r and u.
struct FunctionCase {
  int dimension;  // entries beyond it are not in the reference
  std::string variant;
  Vector3d first, second, value;
  Matrix3d by_first, by_second;
  double mu, rho, rho_tangential;
};

struct LocalCase {
  std::string name;
  LocalProblem problem;
  Vector3d r, u;
  std::vector<Vector3d> all_r;
  std::vector<double> quartic, positive_roots, admissible_roots;
};

struct RootCase {
  std::vector<double> coefficients, roots;
  double low, high;
};

std::vector<FunctionCase> fischer_burmeister_cases();
std::vector<FunctionCase> law_cases();
std::vector<FunctionCase> alart_curnier_cases();
std::vector<LocalCase> space_cases();
std::vector<LocalCase> plane_cases();
std::vector<LocalCase> singular_cases();
LocalCase spurious_root_case();
LocalCase three_solutions_case();
std::vector<RootCase> root_cases();

}  // namespace tendril::contact::reference
