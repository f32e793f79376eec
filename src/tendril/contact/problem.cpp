#include "tendril/contact/problem.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

namespace tendril::contact {
namespace {

using Eigen::MatrixXd;
using Eigen::Ref;
using Eigen::VectorXd;

Status check_block(const Problem& problem, std::size_t b) {
  const Block& block = problem.blocks[b];
  const char* const name = block.given == Given::matrix ? "M" : "compliance";
  if (block.matrix + block.size * block.size > problem.matrices.size())
    return Error{name, fmt::format("has no {} x {} numbers for block {}", block.size, block.size, b)};
  if (block.first + block.size > problem.f.size())
    return Error{"f", fmt::format("has {} entries, block {} needs {}", problem.f.size(), b, block.first + block.size)};
  const Problem::ConstMatrix matrix = problem.matrix(block);
  if (!matrix.allFinite()) return Error{name, fmt::format("block {} is not finite", b)};
  const double scale = matrix.size() > 0 ? matrix.cwiseAbs().maxCoeff() : 0.0;
  if ((matrix - matrix.transpose()).cwiseAbs().sum() > 1e-8 * scale * double(block.size))
    return Error{name, fmt::format("block {} is not symmetric", b)};
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

void Problem::append(const Ref<const MatrixXd>& numbers, const Ref<const VectorXd>& part, Given given) {
  assert(numbers.rows() == part.size() && numbers.cols() == part.size());
  blocks.push_back({f.size(), std::size_t(part.size()), matrices.size(), given});
  f.insert(f.end(), part.data(), part.data() + part.size());
  matrices.resize(matrices.size() + std::size_t(numbers.size()));
  matrix(blocks.back()) = numbers;
}

void Problem::add_block(const Ref<const MatrixXd>& matrix, const Ref<const VectorXd>& right) {
  append(matrix, right, Given::matrix);
}

void Problem::add_compliance(const Ref<const MatrixXd>& inverse, const Ref<const VectorXd>& free_velocity) {
  append(inverse, free_velocity, Given::inverse);
}

void Problem::clear() { blocks.clear(), matrices.clear(), f.clear(), contacts.clear(), entries.clear(); }

Side Problem::add_side(std::int32_t block, const Ref<const MatrixXd>& rows) {
  if (block == Side::none) return {};
  Side side{block, std::uint32_t(entries.size()), 0};
  for (Eigen::Index c = 0; c < rows.cols(); ++c)
    if (!rows.col(c).isZero(0.0)) entries.push_back({std::uint32_t(c), rows.col(c)}), ++side.count;
  return side;
}

Status check(const Problem& problem) {
  for (std::size_t b = 0; b < problem.blocks.size(); ++b)
    if (Status status = check_block(problem, b); !status) return status;
  for (const double value : problem.f)
    if (!std::isfinite(value)) return Error{"f", "is not finite"};
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    if (!(contact.mu >= 0.0) || !std::isfinite(contact.mu))
      return Error{"mu", fmt::format("of contact {} is {}; it must be a number that is not negative", i, contact.mu)};
    if (!contact.drift.allFinite()) return Error{"w", fmt::format("of contact {} is not finite", i)};
    if (!(contact.push >= 0.0 && contact.push_strength >= 0.0 && std::isfinite(contact.push + contact.push_strength)))
      return Error{"push", fmt::format("of contact {} is not finite, or negative", i)};
    for (const Side& side : {contact.a, contact.b})
      if (Status status = check_side(problem, i, side); !status) return status;
  }
  return ok();
}

}  // namespace tendril::contact
