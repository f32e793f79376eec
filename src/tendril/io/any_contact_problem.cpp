#include "tendril/io/any_contact_problem.hpp"

#include <fmt/format.h>

#include "tendril/contact/block_inverses.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/contact_problem_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;
using contact::ExplicitDelassus;
using contact::Problem;

Result<AnyContactProblem> read_fclib(const fs::path& path) {
  const Result<std::vector<std::byte>> bytes = read_bytes(path);
  if (!bytes) return bytes.error();
  return decode_fclib(bytes.value(), path.string());
}

Result<AnyContactProblem> read_json(const fs::path& path) {
  Result<Problem> problem = read_contact_problem(path);
  if (!problem) return problem.error();
  return AnyContactProblem(std::move(problem.value()));
}

Result<ExplicitDelassus> delassus_of(const AnyContactProblem& problem) {
  if (const auto* given = std::get_if<ExplicitDelassus>(&problem)) return *given;
  const Problem& by_blocks = std::get<Problem>(problem);
  if (!contact::BlockInverses(by_blocks).is_definite()) return Error{"M", "is not positive definite"};
  return ExplicitDelassus(by_blocks);
}

Status write_fclib(const fs::path& path, const AnyContactProblem& problem, const contact::Solution* solution) {
  const Result<ExplicitDelassus> delassus = delassus_of(problem);
  if (!delassus) return Error{path.string(), delassus.error().message()};
  const Result<std::vector<std::byte>> bytes = encode_fclib(delassus.value(), solution);
  if (!bytes) return Error{path.string(), bytes.error().message()};
  return write_file(path, bytes.value());
}

Status write_json(const fs::path& path, const AnyContactProblem& problem) {
  const auto* given = std::get_if<Problem>(&problem);
  if (given == nullptr) return Error{path.string(), "the problem is given by W, and JSON has M, f and H; write .h5"};
  return write_file(path, encode_contact_problem(*given));
}

Error unknown_format(const fs::path& path) {
  return {path.string(), fmt::format("'{}' is not a format of contact problems; there are .json, .h5 and .hdf5",
                                     path.extension().string())};
}

}  // namespace

bool is_fclib_path(const fs::path& path) { return path.extension() == ".h5" || path.extension() == ".hdf5"; }

Result<AnyContactProblem> read_any_contact_problem(const fs::path& path) {
  if (is_fclib_path(path)) return read_fclib(path);
  if (path.extension() == ".json") return read_json(path);
  return unknown_format(path);
}

Status write_any_contact_problem(const fs::path& path, const AnyContactProblem& problem,
                                 const contact::Solution* solution) {
  if (is_fclib_path(path)) return write_fclib(path, problem, solution);
  if (path.extension() == ".json") return write_json(path, problem);
  return unknown_format(path);
}

}  // namespace tendril
