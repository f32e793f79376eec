// Frictional contact problems as JSON (docs/contact-problems.md): an object with M, f, H, w and mu. M is one matrix, or
// a list of one per block; `compliance` is a list of the inverses of those blocks for which M has null. H is one
// matrix, or per contact the blocks `oa` and `ob` (-1: none) and what they see, `Ha` and `Hb`. `law` tells joints from
// contacts. A collection is an object with `problems`: an array of such objects, each by itself or under the key
// `data` of another one, which may say more of it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/contact/problem.hpp"

namespace tendril {

// All problems of a file of 4 GB at most: one, if it is no collection. What comes back has passed contact::check().
Result<std::vector<contact::Problem>> read_contact_problems(const std::filesystem::path& path);
Result<std::vector<contact::Problem>> decode_contact_problems(std::string_view text);
Result<contact::Problem> decode_contact_problem(std::string_view text);  // refuses collections

std::string encode_contact_problem(const contact::Problem& problem);

}  // namespace tendril
