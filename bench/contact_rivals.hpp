// Gauss-Seidel of others, to compare with: without any order among threads, and that of Siconos.
#pragma once

#include "contact_runs.hpp"
#include "report.hpp"

namespace tendril::bench {

// Sweeps in which threads do not wait for each other: what the same bits for every number of threads cost. The rival
// changes velocities from two threads at once and loses some changes; it is no part of the product.
void add_unordered(const ContactCase& c, int rounds, nlohmann::json& values, Report& report);

// NSGS of Siconos on the same problem, by bench/siconos_nsgs.py; a line says so if it is not installed. `values`
// has what ours take.
void add_siconos(const ContactCase& c, nlohmann::json& values, Report& report);

}  // namespace tendril::bench
