// Sections of a page about what was checked: bars of benchmarks, cases of validations, claims of papers. Each adds
// nothing if the report has none.
#pragma once

#include "tendril/plot/page.hpp"
#include "tendril/plot/report.hpp"

namespace tendril::plot {

void add_bars(const Report& report, Page& page);
void add_cases(const Report& report, Page& page);
void add_claims(const Report& report, Page& page);

}  // namespace tendril::plot
