// Frames on the command line: "12" or "1:60", both ends included, counted from 1.
#pragma once

#include <string>

#include "tendril/base/error.hpp"

namespace tendril::app {

struct FrameRange {
  int first = 1, last = 1;
};

Result<FrameRange> parse_frames(const std::string& text, const std::string& option = "--frames");

}  // namespace tendril::app
