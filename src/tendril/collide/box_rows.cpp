#include "tendril/collide/box_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "tendril/base/parallel.hpp"

namespace tendril::collide {
namespace {

constexpr std::size_t chunk = 1024;             // of boxes
constexpr int fewest_bits = 3, most_bits = 16;  // of a cell's coordinate in its key
constexpr int x_bits = 22;                      // of a place along x in its key: sign, exponent and 13 of the mantissa
constexpr double most_cells = 0x1p50;           // from the origin: exact in double; keys wrap long before
constexpr double cells_per_width = 0.5;         // of a mean box

template <class F>
void for_chunks(std::size_t count, const F& f) {
  parallel_for((count + chunk - 1) / chunk, [&](std::size_t c) { f(c, c * chunk, std::min(count, (c + 1) * chunk)); });
}

// To single precision, not above (below) it.
float rounded_down(double x) { return static_cast<float>(x - 0x1p-23 * std::abs(x)); }
float rounded_up(double x) { return static_cast<float>(x + 0x1p-23 * std::abs(x)); }

// Floats in their order as numbers, of which the last bits are dropped, and back: not above x.
std::uint32_t coarse_order(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return (bits ^ ((bits >> 31) != 0 ? 0xffffffffu : 0x80000000u)) >> (32 - x_bits);
}
float coarse(float x) {
  const std::uint32_t order = coarse_order(x) << (32 - x_bits);
  return std::bit_cast<float>(order ^ ((order >> 31) != 0 ? 0x80000000u : 0xffffffffu));
}

std::int64_t cell_of(double place) {
  return static_cast<std::int64_t>(std::floor(std::clamp(place, -most_cells, most_cells)));
}

double scale_of(std::size_t level) { return std::ldexp(1.0, -static_cast<int>(level)); }

}  // namespace

BoxRows::Extent BoxRows::extent_of(std::span<const Bounds> boxes, std::span<const std::uint32_t> names) {
  const Vector3d infinite = Vector3d::Constant(std::numeric_limits<double>::infinity());
  extents_.assign((names.size() + chunk - 1) / chunk, {infinite, -infinite, 0.0});
  for_chunks(names.size(), [&](std::size_t c, std::size_t begin, std::size_t end) {
    Extent sum{infinite, -infinite, 0.0};
    for (const std::uint32_t name : names.subspan(begin, end - begin)) {
      const Bounds& box = boxes[name];
      sum.low = sum.low.cwiseMin(box.low), sum.high = sum.high.cwiseMax(box.low);
      sum.width += (box.high - box.low).maxCoeff();
    }
    extents_[c] = sum;
  });
  Extent all = extents_.front();
  for (const Extent& part : std::span(extents_).subspan(1)) {
    all.low = all.low.cwiseMin(part.low), all.high = all.high.cwiseMax(part.high);
    all.width += part.width;
  }
  return all;
}

// The origin is a box's own corner: where boxes are many, single precision is to be fine.
void BoxRows::choose_cells(const Extent& extent, std::size_t count) {
  const double mean = extent.width / static_cast<double>(count) / cells_per_width;
  const double size = (extent.high - extent.low).maxCoeff();
  per_cell_ = 1.0 / std::max({mean, size / most_cells, 1e-150});
  for (int axis = 1; axis < 3; ++axis) {
    const auto cells = static_cast<std::uint64_t>((extent.high[axis] - extent.low[axis]) * per_cell_) + 4;
    bits_[static_cast<std::size_t>(axis - 1)] =
        std::clamp(static_cast<int>(std::bit_width(cells)), fewest_bits, most_bits);
  }
}

BoxRows::SingleBox BoxRows::single(const Bounds& box) const {
  SingleBox made;
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    made.low[k] = rounded_down((box.low[axis] - origin_[axis]) * per_cell_);
    made.high[k] = rounded_up((box.high[axis] - origin_[axis]) * per_cell_);
  }
  made.low[0] = coarse(made.low[0]);
  return made;
}

// The first whose cells are wider than the box, with a little room for round-off.
std::size_t BoxRows::level_of(const SingleBox& box) {
  const float widest = std::max({box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2]});
  const float width = (1.0f + 0x1p-10f) * widest;
  if (!(width > 1.0f)) return 0;
  if (!(width < 0x1p60f)) return level_count - 1;
  const int exponent = std::ilogb(width);
  return static_cast<std::size_t>(width > std::ldexp(1.0f, exponent) ? exponent + 1 : exponent);
}

