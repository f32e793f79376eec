// The style sheet of pages and of the charts in them.
#pragma once

#include <string>

namespace tendril::plot {

std::string page_style();

}  // namespace tendril::plot
