// Boxes that meet, in time linear in their number (docs/theory/collide.md, The grid).
//
// Boxes are entered in the cells of a uniform grid across y and z by their lowest corners; those of one cell form a row
// and are sorted along x. No box is wider than a cell, so that it meets others only of its own row and of the eight
// around it, which are swept along x. Larger ones have grids of their own whose cells are twice, four times ... as
// wide, and look for smaller ones in the finer grids. All of it is done with boxes in single precision, rounded
// outwards. Nothing depends on the number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/collide/bounds.hpp"
#include "tendril/collide/radix_sort.hpp"
#include "tendril/collide/row_kernels.hpp"

namespace tendril::collide {

class BoxRows {
 public:
  // Those of the boxes that are named.
  void enter(std::span<const Bounds> boxes, std::span<const std::uint32_t> names);

  // Adds all pairs of boxes that meet, by name, and few others, each once. Chunks share the work: all of them,
  // in any order, find all.
  std::size_t chunk_count() const { return (rows_.size() + rows_per_chunk - 1) / rows_per_chunk; }
  void find_pairs(std::size_t chunk, std::vector<SlotPair>& found) const;

  // Adds all boxes that meet this one, and few others.
  void find_at(const Bounds& box, std::vector<std::uint32_t>& found) const;

 private:
  static constexpr std::size_t rows_per_chunk = 16, level_count = 64;

  // In units of cells from the origin, rounded outwards.
  struct SingleBox {
    std::array<float, 3> low, high;
  };
  struct Row {
    std::uint64_t key;  // level and cell
    SlotRange slots;
    Across across;
  };
  // All boxes of about one size.
  struct Level {
    std::size_t first_row = 0, end_row = 0;
    float width = 0.0f;  // of the widest along x
  };
  struct Extent {
    Vector3d low, high;  // of lowest corners
    double width = 0.0;  // sum of the largest of each box
  };

  Extent extent_of(std::span<const Bounds> boxes, std::span<const std::uint32_t> names);
  void choose_cells(const Extent& extent, std::size_t count);
  SingleBox single(const Bounds& box) const;
  static std::size_t level_of(const SingleBox& box);
  std::uint64_t cell_key(std::size_t level, std::int64_t y, std::int64_t z) const;
  void sort(std::span<const Bounds> boxes, std::span<const std::uint32_t> names);
  void fill_slots(std::span<const std::uint32_t> names);
  void list_rows();
  std::size_t level_of(const Row& row) const { return std::size_t(row.key >> (bits_[0] + bits_[1])); }
  const Row* row_at(const Level& level, std::uint64_t key) const;  // null: there is none
  void sweep_within(const Row& row, std::vector<SlotPair>& found) const;
  void sweep_between(const Row& a, const Row& b, float width, std::vector<SlotPair>& found) const;
  void find_neighbours(const Row& row, std::vector<SlotPair>& found) const;
  void find_smaller(const Row& row, std::vector<SlotPair>& found) const;
  template <class F>
  void for_slots_at(const SingleBox& box, std::size_t level, const F& f) const;
  template <class F>
  void for_slots_of_row(const SingleBox& box, float width, SlotRange row, const F& f) const;
  SingleBox box_of(std::uint32_t slot) const {
    return {{low_[0][slot], low_[1][slot], low_[2][slot]}, {high_[0][slot], high_[1][slot], high_[2][slot]}};
  }
  SlotView view() const {
    return {{low_[0].data(), low_[1].data(), low_[2].data()}, {high_[0].data(), high_[1].data(), high_[2].data()}};
  }

  Vector3d origin_ = Vector3d::Zero();
  double per_cell_ = 1.0;         // [1/m], of the finest grid
  std::array<int, 2> bits_ = {};  // of y and z in keys; coordinates beyond wrap around
  std::array<Level, level_count> levels_;
  std::vector<Extent> extents_;  // one per chunk of boxes
  std::vector<std::uint64_t> keys_;
  std::vector<SingleBox> single_;    // in the order in which they were named
  std::vector<std::uint32_t> name_;  // of the box in each slot; until then its place in that order
  std::array<std::vector<float>, 3> low_, high_;
  std::vector<Row> rows_;
  RadixSort sorter_;
};

}  // namespace tendril::collide
