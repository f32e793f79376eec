#include "tendril/io/usda_clips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tendril::usda {
namespace {

// A small file may name many layers, and each may be large.
constexpr int most_asked = 20'000, most_read = 1'000;

const Value* value_of(const Metadata& set, std::string_view key) {
  const auto found = set.find(key);
  return found == set.end() ? nullptr : &found->second;
}

std::optional<double> number_of(const Metadata& set, std::string_view key) {
  const Value* value = value_of(set, key);
  return value != nullptr && value->numbers.size() == 1 ? std::optional(value->numbers[0]) : std::nullopt;
}

// The number in pairs (time, number) that belongs to the earliest time; nothing if they are no pairs.
std::optional<double> at_earliest(const std::vector<double>& pairs) {
  if (pairs.empty() || pairs.size() % 2 != 0) return std::nullopt;
  std::size_t earliest = 0;
  for (std::size_t i = 2; i < pairs.size(); i += 2)
    if (pairs[i] < pairs[earliest]) earliest = i;
  return pairs[earliest + 1];
}

// "a.###.##.usda" and 7.25 give "a.007.25.usda"; nothing if there is no # in the name.
std::optional<std::string> numbered(const std::string& pattern, double time) {
  const std::size_t slash = pattern.rfind('/');
  const std::size_t begin = pattern.find('#', slash == std::string::npos ? 0 : slash);
  if (begin == std::string::npos) return std::nullopt;
  const auto end_of = [&](std::size_t at) { return std::min(pattern.find_first_not_of('#', at), pattern.size()); };
  std::size_t end = end_of(begin), decimals = 0;
  const std::size_t digits = end - begin;
  if (pattern.substr(end).starts_with(".#")) decimals = end_of(end + 1) - end - 1, end += 1 + decimals;
  if (digits > 32 || decimals > 32) return std::nullopt;
  std::string number = fmt::format("{:0{}}", int(time), digits);
  if (decimals > 0) {
    const std::string text = fmt::format("{:.{}f}", time, decimals);
    number += text.substr(text.find('.'));
  }
  return pattern.substr(0, begin) + number + pattern.substr(end);
}

// So that a prim among very many is found soon.
void sort_by_name(std::vector<Prim>& prims) {
  std::ranges::stable_sort(prims, {}, &Prim::name);
  for (Prim& prim : prims) sort_by_name(prim.children);
}

const Prim* find(const Stage& stage, std::string_view path) {
  const std::vector<Prim>* siblings = &stage.prims;
  const Prim* found = nullptr;
  if (!path.starts_with('/')) return nullptr;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view name = path.substr(0, path.find('/'));
    const auto at = std::ranges::lower_bound(*siblings, name, {}, &Prim::name);
    if (at == siblings->end() || at->name != name) return nullptr;
    found = &*at, siblings = &at->children;
    path.remove_prefix(name.size());
  }
  return found;
}

bool may_be_in_clips(const Attribute& attribute) {
  return attribute.name == "points" || attribute.name == "curveVertexCounts" || attribute.name == "widths" ||
         attribute.name.starts_with("primvars:");
}

}  // namespace

Error ClipReader::refuse(const Prim& owner, const std::string& what) const {
  return {fmt::format("{}:{}", name_, owner.line), fmt::format("{}: {}", owner.name, what)};
}

Status ClipReader::fill(std::span<Prim* const> path) {
  std::optional<Error> first;  // a set may be there for other values; if none has the points, this is the reason
  for (std::size_t begin = path.size(); begin-- > 0;)
    for (const auto& [name, set] : path[begin]->clips) {
      const Status filled = fill_from(set, path.subspan(begin));
      if (filled) return ok();
      if (!first) first = filled.error();
    }
  return first ? Status(*first) : ok();
}

