// The numbers behind a chart as a table, for screen readers and for copying.
#pragma once

#include "tendril/plot/bar_chart.hpp"
#include "tendril/plot/chart.hpp"
#include "tendril/plot/table.hpp"

namespace tendril::plot {

// At most about this many rows, evenly spread over the data; the caption says so.
inline constexpr std::size_t most_data_rows = 200;

// Series over the same x values share rows; others follow each other, with the series' name in the first column.
Table data_table(const Chart& chart);
Table data_table(const BarChart& chart);

}  // namespace tendril::plot