std::uint64_t BoxRows::cell_key(std::size_t level, std::int64_t y, std::int64_t z) const {
  const auto wrapped = [](std::int64_t i, int bits) {
    return static_cast<std::uint64_t>(i) & ((std::uint64_t{1} << bits) - 1);
  };
  return (((static_cast<std::uint64_t>(level) << bits_[1]) | wrapped(z, bits_[1])) << bits_[0]) | wrapped(y, bits_[0]);
}

void BoxRows::sort(std::span<const Bounds> boxes, std::span<const std::uint32_t> names) {
  keys_.resize(names.size()), single_.resize(names.size()), name_.resize(names.size());
  for_chunks(names.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      const SingleBox box = single_[b] = single(boxes[names[b]]);
      name_[b] = static_cast<std::uint32_t>(b);
      const std::size_t level = level_of(box);
      const double scale = scale_of(level);
      const std::uint64_t cell = cell_key(level, cell_of(scale * box.low[1]), cell_of(scale * box.low[2]));
      keys_[b] = cell << x_bits | coarse_order(box.low[0]);
    }
  });
  std::uint64_t all = 0;
  for (const std::uint64_t key : keys_) all |= key;
  sorter_.sort(std::bit_width(all), keys_, name_);
}

void BoxRows::fill_slots(std::span<const std::uint32_t> names) {
  for (auto* side : {&low_, &high_})
    for (std::vector<float>& values : *side) values.resize(name_.size() + slots_read_beyond);
  for_chunks(name_.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t slot = begin; slot < end; ++slot) {
      const SingleBox& box = single_[name_[slot]];
      for (std::size_t k = 0; k < 3; ++k) low_[k][slot] = box.low[k], high_[k][slot] = box.high[k];
      name_[slot] = names[name_[slot]];
    }
  });
}

void BoxRows::list_rows() {
  const auto across_of = [&](std::uint32_t slot) {
    return Across{{low_[1][slot], low_[2][slot]}, {high_[1][slot], high_[2][slot]}};
  };
  rows_.clear(), levels_.fill({});
  for (std::uint32_t slot = 0; slot < keys_.size(); ++slot) {
    const std::uint64_t key = keys_[slot] >> x_bits;
    if (rows_.empty() || rows_.back().key != key) rows_.push_back({key, {slot, slot}, across_of(slot)});
    Row& row = rows_.back();
    row.slots.end = slot + 1;
    for (std::size_t k = 0; k < 2; ++k) {
      row.across.low[k] = std::min(row.across.low[k], low_[k + 1][slot]);
      row.across.high[k] = std::max(row.across.high[k], high_[k + 1][slot]);
    }
    Level& level = levels_[level_of(row)];
    if (level.end_row == 0) level.first_row = rows_.size() - 1;
    level.end_row = rows_.size();
    level.width = std::max(level.width, (high_[0][slot] - low_[0][slot]) * (1.0f + 0x1p-20f));
  }
}

void BoxRows::enter(std::span<const Bounds> boxes, std::span<const std::uint32_t> names) {
  rows_.clear(), levels_.fill({});
  if (names.empty()) return;
  origin_ = boxes[names[names.size() / 2]].low;
  choose_cells(extent_of(boxes, names), names.size());
  sort(boxes, names);
  fill_slots(names);
  list_rows();
}

const BoxRows::Row* BoxRows::row_at(const Level& level, std::uint64_t key) const {
  const auto rows = std::span(rows_).subspan(level.first_row, level.end_row - level.first_row);
  const auto row = std::ranges::lower_bound(rows, key, {}, &Row::key);
  return row != rows.end() && row->key == key ? &*row : nullptr;
}

void BoxRows::sweep_within(const Row& row, std::vector<SlotPair>& found) const {
  const RowKernels& kernels = row_kernels(active_isa());
  for (std::uint32_t at = row.slots.begin; at < row.slots.end;) {
    const std::size_t before = found.size(), room = 4 * std::size_t{row.slots.end - row.slots.begin};
    found.resize(before + room);
    found.resize(before + kernels.within(view(), row.slots, at, found.data() + before, room));
  }
}

