// Words and numbers as charts and pages write them: text that is safe inside XML, numbers that are short.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tendril::plot {

// For element content and attribute values alike. Bytes that are not UTF-8, and characters that XML does not allow even
// as references (most control characters), become U+FFFD: names come from files and may hold anything.
std::string escaped(std::string_view text);

// How many characters, and the first `most` of them with an ellipsis in place of the rest. Bytes that are not UTF-8
// count as one character each.
std::size_t characters(std::string_view text);
std::string shortened(std::string_view text, std::size_t most);

// "0.001234", "1.2e-6", "-3e5", "nan": at most `digits` digits, no zeros that say nothing.
std::string number_text(double value, int digits = 4);
// Whole numbers up to 2^53 with thin spaces between thousands, others as number_text.
std::string count_text(double value);
// "1 value", "3 values"
std::string counted(std::size_t count, std::string_view noun);

// A coordinate of the drawing: tenths of a pixel are finer than the eye, and keep the drawing small.
std::string pixels(double value);

// "energy [J]", or "strain" where there is no unit.
std::string with_unit(std::string_view name, std::string_view unit);

}  // namespace tendril::plot
