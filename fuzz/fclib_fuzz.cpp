// libFuzzer entry: any bytes as a contact problem in the layout of FCLIB. It is read without HDF5's library, so that
// any bytes may be tried. What is accepted comes back with the same bytes once it is written, and is solved without
// hanging to impulses that are finite, whatever the outcome. To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3
//     -isystem /usr/include/hdf5/serial fuzz/fclib_fuzz.cpp
//     src/tendril/io/{fclib_file,plain_hdf5,hdf5_file}.cpp src/tendril/contact/*.cpp src/tendril/contact/local/*.cpp
//     build/release/libtendril_core.a -lfmt -lhdf5_serial -o fclib_fuzz
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <variant>
#include <vector>

#include "tendril/io/fclib_file.hpp"

namespace {

using namespace tendril;

void require(bool good) {
  if (!good) std::abort();
}

template <class Problem>
contact::Solution check_solution(const Problem& problem) {
  contact::Options options;
  options.max_sweeps = 20;
  contact::Solution solution = contact::solve(problem, options);
  require(solution.r.size() == problem.size());
  for (const Eigen::Vector3d& r : solution.r) require(r.allFinite());
  return solution;
}

void judge(const contact::Problem& problem) {
  require(bool(contact::check(problem)));
  check_solution(problem);
}

void judge(const contact::ExplicitDelassus& problem) {
  const contact::Solution solution = check_solution(problem);
  const std::vector<std::byte> bytes = encode_fclib(problem, &solution).value();
  const Result<AnyContactProblem> back = decode_fclib(bytes, "fuzz.h5");
  require(bool(back));
  require(encode_fclib(std::get<contact::ExplicitDelassus>(back.value()), &solution).value() == bytes);
}

bool is_small(const contact::Problem& problem) { return problem.size() <= 100 && problem.f.size() <= 100; }
bool is_small(const contact::ExplicitDelassus& problem) { return problem.size() <= 100; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<AnyContactProblem> problem = decode_fclib(std::as_bytes(std::span(data, size)), "fuzz.h5");
  if (!problem) {
    require(!problem.error().where.empty() && !problem.error().what.empty());
    return 0;
  }
  const auto judge_if_small = [](const auto& given) {
    if (is_small(given)) judge(given);
  };
  std::visit(judge_if_small, problem.value());
  return 0;
}
