#include "tendril/io/ply_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "tendril/io/byte_reader.hpp"
#include "tendril/io/ply_rows.hpp"
#include "tendril/io/segment_chains.hpp"

namespace tendril {
namespace {

using Complaint = std::optional<std::string>;
constexpr std::uint32_t none = 0xffffffff;

// --- What both readers need

Result<std::array<std::size_t, 3>> find_coordinates(const PlyHeader& header, const std::string& name) {
  const PlyElement* vertex = header.element("vertex");
  if (!vertex) return Error{name, "there is no element 'vertex' with the properties x, y and z"};
  const auto x = vertex->scalar("x"), y = vertex->scalar("y"), z = vertex->scalar("z");
  const std::string where = fmt::format("{}:{}", name, vertex->line);
  if (!x || !y || !z) return Error{where, "element 'vertex' needs the properties x, y and z, each a single number"};
  if (vertex->count >= none) return Error{where, fmt::format("{} points are too many", vertex->count)};
  return std::array<std::size_t, 3>{*x, *y, *z};
}

Eigen::Vector3d point_of(const PlyRow& row, const std::array<std::size_t, 3>& xyz) {
  return {row.cells[xyz[0]][0], row.cells[xyz[1]][0], row.cells[xyz[2]][0]};
}

Complaint to_index(double number, std::uint64_t points, std::uint32_t& index) {
  if (!(number >= 0.0 && number < static_cast<double>(points)) || number != std::floor(number))
    return fmt::format("point {} does not exist: there are {}, counted from 0", number, points);
  index = static_cast<std::uint32_t>(number);
  return std::nullopt;
}

// --- Meshes

struct FaceList {
  const PlyElement* element = nullptr;
  std::size_t property = 0;
};

Result<FaceList> find_faces(const PlyHeader& header, const std::string& name) {
  const PlyElement* face = header.element("face");
  if (!face) return Error{name, "there is no element 'face' with a list 'vertex_indices'"};
  auto property = face->list("vertex_indices");
  if (!property) property = face->list("vertex_index");
  if (!property) return Error{fmt::format("{}:{}", name, face->line), "element 'face' needs a list 'vertex_indices'"};
  return FaceList{face, *property};
}

Complaint add_fan(const PlyCell& corners, TriangleMesh& mesh, std::uint64_t points) {
  std::array<std::uint32_t, 3> triangle = {};
  for (std::uint64_t i = 0; i < corners.size(); ++i) {
    std::uint32_t& corner = triangle[static_cast<std::size_t>(std::min<std::uint64_t>(i, 2))];
    if (auto fault = to_index(corners[i], points, corner)) return fault;
    if (i < 2) continue;
    mesh.triangles.push_back(triangle);
    triangle[1] = triangle[2];
  }
  return std::nullopt;
}

// --- Curves: first who belongs to which strand, then every vertex goes to its place. So nothing is stored twice.

struct StrandPlan {
  std::vector<std::uint32_t> place;        // of each vertex among the strands' points, or none
  std::vector<std::size_t> offsets = {0};  // Curves::offsets

  Complaint add(std::uint32_t vertex) {
    if (place[vertex] != none)
      return fmt::format("point {} is part of a strand already; each strand needs points of its own", vertex);
    place[vertex] = next++;
    return std::nullopt;
  }
  void end_strand() { offsets.push_back(next); }

