#include "tendril/contact/problem.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tendril::contact {
namespace {

Status check_block(const Problem& problem, std::size_t b) {
  const Block& block = problem.blocks[b];
  const auto n = Eigen::Index(block.size);
  if (block.matrix.rows() != n || block.matrix.cols() != n)
    return Error{"M", fmt::format("block {} has {} unknowns, but a matrix of {} x {}", b, n, block.matrix.rows(),
                                  block.matrix.cols())};
  if (Eigen::Index(block.first + block.size) > problem.f.size())
    return Error{"f", fmt::format("has {} entries, block {} needs {}", problem.f.size(), b, block.first + block.size)};
  if (!block.matrix.allFinite()) return Error{"M", fmt::format("block {} is not finite", b)};
  const double scale = block.matrix.size() > 0 ? block.matrix.cwiseAbs().maxCoeff() : 0.0;
  if ((block.matrix - block.matrix.transpose()).cwiseAbs().sum() > 1e-8 * scale * double(n))
    return Error{"M", fmt::format("block {} is not symmetric", b)};
  return ok();
}

Status check_side(const Problem& problem, std::size_t contact, const Side& side) {
  if (side.block == Side::none) return ok();
  if (side.block < 0 || std::size_t(side.block) >= problem.blocks.size())
    return Error{"contacts",
                 fmt::format("contact {} names block {}, there are {}", contact, side.block, problem.blocks.size())};
  if (std::size_t(side.first) + side.count > problem.entries.size())
    return Error{"contacts", fmt::format("contact {} has entries that are not there", contact)};
  for (const Entry& entry : problem.entries_of(side)) {
    if (entry.unknown >= problem.blocks[std::size_t(side.block)].size)
      return Error{"H", fmt::format("contact {} names unknown {} of block {}, which has {}", contact, entry.unknown,
                                    side.block, problem.blocks[std::size_t(side.block)].size)};
    if (!entry.coefficient.allFinite()) return Error{"H", fmt::format("contact {} is not finite", contact)};
  }
  return ok();
}

}  // namespace

void Problem::add_block(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right) {
  const Eigen::Index first = f.size();
  f.conservativeResize(first + right.size());
  f.tail(right.size()) = right;
  blocks.push_back({std::size_t(first), std::size_t(right.size()), matrix});
}

Side Problem::add_side(std::int32_t block, const Eigen::MatrixXd& rows) {
  if (block == Side::none) return {};
  Side side{block, std::uint32_t(entries.size()), 0};
  for (Eigen::Index c = 0; c < rows.cols(); ++c)
    if (!rows.col(c).isZero(0.0)) entries.push_back({std::uint32_t(c), rows.col(c)}), ++side.count;
  return side;
}

Status check(const Problem& problem) {
  for (std::size_t b = 0; b < problem.blocks.size(); ++b)
    if (Status status = check_block(problem, b); !status) return status;
  if (!problem.f.allFinite()) return Error{"f", "is not finite"};
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    if (!(contact.mu >= 0.0) || !std::isfinite(contact.mu))
      return Error{"mu", fmt::format("of contact {} is {}; it must be a number that is not negative", i, contact.mu)};
    if (!contact.drift.allFinite()) return Error{"w", fmt::format("of contact {} is not finite", i)};
    for (const Side& side : {contact.a, contact.b})
      if (Status status = check_side(problem, i, side); !status) return status;
  }
  return ok();
}

}  // namespace tendril::contact
