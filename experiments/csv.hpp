// Charts and tables of experiments as CSV (RFC 4180: quotes where a cell has a comma, a quote or a line break).
#pragma once

#include <string>

#include "tendril/plot/chart.hpp"
#include "tendril/plot/table.hpp"

namespace tendril::experiments {

// series,x,y with the titles of the axes in the header; every value, in full.
std::string to_csv(const plot::Chart& chart);
std::string to_csv(const plot::Table& table);

}  // namespace tendril::experiments
