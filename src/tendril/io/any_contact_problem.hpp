// Contact problems as files of any format, chosen by the extension: .json (contact_problem_file.hpp), .h5 or .hdf5
// (fclib_file.hpp).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "tendril/io/fclib_file.hpp"

namespace tendril {

// All of a file: several if it is a collection.
Result<std::vector<AnyContactProblem>> read_any_contact_problems(const std::filesystem::path& path);
// One of them, counted from 0; nothing: the only one.
Result<AnyContactProblem> read_any_contact_problem(const std::filesystem::path& path,
                                                   std::optional<std::size_t> which = {});

// As .h5 by W, with its solution if there is one; as .json by M, f and H, so that a problem given by W is refused.
Status write_any_contact_problem(const std::filesystem::path& path, const AnyContactProblem& problem,
                                 const contact::Solution* solution = nullptr);

bool is_fclib_path(const std::filesystem::path& path);

}  // namespace tendril
