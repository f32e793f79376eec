#include "tendril/contact/contact_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tendril::contact {
namespace {

using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using DenseSide = std::pair<std::int32_t, Eigen::MatrixXd>;  // block, and its three rows

std::vector<std::int32_t> block_of_unknowns(const Problem& problem) {
  std::vector<std::int32_t> block_of;
  for (std::size_t b = 0; b < problem.blocks.size(); ++b)
    block_of.resize(block_of.size() + problem.blocks[b].size, std::int32_t(b));
  return block_of;
}

Eigen::MatrixXd& side_on(std::int32_t block, const Problem& problem, std::vector<DenseSide>& sides) {
  const auto found = std::ranges::find(sides, block, &DenseSide::first);
  if (found != sides.end()) return found->second;
  const auto size = Eigen::Index(problem.blocks[std::size_t(block)].size);
  return sides.emplace_back(block, Eigen::MatrixXd::Zero(3, size)).second;
}

std::vector<DenseSide> sides_of(const Rows& h, std::size_t contact, const std::vector<std::int32_t>& block_of,
                                const Problem& problem) {
  std::vector<DenseSide> sides;
  for (int row = 0; row < 3; ++row)
    for (Rows::InnerIterator it(h, Eigen::Index(3 * contact) + row); it; ++it) {
      if (it.value() == 0.0) continue;
      const std::int32_t block = block_of[std::size_t(it.col())];
      side_on(block, problem, sides)(row, it.col() - Eigen::Index(problem.blocks[std::size_t(block)].first)) =
          it.value();
    }
  return sides;
}

}  // namespace

Eigen::SparseMatrix<double> rows_of(const Problem& problem) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < problem.size(); ++i)
    for (const Side& side : {problem.contacts[i].a, problem.contacts[i].b}) {
      if (side.block == Side::none) continue;
      const std::size_t first = problem.blocks[std::size_t(side.block)].first;
      for (const Entry& entry : problem.entries_of(side))
        for (int row = 0; row < 3; ++row)
          entries.emplace_back(int(3 * i) + row, int(first + entry.unknown), entry.coefficient[row]);
    }
  Eigen::SparseMatrix<double> h(Eigen::Index(3 * problem.size()), Eigen::Index(problem.f.size()));
  h.setFromTriplets(entries.begin(), entries.end());
  return h;
}

Status add_contacts(const Rows& h, std::span<const double> drift, std::span<const double> mu, Problem& problem) {
  const std::vector<std::int32_t> block_of = block_of_unknowns(problem);
  for (std::size_t i = 0; i < mu.size(); ++i) {
    const std::vector<DenseSide> sides = sides_of(h, i, block_of, problem);
    if (sides.size() > 2) return Error{"H", fmt::format("contact {} touches more than two blocks of M", i)};
    Contact contact{{}, {}, {drift[3 * i], drift[3 * i + 1], drift[3 * i + 2]}, mu[i], Law::coulomb};
    if (!sides.empty()) contact.a = problem.add_side(sides[0].first, sides[0].second);
    if (sides.size() == 2) contact.b = problem.add_side(sides[1].first, sides[1].second);
    problem.contacts.push_back(contact);
  }
  return ok();
}

}  // namespace tendril::contact
