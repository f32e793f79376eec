#include "tendril/serve/run_facts.hpp"

#include <nlohmann/json.hpp>

namespace tendril::serve {
namespace {

using nlohmann::json;

const char* text(PerElement per) {
  switch (per) {
    case PerElement::strand: return "strand";
    case PerElement::vertex: return "vertex";
    case PerElement::edge: return "edge";
    case PerElement::strand_plus_one: return "strand_plus_one";
    case PerElement::counted: return "counted";
  }
  return "";
}

json to_json(const std::vector<ChannelFacts>& channels) {
  json list = json::array();
  for (const ChannelFacts& channel : channels)
    list.push_back({{"name", channel.name}, {"per", text(channel.per)}, {"components", channel.components}});
  return list;
}

const char* text(render::ColourQuantity::Source source) {
  switch (source) {
    case render::ColourQuantity::Source::frame: return "frame";
    case render::ColourQuantity::Source::rest: return "rest";
    case render::ColourQuantity::Source::derived: break;
  }
  return "derived";
}

// By what strands can be coloured; what is derived, the page derives.
json to_json(const std::vector<render::ColourQuantity>& colours) {
  json list = {{{"id", "strand"},
                {"label", "strand"},
                {"unit", ""},
                {"from", "derived"},
                {"per", "strand"},
                {"diverging", false}}};
  for (const render::ColourQuantity& colour : colours)
    list.push_back({{"id", colour.id},
                    {"label", colour.label},
                    {"unit", colour.unit},
                    {"from", text(colour.source)},
                    {"channel", colour.channel},
                    {"per", text(colour.per)},
                    {"diverging", colour.signed_values}});
  return list;
}

}  // namespace

std::vector<ChannelFacts> channel_facts(const Frame& frame) {
  std::vector<ChannelFacts> out;
  for (const Channel& channel : frame.channels) out.push_back({channel.name, channel.per, channel.components});
  return out;
}

std::string to_json(const RunFacts& facts, std::size_t id) {
  json sets = json::array(), bodies = json::array();
  for (const CurveSequence::Set& set : facts.sets) sets.push_back({{"name", set.name}, {"strands", set.strands}});
  for (const RunFacts::Body& body : facts.bodies) bodies.push_back({{"name", body.name}, {"deforms", body.deforms}});
  json run = {{"id", id},
              {"name", facts.name},
              {"path", facts.path},
              {"fps", facts.fps},
              {"frames", facts.frames},
              {"strands", facts.strands},
              {"vertices", facts.vertices},
              {"sets", std::move(sets)},
              {"bodies", std::move(bodies)},
              {"rest", facts.rest},
              {"records", facts.records},
              {"report", facts.report},
              {"probes", facts.probes},
              {"in_progress", facts.in_progress},
              {"notes", facts.notes},
              {"up", {0, 1, 0}},  // of every cache and of every groom once it is read
              {"channels", to_json(facts.channels)},
              {"rest_channels", to_json(facts.rest_channels)},
              {"colours", to_json(facts.colours)}};
  if (!facts.stopped.empty()) run["stopped"] = facts.stopped;
  return run.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace tendril::serve