Status ClipReader::fill_from(const Metadata& set, std::span<Prim* const> path) {
  const Prim& owner = *path.front();
  const Value* root = value_of(set, "primPath");
  if (root == nullptr || root->word().empty()) return refuse(owner, "its value clips have no primPath");
  if (!layers_) return refuse(owner, "its value clips stand in other files, which cannot be read here");
  if (!last_ || last_->set != &set) {
    last_.reset();
    const Status read = value_of(set, "assetPaths") != nullptr ? read_explicit(set, owner) : read_template(set, owner);
    if (!read) return read;
  }
  std::string wanted = root->word();
  for (const Prim* prim : path.subspan(1)) wanted += "/" + prim->name;
  const auto lacks = [&](const std::string& what) {
    return Error{last_->name, fmt::format("{}, which the value clips of {} look for there", what, name_)};
  };
  const Prim* from = find(last_->stage, wanted);
  if (from == nullptr) return lacks(fmt::format("has no prim <{}>", wanted));
  if (from->attribute("points") == nullptr) return lacks(fmt::format("has no points of <{}>", wanted));
  Prim& to = *path.back();
  for (const Attribute& attribute : from->attributes) {
    if (!may_be_in_clips(attribute)) continue;
    const auto own = std::ranges::find(to.attributes, attribute.name, &Attribute::name);
    if (own == to.attributes.end()) {
      to.attributes.push_back(attribute), to.attributes.back().layer = last_->name;
    } else if (own->value.numbers.empty() && own->value.words.empty()) {  // declared, with its metadata
      own->value = attribute.value, own->line = attribute.line, own->layer = last_->name;
    }
  }
  return ok();
}

Result<std::optional<UsdaLayer>> ClipReader::ask(const std::string& asset, const Prim& owner) {
  if (++asked_ > most_asked) return refuse(owner, fmt::format("asks for more than {} value clips", most_asked));
  return layers_(asset);
}

Status ClipReader::keep(const Metadata& set, const UsdaLayer& layer, double time) {
  if (++read_ > most_read) return Error{name_, fmt::format("has value clips in more than {} layers", most_read)};
  Result<Stage> stage = parse(layer.text, layer.name, time);
  if (!stage) return stage.error();
  sort_by_name(stage.value().prims);
  last_ = Layer{&set, layer.name, std::move(stage.value())};
  return ok();
}

Result<ClipReader::Pose> ClipReader::explicit_pose(const Metadata& set, const Prim& owner) const {
  const std::vector<std::string>& assets = value_of(set, "assetPaths")->words;
  const Value *active = value_of(set, "active"), *times = value_of(set, "times");
  const std::optional<double> index = active == nullptr ? std::nullopt : at_earliest(active->numbers);
  if (!index) return refuse(owner, "its value clips need active, pairs of a time and the number of a layer");
  if (!(*index >= 0.0 && *index < double(assets.size())))
    return refuse(owner,
                  fmt::format("active of its value clips has layer {}, but there are {}", *index, assets.size()));
  Pose pose{assets[std::size_t(*index)], -std::numeric_limits<double>::infinity()};
  if (times != nullptr && !times->numbers.empty()) {
    const std::optional<double> time = at_earliest(times->numbers);
    if (!time) return refuse(owner, "times of its value clips must be pairs of a time and one in the layer");
    pose.time = *time;
  }
  return pose;
}

Status ClipReader::read_explicit(const Metadata& set, const Prim& owner) {
  const Result<Pose> pose = explicit_pose(set, owner);
  if (!pose) return pose.error();
  const Result<std::optional<UsdaLayer>> layer = ask(pose.value().asset, owner);
  if (!layer) return layer.error();
  if (!layer.value())
    return refuse(owner, fmt::format("the layer {} of its value clips is missing", pose.value().asset));
  return keep(set, *layer.value(), pose.value().time);
}

Status ClipReader::read_template(const Metadata& set, const Prim& owner) {
  const Value* pattern = value_of(set, "templateAssetPath");
  const auto start = number_of(set, "templateStartTime"), end = number_of(set, "templateEndTime"),
             stride = number_of(set, "templateStride");
  if (pattern == nullptr || !start || !end || !stride)
    return refuse(owner,
                  "its value clips need assetPaths and active, or templateAssetPath, templateStartTime, "
                  "templateEndTime and templateStride");
  if (!(*stride > 0.0 && *start <= *end && *start > -1e9 && *end < 1e9))
    return refuse(owner, fmt::format("its value clips cannot go from {} to {} by steps of {}", *start, *end, *stride));
  for (double k = 0.0;; k += 1.0) {
    const double time = *start + k * *stride;
    if (!(time <= *end)) break;
    const std::optional<std::string> asset = numbered(pattern->word(), time);
    if (!asset)
      return refuse(owner, fmt::format("templateAssetPath of its value clips must be like a.####.usda or a.##.##.usda, "
                                       "not {}",
                                       pattern->word()));
    const Result<std::optional<UsdaLayer>> layer = ask(*asset, owner);
    if (!layer) return layer.error();
    if (layer.value()) return keep(set, *layer.value(), time);
  }
  return refuse(owner, fmt::format("of the layers {} of its value clips from {} to {} none is there", pattern->word(),
                                   *start, *end));
}

}  // namespace tendril::usda
