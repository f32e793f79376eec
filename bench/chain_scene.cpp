#include "bench/chain_scene.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "tendril/scene/scene.hpp"

namespace tendril::bench {
namespace {

World make(const char* model, int strands, int points, int rate) {
  const std::string text = fmt::format(R"(
[run]
duration = "100 s"
fps = {}
substeps = 1
[[strands]]
name = "hair"
source = {{ generator = "straight", count = {}, vertices = {}, length = "31 cm", head_radius = "9 cm" }}
model = "{}"
motion = {{ sine = ["10 cm", 0, 0], frequency = "2 Hz" }}
)",
                                       rate, strands, points, model);
  Result<Scene> scene = parse_scene(text, "bench.toml");
  if (!scene) throw std::runtime_error(scene.error().message());
  Result<World> world = make_world(scene.value());
  if (!world) throw std::runtime_error(world.error().message());
  return std::move(world.value());
}

}  // namespace

HairScene::HairScene(const char* model, int strands, int points, int rate)
    : world_(make(model, strands, points, rate)), state_(start(world_)) {}

void HairScene::step(int count) {
  for (int k = 0; k < count; ++k) {
    const SubstepReport report = substep(world_, false, false, work_, state_);
    if (report.stopped) throw std::runtime_error(report.last.message());
  }
}

double HairScene::stretch() {
  const World::Part& part = world_.parts.front();
  return part.model->largest_stretch(part.strands, work_.targets.front(), state_.parts.front());
}

}  // namespace tendril::bench
