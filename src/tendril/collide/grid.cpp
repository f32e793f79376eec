#include "tendril/collide/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <compare>
#include <limits>
#include <utility>

#include "tendril/base/parallel.hpp"
#include "tendril/collide/radix_sort.hpp"
#include "tendril/collide/segment_pair.hpp"

namespace tendril::collide {
namespace {

constexpr std::size_t chunk = 2048;             // of segments, pieces or entries: the unit of work
constexpr int fewest_bits = 3, most_bits = 21;  // of a cell's coordinate in its key
constexpr double largest_cell_index = 0x1p50;   // exact in double; keys wrap long before
constexpr std::int64_t most_cells_per_piece = 64;
constexpr std::size_t most_entries_per_segment = 12;
constexpr std::size_t most_pairs = std::size_t{1} << 26;  // 2 GB with the copies that sorting makes
constexpr std::size_t fetch_ahead = 16;                   // entries: a third of the time was waiting for their pieces
constexpr double cells_per_length = 1.0;  // measured: fewer make crowded cells, more make too many entries

std::size_t chunks_of(std::size_t count) { return (count + chunk - 1) / chunk; }

template <class F>
void for_chunks(std::size_t count, const F& f) {
  parallel_for(chunks_of(count), [&](std::size_t c) { f(c, c * chunk, std::min(count, (c + 1) * chunk)); });
}

struct Bounds {
  Vector3d low, high;

  bool meets(const Bounds& other) const {
    return low.x() <= other.high.x() && other.low.x() <= high.x() && low.y() <= other.high.y() &&
           other.low.y() <= high.y() && low.z() <= other.high.z() && other.low.z() <= high.z();
  }
};

// Sums over segments, one per chunk and added from left to right.
struct Extent {
  Vector3d low = Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
  double length = 0.0, grown = 0.0, motion = 0.0;
  std::size_t segments = 0;

  void add(const Extent& other) {
    low = low.cwiseMin(other.low), high = high.cwiseMax(other.high);
    length += other.length, grown += other.grown, motion += other.motion;
    segments += other.segments;
  }
};

struct CellRange {
  std::array<std::int64_t, 3> low = {}, high = {};

  std::int64_t count() const { return (high[0] - low[0] + 1) * (high[1] - low[1] + 1) * (high[2] - low[2] + 1); }
};

// Its box is kept: it is wanted once for each cell, and to put it together touches four places in memory. One cache
// line, because cells fetch pieces from anywhere.
struct alignas(64) Piece {
  Bounds box;
  std::uint32_t segment = 0;
};

// The piece and, for each axis, whether its lowest cell is that of the entry. There are less than 2^29 pieces.
std::uint32_t make_entry(std::uint32_t piece, std::uint32_t starts) { return piece << 3 | starts; }
std::uint32_t piece_of(std::uint32_t entry) { return entry >> 3; }
std::uint32_t starts_of(std::uint32_t entry) { return entry & 7; }

// Of a piece that has gone astray: where it is looked for.
struct StrayEntry {
  std::uint64_t key;
  std::uint32_t piece, starts;

  auto operator<=>(const StrayEntry&) const = default;
};

// The pieces of one cell, and the order of their low ends along an axis.
struct CellContent {
  struct LowEnd {
    double low;
    std::uint32_t piece;

