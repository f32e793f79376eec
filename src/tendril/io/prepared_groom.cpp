#include "tendril/io/prepared_groom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tendril/io/atomic_file.hpp"
#include "tendril/io/hdf5_file.hpp"
#include "tendril/io/sealed_file.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using sagfree::StrandOutcome;
using Numbers = std::vector<double>;
using Integers = std::vector<std::int64_t>;

constexpr SealKind seal = {"TENDRILP", 1, "a prepared groom"};

// Numbers per vertex or per strand, under the name that they have in the file.
struct NumberField {
  const char* name;
  Numbers der::Description::*values;
};
constexpr NumberField vertex_fields[] = {{"/semi_axis1", &der::Description::semi_axis1},
                                         {"/semi_axis2", &der::Description::semi_axis2},
                                         {"/density", &der::Description::density},
                                         {"/stretch_modulus", &der::Description::stretch_modulus},
                                         {"/bend_modulus", &der::Description::bend_modulus},
                                         {"/twist_modulus", &der::Description::twist_modulus},
                                         {"/reference_length", &der::Description::reference_length},
                                         {"/rest_strain", &der::Description::rest_strain},
                                         {"/rest_twist", &der::Description::rest_twist}};

struct OutcomeField {
  const char* name;
  double StrandOutcome::*value;
};
constexpr OutcomeField outcome_fields[] = {{"/outcome/mu", &StrandOutcome::mu},
                                           {"/outcome/imbalance_before", &StrandOutcome::imbalance_before},
                                           {"/outcome/imbalance", &StrandOutcome::imbalance},
                                           {"/outcome/stiffness_factor", &StrandOutcome::stiffness_factor}};

Numbers flat(const std::vector<Vector3d>& vectors) {
  Numbers out;
  for (const Vector3d& v : vectors) out.insert(out.end(), {v.x(), v.y(), v.z()});
  return out;
}

std::vector<Vector3d> vectors(const Numbers& numbers) {
  std::vector<Vector3d> out;
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) out.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
  return out;
}

std::string attribute_name(std::size_t index, const char* what) {
  return fmt::format("/attributes/{}/{}", index, what);
}

void write_groom(const Groom& groom, Hdf5Writer& file) {
  file.integers("/offsets", Integers(groom.curves.offsets.begin(), groom.curves.offsets.end()));
  file.numbers("/points", flat(groom.curves.points));
  file.numbers("/radius", groom.radius);
  const auto count = std::int64_t(groom.attributes.size());
  file.integers("/attribute_count", std::span(&count, 1));
  for (std::size_t i = 0; i < groom.attributes.size(); ++i) {
    const GroomAttribute& attribute = groom.attributes[i];
    file.text(attribute_name(i, "name"), attribute.name);
    file.integers(attribute_name(i, "shape"), Integers{attribute.per_vertex, attribute.components});
    file.numbers(attribute_name(i, "values"), attribute.values);
  }
}

void write_description(const der::Description& d, Hdf5Writer& file) {
  for (const NumberField& field : vertex_fields) file.numbers(field.name, d.*field.values);
  Numbers curvature;
  for (const std::array<double, 4>& k : d.rest_curvature) curvature.insert(curvature.end(), k.begin(), k.end());
  file.numbers("/rest_curvature", curvature);
  file.numbers("/damping", d.damping);
  file.numbers("/root_director", flat(d.root_director));
  Integers clamps;
  for (const der::Clamps& c : d.clamps) clamps.insert(clamps.end(), {std::int64_t(c.root), std::int64_t(c.tip)});
  file.integers("/clamps", clamps);
  const auto measure = std::int64_t(d.curvature);
  file.integers("/curvature_measure", std::span(&measure, 1));
}

void write_outcome(const sagfree::Outcome& outcome, Hdf5Writer& file) {
  for (const OutcomeField& field : outcome_fields) {
    Numbers values;
    for (const StrandOutcome& strand : outcome.strands) values.push_back(strand.*field.value);
    file.numbers(field.name, values);
  }
  Integers status, modes;
  for (const StrandOutcome& strand : outcome.strands)
    status.push_back(std::int64_t(strand.status)), modes.push_back(strand.negative_modes);
  file.integers("/outcome/status", status), file.integers("/outcome/negative_modes", modes);
  file.numbers("/outcome/vertex_stiffness_factor", outcome.stiffness_factor);
}

