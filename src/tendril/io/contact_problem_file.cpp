#include "tendril/io/contact_problem_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "tendril/io/atomic_file.hpp"

namespace tendril {
namespace {

using contact::Problem;
using contact::Side;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using nlohmann::json;

// Reads arrays of one object; the first thing that is wrong stands in `error`, and everything after it is empty.
struct Reader {
  const json& object;
  std::optional<Error> error;

  void refuse(const std::string& key, std::string what) {
    if (!error) error = Error{key, std::move(what)};
  }

  const json& at(const char* key) {
    static const json nothing = json::array();
    const auto found = object.find(key);
    if (found != object.end() && found->is_array()) return *found;
    refuse(key, found == object.end() ? "is missing" : "must be an array");
    return nothing;
  }

  double number(const json& value, const char* key) {
    if (value.is_number()) return value.get<double>();
    refuse(key, "must hold numbers alone");
    return 0.0;
  }

  // The numbers of an array, or of an array of arrays, in order.
  void flatten(const json& value, const char* key, int depth, std::vector<double>& out) {
    if (!value.is_array()) return out.push_back(number(value, key));
    if (depth == 0) return refuse(key, "is nested too deeply");
    for (const json& part : value) flatten(part, key, depth - 1, out);
  }
  std::vector<double> flat(const char* key) {
    std::vector<double> out;
    flatten(at(key), key, 2, out);
    return out;
  }

  MatrixXd matrix(const json& rows, const char* key) {
    if (!rows.is_array()) return refuse(key, "must hold rows of numbers"), MatrixXd();
    const std::size_t columns = !rows.empty() && rows[0].is_array() ? rows[0].size() : 0;
    MatrixXd out = MatrixXd::Zero(Index(rows.size()), Index(columns));
    for (std::size_t r = 0; !error && r < rows.size(); ++r) {
      if (!rows[r].is_array() || rows[r].size() != columns) {
        refuse(key, fmt::format("row {} must have {} numbers, as the first one", r, columns));
        break;
      }
      for (std::size_t c = 0; c < columns; ++c) out(Index(r), Index(c)) = number(rows[r][c], key);
    }
    return out;
  }
};

bool is_list_of_matrices(const json& value) {
  return !value.empty() && value[0].is_array() && !value[0].empty() && value[0][0].is_array();
}

// Blocks take their parts of f one after the other.
struct BlockReader {
  Reader& in;
  Problem& problem;
  const std::vector<double> f = in.flat("f");
  std::size_t used = 0;