    auto operator<=>(const LowEnd&) const = default;
  };
  std::vector<Piece> pieces;
  std::vector<std::uint32_t> starts;
  std::vector<LowEnd> order;
};

// In sorted keys, from a place on: by steps that double, since the next one asked for is near.
std::size_t first_not_below(const std::vector<std::uint64_t>& keys, std::size_t from, std::uint64_t key) {
  std::size_t low = from, step = 1;
  while (low + step < keys.size() && keys[low + step] < key) low += step, step *= 2;
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(std::min(keys.size(), low + step + 1));
  return static_cast<std::size_t>(std::lower_bound(keys.begin() + static_cast<std::ptrdiff_t>(low), end, key) -
                                  keys.begin());
}

// The cells of a search.
struct Cells {
  Vector3d origin = Vector3d::Zero();
  double cell = 1.0;  // [m], edge
  double per_cell = 1.0;
  double round_off = 0.0;  // [m], of coordinates: what the boxes grow besides
  std::array<int, 3> bits = {};
};

}  // namespace

// Grows once. What find_astray needs outlives a search: cells, pieces, keys and entries.
struct Grid::Work {
  Cells cells;
  std::vector<std::uint32_t> strand;  // of every vertex
  std::vector<double> arc;            // [m], of every vertex along its strand
  std::vector<Piece> pieces;
  std::vector<std::uint32_t> big;   // pieces that would fill too many cells
  std::vector<std::uint64_t> keys;  // cell of every entry
  std::vector<std::uint32_t> entries;
  std::vector<std::uint64_t> found;  // pairs as numbers
  std::vector<std::vector<std::uint64_t>> found_by_chunk;
  std::vector<CellContent> content;  // one per worker
  std::vector<Piece> stray_pieces;
  std::vector<std::uint32_t> big_strays;
  std::vector<StrayEntry> stray_entries;
  std::vector<char> is_astray;  // of every segment
  RadixSort sorter;
};

Grid::Grid() : work_(std::make_unique<Work>()) {}
Grid::Grid(Grid&& other) noexcept = default;
Grid& Grid::operator=(Grid&& other) noexcept = default;
Grid::~Grid() = default;

// One search under way.
struct Grid::Search : Cells {
  Work& work;
  const Polylines& start;
  std::span<const Vector3d> end;  // empty: nothing moves
  const GridOptions& options;
  std::atomic<std::size_t> found_so_far = 0;  // pairs; where there are too many the search ends

  Search(Work& shared, const Polylines& strands, std::span<const Vector3d> to, const GridOptions& how)
      : work(shared), start(strands), end(to), options(how) {}

  bool is_segment(std::size_t v) const { return v + 1 < work.strand.size() && work.strand[v] == work.strand[v + 1]; }
  double length(std::size_t v) const {
    const double now = (start.positions[v + 1] - start.positions[v]).norm();
    return end.empty() ? now : std::max(now, (end[v + 1] - end[v]).norm());
  }
  double grown(std::size_t v) const {
    return options.margin.grown(std::max(start.radius[v], start.radius[v + 1])) + round_off;
  }
  std::uint32_t parts_of(std::size_t v) const {
    return static_cast<std::uint32_t>(std::max(1.0, std::ceil(length(v) / cell)));
  }