void BoxRows::sweep_between(const Row& a, const Row& b, float width, std::vector<SlotPair>& found) const {
  const RowKernels& kernels = row_kernels(active_isa());
  for (std::uint32_t at = a.slots.begin; at < a.slots.end;) {
    const std::size_t before = found.size(), room = 4 * std::size_t{b.slots.end - b.slots.begin};
    found.resize(before + room);
    found.resize(before + kernels.between(view(), a.slots, b.slots, b.across, width, at, found.data() + before, room));
  }
}

// Half of the eight rows around it: the others find it.
void BoxRows::find_neighbours(const Row& row, std::vector<SlotPair>& found) const {
  const std::size_t level = level_of(row);
  const auto mask = [&](int axis) { return (std::uint64_t{1} << bits_[static_cast<std::size_t>(axis)]) - 1; };
  const auto y = static_cast<std::int64_t>(row.key & mask(0)),
             z = static_cast<std::int64_t>(row.key >> bits_[0] & mask(1));
  struct Cell {
    std::int64_t y, z;
  };
  for (const Cell& other : {Cell{y + 1, z}, Cell{y - 1, z + 1}, Cell{y, z + 1}, Cell{y + 1, z + 1}}) {
    const Row* const next = row_at(levels_[level], cell_key(level, other.y, other.z));
    if (next != nullptr) sweep_between(row, *next, levels_[level].width, found);
  }
}

// Slots of a row that overlap a box along x.
template <class F>
void BoxRows::for_slots_of_row(const SingleBox& box, float width, SlotRange row, const F& f) const {
  const auto begin = low_[0].begin() + row.begin, end = low_[0].begin() + row.end;
  for (auto at = std::lower_bound(begin, end, box.low[0] - width); at != end && *at <= box.high[0]; ++at) {
    const auto slot = static_cast<std::uint32_t>(at - low_[0].begin());
    if (high_[0][slot] >= box.low[0] && low_[1][slot] <= box.high[1] && high_[1][slot] >= box.low[1] &&
        low_[2][slot] <= box.high[2] && high_[2][slot] >= box.low[2])
      f(slot);
  }
}

// Its cells and those before them, where a box that reaches into them may begin; or all rows, if these are fewer.
template <class F>
void BoxRows::for_slots_at(const SingleBox& box, std::size_t index, const F& f) const {
  const Level& level = levels_[index];
  if (level.first_row == level.end_row) return;
  const double scale = scale_of(index);
  const std::int64_t y = cell_of(scale * box.low[1]) - 1, last_y = cell_of(scale * box.high[1]);
  const std::int64_t z = cell_of(scale * box.low[2]) - 1, last_z = cell_of(scale * box.high[2]);
  const auto rows = static_cast<double>(level.end_row - level.first_row);
  const bool wraps = (last_y - y) >> bits_[0] != 0 || (last_z - z) >> bits_[1] != 0;
  if (wraps || double(last_y - y + 1) * double(last_z - z + 1) > rows) {
    for (std::size_t r = level.first_row; r < level.end_row; ++r) for_slots_of_row(box, level.width, rows_[r].slots, f);
    return;
  }
  for (std::int64_t k = z; k <= last_z; ++k)
    for (std::int64_t j = y; j <= last_y; ++j)
      if (const Row* const row = row_at(level, cell_key(index, j, k)))
        for_slots_of_row(box, level.width, row->slots, f);
}

void BoxRows::find_smaller(const Row& row, std::vector<SlotPair>& found) const {
  for (std::size_t finer = 0; finer < level_of(row); ++finer)
    for (std::uint32_t slot = row.slots.begin; slot < row.slots.end; ++slot)
      for_slots_at(box_of(slot), finer, [&](std::uint32_t other) { found.push_back({slot, other}); });
}

void BoxRows::find_pairs(std::size_t index, std::vector<SlotPair>& found) const {
  const std::size_t before = found.size();
  const std::size_t first = index * rows_per_chunk, end = std::min(rows_.size(), first + rows_per_chunk);
  for (std::size_t r = first; r < end; ++r) {
    sweep_within(rows_[r], found);
    find_neighbours(rows_[r], found);
    find_smaller(rows_[r], found);
  }
  for (SlotPair& pair : std::span(found).subspan(before)) pair = {name_[pair.a], name_[pair.b]};
}

void BoxRows::find_at(const Bounds& box, std::vector<std::uint32_t>& found) const {
  const SingleBox here = single(box);
  for (std::size_t level = 0; level < level_count; ++level)
    for_slots_at(here, level, [&](std::uint32_t slot) { found.push_back(name_[slot]); });
}

}  // namespace tendril::collide
