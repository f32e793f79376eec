#include "contact/reference.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/test_data.hpp"

namespace tendril::contact::reference {
namespace {

using nlohmann::json;

const json& data() {
  static const json read = json::parse(std::ifstream(test_data("coulomb-contact_local.json")));
  return read;
}

Vector3d vector(const json& values) {
  Vector3d out = Vector3d::Zero();
  for (std::size_t i = 0; i < values.size(); ++i) out[Eigen::Index(i)] = values[i];
  return out;
}

Matrix3d matrix(const json& rows) {
  Matrix3d out = Matrix3d::Zero();
  for (std::size_t i = 0; i < rows.size(); ++i) out.row(Eigen::Index(i)) = vector(rows[i]).transpose();
  return out;
}

std::vector<double> list(const json& from, const char* key) { return from.value(key, std::vector<double>{}); }

std::vector<FunctionCase> functions(const char* key, const char* first, const char* second, const char* by_first,
                                    const char* by_second) {
  std::vector<FunctionCase> out;
  for (const json& from : data()[key]) {
    const double rho = from.value("rho", from.value("rho_N", 0.0));
    out.push_back({int(from[first].size()), from.value("variant", ""), vector(from[first]), vector(from[second]),
                   vector(from["f"]), matrix(from[by_first]), matrix(from[by_second]), from.value("mu", 0.0), rho,
                   from.value("rho_T", 0.0)});
  }
  return out;
}

LocalCase local(const json& from) {
  LocalCase out;
  out.name = from.value("name", from.value("case", ""));
  out.problem = {matrix(from["W"]), vector(from["b"]), from["mu"]};
  if (from["b"].size() == 2) out.problem.w(2, 2) = out.problem.w(1, 1);
  out.r = vector(from.value("r", json::array()));
  out.u = vector(from.value("u", json::array()));
  for (const json& r : from.value("all_r", json::array())) out.all_r.push_back(vector(r));
  out.quartic = list(from, "P");
  out.positive_roots = list(from, "positive_roots");
  out.admissible_roots = list(from, "admissible");
  return out;
}

std::vector<LocalCase> locals(const char* key) {
  std::vector<LocalCase> out;
  for (const json& from : data()[key]) out.push_back(local(from));
  return out;
}

}  // namespace

std::vector<FunctionCase> fischer_burmeister_cases() { return functions("fb", "x", "y", "df_dx", "df_dy"); }
std::vector<FunctionCase> law_cases() { return functions("mfb", "r", "u", "df_dr", "df_du"); }
std::vector<FunctionCase> alart_curnier_cases() { return functions("ac", "r", "u", "df_dr", "df_du"); }
std::vector<LocalCase> space_cases() { return locals("local3"); }
std::vector<LocalCase> plane_cases() { return locals("local2"); }
std::vector<LocalCase> singular_cases() { return locals("singular"); }
LocalCase spurious_root_case() { return local(data()["quartic"]["spur"]); }
LocalCase three_solutions_case() { return local(data()["quartic"]["multi"]); }

std::vector<RootCase> root_cases() {
  std::vector<RootCase> out;
  for (const json& from : data()["real_roots"])
    out.push_back({list(from, "coeffs_low_to_high"), list(from, "roots"), from["interval"][0], from["interval"][1]});
  return out;
}

}  // namespace tendril::contact::reference