  void set_cell(double edge) { cell = edge, per_cell = 1.0 / edge; }
  Extent extent_of(std::size_t v) const;
  Extent extent() const;
  void choose_cells(const Extent& extent);
  Bounds box_of(std::size_t v, std::uint32_t part, std::uint32_t parts) const;
  CellRange cells_of(const Bounds& box) const;
  std::uint64_t key_of(std::int64_t x, std::int64_t y, std::int64_t z) const;
  void measure_arcs();
  void cut_into_pieces();
  bool enter_pieces();  // false: too many entries
  void compare_within_cells();
  void compare_within_cell(std::size_t begin, std::size_t end_of_cell, std::vector<std::uint64_t>& found) const;
  void compare_big_with_all();
  bool may_meet(std::uint32_t i, std::uint32_t j) const;
  bool near(std::uint32_t i, std::uint32_t j) const;
  void report(std::uint32_t i, std::uint32_t j, std::vector<std::uint64_t>& found) const;
  void gather_pairs(std::vector<SegmentPair>& pairs);
  template <class F>
  void for_cells(const CellRange& range, const F& f) const;
  void enter_strays(std::span<const std::uint32_t> astray);
  void compare_stray_with_cell(const StrayEntry& entry, std::size_t cell_begin,
                               std::vector<std::uint64_t>& found) const;
  void compare_strays();
  void compare_big_with_strays(std::vector<std::uint64_t>& found) const;
};

Extent Grid::Search::extent_of(std::size_t v) const {
  Extent one;
  one.low = start.positions[v].cwiseMin(start.positions[v + 1]);
  one.high = start.positions[v].cwiseMax(start.positions[v + 1]);
  if (!end.empty()) {
    one.low = one.low.cwiseMin(end[v]).cwiseMin(end[v + 1]);
    one.high = one.high.cwiseMax(end[v]).cwiseMax(end[v + 1]);
    one.motion = std::max((end[v] - start.positions[v]).norm(), (end[v + 1] - start.positions[v + 1]).norm());
  }
  one.length = length(v), one.grown = grown(v), one.segments = 1;
  return one;
}

Extent Grid::Search::extent() const {
  std::vector<Extent> partial(chunks_of(start.positions.size()));
  for_chunks(start.positions.size(), [&](std::size_t c, std::size_t begin, std::size_t stop) {
    for (std::size_t v = begin; v < stop; ++v)
      if (is_segment(v)) partial[c].add(extent_of(v));
  });
  Extent all;
  for (const Extent& part : partial) all.add(part);
  return all;
}

// Cells of about a segment, but not smaller than the boxes of pieces of no length.
void Grid::Search::choose_cells(const Extent& extent) {
  const auto segments = static_cast<double>(extent.segments);
  const double largest = extent.low.cwiseAbs().cwiseMax(extent.high.cwiseAbs()).maxCoeff();
  const double size = (extent.high - extent.low).maxCoeff();
  round_off = 8.0 * std::numeric_limits<double>::epsilon() * largest;
  origin = extent.low;
  set_cell(std::max({extent.length / segments / cells_per_length, 2.0 * extent.grown / segments,
                     extent.motion / segments, 2.0 * round_off, size / largest_cell_index, 1e-150}));
  for (int axis = 0; axis < 3; ++axis) {
    const auto cells = static_cast<std::uint64_t>((extent.high[axis] - extent.low[axis]) / cell) + 4;
    bits[static_cast<std::size_t>(axis)] = std::clamp(static_cast<int>(std::bit_width(cells)), fewest_bits, most_bits);
  }
}

Bounds Grid::Search::box_of(std::size_t v, std::uint32_t part, std::uint32_t parts) const {
  const double from = static_cast<double>(part) / parts, to = static_cast<double>(part + 1) / parts;
  Bounds box{start.positions[v], start.positions[v]};
  bool first = true;
  const auto include = [&](const std::span<const Vector3d>& x) {
    const Segment segment{x[v], x[v + 1]};
    const Vector3d a = segment.at(from), b = segment.at(to);
    box.low = first ? a.cwiseMin(b) : box.low.cwiseMin(a.cwiseMin(b)).eval();
    box.high = first ? a.cwiseMax(b) : box.high.cwiseMax(a.cwiseMax(b)).eval();
    first = false;
  };
  include(start.positions);
  if (!end.empty()) include(end);
  const double by = grown(v);
  box.low.array() -= by, box.high.array() += by;
  return box;
}

CellRange Grid::Search::cells_of(const Bounds& box) const {
  CellRange range;
  // A box far larger than all others (one huge radius) must not overflow the integers.
  const auto index = [](double x) {
    const double within = std::clamp(x, -2.0 * largest_cell_index, 2.0 * largest_cell_index);
    const auto towards_zero = static_cast<std::int64_t>(within);
    return towards_zero - (static_cast<double>(towards_zero) > within ? 1 : 0);
  };
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    range.low[a] = index((box.low[axis] - origin[axis]) * per_cell);
    range.high[a] = index((box.high[axis] - origin[axis]) * per_cell);
  }
  return range;
}

// Coordinates wrap around: far cells may share a key, which costs a comparison and loses nothing.
std::uint64_t Grid::Search::key_of(std::int64_t x, std::int64_t y, std::int64_t z) const {
  const auto wrapped = [](std::int64_t i, int width) {
    return static_cast<std::uint64_t>(i) & ((std::uint64_t{1} << width) - 1);
  };
  return (((wrapped(x, bits[0]) << bits[1]) | wrapped(y, bits[1])) << bits[2]) | wrapped(z, bits[2]);
}

void Grid::Search::measure_arcs() {
  work.arc.resize(start.positions.size());
  parallel_for(start.strand_count(), [&](std::size_t s) {
    double arc = 0.0;
    for (std::size_t v = start.offsets[s]; v < start.offsets[s + 1]; ++v) {
      work.arc[v] = arc;
      if (v + 1 < start.offsets[s + 1]) arc += (start.positions[v + 1] - start.positions[v]).norm();
    }
  });
}

void Grid::Search::cut_into_pieces() {
  const std::size_t count = start.positions.size();
  std::vector<std::size_t> first(chunks_of(count) + 1, 0);
  for_chunks(count, [&](std::size_t c, std::size_t begin, std::size_t stop) {
    for (std::size_t v = begin; v < stop; ++v) first[c + 1] += is_segment(v) ? parts_of(v) : 0;
  });
  for (std::size_t c = 1; c < first.size(); ++c) first[c] += first[c - 1];
  work.pieces.resize(first.back());
  for_chunks(count, [&](std::size_t c, std::size_t begin, std::size_t stop) {
    std::size_t next = first[c];
    for (std::size_t v = begin; v < stop; ++v)
      for (std::uint32_t part = 0, last = is_segment(v) ? parts_of(v) : 0; part < last; ++part)
        work.pieces[next++] = {box_of(v, part, last), static_cast<std::uint32_t>(v)};
  });
}

