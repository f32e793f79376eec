// From USD's prims to a groom.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "tendril/io/usda_clips.hpp"
#include "tendril/io/usda_file.hpp"
#include "tendril/io/usda_parser.hpp"
#include "tendril/io/usda_primvars.hpp"

namespace tendril {
namespace {

using Eigen::Affine3d;
using Eigen::Vector3d;

// How a set of curves becomes polylines: which vertices of a curve of n points make the points that are kept.
struct Shape {
  bool cubic = false, pinned = false;
  std::string basis = "bezier";
};

class CurveReader {
 public:
  CurveReader(const usda::Prim& prim, const std::string& name, const Affine3d& to_world)
      : prim_(prim), name_(name), to_world_(to_world) {}

  Status add_to(Groom& groom) {
    if (Status s = read_shape(); !s) return s;
    if (Status s = read_counts(); !s) return s;
    if (Status s = read_points(); !s) return s;
    Groom part;
    add_polylines(part);
    if (Status s = read_widths(part); !s) return s;
    for (const usda::Attribute& attribute : prim_.attributes)
      if (attribute.name.starts_with("primvars:"))
        if (Status s = read_primvar(attribute, part); !s) return s;
    append(std::move(part), groom);
    return ok();
  }

 private:
  Error error(const usda::Attribute* attribute, const std::string& what) const {
    const bool elsewhere = attribute != nullptr && !attribute->layer.empty();
    return {
        fmt::format("{}:{}", elsewhere ? attribute->layer : name_, attribute == nullptr ? prim_.line : attribute->line),
        fmt::format("{}: {}", prim_.name, what)};
  }
  std::string token(const char* name, const char* fallback) const {
    const usda::Attribute* found = prim_.attribute(name);
    return found == nullptr || found->value.words.empty() ? fallback : found->value.word();
  }

  Status read_shape() {
    const std::string type = token("type", "cubic"), wrap = token("wrap", "nonperiodic");
    if (type != "linear" && type != "cubic") return error(prim_.attribute("type"), "type must be linear or cubic");
    if (wrap != "nonperiodic" && wrap != "pinned")
      return error(prim_.attribute("wrap"), fmt::format("wrap = \"{}\" is not read; strands are open curves", wrap));
    shape_.cubic = type == "cubic", shape_.pinned = wrap == "pinned";
    shape_.basis = token("basis", "bezier");
    if (shape_.cubic && shape_.basis != "bezier" && shape_.basis != "bspline" && shape_.basis != "catmullRom")
      return error(prim_.attribute("basis"), fmt::format("basis = \"{}\" is not read", shape_.basis));
    return ok();
  }

  Status read_counts() {
    const usda::Attribute* found = prim_.attribute("curveVertexCounts");
    if (found == nullptr) return error(nullptr, "curveVertexCounts is missing");
    double total = 0.0;
    counts_.reserve(found->value.numbers.size());
    for (const double count : found->value.numbers) {
      const bool whole = count >= 0.0 && count < 4294967296.0 && count == std::floor(count);
      if (!whole) return error(found, fmt::format("curveVertexCounts has {}, which is no count", count));
      if (shape_.cubic && shape_.basis == "bezier" && count >= 4.0 && std::fmod(count, 3.0) != 1.0)
        return error(found,
                     fmt::format("a bezier curve cannot have {} points; 4, 7, 10, ... make whole segments", count));
      counts_.push_back(std::size_t(count));
      total += count;
    }
    total_ = total;
    return ok();
  }

  Status read_points() {
    const usda::Attribute* found = prim_.attribute("points");
    if (found == nullptr) return error(nullptr, "points are missing");
    const std::vector<double>& numbers = found->value.numbers;
    if (double(numbers.size()) != 3.0 * total_)
      return error(found, fmt::format("has {} numbers for the {} points of curveVertexCounts", numbers.size(), total_));
    points_ = &numbers;
    return ok();
  }

  Vector3d point(std::size_t i) const {
    const double* at = points_->data() + 3 * i;
    return {at[0], at[1], at[2]};
  }

