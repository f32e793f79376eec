// Scenes that start without sag: on the fly, from a prepared groom, with guides, and what reports and frames say.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/temporary_folder.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/groom_file.hpp"
#include "tendril/io/prepared_groom.hpp"
#include "tendril/sagfree/imbalance.hpp"
#include "tendril/sim/frame_maker.hpp"
#include "tendril/sim/sag_free_report.hpp"
#include "tendril/sim/simulation.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

const std::string curls = R"(
[run]
frames = 30
[[strands]]
name = "hair"
source = { generator = "curly", count = 24, vertices = 20 }
rest = "sag-free"
)";

Result<Simulation> simulation_of(const std::vector<std::string>& overrides = {}, const std::string& text = curls,
                                 const std::string& file = "scene.toml") {
  Result<Scene> scene = parse_scene(text, file, overrides);
  if (!scene) return scene.error();
  return Simulation::create(std::move(scene.value()));
}

std::vector<Vector3d> groom_positions(const Simulation& simulation) { return simulation.positions(); }

double largest_move(const std::vector<Vector3d>& a, const std::vector<Vector3d>& b) {
  double largest = 0.0;
  for (std::size_t v = 0; v < a.size(); ++v) largest = std::max(largest, (a[v] - b[v]).norm());
  return largest;
}

double move_in_half_a_second(Simulation& simulation) {
  const std::vector<Vector3d> before = groom_positions(simulation);
  for (int i = 0; i < 120; ++i) EXPECT_TRUE(simulation.step());
  return largest_move(before, groom_positions(simulation));
}

class SagFree : public support::TemporaryFolder {
 protected:
  // The curls of a scene, prepared.
  PreparedGroom prepared_of(const Simulation& simulation) const {
    const World::Part& part = simulation.world().parts[0];
    Groom groom;
    groom.curves = part.strands.description().curves;
    groom.attributes.push_back({"groom_id", false, 1, std::vector<double>(groom.curves.strands(), 7.0)});
    return {groom, part.strands.description(), *part.sag_free, simulation.world().run.gravity};
  }
};

TEST_F(SagFree, StartStaysWhereItWasDrawn) {
  Simulation kept = simulation_of().value();
  EXPECT_LT(move_in_half_a_second(kept), 1e-9);
  EXPECT_TRUE(kept.world().notes.empty());
  Simulation naive = simulation_of({"strands.0.rest='naive'"}).value();
  EXPECT_GT(move_in_half_a_second(naive), 0.01);
  EXPECT_FALSE(naive.world().parts[0].sag_free);
}

TEST_F(SagFree, FollowersOfGuidesKeepTheirPlaceToo) {
  Simulation kept = simulation_of({"strands.0.guides='every 4'"}).value();
  ASSERT_EQ(kept.world().parts[0].sag_free->strands.size(), 6u);
  EXPECT_EQ(groom_positions(kept).size(), 480u);
  EXPECT_LT(move_in_half_a_second(kept), 1e-9);
}

// A head that nods and stops: the hair comes back to where it was drawn. Internal damping creeps where gravity takes
// most of a joint's stiffness away, so the last half per cent needs longer than 20 s.
TEST_F(SagFree, HairComesBackAfterAMotion) {
  Simulation kept = simulation_of({"strands.0.motion={ sine = [0, 0, '1 cm'], frequency = '2 Hz', duration = '0.5 s' }",
                                   "strands.0.material={ preset = 'human-hair', damping = '20 ms' }"})
                        .value();
  const std::vector<Vector3d> before = groom_positions(kept);
  double farthest = 0.0;
  for (int i = 0; i < 240; ++i) {
    ASSERT_TRUE(kept.step());
    farthest = std::max(farthest, largest_move(before, groom_positions(kept)));
  }
  for (int i = 0; i < 4800; ++i) ASSERT_TRUE(kept.step());
  EXPECT_GT(farthest, 0.005);
  EXPECT_LT(largest_move(before, groom_positions(kept)), 0.005 * farthest);
}