  std::uint32_t next = 0;
};

Complaint add_strand(const PlyCell& vertices, StrandPlan& plan) {
  if (vertices.size() == 0) return "a strand has one or more points, not 0";
  for (std::uint64_t i = 0; i < vertices.size(); ++i) {
    std::uint32_t vertex = 0;
    if (auto fault = to_index(vertices[i], plan.place.size(), vertex)) return fault;
    if (auto fault = plan.add(vertex)) return fault;
  }
  plan.end_strand();
  return std::nullopt;
}

Result<StrandPlan> plan_from_strands(std::span<const std::byte> bytes, const PlyHeader& header, std::size_t property,
                                     const std::string& name) {
  const PlyElement* strand = header.element("strand");
  StrandPlan plan{std::vector<std::uint32_t>(header.element("vertex")->count, none)};
  plan.offsets.reserve(strand->count + 1);
  const auto walk = visit_ply_rows(bytes, header, name, [&](const PlyRow& row) -> Complaint {
    return &row.element == strand ? add_strand(row.cells[property], plan) : std::nullopt;
  });
  if (!walk) return walk.error();
  return plan;
}

Result<StrandPlan> plan_from_edges(std::span<const std::byte> bytes, const PlyHeader& header,
                                   const std::array<std::size_t, 2>& ends, const std::string& name) {
  const PlyElement* edge = header.element("edge");
  const std::uint64_t vertices = header.element("vertex")->count;
  std::vector<Segment> segments;
  segments.reserve(edge->count);
  const auto walk = visit_ply_rows(bytes, header, name, [&](const PlyRow& row) -> Complaint {
    if (&row.element != edge) return std::nullopt;
    Segment segment;
    if (auto fault = to_index(row.cells[ends[0]][0], vertices, segment.a)) return fault;
    if (auto fault = to_index(row.cells[ends[1]][0], vertices, segment.b)) return fault;
    segments.push_back(segment);
    return std::nullopt;
  });
  if (!walk) return walk.error();
  const auto where = [&](std::size_t s) { return fmt::format("{}: edge {}", name, s); };
  const auto chains = join_segments(segments, vertices, 0, where);
  if (!chains) return chains.error();
  StrandPlan plan{std::vector<std::uint32_t>(vertices, none), chains.value().offsets};
  for (const std::uint32_t vertex : chains.value().points) plan.add(vertex);
  return plan;
}

Result<StrandPlan> plan_strands(std::span<const std::byte> bytes, const PlyHeader& header, const std::string& name) {
  if (const PlyElement* strand = header.element("strand")) {
    const auto property = strand->list("vertex_indices");
    if (!property)
      return Error{fmt::format("{}:{}", name, strand->line), "element 'strand' needs a list 'vertex_indices'"};
    return plan_from_strands(bytes, header, *property, name);
  }
  if (const PlyElement* edge = header.element("edge")) {
    const auto a = edge->scalar("vertex1"), b = edge->scalar("vertex2");
    if (!a || !b)
      return Error{fmt::format("{}:{}", name, edge->line), "element 'edge' needs the properties vertex1 and vertex2"};
    return plan_from_edges(bytes, header, {*a, *b}, name);
  }
  return Error{name,
               "there are no curves: they are an element 'strand' with a list 'vertex_indices' or an element 'edge' "
               "with vertex1 and vertex2"};
}

// Which property goes into which array of numbers, and how.
struct Column {
  std::size_t property = 0;
  std::size_t attribute = 0;  // of Groom::attributes
  std::size_t component = 0;
  double scale = 1.0;
};

bool is_uchar(const PlyElement& element, std::string_view name) {
  const auto property = element.scalar(name);
  return property && element.properties[*property].type == PlyType::uint8;
}

// One attribute for every single number but those in `taken`; `elements` is how many values each will have.
std::vector<Column> add_attributes(const PlyElement& element, std::span<const std::string_view> taken, bool per_vertex,
                                   std::size_t elements, Groom& groom) {
  std::vector<Column> columns;
  for (std::size_t p = 0; p < element.properties.size(); ++p) {
    const PlyProperty& property = element.properties[p];
    if (property.is_list() || std::ranges::find(taken, property.name) != taken.end()) continue;
    columns.push_back({p, groom.attributes.size(), 0, 1.0});
    groom.attributes.push_back({property.name, per_vertex, 1, std::vector<double>(elements)});
  }
  return columns;
}

std::vector<Column> add_vertex_attributes(const PlyElement& vertex, Groom& groom) {
  const std::size_t elements = groom.curves.points.size();
  std::vector<std::string_view> taken = {"x", "y", "z", "radius"};
  std::vector<Column> columns;
  constexpr std::array<std::string_view, 3> colours = {"red", "green", "blue"};
  if (std::ranges::all_of(colours, [&](std::string_view colour) { return is_uchar(vertex, colour); })) {
    for (std::size_t c = 0; c < 3; ++c) columns.push_back({*vertex.scalar(colours[c]), 0, c, 1.0 / 255.0});
    groom.attributes.push_back({"color", true, 3, std::vector<double>(3 * elements)});
    taken.insert(taken.end(), colours.begin(), colours.end());
  }
  const auto others = add_attributes(vertex, taken, true, elements, groom);
  columns.insert(columns.end(), others.begin(), others.end());
  return columns;
}

void fill(const PlyRow& row, std::span<const Column> columns, std::size_t place, Groom& groom) {
  for (const Column& column : columns) {
    GroomAttribute& attribute = groom.attributes[column.attribute];
    attribute.values[place * static_cast<std::size_t>(attribute.components) + column.component] =
        row.cells[column.property][0] * column.scale;
  }
}

// --- Writing

// Names that a header can hold, none twice.
class Names {
 public:
  explicit Names(std::vector<std::string> taken) : taken_(std::move(taken)) {}

