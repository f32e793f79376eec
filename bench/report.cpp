#include "report.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "tendril/base/build_info.hpp"
#include "tendril/linalg/isa.hpp"

namespace tendril::bench {

void Report::say(std::string line) {
  if (listener) listener(line);
  lines.push_back(std::move(line));
}

nlohmann::json Report::json() const {
  nlohmann::json out = values;
  out["command"] = "bench";
  out["bars"] = nlohmann::json::array();
  for (const Bar& bar : bars)
    out["bars"].push_back({{"name", bar.name}, {"value", bar.value}, {"bound", bar.bound}, {"holds", bar.holds()}});
  return out;
}

Statistics statistics(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  return {samples[n / 2], 0.5 * (samples[3 * n / 4] - samples[n / 4])};
}

nlohmann::json environment() {
  double load[1] = {-1.0};
  if (getloadavg(load, 1) != 1) load[0] = -1.0;
  return {{"version", version()},
          {"commit", commit()},
          {"compiler", compiler()},
          {"isa", active_isa_name()},
          {"machine_load", load[0]}};
}

}  // namespace tendril::bench
