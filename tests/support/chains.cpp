#include "support/chains.hpp"

#include <algorithm>
#include <fstream>
#include <limits>

#include "support/test_data.hpp"

namespace tendril::testing {

nlohmann::json chain_reference(const std::string& name) {
  return nlohmann::json::parse(std::ifstream(test_data("chain-projection_" + name + ".json")));
}

std::vector<Vector3d> vectors(const nlohmann::json& rows) {
  std::vector<Vector3d> out;
  for (const nlohmann::json& row : rows) out.emplace_back(row[0], row[1], row[2]);
  return out;
}

ChainCase chain_case(const nlohmann::json& from) {
  ChainCase made;
  made.prediction = vectors(from["p"]);
  if (!from["x0"].is_null()) made.start = vectors(from["x0"]);
  made.inverse_mass = from["w"].get<std::vector<double>>();
  made.length = from["l"].get<std::vector<double>>();
  made.offsets = {0, std::uint32_t(made.prediction.size())};
  return made;
}

chain::Options tight() {
  chain::Options options;
  options.tolerance = 1e-12, options.max_iterations = 400;
  return options;
}

double apart(std::span<const Vector3d> a, std::span<const Vector3d> b) {
  double most = a.size() == b.size() ? 0.0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

}  // namespace tendril::testing