  std::string add(std::string name) {
    for (char& c : name) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!plain && c != '-' && c != '.') c = '_';
    }
    if (name.empty()) name = "_";
    while (std::ranges::find(taken_, name) != taken_.end()) name += '_';
    return taken_.emplace_back(name);
  }

 private:
  std::vector<std::string> taken_;
};

std::vector<const GroomAttribute*> single_attributes(const Groom& groom, bool per_vertex) {
  std::vector<const GroomAttribute*> found;
  for (const GroomAttribute& attribute : groom.attributes)
    if (attribute.per_vertex == per_vertex && attribute.components == 1) found.push_back(&attribute);
  return found;
}

const GroomAttribute* vertex_colour(const Groom& groom) {
  const auto found = std::ranges::find_if(groom.attributes, [](const GroomAttribute& attribute) {
    return attribute.name == "color" && attribute.per_vertex && attribute.components == 3;
  });
  return found == groom.attributes.end() ? nullptr : &*found;
}

void write_float(double value, ByteWriter& out) { out.write(static_cast<float>(value)); }

void write_colour(const GroomAttribute& colour, std::size_t vertex, ByteWriter& out) {
  for (std::size_t c = 0; c < 3; ++c) {
    const double value = colour.values[3 * vertex + c];
    out.write(static_cast<std::uint8_t>(value > 0.0 ? std::lround(255.0 * std::min(value, 1.0)) : 0));  // NaN: 0
  }
}

std::string vertex_header(std::size_t points) {
  return fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n",
      points);
}

std::string curves_header(const Groom& groom) {
  std::string header = vertex_header(groom.curves.points.size());
  const auto add_properties = [&](bool per_vertex, Names names) {
    for (const GroomAttribute* attribute : single_attributes(groom, per_vertex))
      header += fmt::format("property float {}\n", names.add(attribute->name));
  };
  if (!groom.radius.empty()) header += "property float radius\n";
  if (vertex_colour(groom)) header += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  add_properties(true,
                 Names(vertex_colour(groom) ? std::vector<std::string>{"x", "y", "z", "radius", "red", "green", "blue"}
                                            : std::vector<std::string>{"x", "y", "z", "radius"}));
  header += fmt::format("element strand {}\nproperty list uint uint vertex_indices\n", groom.curves.strands());
  add_properties(false, Names({"vertex_indices"}));
  return header + "end_header\n";
}

}  // namespace

