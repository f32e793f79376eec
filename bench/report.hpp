// What benchmarks report: numbers by name, and bars with what they must reach.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tendril::bench {

struct Bar {
  std::string name;
  double value = 0.0, bound = 0.0;
  bool at_most = true;  // else at least
  bool holds() const { return at_most ? value <= bound : value >= bound; }
};

struct Report {
  nlohmann::json values = nlohmann::json::object();
  std::vector<Bar> bars;
  std::vector<std::string> lines;  // for people

  nlohmann::json json() const;
};

// Median and half the spread between the quartiles.
struct Statistics {
  double median = 0.0, spread = 0.0;
};
Statistics statistics(std::vector<double> samples);

// The build and the machine, the same for every benchmark.
nlohmann::json environment();

}  // namespace tendril::bench
