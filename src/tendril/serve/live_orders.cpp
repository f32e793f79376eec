#include "tendril/serve/live_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "tendril/base/text.hpp"

namespace tendril::serve {
namespace {

using nlohmann::json;

struct Range {
  double least, most;
};
// More than any scene needs, less than what makes numbers overflow.
constexpr Range gravity_range{-1000.0, 1000.0}, wind_range{-300.0, 300.0}, stiffness_range{1e-3, 1e3},
    damping_range{0.0, 10.0}, friction_range{0.0, 1e3}, offset_range{-100.0, 100.0}, turn_range{-1.0, 1.0};

Result<json> parse_object(std::string_view text, std::span<const std::string_view> keys) {
  json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return Error{"", "the body must be a JSON object"};
  for (const auto& [key, value] : object.items())
    if (std::ranges::find(keys, key) == keys.end())
      return Error{"", fmt::format("'{}' is not known{}", key, did_you_mean(key, keys))};
  return object;
}

Status read(const json& object, const char* key, const Range& range, std::optional<double>& out) {
  if (!object.contains(key)) return ok();
  const json& value = object[key];
  if (!value.is_number() || !(value.get<double>() >= range.least && value.get<double>() <= range.most))
    return Error{key, fmt::format("must be a number from {:g} to {:g}", range.least, range.most)};
  out = value.get<double>();
  return ok();
}

template <int Size>
Status read(const json& object, const char* key, const Range& range,
            std::optional<Eigen::Matrix<double, Size, 1>>& out) {
  if (!object.contains(key)) return ok();
  const json& value = object[key];
  const auto fits = [&](const json& v) {
    return v.is_number() && v.get<double>() >= range.least && v.get<double>() <= range.most;
  };
  if (!value.is_array() || value.size() != Size || !std::ranges::all_of(value, fits))
    return Error{key, fmt::format("must be {} numbers from {:g} to {:g}", Size, range.least, range.most)};
  out.emplace();
  for (int c = 0; c < Size; ++c) (*out)[c] = value[std::size_t(c)].get<double>();
  return ok();
}

Status read(const json& object, const char* key, std::optional<bool>& out) {
  if (!object.contains(key)) return ok();
  if (!object[key].is_boolean()) return Error{key, "must be true or false"};
  out = object[key].get<bool>();
  return ok();
}

Status first_error(std::initializer_list<Status> all) {
  for (const Status& status : all)
    if (!status) return status;
  return ok();
}

Result<Eigen::Quaterniond> quaternion(const Eigen::Vector4d& v) {
  if (std::abs(v.norm() - 1.0) > 0.01) return Error{"turn", "must be a unit quaternion: w, x, y, z"};
  return Eigen::Quaterniond(v[0], v[1], v[2], v[3]).normalized();
}

}  // namespace

Result<ControlOrder> parse_controls(std::string_view text) {
  static constexpr std::array<std::string_view, 8> keys = {"paused",  "gravity",  "wind",  "stiffness",
                                                           "damping", "friction", "reset", "step"};
  const Result<json> object = parse_object(text, keys);
  if (!object) return object.error();
  const json& in = object.value();
  ControlOrder order;
  std::optional<bool> reset, step;
  if (Status status = first_error(
          {read(in, "paused", order.paused), read(in, "reset", reset), read(in, "step", step),
           read<3>(in, "gravity", gravity_range, order.gravity), read<3>(in, "wind", wind_range, order.wind),
           read(in, "stiffness", stiffness_range, order.stiffness), read(in, "damping", damping_range, order.damping),
           read(in, "friction", friction_range, order.friction)});
      !status)
    return status.error();
  order.reset = reset.value_or(false), order.step = step.value_or(false);
  return order;
}

Result<DragOrder> parse_drag(std::string_view text) {
  static constexpr std::array<std::string_view, 4> keys = {"set", "offset", "turn", "release"};
  const Result<json> object = parse_object(text, keys);
  if (!object) return object.error();
  const json& in = object.value();
  if (!in.contains("set") || !in["set"].is_string()) return Error{"set", "must be the name of a set of strands"};
  DragOrder order{in["set"].get<std::string>(), {}};
  std::optional<bool> release;
  std::optional<Eigen::Vector3d> offset;
  std::optional<Eigen::Vector4d> turn;
  if (Status status = first_error({read(in, "release", release), read<3>(in, "offset", offset_range, offset),
                                   read<4>(in, "turn", turn_range, turn)});
      !status)
    return status.error();
  if (release.value_or(false)) return order;
  if (!offset) return Error{"offset", "must be three numbers, in metres; or release must be true"};
  const Result<Eigen::Quaterniond> rotation = quaternion(turn.value_or(Eigen::Vector4d(1.0, 0.0, 0.0, 0.0)));
  if (!rotation) return rotation.error();
  order.goal = DragGoal{*offset, rotation.value()};
  return order;
}

}  // namespace tendril::serve