TEST_F(SagFree, PreparedGroomIsTheSameStart) {
  const Simulation fresh = simulation_of().value();
  const Result<std::vector<std::byte>> bytes = encode_prepared(prepared_of(fresh));
  ASSERT_TRUE(bytes);
  ASSERT_TRUE(write_file(folder / "curls.h5", bytes.value()));
  const std::string scene = "[run]\nframes = 30\n[[strands]]\nname = 'hair'\nsource = { prepared = 'curls.h5' }\n";
  const std::string file = (folder / "scene.toml").string();
  Simulation prepared = simulation_of({}, scene, file).value();
  const World::Part &from = fresh.world().parts[0], &part = prepared.world().parts[0];
  const std::vector<double> imbalance =
      sagfree::imbalances(part.strands, prepared.world().run.gravity, part.strands.start());
  for (std::size_t s = 0; s < part.strands.size(); ++s) {
    EXPECT_LT(imbalance[s], 1e-12);
    EXPECT_EQ(part.sag_free->strands[s].mu, from.sag_free->strands[s].mu);
  }
  EXPECT_EQ(part.strands.rest_curvatures(), from.strands.rest_curvatures());
  EXPECT_LT(move_in_half_a_second(prepared), 1e-9);

  Simulation guides = simulation_of({"strands.0.guides='every 3'"}, scene, file).value();
  EXPECT_EQ(guides.world().parts[0].sag_free->strands.size(), 8u);
  EXPECT_LT(move_in_half_a_second(guides), 1e-9);

  const Simulation moon = simulation_of({"run.gravity=[0, -1.6, 0]"}, scene, file).value();
  ASSERT_EQ(moon.world().notes.size(), 1u);
  EXPECT_NE(moon.world().notes[0].find("was prepared for gravity = [0, -9.81, 0]"), std::string::npos);

  for (const char* key : {"material={}", "clamp='point'", "rest='sag-free'", "rest_shape='straight'"}) {
    const Result<Simulation> refused = simulation_of({fmt::format("strands.0.{}", key)}, scene, file);
    ASSERT_FALSE(refused) << key;
    EXPECT_NE(refused.error().message().find("a prepared groom brings its own"), std::string::npos);
  }
}

TEST_F(SagFree, PreparedFilesSurviveAndDamageIsSeen) {
  const Simulation fresh = simulation_of().value();
  const PreparedGroom prepared = prepared_of(fresh);
  std::vector<std::byte> bytes = encode_prepared(prepared).value();
  const Result<PreparedGroom> again = decode_prepared(bytes, "curls.h5");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again.value().groom.curves.points, prepared.groom.curves.points);
  EXPECT_EQ(again.value().groom.attributes[0].values, prepared.groom.attributes[0].values);
  EXPECT_EQ(again.value().description.rest_strain, prepared.description.rest_strain);
  EXPECT_EQ(again.value().outcome.stiffness_factor, prepared.outcome.stiffness_factor);
  EXPECT_EQ(encode_prepared(again.value()).value(), bytes);
  for (std::size_t at = 0; at < bytes.size(); at += 97) {
    std::vector<std::byte> damaged = bytes;
    damaged[at] ^= std::byte(0x10);
    const bool unused = at >= 32 && at < 512;
    EXPECT_EQ(bool(decode_prepared(damaged, "curls.h5")), unused) << at;
  }
  EXPECT_FALSE(decode_prepared(std::span(bytes).first(bytes.size() - 1), "curls.h5"));
  // As a groom, with what was changed as attributes.
  ASSERT_TRUE(write_file(folder / "curls.h5", bytes));
  const Result<Groom> groom = read_groom(folder / "curls.h5");
  ASSERT_TRUE(groom);
  EXPECT_NE(groom.value().attribute("stiffness_factor"), nullptr);
  EXPECT_NE(groom.value().attribute("mu"), nullptr);
}

TEST_F(SagFree, WhatIsWrongIsNamed) {
  const Simulation loose = simulation_of({"strands.0.clamp='free'"}).value();
  ASSERT_EQ(loose.world().notes.size(), 1u);
  EXPECT_NE(loose.world().notes[0].find("24 of 24 strands are"), std::string::npos) << loose.world().notes[0];
  const auto message = [](const std::vector<std::string>& overrides) {
    const Result<Simulation> refused = simulation_of(overrides);
    return refused ? std::string() : refused.error().message();
  };
  EXPECT_NE(message({"strands.0.rest='naive'", "strands.0.sag_free={ mu = 0.2 }"}).find("needs rest"),
            std::string::npos);
  EXPECT_NE(message({"strands.0.sag_free={ share = 'strand', smooth = 1.0 }"}).find("nothing to smooth"),
            std::string::npos);
  EXPECT_NE(message({"strands.0.sag_free={ mu = -1 }"}).find("mu must be"), std::string::npos);
  EXPECT_NE(message({"strands.0.rest_shape='straight'"}).find("leave out rest_shape"), std::string::npos);
}

TEST_F(SagFree, FramesShowWhatWasChanged) {
  const Simulation kept = simulation_of({"strands.0.sag_free={ mu = 0.05 }"}).value();
  const FrameMaker maker(kept.world(), {});
  const Frame rest = maker.rest(kept.world());
  const Channel *factor = rest.channel("stiffness_factor"), *mu = rest.channel("mu");
  ASSERT_TRUE(factor != nullptr && mu != nullptr);
  EXPECT_GT(std::ranges::max(std::get<std::vector<float>>(factor->values)), 1.5f);
  EXPECT_EQ(std::get<std::vector<float>>(mu->values)[3], 0.05f);
  const Simulation naive = simulation_of({"strands.0.rest='naive'"}).value();
  EXPECT_EQ(FrameMaker(naive.world(), {}).rest(naive.world()).channel("mu"), nullptr);
}

}  // namespace
}  // namespace tendril
