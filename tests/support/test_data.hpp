// Where the reference values of tests are. A function and not a macro on every command line: what is compiled in one
// clone of the repository then serves another from the compiler cache.
#pragma once

#include <string>

namespace tendril {

std::string test_data(const std::string& file);  // path of a file of tests/data

}  // namespace tendril
