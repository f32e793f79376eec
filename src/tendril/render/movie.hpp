// Pictures in a row made into a film, by the program ffmpeg if the machine has it.
#pragma once

#include <filesystem>
#include <string>

#include "tendril/base/error.hpp"

namespace tendril::render {

// An error says what is missing; to be asked before the work of drawing.
Status can_make_movies();

// `pattern` is a file name with %0Nd for the number; pictures are numbered in steps of 1 from `first`. The film appears
// under its name when it is whole.
Status make_movie(const std::string& pattern, int first, double fps, const std::filesystem::path& out);

}  // namespace tendril::render
