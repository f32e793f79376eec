// What the page is told about a run: an object of the list "runs" of view.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tendril/io/cache_folder.hpp"
#include "tendril/io/frame_file.hpp"
#include "tendril/render/colour_quantity.hpp"

namespace tendril::serve {

struct ChannelFacts {
  std::string name;
  PerElement per = PerElement::vertex;
  std::uint32_t components = 1;
};
std::vector<ChannelFacts> channel_facts(const Frame& frame);

struct RunFacts {
  std::string name, path;
  double fps = 60.0;
  std::vector<int> frames;
  std::size_t strands = 0, vertices = 0;
  std::vector<CurveSequence::Set> sets;
  struct Body {
    std::string name;
    bool deforms = false;
  };
  std::vector<Body> bodies;
  bool rest = false, records = false, report = false, in_progress = false;
  std::vector<std::string> probes, notes;
  std::string stopped;  // why the run ended early; empty: it did not
  std::vector<ChannelFacts> channels, rest_channels;
  std::vector<render::ColourQuantity> colours;
};

std::string to_json(const RunFacts& facts, std::size_t id);

}  // namespace tendril::serve
