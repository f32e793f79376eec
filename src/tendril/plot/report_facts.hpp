// The numbers of a report that stand at the top of its page.
#pragma once

#include <string>
#include <vector>

#include "tendril/plot/page.hpp"
#include "tendril/plot/report.hpp"

namespace tendril::plot {

// Of a run the ones worth a look, in a fixed order; of other reports all that there are.
std::vector<Fact> facts_of(const Report& report);

// The name that the report has, or else what it is a report of.
std::string title_of(const Report& report);

// "ns_per_vertex_step" -> "ns per vertex step"
std::string words(std::string key);

}  // namespace tendril::plot