  // Points on the curve at the ends of its segments; of the numbers of a vertex primvar those that belong to them.
  void add_polylines(Groom& part) {
    std::size_t begin = 0;
    part.curves.offsets.reserve(counts_.size() + 1);
    part.curves.points.reserve(points_->size() / 3), kept_.reserve(points_->size() / 3);
    for (const std::size_t n : counts_) {
      const auto add = [&](const Vector3d& p, std::size_t vertex) {
        part.curves.points.push_back(to_world_ * p);
        kept_.push_back(vertex);
      };
      const bool few = shape_.cubic && n < 4 && !shape_.pinned;
      if (!shape_.cubic || few || (shape_.basis == "catmullRom" && shape_.pinned))
        for (std::size_t i = 0; i < n; ++i) add(point(begin + i), begin + i);
      else if (shape_.basis == "bezier")
        for (std::size_t i = 0; i < n; i += 3) add(point(begin + i), begin + i);
      else if (shape_.basis == "catmullRom")
        for (std::size_t i = 1; i + 1 < n; ++i) add(point(begin + i), begin + i);
      else
        add_bspline(begin, n, add);
      part.curves.offsets.push_back(part.curves.points.size());
      begin += n;
    }
  }

  template <class Add>
  void add_bspline(std::size_t begin, std::size_t n, Add&& add) const {
    if (shape_.pinned && n > 0) add(point(begin), begin);
    for (std::size_t i = begin + 1; i + 1 < begin + n; ++i)
      add((point(i - 1) + 4.0 * point(i) + point(i + 1)) / 6.0, i);
    if (shape_.pinned && n > 1) add(point(begin + n - 1), begin + n - 1);
  }

  // One number (or tuple) per curve, vertex or, where segment ends are meant, kept point.
  struct Primvar {
    bool per_vertex = false;
    int components = 1;
    std::vector<double> values;
  };
  std::optional<Primvar> spread(const usda::Attribute& attribute, int components, const char* fallback) const {
    const std::vector<double>& numbers = attribute.value.numbers;
    const auto n = std::size_t(components);
    const auto found = attribute.metadata.find("interpolation");
    const std::string interpolation = found == attribute.metadata.end() ? fallback : found->second.word();
    Primvar out{interpolation == "vertex" || interpolation == "varying", components, {}};
    if (interpolation == "uniform" && numbers.size() == n * counts_.size()) {
      out.values = numbers;
    } else if (interpolation == "vertex" && double(numbers.size()) == double(n) * total_) {
      out.values.reserve(n * kept_.size());
      for (const std::size_t v : kept_)
        out.values.insert(out.values.end(), numbers.begin() + std::ptrdiff_t(n * v),
                          numbers.begin() + std::ptrdiff_t(n * (v + 1)));
    } else if (interpolation == "varying" && numbers.size() == n * kept_.size()) {
      out.values = numbers;
    } else {
      return std::nullopt;
    }
    return out;
  }

  Status read_widths(Groom& part) const {
    const usda::Attribute* widths = prim_.attribute("widths");
    if (widths == nullptr || widths->value.numbers.empty()) return ok();
    const std::vector<double>& numbers = widths->value.numbers;
    const double scale = 0.5 * std::cbrt(std::abs(to_world_.linear().determinant()));
    if (numbers.size() == 1) {
      part.radius.assign(kept_.size(), scale * numbers[0]);
      return ok();
    }
    const std::optional<Primvar> found = spread(*widths, 1, "vertex");
    if (!found)
      return error(
          widths, fmt::format("{} widths fit neither {} curves nor {} points", numbers.size(), counts_.size(), total_));
    part.radius.reserve(kept_.size());
    for (std::size_t s = 0; s < counts_.size(); ++s)
      for (std::size_t v = part.curves.offsets[s]; v < part.curves.offsets[s + 1]; ++v)
        part.radius.push_back(scale * found->values[found->per_vertex ? v : s]);
    return ok();
  }

