// Frictional contact problems as JSON (docs/contact-problems.md): an object with M, f, H, w and mu. M is one matrix, or
// a list of one per block; `compliance` is a list of the inverses of those blocks for which M has null. H is one
// matrix, or per contact the blocks `oa` and `ob` (-1: none) and what they see, `Ha` and `Hb`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tendril/base/error.hpp"
#include "tendril/contact/problem.hpp"

namespace tendril {

// Of a file of 4 GB at most. What comes back has passed contact::check().
Result<contact::Problem> read_contact_problem(const std::filesystem::path& path);
Result<contact::Problem> decode_contact_problem(std::string_view text);

std::string encode_contact_problem(const contact::Problem& problem);

}  // namespace tendril
