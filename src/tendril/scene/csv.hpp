// Lines of numbers with commas between them, as spreadsheets and animation programs write them. Empty lines and lines
// that begin with # are skipped; blanks around numbers, a carriage return at the end of a line and a byte order mark at
// the beginning do no harm.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril {

// Hands every line to `read`, which says what is wrong with it, or nothing; the error then names file and line.
Status for_each_csv_line(std::string_view text, const std::string& filename,
                         const std::function<std::optional<std::string>(std::string_view line)>& read);

// A finite number for each column of the header "a,b,c"; what is wrong with the line otherwise.
std::optional<std::string> csv_numbers(std::string_view line, std::string_view header, std::vector<double>& out);

// The line is the header "a,b,c", but for blanks.
bool is_csv_header(std::string_view line, std::string_view header);

}  // namespace tendril
