// Contact within steps of whole scenes: what it costs beside the strands themselves, and how detection grows.
#pragma once

#include "report.hpp"

namespace tendril::bench {

// `quick`: without the 20 000 strands and without the example.
void add_contact_scenes(bool quick, Report& report);

}  // namespace tendril::bench