  Status read_primvar(const usda::Attribute& attribute, Groom& part) const {
    const std::string name = attribute.name.substr(std::string_view("primvars:").size());
    const bool indexed = prim_.attribute(attribute.name + ":indices") != nullptr || name.ends_with(":indices");
    if (attribute.value.numbers.empty() || indexed) return ok();
    if (name == "groom_width" && !part.radius.empty()) return ok();  // the same as the widths
    int components = 1;
    for (const char digit : {'2', '3', '4'})
      if (attribute.type.find(digit) != std::string::npos) components = digit - '0';
    if (attribute.type.starts_with("int64") || attribute.type.starts_with("uint64")) components = 1;
    if (const auto size = attribute.metadata.find("elementSize");
        size != attribute.metadata.end() && size->second.numbers.size() == 1 && size->second.numbers[0] >= 1.0 &&
        size->second.numbers[0] <= 16.0)
      components *= int(size->second.numbers[0]);
    if (std::optional<Primvar> found = spread(attribute, components, "constant"))
      part.attributes.push_back(
          {attribute_name(name, *found), found->per_vertex, found->components, std::move(found->values)});
    return ok();
  }

  // Primvars of grooms have other names in a groom, if no other primvar has that name.
  std::string attribute_name(const std::string& name, const Primvar& found) const {
    for (const usda::GroomPrimvar& known : usda::groom_primvars)
      if (known.name == name && known.components == found.components && !found.per_vertex &&
          prim_.attribute("primvars:" + std::string(known.attribute)) == nullptr)
        return std::string(known.attribute);
    return name;
  }

  // Several prims make one groom; attributes and radius that only some of them have cannot be kept.
  static void append(Groom&& part, Groom& groom) {
    if (part.curves.strands() == 0) return;  // no strands have no radius and no attributes
    if (groom.curves.strands() == 0) {
      groom = std::move(part);
      return;
    }
    const std::size_t base = groom.curves.points.size();
    groom.curves.points.insert(groom.curves.points.end(), part.curves.points.begin(), part.curves.points.end());
    for (std::size_t s = 1; s < part.curves.offsets.size(); ++s)
      groom.curves.offsets.push_back(base + part.curves.offsets[s]);
    if (part.radius.empty()) groom.radius.clear();
    if (!groom.radius.empty()) groom.radius.insert(groom.radius.end(), part.radius.begin(), part.radius.end());
    std::erase_if(groom.attributes, [&](GroomAttribute& kept) {
      const GroomAttribute* more = part.attribute(kept.name);
      if (more == nullptr || more->per_vertex != kept.per_vertex || more->components != kept.components) return true;
      kept.values.insert(kept.values.end(), more->values.begin(), more->values.end());
      return false;
    });
  }

