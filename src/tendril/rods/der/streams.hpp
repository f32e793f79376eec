// Lane streams, [slot][component][lane] of doubles (layout.hpp), and how to address one value of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tendril/base/aligned.hpp"
#include "tendril/linalg/vec3.hpp"
#include "tendril/rods/der/layout.hpp"

namespace tendril::der {

using Stream = AlignedVector<double>;

// The streams of all groups, end to end in one array: to walk from group to group is to walk on in memory.
class GroupStreams {
 public:
  std::size_t size() const { return ends_.size(); }  // groups
  bool empty() const { return ends_.empty(); }

  std::span<double> operator[](std::size_t group) { return {values_.data() + begin(group), values(group)}; }
  std::span<const double> operator[](std::size_t group) const { return {values_.data() + begin(group), values(group)}; }
  std::span<double> all() { return values_; }
  std::span<const double> all() const { return values_; }

  void append(std::size_t values, double value) {
    values_.resize(values_.size() + values, value);
    ends_.push_back(values_.size());
  }
  void shape_like(const GroupStreams& other) {
    ends_ = other.ends_;
    values_.resize(other.values_.size());
  }
  void clear() { values_.clear(), ends_.clear(); }
  void swap(GroupStreams& other) noexcept { values_.swap(other.values_), ends_.swap(other.ends_); }

 private:
  std::size_t begin(std::size_t group) const { return group == 0 ? 0 : ends_[group - 1]; }
  std::size_t values(std::size_t group) const { return ends_[group] - begin(group); }

  Stream values_;
  std::vector<std::size_t> ends_;
};

inline std::size_t stream_at(int slot, int components, int component, int lanes, std::size_t lane) {
  return (std::size_t(slot) * std::size_t(components) + std::size_t(component)) * std::size_t(lanes) + lane;
}
inline std::size_t state_at(int slot, int component, int lanes, std::size_t lane) {
  return stream_at(slot, StateLayout::components, component, lanes, lane);
}

// A vector of a state stream.
inline Vec3<double> read3(std::span<const double> state, int slot, int component, int lanes, std::size_t lane) {
  const double* at = &state[state_at(slot, component, lanes, lane)];
  return {at[0], at[lanes], at[2 * lanes]};
}
inline void write3(std::span<double> state, int slot, int component, int lanes, std::size_t lane,
                   const Vec3<double>& v) {
  double* at = &state[state_at(slot, component, lanes, lane)];
  at[0] = v.x, at[lanes] = v.y, at[2 * lanes] = v.z;
}

}  // namespace tendril::der
