#include "tendril/sim/contact/memory_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tendril {
namespace {

using collide::Contact;
using collide::nobody;
using Eigen::Vector3d;

constexpr std::size_t integers_each = 6;  // as add_contact() has them
constexpr std::size_t numbers_each = 16;

std::vector<double> flat(const std::vector<Vector3d>& vectors) {
  std::vector<double> out;
  for (const Vector3d& v : vectors) out.insert(out.end(), v.begin(), v.end());
  return out;
}

std::vector<Vector3d> vectors(const std::vector<double>& numbers) {
  std::vector<Vector3d> out(numbers.size() / 3);
  for (std::size_t i = 0; i < numbers.size(); ++i) out[i / 3][Eigen::Index(i % 3)] = numbers[i];
  return out;
}

void add_contact(const Contact& c, std::vector<std::int64_t>& integers, std::vector<double>& numbers) {
  integers.insert(integers.end(), {c.a.strand, c.a.edge, c.b.strand, c.b.edge, c.body.body, c.body.feature});
  numbers.insert(numbers.end(), {c.a.along, c.b.along, c.gap, c.side});
  for (const Vector3d* v : {&c.body.material, &c.point_a, &c.point_b, &c.normal})
    numbers.insert(numbers.end(), v->begin(), v->end());
}

bool is_strand(std::int64_t strand, std::size_t strands) { return strand >= 0 && std::size_t(strand) < strands; }

bool read_contact(std::span<const std::int64_t> i, std::span<const double> n, const MemoryShape& shape, Contact& c) {
  constexpr auto most = std::int64_t(nobody);
  if (!is_strand(i[0], shape.strands) || (i[2] != most && !is_strand(i[2], shape.strands)) ||
      (i[4] != most && !is_strand(i[4], shape.bodies)) || (i[2] == most) == (i[4] == most))
    return false;
  for (const std::size_t k : {1u, 3u, 5u})
    if (i[k] < 0 || i[k] > most) return false;
  c.a = {std::uint32_t(i[0]), std::uint32_t(i[1]), n[0]}, c.b = {std::uint32_t(i[2]), std::uint32_t(i[3]), n[1]};
  c.gap = n[2], c.side = n[3];
  c.body = {std::uint32_t(i[4]), std::uint32_t(i[5]), Vector3d(n[4], n[5], n[6])};
  c.point_a = Vector3d(n[7], n[8], n[9]), c.point_b = Vector3d(n[10], n[11], n[12]);
  c.normal = Vector3d(n[13], n[14], n[15]);
  return true;
}

Result<std::vector<double>> finite_numbers(const Hdf5Reader& file, const std::string& name) {
  Result<std::vector<double>> values = file.numbers(name);
  if (!values) return values;
  if (!std::ranges::all_of(values.value(), [](double v) { return std::isfinite(v); }))
    return Error{name, "has a number that is not finite"};
  return values;
}

Status read_vectors(const Hdf5Reader& file, const std::string& name, std::size_t count, bool may_be_empty,
                    std::vector<Vector3d>& out) {
  const Result<std::vector<double>> values = finite_numbers(file, name);
  if (!values) return values.error();
  const bool right = values.value().size() == 3 * count || (may_be_empty && values.value().empty());
  if (!right) return Error{name, fmt::format("has {} numbers in place of {}", values.value().size(), 3 * count)};
  out = vectors(values.value());
  return ok();
}

Status read_depths(const Hdf5Reader& file, const std::string& name, std::size_t vertices, std::vector<double>& out) {
  Result<std::vector<double>> depth = finite_numbers(file, name);
  if (!depth) return depth.error();
  if (!depth.value().empty() && depth.value().size() != vertices)
    return Error{name, fmt::format("has {} numbers in place of {}", depth.value().size(), vertices)};
  out = std::move(depth.value());
  return ok();
}

}  // namespace

void write_memory(const ContactMemory& memory, Hdf5Writer& file) {
  std::vector<std::int64_t> integers;
  std::vector<double> numbers;
  for (const Contact& contact : memory.contacts) add_contact(contact, integers, numbers);
  file.integers("/contact/places", integers), file.numbers("/contact/geometry", numbers);
  file.numbers("/contact/forces", flat(memory.forces));
  file.numbers("/contact/joint_forces", flat(memory.joint_forces));
  file.numbers("/contact/vertex_forces", flat(memory.vertex_forces));
  file.numbers("/contact/depth", memory.depth), file.numbers("/contact/edge_depth", memory.edge_depth);
}

Status read_memory(const Hdf5Reader& file, const MemoryShape& shape, ContactMemory& memory) {
  const Result<std::vector<std::int64_t>> places = file.integers("/contact/places");
  if (!places) return places.error();
  const Result<std::vector<double>> geometry = finite_numbers(file, "/contact/geometry");
  if (!geometry) return geometry.error();
  const std::size_t count = places.value().size() / integers_each;
  if (places.value().size() != count * integers_each || geometry.value().size() != count * numbers_each)
    return Error{"/contact/places", "does not fit /contact/geometry"};
  memory.contacts.resize(count);
  for (std::size_t k = 0; k < count; ++k)
    if (!read_contact(std::span(places.value()).subspan(k * integers_each, integers_each),
                      std::span(geometry.value()).subspan(k * numbers_each, numbers_each), shape, memory.contacts[k]))
      return Error{"/contact/places", fmt::format("contact {} is not of this scene", k)};
  if (Status s = read_vectors(file, "/contact/forces", count, false, memory.forces); !s) return s;
  if (Status s = read_vectors(file, "/contact/joint_forces", shape.joints, true, memory.joint_forces); !s) return s;
  if (Status s = read_vectors(file, "/contact/vertex_forces", shape.vertices, true, memory.vertex_forces); !s) return s;
  if (Status s = read_depths(file, "/contact/depth", shape.vertices, memory.depth); !s) return s;
  return read_depths(file, "/contact/edge_depth", shape.vertices, memory.edge_depth);
}

}  // namespace tendril