  void add(const json& rows, const char* key, contact::Given given) {
    const MatrixXd matrix = in.matrix(rows, key);
    const Index size = matrix.rows();
    if (matrix.cols() != size)
      return in.refuse(key,
                       fmt::format("block {} has {} rows of {} numbers", problem.blocks.size(), size, matrix.cols()));
    if (used + std::size_t(size) > f.size())
      return in.refuse("f", fmt::format("has {} numbers, fewer than {} has rows", f.size(), key));
    const Eigen::Map<const VectorXd> part(f.data() + used, size);
    given == contact::Given::matrix ? problem.add_block(matrix, part) : problem.add_compliance(matrix, part);
    used += std::size_t(size);
  }
};

// `M` alone, or one of `M` and `compliance` for each block and null in the other.
void read_blocks(Reader& in, Problem& problem) {
  BlockReader blocks{in, problem};
  if (!in.object.contains("compliance")) {
    const json& m = in.at("M");
    if (!is_list_of_matrices(m)) blocks.add(m, "M", contact::Given::matrix);
    for (std::size_t b = 0; is_list_of_matrices(m) && b < m.size() && !in.error; ++b)
      blocks.add(m[b], "M", contact::Given::matrix);
  } else {
    const json &m = in.at("M"), &c = in.at("compliance");
    if (m.size() != c.size()) in.refuse("compliance", fmt::format("has {} blocks, M has {}", c.size(), m.size()));
    for (std::size_t b = 0; b < c.size() && !in.error; ++b)
      c[b].is_null() ? blocks.add(m[b], "M", contact::Given::matrix)
                     : blocks.add(c[b], "compliance", contact::Given::inverse);
  }
  if (blocks.used != blocks.f.size())
    in.refuse("f", fmt::format("has {} numbers, the blocks have {} rows", blocks.f.size(), blocks.used));
}

std::int32_t block_at(Reader& in, const char* key, const std::vector<double>& blocks, std::size_t i,
                      std::size_t count) {
  const double block = i < blocks.size() ? blocks[i] : -2.0;
  if (block >= -1.0 && block < double(count) && block == std::floor(block)) return std::int32_t(block);
  in.refuse(key, fmt::format("must name a block for contact {}, from 0 to {}, or -1", i, count - 1));
  return Side::none;
}

// Per contact: which blocks, and what it sees of them.
void read_sides(Reader& in, Problem& problem) {
  const std::vector<double> oa = in.flat("oa"), ob = in.flat("ob");
  const json &ha = in.at("Ha"), &hb = in.at("Hb");
  for (std::size_t i = 0; !in.error && i < problem.size(); ++i) {
    const auto side = [&](const char* key, const json& all, std::int32_t block) -> Side {
      if (block == Side::none || in.error) return {};
      if (i >= all.size()) return in.refuse(key, fmt::format("has nothing for contact {}", i)), Side{};
      const MatrixXd rows = in.matrix(all[i], key);
      if (rows.rows() != 3 || std::size_t(rows.cols()) > problem.blocks[std::size_t(block)].size)
        return in.refuse(key, fmt::format("of contact {} must be 3 rows of the size of its block", i)), Side{};
      return problem.add_side(block, rows);
    };
    problem.contacts[i].a = side("Ha", ha, block_at(in, "oa", oa, i, problem.blocks.size()));
    problem.contacts[i].b = side("Hb", hb, block_at(in, "ob", ob, i, problem.blocks.size()));
  }
}

// "contact" or "joint", for each.
void read_laws(Reader& in, Problem& problem) {
  const json& laws = in.at("law");
  if (laws.size() != problem.size())
    return in.refuse("law", fmt::format("has {} words for {} contacts", laws.size(), problem.size()));
  for (std::size_t i = 0; i < laws.size(); ++i) {
    if (laws[i] != "joint" && laws[i] != "contact")
      return in.refuse("law", fmt::format("of contact {} must be \"contact\" or \"joint\"", i));
    if (laws[i] == "joint") problem.contacts[i].law = contact::Law::bilateral;
  }
}

// One matrix, for problems with one block.
void read_rows(Reader& in, Problem& problem) {
  const MatrixXd h = in.matrix(in.at("H"), "H");
  if (problem.blocks.size() != 1) return in.refuse("H", "is for one block; give oa, ob, Ha and Hb for several");
  if (h.rows() != Index(3 * problem.size()) || (h.rows() > 0 && h.cols() != Index(problem.f.size())))
    return in.refuse("H", fmt::format("must be {} x {}", 3 * problem.size(), problem.f.size()));
  for (std::size_t i = 0; i < problem.size(); ++i)
    problem.contacts[i].a = problem.add_side(0, h.middleRows(Index(3 * i), 3));
}

json rows_of(const Eigen::Ref<const MatrixXd>& matrix) {
  json rows = json::array();
  for (Index r = 0; r < matrix.rows(); ++r) {
    json row = json::array();
    for (Index c = 0; c < matrix.cols(); ++c) row.push_back(matrix(r, c));
    rows.push_back(std::move(row));
  }
  return rows;
}

MatrixXd dense(const Problem& problem, const Side& side) {
  if (side.block == Side::none) return MatrixXd::Zero(3, 0);
  MatrixXd rows = MatrixXd::Zero(3, Index(problem.blocks[std::size_t(side.block)].size));
  for (const contact::Entry& entry : problem.entries_of(side)) rows.col(Index(entry.unknown)) += entry.coefficient;
  return rows;
}

Result<Problem> problem_of(const json& object) {
  if (!object.is_object()) return Error{"problem", "is not a JSON object"};
  Reader in{object, {}};
  Problem problem;
  read_blocks(in, problem);
  const std::vector<double> mu = in.flat("mu"), w = in.flat("w");
  if (w.size() != 3 * mu.size())
    in.refuse("w", fmt::format("has {} numbers; {} contacts need {}", w.size(), mu.size(), 3 * mu.size()));
  if (in.error) return *in.error;
  for (std::size_t i = 0; i < mu.size(); ++i)
    problem.contacts.push_back({{}, {}, {w[3 * i], w[3 * i + 1], w[3 * i + 2]}, mu[i], contact::Law::coulomb});
  if (object.contains("law")) read_laws(in, problem);
  if (object.contains("Ha"))
    read_sides(in, problem);
  else
    read_rows(in, problem);
  if (in.error) return *in.error;
  if (Status status = contact::check(problem); !status) return status.error();
  return problem;
}

bool is_collection(const json& object) { return object.is_object() && object.contains("problems"); }

Result<std::vector<Problem>> problems_of(const json& object) {
  if (!object["problems"].is_array()) return Error{"problems", "must be an array"};
  std::vector<Problem> problems;
  for (const json& entry : object["problems"]) {
    Result<Problem> problem = problem_of(entry.is_object() && entry.contains("data") ? entry["data"] : entry);
    if (!problem) return Error{fmt::format("problem {}", problems.size()), problem.error().message()};
    problems.push_back(std::move(problem.value()));
  }
  return problems;
}

}  // namespace

Result<Problem> decode_contact_problem(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (is_collection(object)) return Error{"problems", "is a collection; this reads one problem"};
  return problem_of(object);
}

Result<std::vector<Problem>> decode_contact_problems(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (is_collection(object)) return problems_of(object);
  Result<Problem> problem = problem_of(object);
  if (!problem) return problem.error();
  return std::vector{std::move(problem.value())};
}

Result<std::vector<Problem>> read_contact_problems(const std::filesystem::path& path) {
  Result<std::string> text = read_text(path, std::uint64_t{1} << 32);
  if (!text) return text.error();
  Result<std::vector<Problem>> problems = decode_contact_problems(text.value());
  if (!problems) return Error{path.string(), problems.error().message()};
  return problems;
}

std::string encode_contact_problem(const Problem& problem) {
  json out = {{"M", json::array()},  {"f", json::array()},  {"oa", json::array()}, {"ob", json::array()},
              {"Ha", json::array()}, {"Hb", json::array()}, {"w", json::array()},  {"mu", json::array()}};
  json compliance = json::array(), laws = json::array();
  bool any_inverse = false, any_joint = false;
  for (const contact::Block& block : problem.blocks) {
    const bool is_inverse = block.given == contact::Given::inverse;
    (is_inverse ? compliance : out["M"]).push_back(rows_of(problem.matrix(block)));
    (is_inverse ? out["M"] : compliance).push_back(nullptr);
    const auto f = problem.right(block);
    out["f"].push_back(std::vector<double>(f.begin(), f.end()));
    any_inverse = any_inverse || is_inverse;
  }
  if (any_inverse) out["compliance"] = std::move(compliance);
  for (const contact::Contact& contact : problem.contacts) {
    out["oa"].push_back(contact.a.block), out["ob"].push_back(contact.b.block);
    out["Ha"].push_back(rows_of(dense(problem, contact.a))), out["Hb"].push_back(rows_of(dense(problem, contact.b)));
    out["w"].push_back({contact.drift[0], contact.drift[1], contact.drift[2]}), out["mu"].push_back(contact.mu);
    laws.push_back(contact.law == contact::Law::bilateral ? "joint" : "contact");
    any_joint = any_joint || contact.law == contact::Law::bilateral;
  }
  if (any_joint) out["law"] = std::move(laws);
  return out.dump() + "\n";
}

}  // namespace tendril
