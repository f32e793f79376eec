// Charts of a run over its frames. One without series: the report has nothing for it.
#pragma once

#include <vector>

#include "tendril/plot/chart.hpp"
#include "tendril/plot/report.hpp"

namespace tendril::plot {

Chart energies(const Report& report);
Chart total_energy(const Report& report);
Chart force_residual(const Report& report);
// Of runs with contact; else without a series.
Chart contact_count(const Report& report);
Chart contact_error(const Report& report);
Chart penetration(const Report& report);
Chart stretch(const Report& report);
Chart frame_times(const Report& report);
Chart iterations(const Report& report);
Chart retries(const Report& report);

// One chart per unit, since newtons and newton metres have no common axis. A column without a unit is drawn if it
// changes.
std::vector<Chart> probe_charts(const ProbeColumns& probe);

// What charts of frames stand on: "time" or, for costs, "frame"; if there is none, the place in the list.
struct FrameAxis {
  Axis axis;
  std::vector<double> values;
};
FrameAxis time_axis(const Report& report);
FrameAxis number_axis(const Report& report);

// The sum of the stages that the report has per frame, or nothing.
std::vector<double> time_per_frame(const Report& report);

}  // namespace tendril::plot
