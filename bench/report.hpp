// What benchmarks report: numbers by name, and bars with what they must reach.
#pragma once

#include <functional>
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
  std::vector<std::string> lines;                    // for people
  std::function<void(const std::string&)> listener;  // hears lines as they come, if it is there

  void say(std::string line);
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
