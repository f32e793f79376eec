#include "tendril/contact/delassus_blocks.hpp"

#include <algorithm>
#include <span>

#include "tendril/base/parallel.hpp"

namespace tendril::contact {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;

// One side of a contact on a block, with its G: a row of three numbers for each unknown of the block.
struct Touch {
  std::uint32_t contact;
  const Side* side;
  std::size_t response;
};

class Assembly {
 public:
  Assembly(const Problem& problem, const BlockInverses& inverses) : problem_(problem), inverses_(inverses) {
    list_touches();
    parallel_for(problem.blocks.size(), [&](std::size_t b) { respond(b); });
  }

  DelassusBlocks blocks() const {
    DelassusBlocks out;
    const std::size_t contacts = problem_.size();
    out.starts.assign(contacts + 1, 0);
    parallel_for(contacts,
                 [&](std::size_t i) { for_row(i, [&](std::uint32_t, const auto&) { ++out.starts[i + 1]; }); });
    for (std::size_t i = 0; i < contacts; ++i) out.starts[i + 1] += out.starts[i];
    out.columns.resize(out.starts.back()), out.values.resize(out.starts.back());
    parallel_for(contacts, [&](std::size_t i) {
      std::size_t at = out.starts[i];
      for_row(i, [&](std::uint32_t j, const auto& sum) { out.columns[at] = j, out.values[at++] = sum(); });
    });
    return out;
  }

 private:
  std::span<const Touch> touches_of(const Side& side) const {
    if (side.block == Side::none) return {};
    const auto b = std::size_t(side.block);
    return std::span(touches_).subspan(starts_[b], starts_[b + 1] - starts_[b]);
  }

  // By block, and within a block in the order of the contacts.
  void list_touches() {
    starts_.assign(problem_.blocks.size() + 1, 0);
    for (const Contact& contact : problem_.contacts)
      for (const Side* side : {&contact.a, &contact.b})
        if (side->block != Side::none) ++starts_[std::size_t(side->block) + 1];
    for (std::size_t b = 0; b < problem_.blocks.size(); ++b) starts_[b + 1] += starts_[b];
    touches_.resize(starts_.back());
    std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
    std::size_t numbers = 0;
    for (std::uint32_t i = 0; i < problem_.size(); ++i)
      for (const Side* side : {&problem_.contacts[i].a, &problem_.contacts[i].b}) {
        if (side->block == Side::none) continue;
        const auto b = std::size_t(side->block);
        touches_[next[b]++] = {i, side, numbers};
        numbers += 3 * problem_.blocks[b].size;
      }
    responses_.resize(numbers);
  }

  void respond(std::size_t b) {
    const auto touches = std::span(touches_).subspan(starts_[b], starts_[b + 1] - starts_[b]);
    const auto unknowns = Index(problem_.blocks[b].size);
    MatrixXd columns = MatrixXd::Zero(unknowns, 3 * Index(touches.size()));
    for (std::size_t t = 0; t < touches.size(); ++t)
      for (const Entry& entry : problem_.entries_of(*touches[t].side))
        columns.block<1, 3>(Index(entry.unknown), 3 * Index(t)) += entry.coefficient.transpose();
    inverses_.apply(b, columns);
    for (std::size_t t = 0; t < touches.size(); ++t)
      Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>>(&responses_[touches[t].response], unknowns,
                                                                            3) = columns.middleCols<3>(3 * Index(t));
  }

  // W_ij += H_io G_jo.
  void add(const Side& side, const Touch& other, Matrix3d& sum) const {
    const double* const response = &responses_[other.response];
    for (const Entry& entry : problem_.entries_of(side))
      sum.noalias() += entry.coefficient * Eigen::Map<const Eigen::RowVector3d>(response + 3 * entry.unknown);
  }

  // Calls visit(j, sum) for every contact j that shares a block with i, in order; sum() is W_ij.
  template <class Visit>
  void for_row(std::size_t i, Visit&& visit) const {
    const Contact& contact = problem_.contacts[i];
    std::span<const Touch> on_a = touches_of(contact.a), on_b = touches_of(contact.b);
    while (!on_a.empty() || !on_b.empty()) {
      const std::uint32_t j = on_a.empty()   ? on_b.front().contact
                              : on_b.empty() ? on_a.front().contact
                                             : std::min(on_a.front().contact, on_b.front().contact);
      const auto of_j = [&](std::span<const Touch>& touches) {  // two of them where a strand touches itself
        std::size_t count = 0;
        while (count < touches.size() && touches[count].contact == j) ++count;
        const std::span<const Touch> found = touches.first(count);
        touches = touches.subspan(count);
        return found;
      };
      const std::span<const Touch> a = of_j(on_a), b = of_j(on_b);
      visit(j, [&] {
        Matrix3d sum = Matrix3d::Zero();
        for (const Touch& touch : a) add(contact.a, touch, sum);
        for (const Touch& touch : b) add(contact.b, touch, sum);
        return sum;
      });
    }
  }

  const Problem& problem_;
  const BlockInverses& inverses_;
  std::vector<std::size_t> starts_;  // of each block in touches_, and the end
  std::vector<Touch> touches_;
  std::vector<double> responses_;
};

}  // namespace

DelassusBlocks delassus_blocks(const Problem& problem, const BlockInverses& inverses) {
  return Assembly(problem, inverses).blocks();
}

}  // namespace tendril::contact