// Reads with checks; the first thing that is wrong ends it all.
class Reader {
 public:
  explicit Reader(const Hdf5Reader& file) : file_(file) {}

  Numbers numbers(const std::string& name, std::size_t count) {
    Numbers values = any_numbers(name);
    expect(values.size() == count, name, fmt::format("has {} numbers in place of {}", values.size(), count));
    return values;
  }
  Numbers numbers_or_none(const std::string& name, std::size_t count) {
    Numbers values = any_numbers(name);
    expect(values.empty() || values.size() == count, name,
           fmt::format("has {} numbers in place of {}", values.size(), count));
    return values;
  }
  // One for all, or one for each.
  Numbers numbers_of_strands(const std::string& name, std::size_t each, std::size_t strands, bool may_miss) {
    Numbers values = any_numbers(name);
    expect(values.size() == each || values.size() == each * strands || (may_miss && values.empty()), name,
           fmt::format("has {} numbers for {} strands", values.size(), strands));
    return values;
  }
  Integers integers(const std::string& name, std::int64_t least, std::int64_t most) {
    if (wrong_) return {};
    Result<Integers> values = file_.integers(name);
    if (!values) return wrong_ = values.error(), Integers{};
    for (const std::int64_t value : values.value())
      expect(value >= least && value <= most, name, fmt::format("{} is not from {} to {}", value, least, most));
    return std::move(values.value());
  }
  std::string text(const std::string& name) {
    if (wrong_) return {};
    Result<std::string> value = file_.text(name);
    if (!value) return wrong_ = value.error(), std::string();
    return value.value();
  }
  void expect(bool holds, const std::string& name, const std::string& complaint) {
    if (!holds && !wrong_) wrong_ = Error{name, complaint};
  }
  const std::optional<Error>& wrong() const { return wrong_; }

 private:
  Numbers any_numbers(const std::string& name) {
    if (wrong_) return {};
    Result<Numbers> values = file_.numbers(name);
    if (!values) return wrong_ = values.error(), Numbers{};
    expect(std::ranges::all_of(values.value(), [](double v) { return std::isfinite(v); }), name,
           "has a number that is not finite");
    return std::move(values.value());
  }

  const Hdf5Reader& file_;
  std::optional<Error> wrong_;
};

Groom read_groom(Reader& file) {
  Groom groom;
  const Integers offsets = file.integers("/offsets", 0, std::numeric_limits<std::int32_t>::max());
  file.expect(offsets.size() >= 2 && offsets.front() == 0 && std::ranges::is_sorted(offsets), "/offsets",
              "must begin with 0 and grow");
  if (file.wrong()) return groom;
  groom.curves.offsets.assign(offsets.begin(), offsets.end());
  const std::size_t vertices = groom.curves.offsets.back(), strands = groom.curves.strands();
  groom.curves.points = vectors(file.numbers("/points", 3 * vertices));
  groom.radius = file.numbers_or_none("/radius", vertices);
  const Integers count = file.integers("/attribute_count", 0, 10000);
  file.expect(count.size() == 1, "/attribute_count", "must be one number");
  for (std::size_t i = 0; !file.wrong() && i < std::size_t(count[0]); ++i) {
    GroomAttribute attribute;
    attribute.name = file.text(attribute_name(i, "name"));
    const Integers shape = file.integers(attribute_name(i, "shape"), 0, 1000);
    file.expect(shape.size() == 2 && shape[1] >= 1, attribute_name(i, "shape"), "must be 0 or 1, and a count");
    if (file.wrong()) break;
    attribute.per_vertex = shape[0] != 0, attribute.components = int(shape[1]);
    attribute.values = file.numbers(attribute_name(i, "values"),
                                    (attribute.per_vertex ? vertices : strands) * std::size_t(attribute.components));
    groom.attributes.push_back(std::move(attribute));
  }
  groom.metres_per_unit = 1.0, groom.up = UpAxis::y;
  return groom;
}

