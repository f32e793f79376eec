#include "tendril/scene/read_joints.hpp"

#include <fmt/format.h>

#include <limits>

#include "tendril/base/text.hpp"
#include "tendril/scene/read_strands.hpp"

namespace tendril {
namespace {

constexpr Word<bool> ends[] = {{"tip", true}, {"root", false}};

// A solid cylinder that begins at the strand's end and goes on along it.
void read_cylinder(TableReader& owner, der::Connector& connector) {
  auto table =
      owner.table("cylinder", "a solid body that goes on from the strand's end, in place of offset and inertia");
  if (!table) return;
  double radius = 0.0, length = 0.0;
  table->quantity("radius", "of the cylinder", Dimension::length, positive, radius);
  table->quantity("length", "along the strand", Dimension::length, positive, length);
  for (const char* key : {"radius", "length"})
    if (!table->has(key))
      table->missing(key, "write both, such as cylinder = { radius = \"4 mm\", length = \"2 cm\" }");
  table->finish();
  connector.offset = 0.5 * length;
  connector.axial_inertia = 0.5 * connector.mass * radius * radius;
  connector.transverse_inertia = connector.mass * (radius * radius / 4.0 + length * length / 12.0);
}

void read_connector(TableReader& owner, der::Connector& connector) {
  auto table = owner.table("connector", "a rigid body whose axis is the strand's end");
  if (!table) return owner.missing("connector", "write what is at the end, such as connector = { mass = \"20 g\" }");
  table->quantity("mass", "of the connector", Dimension::mass, positive, connector.mass);
  if (!table->has("mass")) table->missing("mass", "write how heavy it is, such as mass = \"20 g\"");
  read_cylinder(*table, connector);
  if (table->has("cylinder") && !table->describing()) {
    for (const char* key : {"offset", "axial_inertia", "transverse_inertia"})
      if (table->has(key)) table->refuse(key, fmt::format("write either cylinder or {}, not both", key));
  } else {
    table->quantity("offset", "from the strand's end outwards to the centre of mass", Dimension::length, any_number,
                    connector.offset);
    table->quantity("axial_inertia", "about the axis of the strand's end", Dimension::inertia, not_negative,
                    connector.axial_inertia);
    table->quantity("transverse_inertia", "about the centre of mass, across that axis", Dimension::inertia,
                    not_negative, connector.transverse_inertia);
  }
  table->finish();
}

}  // namespace

const StrandSet* read_set_name(TableReader& table, const std::vector<StrandSet>& sets) {
  std::string name = sets.empty() ? "" : sets.front().name;
  table.text("strands", "name of the set of strands; may be absent if there is only one", name);
  if (table.describing() || table.failed()) return nullptr;
  std::vector<std::string_view> known;
  for (const StrandSet& set : sets) known.push_back(set.name);
  for (const StrandSet& set : sets)
    if (set.name == name && (table.has("strands") || sets.size() == 1)) return &set;
  if (!table.has("strands"))
    table.missing("strands", "there are several sets; write the name of one");
  else
    table.refuse("strands", fmt::format("there are no strands named '{}'{}", name, did_you_mean(name, known)));
  return nullptr;
}

namespace {

JointSettings read_connector_joint(TableReader& table, const std::vector<StrandSet>& sets) {
  JointSettings joint;
  const StrandSet* set = read_set_name(table, sets);
  table.integer_or("strand", "all", "index from 0, or all", 0, std::numeric_limits<std::int64_t>::max(), joint.strand);
  table.word("end", "of the strand", ends, joint.connector.at_tip);
  read_connector(table, joint.connector);
  if (set == nullptr) return joint;
  joint.set = set->name;
  const std::size_t strands = strand_count(set->source);
  if (joint.strand && std::size_t(*joint.strand) >= strands)
    table.refuse("strand",
                 fmt::format("strand {} does not exist; there are {}, counted from 0", *joint.strand, strands));
  if ((joint.connector.at_tip ? set->clamps.tip : set->clamps.root) != der::Clamp::free)
    table.refuse("end", fmt::format("the {} of '{}' is held by a clamp; a connector needs a free end",
                                    joint.connector.at_tip ? "tip" : "root", set->name));
  return joint;
}

JointEnd read_joint_end(TableReader& owner, const char* key, const char* meaning, const std::vector<StrandSet>& sets) {
  JointEnd end;
  auto table = owner.table(key, meaning);
  if (!table) return end;
  const StrandSet* set = read_set_name(*table, sets);
  table->integer("strand", "index from 0", std::int64_t{0}, std::numeric_limits<std::int64_t>::max(), end.strand);
  table->integer("vertex", "index from 0; negative: counted from the tip", -1'000'000, 1'000'000, end.vertex);
  if (set != nullptr) {
    end.set = set->name;
    check_vertex(*table, set->source, end.strand, end.vertex, false);
  }
  table->finish();
  return end;
}

PointJointSettings read_point_joint(TableReader& table, const std::vector<StrandSet>& sets) {
  PointJointSettings joint;
  joint.a = read_joint_end(table, "a", "a vertex that stays together with b", sets);
  joint.b = read_joint_end(table, "b", "another vertex; absent: the point of the world where a was drawn", sets);
  if (table.failed() || table.describing()) return joint;
  if (joint.a.set == joint.b.set && joint.a.strand == joint.b.strand && joint.a.vertex == joint.b.vertex)
    table.refuse("b", "a and b are the same vertex");
  return joint;
}

}  // namespace

void read_joints(TableReader& root, const std::vector<StrandSet>& sets, std::vector<JointSettings>& connectors,
                 std::vector<PointJointSettings>& points) {
  for (TableReader& table : root.tables("joints",
                                        "rigid connectors at the ends of strands, or points that stay "
                                        "together")) {
    table.not_built("body");
    const std::size_t earlier = connectors.size() + points.size();
    std::string name = earlier == 0 ? "joint" : fmt::format("joint{}", earlier + 1);
    table.text("name", "of the joint", name);
    if (table.has("a") || table.describing()) {
      points.push_back(read_point_joint(table, sets));
      points.back().name = name;
    }
    if (!table.has("a") || table.describing()) {
      connectors.push_back(read_connector_joint(table, sets));
      connectors.back().name = name;
    }
    table.finish();
  }
}

}  // namespace tendril