// The key of every cell, and for each axis whether the range begins there.
template <class F>
void Grid::Search::for_cells(const CellRange& range, const F& f) const {
  for (std::int64_t x = range.low[0]; x <= range.high[0]; ++x)
    for (std::int64_t y = range.low[1]; y <= range.high[1]; ++y)
      for (std::int64_t z = range.low[2]; z <= range.high[2]; ++z) {
        const std::uint32_t starts = (x == range.low[0]) | (y == range.low[1]) << 1 | (z == range.low[2]) << 2;
        f(key_of(x, y, z), starts);
      }
}

bool Grid::Search::enter_pieces() {
  const std::size_t count = work.pieces.size();
  std::vector<std::size_t> first(chunks_of(count) + 1, 0);
  std::vector<std::vector<std::uint32_t>> big(chunks_of(count));
  for_chunks(count, [&](std::size_t c, std::size_t begin, std::size_t stop) {
    for (std::size_t p = begin; p < stop; ++p) {
      const std::int64_t cells = cells_of(work.pieces[p].box).count();
      if (cells > most_cells_per_piece)
        big[c].push_back(static_cast<std::uint32_t>(p));
      else
        first[c + 1] += static_cast<std::size_t>(cells);
    }
  });
  for (std::size_t c = 1; c < first.size(); ++c) first[c] += first[c - 1];
  if (first.back() > most_entries_per_segment * start.positions.size()) return false;
  work.big.clear();
  for (const auto& some : big) work.big.insert(work.big.end(), some.begin(), some.end());
  work.keys.resize(first.back());
  work.entries.resize(first.back());
  for_chunks(count, [&](std::size_t c, std::size_t begin, std::size_t stop) {
    std::size_t next = first[c];
    for (std::size_t p = begin; p < stop; ++p) {
      const CellRange range = cells_of(work.pieces[p].box);
      if (range.count() > most_cells_per_piece) continue;
      for_cells(range, [&](std::uint64_t key, std::uint32_t starts) {
        work.keys[next] = key;
        work.entries[next++] = make_entry(static_cast<std::uint32_t>(p), starts);
      });
    }
  });
  return true;
}

// Whether the rules let two segments touch at all.
bool Grid::Search::may_meet(std::uint32_t i, std::uint32_t j) const {
  const std::uint32_t a = work.strand[i], b = work.strand[j];
  if (a != b) return (options.within_groups || start.group_of(a) != start.group_of(b)) && !start.are_twins(a, b);
  if (!options.within_groups || j - i <= 2) return false;
  const double between = work.arc[j] - work.arc[i + 1];
  const double radius =
      std::max(std::max(start.radius[i], start.radius[i + 1]), std::max(start.radius[j], start.radius[j + 1]));
  return between >= 4.0 * radius;
}

// Boxes of slanted segments are wide: most pairs whose boxes meet are far apart.
bool Grid::Search::near(std::uint32_t i, std::uint32_t j) const {
  if (!end.empty()) return true;
  const auto& x = start.positions;
  const double reach = (1.0 + 1e-12) * (grown(i) + grown(j));
  return closest_points({x[i], x[i + 1]}, {x[j], x[j + 1]}).apart.squaredNorm() <= reach * reach;
}

void Grid::Search::report(std::uint32_t i, std::uint32_t j, std::vector<std::uint64_t>& found) const {
  if (i > j) std::swap(i, j);
  if (i == j || !may_meet(i, j) || !near(i, j)) return;
  found.push_back(static_cast<std::uint64_t>(i) * start.positions.size() + j);
}

// Strands that run side by side have boxes that are long one way and thin the others: sorted along the axis on which
// they are thinnest, each has few to be compared with.
void Grid::Search::compare_within_cell(std::size_t begin, std::size_t end_of_cell,
                                       std::vector<std::uint64_t>& found) const {
  auto& [pieces, starts, order] = work.content[static_cast<std::size_t>(worker_index())];
  pieces.clear(), starts.clear(), order.clear();
  Vector3d widths = Vector3d::Zero();
  for (std::size_t e = begin; e < end_of_cell; ++e) {
    if (e + fetch_ahead < work.entries.size())
      __builtin_prefetch(&work.pieces[piece_of(work.entries[e + fetch_ahead])]);
    pieces.push_back(work.pieces[piece_of(work.entries[e])]);
    starts.push_back(starts_of(work.entries[e]));
    widths += pieces.back().box.high - pieces.back().box.low;
  }
  int axis = 0;
  widths.minCoeff(&axis);
  for (std::uint32_t p = 0; p < pieces.size(); ++p) order.push_back({pieces[p].box.low[axis], p});
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t a = order[i].piece;
    const double high = pieces[a].box.high[axis];
    for (std::size_t j = i + 1; j < order.size() && order[j].low <= high; ++j) {
      const std::uint32_t b = order[j].piece;
      if ((starts[a] | starts[b]) == 7u && pieces[a].box.meets(pieces[b].box))
        report(pieces[a].segment, pieces[b].segment, found);
    }
  }
}

