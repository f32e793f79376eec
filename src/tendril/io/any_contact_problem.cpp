#include "tendril/io/any_contact_problem.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "tendril/contact/block_inverses.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/contact_problem_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;
using contact::ExplicitDelassus;
using contact::Problem;

using Problems = std::vector<AnyContactProblem>;

Result<Problems> read_fclib(const fs::path& path) {
  const Result<std::vector<std::byte>> bytes = read_bytes(path);
  if (!bytes) return bytes.error();
  Result<AnyContactProblem> problem = decode_fclib(bytes.value(), path.string());
  if (!problem) return problem.error();
  return Problems{std::move(problem.value())};
}

Result<Problems> read_json(const fs::path& path) {
  Result<std::vector<Problem>> problems = read_contact_problems(path);
  if (!problems) return problems.error();
  return Problems(std::make_move_iterator(problems.value().begin()), std::make_move_iterator(problems.value().end()));
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

Result<std::vector<AnyContactProblem>> read_any_contact_problems(const fs::path& path) {
  if (is_fclib_path(path)) return read_fclib(path);
  if (path.extension() == ".json") return read_json(path);
  return unknown_format(path);
}

Result<AnyContactProblem> read_any_contact_problem(const fs::path& path, std::optional<std::size_t> which) {
  Result<Problems> problems = read_any_contact_problems(path);
  if (!problems) return problems.error();
  const std::size_t count = problems.value().size();
  if (!which && count != 1)
    return Error{path.string(), fmt::format("holds {} problems; say which one, counted from 0", count)};
  if (which.value_or(0) >= count)
    return Error{path.string(), fmt::format("holds {} problems, counted from 0; {} is not one of them", count, *which)};
  return std::move(problems.value()[which.value_or(0)]);
}

Status write_any_contact_problem(const fs::path& path, const AnyContactProblem& problem,
                                 const contact::Solution* solution) {
  if (is_fclib_path(path)) return write_fclib(path, problem, solution);
  if (path.extension() == ".json") return write_json(path, problem);
  return unknown_format(path);
}

}  // namespace tendril
