// libFuzzer entry: any bytes as a contact problem. What is accepted passes its check, comes back the same once it is
// written, and is solved without hanging to impulses that are finite, whatever the outcome. To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3
//     fuzz/contact_problem_fuzz.cpp src/tendril/io/contact_problem_file.cpp
//     $(ls src/tendril/contact/*.cpp src/tendril/contact/local/*.cpp | grep -v kernels.cpp)
//     build/release/libtendril_core.a -lfmt -o contact_problem_fuzz
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tendril/contact/solver.hpp"
#include "tendril/io/contact_problem_file.hpp"

namespace {

using namespace tendril;

void require(bool good) {
  if (!good) std::abort();
}

void check_round_trip(const contact::Problem& problem) {
  const auto again = decode_contact_problem(encode_contact_problem(problem));
  require(bool(again) && again.value().size() == problem.size() && again.value().f == problem.f);
}

void check_solution(const contact::Problem& problem, contact::Solver solver) {
  contact::Options options;
  options.solver = solver, options.max_sweeps = 20;
  const contact::Solution solution = contact::solve(problem, options);
  require(solution.r.size() == problem.size());
  for (const Eigen::Vector3d& r : solution.r) require(r.allFinite());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto problem = decode_contact_problem({reinterpret_cast<const char*>(data), size});
  if (!problem || problem.value().f.size() > 100) return 0;
  require(bool(contact::check(problem.value())));
  check_round_trip(problem.value());
  for (std::size_t solver = 0; solver < contact::solver_count; ++solver)
    check_solution(problem.value(), contact::Solver(solver));
  return 0;
}