void Grid::Search::compare_within_cells() {
  const auto& keys = work.keys;
  const auto begins_cell = [&](std::size_t e) { return e == 0 || e >= keys.size() || keys[e] != keys[e - 1]; };
  for_chunks(keys.size(), [&](std::size_t c, std::size_t begin, std::size_t stop) {
    // The cells that begin in this chunk; the last may reach beyond it.
    while (begin < stop && !begins_cell(begin)) ++begin;
    while (begin < stop) {
      std::size_t next = begin + 1;
      while (!begins_cell(next)) ++next;
      if (next - begin > 1) {
        const std::size_t before = work.found_by_chunk[c].size();
        compare_within_cell(begin, next, work.found_by_chunk[c]);
        if ((found_so_far += work.found_by_chunk[c].size() - before) > most_pairs) return;
      }
      begin = next;
    }
  });
}

void Grid::Search::compare_big_with_all() {
  const std::size_t before = chunks_of(work.keys.size());
  const std::size_t count = start.positions.size();
  for (const std::uint32_t b : work.big) {
    const Piece& piece = work.pieces[b];
    for_chunks(count, [&](std::size_t c, std::size_t begin, std::size_t stop) {
      for (std::size_t v = begin; v < stop; ++v)
        if (is_segment(v) && piece.box.meets(box_of(v, 0, 1)))
          report(piece.segment, static_cast<std::uint32_t>(v), work.found_by_chunk[before + c]);
    });
  }
}

// Pieces of one pair, and big pieces, may have found it several times.
void Grid::Search::gather_pairs(std::vector<SegmentPair>& pairs) {
  const std::uint64_t count = start.positions.size();
  work.found.clear();
  for (const auto& some : work.found_by_chunk) work.found.insert(work.found.end(), some.begin(), some.end());
  std::vector<std::uint32_t> no_values;
  work.sorter.sort(std::bit_width(count * count), work.found, no_values);
  work.found.erase(std::unique(work.found.begin(), work.found.end()), work.found.end());
  pairs.resize(work.found.size());
  for_chunks(pairs.size(), [&](std::size_t, std::size_t begin, std::size_t stop) {
    for (std::size_t k = begin; k < stop; ++k)
      pairs[k] = {static_cast<std::uint32_t>(work.found[k] / count), static_cast<std::uint32_t>(work.found[k] % count)};
  });
}

Status Grid::find(const Polylines& strands, const GridOptions& options, std::vector<SegmentPair>& pairs) {
  return find_swept(strands, {}, options, pairs);
}

Status Grid::find_swept(const Polylines& start, std::span<const Vector3d> end, const GridOptions& options,
                        std::vector<SegmentPair>& pairs) {
  pairs.clear();
  if (Status usable = check(start); !usable) return usable;
  if (Status usable = check(options.margin); !usable) return usable;
  if (!end.empty() && end.size() != start.positions.size())
    return Error{"polylines", "start and end of the step differ in their number of vertices"};
  if (Status usable = check_positions(end, start.offsets); !usable) return usable;

  Work& work = *work_;
  strands_of_vertices(start, work.strand);
  work.pieces.clear(), work.keys.clear(), work.entries.clear(), work.big.clear();
  Search search(work, start, end, options);
  const Extent extent = search.extent();
  if (extent.segments < 2) return ok();
  search.measure_arcs();
  search.choose_cells(extent);
  for (search.cut_into_pieces(); !search.enter_pieces(); search.cut_into_pieces()) search.set_cell(2.0 * search.cell);
  work.sorter.sort(search.bits[0] + search.bits[1] + search.bits[2], work.keys, work.entries);
  work.cells = search;

  work.found_by_chunk.resize(chunks_of(work.keys.size()) + chunks_of(start.positions.size()));
  for (auto& found : work.found_by_chunk) found.clear();
  work.content.resize(static_cast<std::size_t>(thread_count()));
  search.compare_within_cells();
  if (search.found_so_far > most_pairs)
    return Error{"polylines",
                 fmt::format("more than {} pairs of segments are within reach of each other: strands lie in "
                             "each other; check their scale and radius",
                             most_pairs)};
  search.compare_big_with_all();
  search.gather_pairs(pairs);
  return ok();
}

