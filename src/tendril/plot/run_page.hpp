// Pages of reports: every section that the report has data for, and no others.
#pragma once

#include <span>

#include "tendril/base/error.hpp"
#include "tendril/plot/page.hpp"
#include "tendril/plot/report.hpp"

namespace tendril::plot {

Page report_page(const Report& report);

// Several runs side by side: the same charts with one series per run. An error names a report that is not of a run.
Result<Page> comparison_page(std::span<const Report> reports);

}  // namespace tendril::plot