Result<TriangleMesh> read_ply_mesh(std::span<const std::byte> bytes, const std::string& name) {
  const auto header = read_ply_header(bytes, name);
  if (!header) return header.error();
  const auto xyz = find_coordinates(header.value(), name);
  if (!xyz) return xyz.error();
  const auto faces = find_faces(header.value(), name);
  if (!faces) return faces.error();
  const PlyElement *vertex = header.value().element("vertex"), *face = faces.value().element;

  std::uint64_t triangles = 0;  // counted first: arrays that grow by doubling would ask for more than they need
  const auto count = [&](const PlyRow& row) -> Complaint {
    if (&row.element != face) return std::nullopt;
    const std::uint64_t corners = row.cells[faces.value().property].size();
    if (corners < 3) return fmt::format("a face has three or more points, not {}", corners);
    triangles += corners - 2;
    return std::nullopt;
  };
  if (const auto walk = visit_ply_rows(bytes, header.value(), name, count); !walk) return walk.error();

  TriangleMesh mesh;
  mesh.points.reserve(vertex->count);
  mesh.triangles.reserve(triangles);
  const auto collect = [&](const PlyRow& row) -> Complaint {
    if (&row.element == face) return add_fan(row.cells[faces.value().property], mesh, vertex->count);
    if (&row.element != vertex) return std::nullopt;
    mesh.points.push_back(point_of(row, xyz.value()));
    if (!mesh.points.back().allFinite()) return "a coordinate is not a finite number";
    return std::nullopt;
  };
  if (const auto walk = visit_ply_rows(bytes, header.value(), name, collect); !walk) return walk.error();
  return mesh;
}

Result<Groom> read_ply_curves(std::span<const std::byte> bytes, const std::string& name) {
  const auto header = read_ply_header(bytes, name);
  if (!header) return header.error();
  const auto xyz = find_coordinates(header.value(), name);
  if (!xyz) return xyz.error();
  const auto plan = plan_strands(bytes, header.value(), name);
  if (!plan) return plan.error();
  const PlyElement *vertex = header.value().element("vertex"), *strand = header.value().element("strand");

  Groom groom;
  groom.curves.offsets = plan.value().offsets;
  groom.curves.points.resize(groom.curves.offsets.back());
  const auto radius = vertex->scalar("radius");
  if (radius) groom.radius.resize(groom.curves.points.size());
  const auto columns = add_vertex_attributes(*vertex, groom);
  std::vector<Column> strand_columns;
  if (strand) strand_columns = add_attributes(*strand, {}, false, groom.curves.strands(), groom);

  const auto collect = [&](const PlyRow& row) -> Complaint {
    if (&row.element == strand) fill(row, strand_columns, static_cast<std::size_t>(row.index), groom);
    if (&row.element != vertex) return std::nullopt;
    const std::uint32_t place = plan.value().place[static_cast<std::size_t>(row.index)];
    if (place == none) return std::nullopt;
    groom.curves.points[place] = point_of(row, xyz.value());
    if (radius) groom.radius[place] = row.cells[*radius][0];
    fill(row, columns, place, groom);
    return std::nullopt;
  };
  if (const auto walk = visit_ply_rows(bytes, header.value(), name, collect); !walk) return walk.error();
  return groom;
}

std::vector<std::byte> encode_ply_mesh(const TriangleMesh& mesh) {
  ByteWriter out;
  out.text(vertex_header(mesh.points.size()));
  out.text(
      fmt::format("element face {}\nproperty list uchar uint vertex_indices\nend_header\n", mesh.triangles.size()));
  for (const Eigen::Vector3d& point : mesh.points)
    for (const double x : point) write_float(x, out);
  for (const auto& triangle : mesh.triangles) {
    out.write(std::uint8_t{3});
    out.write(triangle);
  }
  return out.take();
}

std::vector<std::byte> encode_ply_curves(const Groom& groom) {
  const Curves& curves = groom.curves;
  const auto of_vertices = single_attributes(groom, true), of_strands = single_attributes(groom, false);
  const GroomAttribute* colour = vertex_colour(groom);
  ByteWriter out;
  out.text(curves_header(groom));
  for (std::size_t v = 0; v < curves.points.size(); ++v) {
    for (const double x : curves.points[v]) write_float(x, out);
    if (!groom.radius.empty()) write_float(groom.radius[v], out);
    if (colour) write_colour(*colour, v, out);
    for (const GroomAttribute* attribute : of_vertices) write_float(attribute->values[v], out);
  }
  for (std::size_t s = 0; s < curves.strands(); ++s) {
    out.write(static_cast<std::uint32_t>(curves.vertices(s)));
    for (std::size_t v = curves.offsets[s]; v < curves.offsets[s + 1]; ++v) out.write(static_cast<std::uint32_t>(v));
    for (const GroomAttribute* attribute : of_strands) write_float(attribute->values[s], out);
  }
  return out.take();
}

}  // namespace tendril
