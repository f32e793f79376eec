#include "tendril/contact/strand_pairs.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tendril::contact {
namespace {

using Pair = std::pair<std::int32_t, std::int32_t>;  // the smaller block first, Side::none the smallest

Pair pair_of(const NodeContact& contact) { return std::minmax(contact.block[0], contact.block[1]); }

// The first colour that neither block has yet.
struct Palette {
  std::vector<std::vector<bool>> used;  // per block

  bool has(std::int32_t block, std::size_t colour) const {
    if (block == Side::none) return false;
    const std::vector<bool>& colours = used[std::size_t(block)];
    return colour < colours.size() && colours[colour];
  }
  void take(std::int32_t block, std::size_t colour) {
    if (block == Side::none) return;
    std::vector<bool>& colours = used[std::size_t(block)];
    if (colours.size() <= colour) colours.resize(colour + 1);
    colours[colour] = true;
  }
  std::size_t choose(const Pair& pair) {
    std::size_t colour = 0;
    while (has(pair.first, colour) || has(pair.second, colour)) ++colour;
    take(pair.first, colour), take(pair.second, colour);
    return colour;
  }
};

}  // namespace

StrandPairs strand_pairs(const NodeSpace& space) {
  StrandPairs out;
  std::vector<std::uint32_t> by_pair(space.size());
  std::iota(by_pair.begin(), by_pair.end(), 0u);
  std::ranges::stable_sort(by_pair, {}, [&](std::uint32_t i) { return pair_of(space.contacts[i]); });
  struct Task {
    std::uint32_t first, end;
    std::size_t colour;
  };
  std::vector<Task> tasks;
  Palette palette{std::vector<std::vector<bool>>(space.blocks.size())};
  for (std::uint32_t k = 0; k < by_pair.size();) {
    const Pair pair = pair_of(space.contacts[by_pair[k]]);
    const std::uint32_t first = k;
    while (k < by_pair.size() && pair_of(space.contacts[by_pair[k]]) == pair) ++k;
    tasks.push_back({first, k, palette.choose(pair)});
  }
  std::ranges::stable_sort(tasks, {}, &Task::colour);
  for (std::uint32_t t = 0; t < tasks.size(); ++t) {
    while (out.colour_start.size() <= tasks[t].colour) out.colour_start.push_back(t);
    out.task_start.push_back(std::uint32_t(out.order.size()));
    out.order.insert(out.order.end(), by_pair.begin() + tasks[t].first, by_pair.begin() + tasks[t].end);
  }
  out.colour_start.push_back(std::uint32_t(tasks.size()));
  out.task_start.push_back(std::uint32_t(out.order.size()));
  return out;
}

}  // namespace tendril::contact