der::Description read_description(const Curves& curves, Reader& file) {
  der::Description d;
  d.curves = curves;
  const std::size_t vertices = curves.points.size(), strands = curves.strands();
  for (const NumberField& field : vertex_fields) d.*field.values = file.numbers(field.name, vertices);
  const Numbers curvature = file.numbers("/rest_curvature", 4 * vertices);
  for (std::size_t i = 0; i + 3 < curvature.size(); i += 4)
    d.rest_curvature.push_back({curvature[i], curvature[i + 1], curvature[i + 2], curvature[i + 3]});
  d.damping = file.numbers_of_strands("/damping", 1, strands, false);
  d.root_director = vectors(file.numbers_of_strands("/root_director", 3, strands, true));
  const Integers clamps = file.integers("/clamps", 0, std::int64_t(der::Clamp::point));
  file.expect(clamps.size() == 2 || clamps.size() == 2 * strands, "/clamps", "must be two per strand, or two");
  d.clamps.clear();
  for (std::size_t i = 0; i + 1 < clamps.size(); i += 2)
    d.clamps.push_back({der::Clamp(clamps[i]), der::Clamp(clamps[i + 1])});
  const Integers measure = file.integers("/curvature_measure", 0, std::int64_t(der::Curvature::slerped_approximate));
  file.expect(measure.size() == 1, "/curvature_measure", "must be one number");
  if (!file.wrong()) d.curvature = der::Curvature(measure[0]);
  return d;
}

sagfree::Outcome read_outcome(const Curves& curves, Reader& file) {
  sagfree::Outcome outcome;
  outcome.strands.resize(curves.strands());
  for (const OutcomeField& field : outcome_fields) {
    const Numbers values = file.numbers(field.name, curves.strands());
    for (std::size_t s = 0; s < values.size() && s < curves.strands(); ++s) outcome.strands[s].*field.value = values[s];
  }
  const Integers status = file.integers("/outcome/status", 0, std::int64_t(sagfree::StrandStatus::sagging)),
                 modes = file.integers("/outcome/negative_modes", 0, std::numeric_limits<std::int32_t>::max());
  file.expect(status.size() == curves.strands() && modes.size() == curves.strands(), "/outcome/status",
              "must be one per strand");
  for (std::size_t s = 0; !file.wrong() && s < curves.strands(); ++s)
    outcome.strands[s].status = sagfree::StrandStatus(status[s]), outcome.strands[s].negative_modes = int(modes[s]);
  outcome.stiffness_factor = file.numbers("/outcome/vertex_stiffness_factor", curves.points.size());
  return outcome;
}

}  // namespace

Result<std::vector<std::byte>> encode_prepared(const PreparedGroom& prepared) {
  Hdf5Writer file;
  write_groom(prepared.groom, file);
  write_description(prepared.description, file);
  write_outcome(prepared.outcome, file);
  file.numbers("/gravity", flat({prepared.gravity}));
  const Result<std::vector<std::byte>> body = file.finish();
  if (!body) return body.error();
  return sealed(seal, body.value());
}

Result<PreparedGroom> decode_prepared(std::span<const std::byte> bytes, const std::string& name) {
  const Result<std::span<const std::byte>> body = unsealed(seal, bytes, name);
  if (!body) return body.error();
  const Result<Hdf5Reader> opened = Hdf5Reader::open(body.value(), name);
  if (!opened) return opened.error();
  Reader file(opened.value());
  PreparedGroom prepared;
  prepared.groom = read_groom(file);
  if (!file.wrong()) prepared.description = read_description(prepared.groom.curves, file);
  if (!file.wrong()) prepared.outcome = read_outcome(prepared.groom.curves, file);
  const Numbers gravity = file.numbers("/gravity", 3);
  if (file.wrong()) return Error{name, file.wrong()->message()};
  prepared.gravity = {gravity[0], gravity[1], gravity[2]};
  if (Status status = der::check(prepared.description); !status) return Error{name, status.error().message()};
  return prepared;
}

Result<PreparedGroom> read_prepared(const std::filesystem::path& path) {
  const Result<std::vector<std::byte>> bytes = read_bytes(path);
  if (!bytes) return bytes.error();
  return decode_prepared(bytes.value(), path.string());
}

}  // namespace tendril
