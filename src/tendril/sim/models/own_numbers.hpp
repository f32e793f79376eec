// A model's unknowns as a row of numbers (PartState::own), and back.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <span>
#include <vector>

namespace tendril {

class NumberWriter {
 public:
  explicit NumberWriter(std::vector<double>& out) : out_(out) { out.clear(); }
  void numbers(std::span<const double> values) { out_.insert(out_.end(), values.begin(), values.end()); }
  void vector(const Eigen::Vector3d& v) { numbers({v.data(), 3}); }
  void quaternion(const Eigen::Quaterniond& q) { out_.insert(out_.end(), {q.w(), q.x(), q.y(), q.z()}); }

 private:
  std::vector<double>& out_;
};

class NumberReader {
 public:
  explicit NumberReader(std::span<const double> in) : in_(in) {}
  void numbers(std::size_t count, std::vector<double>& out) {
    const std::span<const double> taken = take(count);
    out.assign(taken.begin(), taken.end());
  }
  Eigen::Vector3d vector() { return Eigen::Map<const Eigen::Vector3d>(take(3).data()); }
  Eigen::Quaterniond quaternion() {
    const std::span<const double> q = take(4);
    return {q[0], q[1], q[2], q[3]};
  }

 private:
  std::span<const double> take(std::size_t count) {
    const std::span<const double> taken = in_.first(count);
    in_ = in_.subspan(count);
    return taken;
  }
  std::span<const double> in_;
};

}  // namespace tendril