  const usda::Prim& prim_;
  const std::string& name_;
  const Affine3d& to_world_;
  Shape shape_;
  std::vector<std::size_t> counts_, kept_;  // kept_: per kept point, the vertex whose primvars it has
  double total_ = 0.0;
  const std::vector<double>* points_ = nullptr;
};

Result<Affine3d> operation(const usda::Prim& prim, const std::string& op, const std::string& name) {
  const usda::Attribute* found = prim.attribute(op);
  const auto refuse = [&](const std::string& what) {
    return Error{fmt::format("{}:{}", name, found == nullptr ? prim.line : found->line),
                 fmt::format("{}: {} {}", prim.name, op, what)};
  };
  if (found == nullptr) return refuse("is in xformOpOrder, but not there");
  const std::vector<double>& v = found->value.numbers;
  const std::string kind = op.substr(0, op.find(':', std::string_view("xformOp:").size()));
  const auto turn = [](double degrees, int axis) {
    return Affine3d(Eigen::AngleAxisd(degrees * std::numbers::pi / 180.0, Vector3d::Unit(axis)));
  };
  if (kind == "xformOp:translate" && v.size() == 3) return Affine3d(Eigen::Translation3d(v[0], v[1], v[2]));
  if (kind == "xformOp:scale" && v.size() == 3) return Affine3d(Eigen::Scaling(v[0], v[1], v[2]));
  for (int axis = 0; axis < 3; ++axis)
    if (kind == std::string("xformOp:rotate") + "XYZ"[axis] && v.size() == 1) return turn(v[0], axis);
  if (kind.starts_with("xformOp:rotate") && kind.size() == std::string_view("xformOp:rotateXYZ").size() &&
      v.size() == 3) {
    Affine3d out = Affine3d::Identity();
    for (const char letter : kind.substr(kind.size() - 3)) {
      if (letter < 'X' || letter > 'Z') return refuse("is not read");
      out = turn(v[std::size_t(letter - 'X')], letter - 'X') * out;
    }
    return out;
  }
  if (kind == "xformOp:transform" && v.size() == 16) {  // rows of a matrix that multiplies row vectors
    Affine3d out;
    out.matrix() = Eigen::Map<const Eigen::Matrix4d>(v.data());
    return out;
  }
  return refuse("is not read; translate, scale, rotate and transform are");
}

Result<Affine3d> transform_of(const usda::Prim& prim, const Affine3d& above, const std::string& name) {
  const usda::Attribute* order = prim.attribute("xformOpOrder");
  Affine3d out = above;
  if (order == nullptr) return out;
  for (const std::string& op : order->value.words) {
    if (op == "!resetXformStack!") {
      out = Affine3d::Identity();
      continue;
    }
    const bool inverse = op.starts_with("!invert!");
    Result<Affine3d> made = operation(prim, inverse ? op.substr(std::string_view("!invert!").size()) : op, name);
    if (!made) return made.error();
    if (inverse && std::abs(made.value().linear().determinant()) < 1e-300)
      return Error{fmt::format("{}:{}", name, order->line), fmt::format("{}: {} has no inverse", prim.name, op)};
    out = out * (inverse ? made.value().inverse() : made.value());
  }
  return out;
}

class StageReader {
 public:
  StageReader(const std::string& name, const UsdaLayers& layers) : name_(name), clips_(name, layers) {}

  // The numbers of a prim are given up once they are in the groom.
  Status read(std::vector<usda::Prim>& prims, const Affine3d& above, Groom& groom) {
    for (usda::Prim& prim : prims) {
      if (!prim.defined) continue;
      path_.push_back(&prim);
      Result<Affine3d> to_world = transform_of(prim, above, name_);
      if (!to_world) return to_world.error();
      if (prim.type == "BasisCurves") {
        ++found_;
        const usda::Attribute* points = prim.attribute("points");
        if (points == nullptr || points->value.numbers.empty())
          if (Status s = clips_.fill(path_); !s) return s;
        if (Status s = CurveReader(prim, name_, to_world.value()).add_to(groom); !s) return s;
      }
      prim.attributes = {};
      if (Status s = read(prim.children, to_world.value(), groom); !s) return s;
      path_.pop_back();
    }
    return ok();
  }

  int found() const { return found_; }

 private:
  const std::string& name_;
  usda::ClipReader clips_;
  std::vector<usda::Prim*> path_;  // from the root to the prim at hand
  int found_ = 0;
};

}  // namespace

Result<Groom> decode_usda(std::string_view text, const std::string& name, const UsdaLayers& layers) {
  Result<usda::Stage> parsed = usda::parse(text, name);
  if (!parsed) return parsed.error();
  usda::Stage& stage = parsed.value();
  Groom groom;
  StageReader reader(name, layers);
  if (Status s = reader.read(stage.prims, Affine3d::Identity(), groom); !s) return s.error();
  if (reader.found() == 0) return Error{name, "has no BasisCurves; there is nothing to read"};
  groom.metres_per_unit = 0.01;  // USD's fallback
  if (const auto unit = stage.metadata.find("metersPerUnit"); unit != stage.metadata.end()) {
    const std::vector<double>& value = unit->second.numbers;
    if (value.size() != 1 || !(value[0] > 0.0)) return Error{name, "metersPerUnit must be a positive number"};
    groom.metres_per_unit = value[0];
  }
  groom.up = UpAxis::y;
  if (const auto up = stage.metadata.find("upAxis"); up != stage.metadata.end() && up->second.word() == "Z")
    groom.up = UpAxis::z;
  return groom;
}

}  // namespace tendril