void Grid::Search::enter_strays(std::span<const std::uint32_t> astray) {
  work.is_astray.assign(start.positions.size(), 0);
  work.stray_pieces.clear(), work.stray_entries.clear(), work.big_strays.clear();
  for (const std::uint32_t v : astray) {
    work.is_astray[v] = 1;
    for (std::uint32_t part = 0, parts = parts_of(v); part < parts; ++part) {
      const auto piece = static_cast<std::uint32_t>(work.stray_pieces.size());
      work.stray_pieces.push_back({box_of(v, part, parts), v});
      const CellRange range = cells_of(work.stray_pieces.back().box);
      if (range.count() > most_cells_per_piece)
        work.big_strays.push_back(piece);
      else
        for_cells(range, [&](std::uint64_t key, std::uint32_t starts) {
          work.stray_entries.push_back({key, piece, starts});
        });
    }
  }
  std::ranges::sort(work.stray_entries);
}

// With those of the last search that are where they were, from the place where their cell begins.
void Grid::Search::compare_stray_with_cell(const StrayEntry& entry, std::size_t cell_begin,
                                           std::vector<std::uint64_t>& found) const {
  const Piece& stray = work.stray_pieces[entry.piece];
  for (std::size_t e = cell_begin; e < work.keys.size() && work.keys[e] == entry.key; ++e) {
    const Piece& other = work.pieces[piece_of(work.entries[e])];
    if ((entry.starts | starts_of(work.entries[e])) == 7u && work.is_astray[other.segment] == 0 &&
        stray.box.meets(other.box))
      report(stray.segment, other.segment, found);
  }
}

void Grid::Search::compare_strays() {
  const auto& entries = work.stray_entries;
  for_chunks(entries.size(), [&](std::size_t c, std::size_t begin, std::size_t stop) {
    std::vector<std::uint64_t>& found = work.found_by_chunk[c];
    std::size_t at = 0;
    for (std::size_t i = begin; i < stop; ++i) {
      at = first_not_below(work.keys, at, entries[i].key);
      compare_stray_with_cell(entries[i], at, found);
      const Piece& a = work.stray_pieces[entries[i].piece];
      for (std::size_t j = i + 1; j < entries.size() && entries[j].key == entries[i].key; ++j) {
        const Piece& b = work.stray_pieces[entries[j].piece];
        if ((entries[i].starts | entries[j].starts) == 7u && a.box.meets(b.box)) report(a.segment, b.segment, found);
      }
    }
  });
}

// What is in no cell, because it is too large.
void Grid::Search::compare_big_with_strays(std::vector<std::uint64_t>& found) const {
  const auto compare = [&](const Piece& a, const Piece& b) {
    if (a.box.meets(b.box)) report(a.segment, b.segment, found);
  };
  for (const std::uint32_t big : work.big)
    if (work.is_astray[work.pieces[big].segment] == 0)
      for (const Piece& stray : work.stray_pieces) compare(work.pieces[big], stray);
  for (const std::uint32_t big : work.big_strays) {
    for (const Piece& stray : work.stray_pieces) compare(work.stray_pieces[big], stray);
    for (const Piece& other : work.pieces)
      if (work.is_astray[other.segment] == 0) compare(work.stray_pieces[big], other);
  }
}

Status Grid::find_astray(const Polylines& start, std::span<const Vector3d> end, std::span<const std::uint32_t> astray,
                         const GridOptions& options, std::vector<SegmentPair>& pairs) {
  pairs.clear();
  Work& work = *work_;
  if (work.strand.size() != start.positions.size() || end.size() != start.positions.size())
    return Error{"polylines", "find_astray follows a find_swept of the same strands"};
  if (Status usable = check_positions(end, start.offsets); !usable) return usable;
  Search search(work, start, end, options);
  static_cast<Cells&>(search) = work.cells;
  search.enter_strays(astray);
  work.found_by_chunk.resize(chunks_of(work.stray_entries.size()) + 1);
  for (auto& found : work.found_by_chunk) found.clear();
  search.compare_strays();
  search.compare_big_with_strays(work.found_by_chunk.back());
  search.gather_pairs(pairs);
  return ok();
}

}  // namespace tendril::collide
