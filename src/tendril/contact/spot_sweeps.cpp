#include "tendril/contact/spot_sweeps.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "tendril/contact/measure.hpp"

namespace tendril::contact {
namespace {

constexpr double aim = 0.9;  // of the tolerance
constexpr int most_sweeps = 400, sweeps_between_looks = 50;
constexpr double stall_share = 0.7;   // of those above the tolerance, that are left after so many sweeps
constexpr double most_visits = 10.0;  // of each contact, in the mean

constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

}  // namespace

SpotSweeps::SpotSweeps(const NodeSpace& space, const Options& options, double speed)
    : space_(space),
      limit_(aim * options.tolerance * speed),
      engine_(space, options, speed, NodeSweeps::Few{}),
      place_(space.size(), nowhere),
      is_moved_(space.blocks.size(), 0),
      is_touched_(space.size(), 0) {
  list_contacts_of_blocks();
}

void SpotSweeps::list_contacts_of_blocks() {
  const auto for_sides = [&](const auto& f) {
    for (std::uint32_t i = 0; i < space_.size(); ++i) {
      const auto& [a, b] = space_.contacts[i].block;
      if (a != Side::none) f(std::size_t(a), i);
      if (b != Side::none && b != a) f(std::size_t(b), i);
    }
  };
  first_of_block_.assign(space_.blocks.size() + 1, 0);
  for_sides([&](std::size_t b, std::uint32_t) { ++first_of_block_[b + 1]; });
  std::partial_sum(first_of_block_.begin(), first_of_block_.end(), first_of_block_.begin());
  on_block_.resize(first_of_block_.back());
  std::vector<std::uint32_t> next(first_of_block_.begin(), first_of_block_.end() - 1);
  for_sides([&](std::size_t b, std::uint32_t i) { on_block_[next[b]++] = i; });
}

void SpotSweeps::list_above(std::span<const double> errors) {
  std::erase_if(touched_, [&](std::uint32_t i) { return !(errors[i] > limit_); });
  std::ranges::sort(touched_);
  above_.swap(touched_);
}

void SpotSweeps::visit_above(Impulses& r) {
  for (const std::uint32_t i : above_) {
    if (place_[i] == nowhere) place_[i] = std::uint32_t(engine_.enter(i));
    engine_.visit(place_[i], r[i]);
  }
  visits_ += above_.size();
}

// All contacts on the blocks of those that were visited.
void SpotSweeps::measure_touched(const Impulses& r) {
  moved_.clear(), touched_.clear();
  for (const std::uint32_t i : above_)
    for (const std::int32_t b : space_.contacts[i].block)
      if (b != Side::none && is_moved_[std::size_t(b)] == 0)
        is_moved_[std::size_t(b)] = 1, moved_.push_back(std::uint32_t(b));
  for (const std::uint32_t b : moved_) {
    is_moved_[b] = 0, has_moved_[b] = 1;
    for (std::uint32_t k = first_of_block_[b]; k < first_of_block_[b + 1]; ++k)
      if (const std::uint32_t i = on_block_[k]; is_touched_[i] == 0) is_touched_[i] = 1, touched_.push_back(i);
  }
  for (const std::uint32_t i : touched_) is_touched_[i] = 0;
  measure_errors(space_, touched_, r, engine_.velocities().data(), errors_);
}

void SpotSweeps::run(NodeResponse& response, Impulses& r) {
  engine_.start(response.velocities());
  errors_.assign(response.errors().begin(), response.errors().end());
  touched_.resize(space_.size());
  std::iota(touched_.begin(), touched_.end(), 0u);
  list_above(errors_);
  has_moved_.assign(space_.blocks.size(), 0);
  const std::size_t most = visits_ + std::size_t(most_visits * double(space_.size()));
  std::size_t before = above_.size();
  for (int k = 1; k <= most_sweeps && !above_.empty() && visits_ < most; ++k) {
    visit_above(r);
    measure_touched(r);
    list_above(errors_);
    if (k % sweeps_between_looks != 0) continue;
    if (double(above_.size()) > stall_share * double(before)) break;
    before = above_.size();
  }
  moved_.clear();
  for (std::uint32_t b = 0; b < has_moved_.size(); ++b)
    if (has_moved_[b] != 0) moved_.push_back(b);
  response.error(r, moved_);
}

}  // namespace tendril::contact
