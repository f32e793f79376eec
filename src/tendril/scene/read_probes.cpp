#include "tendril/scene/read_probes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tendril/scene/read_joints.hpp"
#include "tendril/scene/read_strands.hpp"

namespace tendril {
namespace {

constexpr Word<ProbeKind> kinds[] = {{"clamp", ProbeKind::clamp},   {"tension", ProbeKind::tension},
                                     {"moment", ProbeKind::moment}, {"bend-radius", ProbeKind::bend_radius},
                                     {"path", ProbeKind::path},     {"contact-force", ProbeKind::contact_force}};
constexpr Word<bool> ends[] = {{"root", false}, {"tip", true}};

// Probes name files.
bool is_plain_name(const std::string& name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  return !name.empty() && name.size() <= 100 && name.front() != '.' && std::ranges::all_of(name, plain);
}

void read_vertex(TableReader& table, const StrandSet* set, ProbeSettings& probe) {
  const bool has_vertex = table.has("vertex") || table.describing();
  if (has_vertex) {
    int vertex = probe.kind == ProbeKind::path ? -1 : 0;
    table.integer("vertex",
                  "index from 0; negative: counted from the tip; if absent where the value is worst, the tip for path, "
                  "all for contact-force",
                  -1'000'000, 1'000'000, vertex);
    probe.vertex = vertex;
  } else if (probe.kind == ProbeKind::path) {
    probe.vertex = -1;
  }
  if (table.describing()) return;
  if (probe.kind == ProbeKind::clamp && table.has("vertex"))
    table.refuse("vertex", "a clamp is at an end; write end = \"root\" or end = \"tip\"");
  if (set != nullptr)
    check_vertex(table, set->source, probe.strand, probe.vertex.value_or(0), probe.kind == ProbeKind::tension);
}

void check_model(TableReader& table, const StrandSet* set, const ProbeSettings& probe) {
  if (table.describing() || set == nullptr) return;
  const bool measures_force =
      probe.kind == ProbeKind::clamp || probe.kind == ProbeKind::tension || probe.kind == ProbeKind::moment;
  const ModelTraits traits = tendril::traits(set->model);
  if (probe.kind == ProbeKind::tension && traits.tensions) {
    if (set->attraction.frequency > 0.0)
      table.refuse("kind", fmt::format("tensions of '{}' are not known where attraction acts; leave one of them out",
                                       set->name));
    return;
  }
  if (measures_force && !traits.reactions)
    table.refuse("kind", fmt::format("model = '{}' of '{}' does not tell its inner forces; write path, bend-radius or "
                                     "contact-force, or take 'der'",
                                     traits.name, set->name));
}

void check_clamp(TableReader& table, const StrandSet* set, const ProbeSettings& probe) {
  if (table.describing() || set == nullptr) return;
  if (probe.kind != ProbeKind::clamp) {
    if (table.has("end")) table.refuse("end", "end is for clamps; write vertex");
  } else if ((probe.at_tip ? set->clamps.tip : set->clamps.root) == der::Clamp::free) {
    table.refuse("end", fmt::format("the {} of '{}' is free: there is no clamp to measure",
                                    probe.at_tip ? "tip" : "root", set->name));
  }
}

}  // namespace

std::vector<ProbeSettings> read_probes(TableReader& root, const std::vector<StrandSet>& sets) {
  std::vector<ProbeSettings> probes;
  for (TableReader& table : root.tables("probes", "what is measured in every frame, as probes/NAME.csv")) {
    ProbeSettings probe;
    probe.name = fmt::format("probe{}", probes.size() + 1);
    table.text("name", "of the probe and of its file", probe.name);
    table.word("kind",
               "force and moment by a clamp on the strand; tension; bending and twisting moment; radius of the bend; "
               "position and velocity of a vertex; force of contacts on a vertex, or on the strand if none is named",
               kinds, probe.kind);
    if (!table.has("kind"))
      table.missing("kind", "write one of clamp, tension, moment, bend-radius, path and contact-force");
    const StrandSet* set = read_set_name(table, sets);
    if (set != nullptr) probe.set = set->name;
    table.integer("strand", "index from 0", std::int64_t{0}, std::numeric_limits<std::int64_t>::max(), probe.strand);
    table.word("end", "of the strand, for clamp", ends, probe.at_tip);
    read_vertex(table, set, probe);
    check_model(table, set, probe);
    check_clamp(table, set, probe);
    if (!is_plain_name(probe.name))
      table.refuse(
          "name", fmt::format("name '{}' must be made of letters, digits and - _ . only: it names a file", probe.name));
    if (std::ranges::find(probes, probe.name, &ProbeSettings::name) != probes.end())
      table.refuse("name", fmt::format("name '{}' is that of an earlier probe", probe.name));
    table.finish();
    probes.push_back(std::move(probe));
  }
  return probes;
}

}  // namespace tendril
