// Writing USD text: what is written is judged by the reader and, where that looks away, by its parser.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "support/temporary_folder.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/groom_file.hpp"
#include "tendril/io/usda_file.hpp"
#include "tendril/io/usda_parser.hpp"

namespace tendril {
namespace {

using Numbers = std::vector<double>;

// Strands of 2, 3 and 2 vertices that move along y, one metre per frame.
CurveSequence moving_sequence(const std::vector<int>& frames) {
  CurveSequence sequence;
  sequence.name = "shaken head", sequence.fps = 24.0, sequence.frames = frames;
  sequence.groom.curves.offsets = {0, 2, 5, 7};
  for (std::size_t v = 0; v < 7; ++v) {
    sequence.groom.curves.points.emplace_back(double(v), 0.0, 0.25);
    sequence.groom.radius.push_back(0.5 + 0.5 * double(v));
  }
  sequence.groom.metres_per_unit = 1.0, sequence.groom.up = UpAxis::y;
  sequence.sets = {{"front", 1}, {"back", 2}};
  sequence.fetch = [points = sequence.groom.curves.points, frames](std::size_t i) -> Result<CurveFrame> {
    CurveFrame frame{frames[i], double(frames[i]) / 24.0, {}, {}};
    for (const auto& p : points) {
      frame.positions.insert(frame.positions.end(), {float(p.x()), float(frames[i]), float(p.z())});
      frame.velocities.insert(frame.velocities.end(), {0.0f, 24.0f, float(i)});
    }
    return frame;
  };
  return sequence;
}

// With a sample by `shutter` of a frame after each of the frames but those in `without`.
CurveSequence blurred_sequence(const std::vector<int>& frames, double shutter, const std::vector<int>& without = {}) {
  CurveSequence sequence = moving_sequence(frames);
  sequence.shutter = shutter;
  sequence.fetch_shutter = [fetch = sequence.fetch, frames, shutter, without](std::size_t i) -> Result<CurveFrame> {
    if (std::ranges::count(without, frames[i]) > 0) return CurveFrame();
    CurveFrame frame = fetch(i).value();
    for (std::size_t v = 1; v < frame.positions.size(); v += 3) frame.positions[v] += float(shutter);
    for (float& u : frame.velocities) u += 1.0f;
    return frame;
  };
  return sequence;
}

class UsdaWriter : public support::TemporaryFolder {
 protected:
  std::string written(const CurveSequence& sequence, const UsdaOptions& options = {}) {
    const Status status = write_usda(folder / "f.usda", sequence, options);
    EXPECT_TRUE(status) << status.error().message();
    return read_text(folder / "f.usda").value();
  }
  Groom round_trip(const CurveSequence& sequence) {
    auto groom = decode_usda(written(sequence), "f.usda");
    if (groom) return groom.value();
    return ADD_FAILURE() << groom.error().message(), Groom();
  }
  static usda::Stage parsed(const std::string& text) {
    auto stage = usda::parse(text, "f.usda");
    if (stage) return stage.value();
    return ADD_FAILURE() << stage.error().message() << "\n" << text, usda::Stage();
  }
};

TEST_F(UsdaWriter, ReturnsAGroom) {
  CurveSequence sequence = moving_sequence({1});
  Groom& groom = sequence.groom;
  groom.attributes = {{"color", true, 3, Numbers(21, 0.125)},
                      {"groom_id", false, 1, {7, 5, 9}},
                      {"guide", false, 1, {1, 0, 1}},
                      {"closest_guides", false, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}},
                      {"guide_weights", false, 3, {0.5, 0.25, 0.25, 1, 0, 0, 0, 0, 1}}};
  const CurveSequence one = still(groom, "groom");
  const Groom back = round_trip(one);
  EXPECT_EQ(back.curves.points, groom.curves.points);
  EXPECT_EQ(back.curves.offsets, groom.curves.offsets);
  EXPECT_EQ(back.radius, groom.radius);
  EXPECT_EQ(back.metres_per_unit, 1.0);
  EXPECT_EQ(back.up, UpAxis::y);
  ASSERT_EQ(back.attributes.size(), groom.attributes.size());
  for (const GroomAttribute& attribute : groom.attributes) {
    const GroomAttribute* found = back.attribute(attribute.name);
    ASSERT_NE(found, nullptr) << attribute.name;
    EXPECT_EQ(found->values, attribute.values) << attribute.name;
    EXPECT_EQ(found->per_vertex, attribute.per_vertex) << attribute.name;
    EXPECT_EQ(found->components, attribute.components) << attribute.name;
  }
  EXPECT_EQ(entries(), 1u);
}

TEST_F(UsdaWriter, NamesWhatBelongsToGuidesAsImportersExpectIt) {
  CurveSequence sequence = moving_sequence({1});
  const std::vector<GroomAttribute> attributes = {{"guide", false, 1, {1, 0, 1}},
                                                  {"closest_guides", false, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}},
                                                  {"guide_weights", false, 3, {0.5, 0.25, 0.25, 1, 0, 0, 0, 0, 1}}};
  for (const char* prefix : {"", "groom_"}) {  // as they may stand in a groom from elsewhere
    sequence.groom.attributes = attributes;
    for (GroomAttribute& attribute : sequence.groom.attributes) attribute.name = prefix + attribute.name;
    const std::string text = written(sequence), end = " (\n            interpolation = \"uniform\"\n        )\n";
    for (const char* line : {"int[] primvars:groom_guide = [1]", "int[] primvars:groom_guide = [0, 1]",
                             "int3[] primvars:groom_closest_guides = [(1, 2, 3)]",
                             "int3[] primvars:groom_closest_guides = [(4, 5, 6), (7, 8, 9)]",
                             "float3[] primvars:groom_guide_weights = [(0.5, 0.25, 0.25)]",
                             "float3[] primvars:groom_guide_weights = [(1, 0, 0), (0, 0, 1)]"})
      EXPECT_NE(text.find(line + end), std::string::npos) << line << "\n" << text;
    const Groom back = round_trip(sequence);
    for (const GroomAttribute& attribute : attributes)
      EXPECT_EQ(back.attribute(attribute.name)->values, attribute.values) << attribute.name;
  }
  // What has another shape, or too large numbers, is not what they expect.
  sequence.groom.attributes = {{"guide", true, 1, Numbers(7, 1.0)},
                               {"closest_guides", false, 3, Numbers(9, 4294967295.0)},
                               {"guide_weights", false, 2, Numbers(6, 0.5)}};
  const std::string text = written(sequence);
  EXPECT_NE(text.find("float[] primvars:guide = [1, 1]"), std::string::npos) << text;
  EXPECT_NE(text.find("float3[] primvars:groom_closest_guides = [(4"), std::string::npos) << text;
  EXPECT_NE(text.find("float[] primvars:guide_weights = [0.5, 0.5] (\n            elementSize = 2"), std::string::npos)
      << text;
}

TEST_F(UsdaWriter, WritesTheSameTextAgain) {
  const std::string text = written(still(moving_sequence({1}).groom, "groom"));
  const Groom back = decode_usda(text, "f.usda").value();
  EXPECT_EQ(written(still(back, "groom")), text) << "groom_width and groom_id are not there twice";
}

TEST_F(UsdaWriter, PutsEverySetIntoAPrimOfItsOwn) {
  const CurveSequence sequence = moving_sequence({3, 4});
  const usda::Stage stage = parsed(written(sequence));
  ASSERT_EQ(stage.prims.size(), 1u);
  EXPECT_EQ(stage.prims[0].type, "Xform");
  EXPECT_EQ(stage.prims[0].name, "shaken_head");
  ASSERT_EQ(stage.prims[0].children.size(), 2u);
  const usda::Prim &front = stage.prims[0].children[0], &back = stage.prims[0].children[1];
  EXPECT_EQ(front.type, "BasisCurves");
  EXPECT_EQ(front.name, "front");
  EXPECT_EQ(back.name, "back");
  EXPECT_EQ(front.attribute("type")->value.word(), "linear");
  EXPECT_EQ(front.attribute("curveVertexCounts")->value.numbers, (Numbers{2}));
  EXPECT_EQ(back.attribute("curveVertexCounts")->value.numbers, (Numbers{3, 2}));
  EXPECT_EQ(back.attribute("primvars:groom_id")->value.numbers, (Numbers{1, 2}));
  EXPECT_EQ(back.attribute("primvars:groom_id")->metadata.find("interpolation")->second.word(), "uniform");
  EXPECT_EQ(front.attribute("widths")->value.numbers, (Numbers{1, 2}));
  EXPECT_EQ(front.attribute("widths")->metadata.find("interpolation")->second.word(), "vertex");
  EXPECT_EQ(front.attribute("primvars:groom_width")->value.numbers, (Numbers{1, 2}));
  // The first sample.
  EXPECT_EQ(front.attribute("points")->value.numbers, (Numbers{0, 3, 0.25, 1, 3, 0.25}));
  EXPECT_EQ(front.attribute("velocities")->value.numbers, (Numbers{0, 24, 0, 0, 24, 0}));
  EXPECT_EQ(front.attribute("velocities")->type, "vector3f[]");
  // The box of the points and half of the widest strand, 7 / 2.
  EXPECT_EQ(front.attribute("extent")->value.numbers, (Numbers{-3.5, -0.5, -3.25, 4.5, 6.5, 3.75}));

  const Groom groom = round_trip(sequence);
  EXPECT_EQ(groom.curves.offsets, sequence.groom.curves.offsets);
  EXPECT_EQ(groom.radius, sequence.groom.radius);
}

TEST_F(UsdaWriter, SaysUnitRangeAndRate) {
  const usda::Stage stage = parsed(written(moving_sequence({3, 5, 7})));
  const auto number = [&](const char* key) { return stage.metadata.find(key)->second.numbers.at(0); };
  EXPECT_EQ(number("metersPerUnit"), 1.0);
  EXPECT_EQ(number("startTimeCode"), 3.0);
  EXPECT_EQ(number("endTimeCode"), 7.0);
  EXPECT_EQ(number("timeCodesPerSecond"), 24.0);
  EXPECT_EQ(number("framesPerSecond"), 24.0);
  EXPECT_EQ(stage.metadata.find("upAxis")->second.word(), "Y");
  EXPECT_EQ(stage.metadata.find("defaultPrim")->second.word(), "shaken_head");
}

TEST_F(UsdaWriter, WritesASampleForEveryFrame) {
  const std::string text = written(moving_sequence({3, 5, 8}));
  for (const char* sample :
       {"            3: [(0, 3, 0.25), (1, 3, 0.25)],\n", "            5: [(0, 5, 0.25), (1, 5, 0.25)],\n",
        "            8: [(0, 8, 0.25), (1, 8, 0.25)],\n", "            8: [(0, 24, 2), (0, 24, 2)],\n"})
    EXPECT_NE(text.find(sample), std::string::npos) << sample << text;
}

TEST_F(UsdaWriter, WritesSamplesOfTheShutterBetweenTheFrames) {
  const std::string text = written(blurred_sequence({3, 5, 6}, 0.5, {5}));
  const auto samples = [&](const std::string& attribute) {
    const std::size_t begin = text.find(attribute + ".timeSamples = {\n") + attribute.size() + 17;
    return text.substr(begin, text.find("        }\n", begin) - begin);
  };
  EXPECT_EQ(samples("points"),
            "            3: [(0, 3, 0.25), (1, 3, 0.25)],\n            3.5: [(0, 3.5, 0.25), (1, 3.5, 0.25)],\n"
            "            5: [(0, 5, 0.25), (1, 5, 0.25)],\n"
            "            6: [(0, 6, 0.25), (1, 6, 0.25)],\n            6.5: [(0, 6.5, 0.25), (1, 6.5, 0.25)],\n");
  EXPECT_EQ(samples("velocities"),
            "            3: [(0, 24, 0), (0, 24, 0)],\n            3.5: [(1, 25, 1), (1, 25, 1)],\n"
            "            5: [(0, 24, 1), (0, 24, 1)],\n"
            "            6: [(0, 24, 2), (0, 24, 2)],\n            6.5: [(1, 25, 3), (1, 25, 3)],\n");
  EXPECT_NE(samples("extent").find("            3.5: [(-3.5, 0, -3.25), (4.5, 7, 3.75)],\n"), std::string::npos);
  // The range is still that of the frames.
  EXPECT_NE(text.find("endTimeCode = 6\n"), std::string::npos);
  EXPECT_EQ(decode_usda(text, "f.usda").value().curves.points[0].y(), 3.0) << "the earliest";
}

TEST_F(UsdaWriter, WritesTheShutterOfASingleFrame) {
  const std::string text = written(blurred_sequence({7}, 0.25));
  EXPECT_NE(text.find("            7: [(0, 7, 0.25)"), std::string::npos) << text;
  EXPECT_NE(text.find("            7.25: [(0, 7.25, 0.25)"), std::string::npos) << text;
}

TEST_F(UsdaWriter, LeavesOutTheShutterWhereTheNextFrameStands) {
  const std::string text = written(blurred_sequence({3, 4, 6}, 1.0));
  EXPECT_EQ(text.find("            4: [(0, 4, 0.25)"), text.rfind("            4: [(0, 4, 0.25)")) << "frame 4 itself";
  EXPECT_NE(text.find("            5: [(0, 5, 0.25)"), std::string::npos) << "between 4 and 6";
  EXPECT_NE(text.find("            7: [(0, 7, 0.25)"), std::string::npos) << "after the last";
  CurveSequence none = blurred_sequence({3, 4}, 0.0);
  EXPECT_EQ(written(none), written(moving_sequence({3, 4})));
  none.shutter = 0.5, none.fetch_shutter = nullptr;
  EXPECT_EQ(written(none), written(moving_sequence({3, 4})));
}

TEST_F(UsdaWriter, LeavesOutVelocitiesThatAreUnknown) {
  CurveSequence sequence = moving_sequence({1, 2});
  sequence.fetch = [fetch = sequence.fetch](std::size_t i) {
    Result<CurveFrame> frame = fetch(i);
    frame.value().velocities.clear();
    return frame;
  };
  EXPECT_EQ(written(sequence).find("velocities"), std::string::npos);
}

TEST_F(UsdaWriter, MakesIdentifiersOfStrangeNames) {
  CurveSequence sequence = moving_sequence({1});
  sequence.name = "7 \"heads\"";
  sequence.sets = {{"a b", 1}, {"a-b", 1}, {"\xc3\xa4\n", 1}};
  sequence.groom.attributes = {{"my.value", false, 1, {1, 2, 3}},         {"my-value", false, 1, {4, 5, 6}},
                               {"groom-id", false, 1, {7, 8, 9}},         {"groom-width", false, 1, {7, 8, 9}},
                               {"groom_width", true, 1, Numbers(7, 3.0)}, {"", false, 1, {0, 0, 0}}};
  const usda::Stage stage = parsed(written(sequence));
  EXPECT_EQ(stage.prims[0].name, "_7__heads_");
  ASSERT_EQ(stage.prims[0].children.size(), 3u);
  EXPECT_EQ(stage.prims[0].children[0].name, "a_b");
  EXPECT_EQ(stage.prims[0].children[1].name, "a_b_");
  EXPECT_EQ(stage.prims[0].children[2].name, "___");
  std::vector<std::string> names;
  for (const usda::Attribute& attribute : stage.prims[0].children[0].attributes)
    if (attribute.name.starts_with("primvars:")) names.push_back(attribute.name.substr(9));
  EXPECT_EQ(names, (std::vector<std::string>{"groom_width", "groom_id", "my_value", "my_value_", "groom_id_",
                                             "groom_width_", "groom"}));
  EXPECT_EQ(stage.prims[0].children[0].attribute("primvars:my_value")->value.numbers, (Numbers{1}));
  EXPECT_EQ(stage.prims[0].children[0].attribute("primvars:my_value_")->value.numbers, (Numbers{4}));
  EXPECT_EQ(stage.prims[0].children[0].attribute("primvars:groom_width")->value.numbers, (Numbers{1, 2}));
}

TEST_F(UsdaWriter, WritesIdsThatAreNoIntegersAsTheyAre) {
  CurveSequence sequence = moving_sequence({1});
  sequence.groom.attributes = {{"groom_id", false, 1, {4294967295.0, 1e30, 0.5}}};
  const std::string text = written(sequence);
  EXPECT_EQ(text.find("int[] primvars:groom_id"), std::string::npos);
  EXPECT_EQ(parsed(text).prims[0].children[1].attribute("primvars:groom_id")->value.numbers, (Numbers{1e30, 0.5}));
}

TEST_F(UsdaWriter, WritesSetsWithoutStrands) {
  CurveSequence sequence = moving_sequence({1});
  sequence.sets = {{"none", 0}, {"all", 3}, {"nothing", 0}};
  const Groom groom = round_trip(sequence);
  EXPECT_EQ(groom.curves.offsets, sequence.groom.curves.offsets);
  EXPECT_EQ(groom.radius, sequence.groom.radius);
  const Groom empty = round_trip(still(Groom(), "bald"));
  EXPECT_EQ(empty.curves.strands(), 0u);
}

TEST_F(UsdaWriter, PutsManyPointsIntoValueClips) {
  const CurveSequence sequence = moving_sequence({8, 9, 11});
  EXPECT_EQ(usda_outputs(folder / "f.usda", sequence, {21}), (std::vector{folder / "f.usda"}));
  EXPECT_EQ(usda_outputs(folder / "f.usda", sequence, {20}), (std::vector{folder / "f.usda", folder / "f_clips"}));
  written(sequence, {21});
  EXPECT_EQ(entries(), 1u) << "21 points are not too many";

  const std::string text = written(sequence, {20});
  EXPECT_EQ(entries(), 6u);  // the file, the folder, three frames and a manifest
  EXPECT_NE(text.find("string templateAssetPath = \"./f_clips/frame.####.usda\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("asset manifestAssetPath = @./f_clips/manifest.usda@\n"), std::string::npos);
  EXPECT_NE(text.find("string primPath = \"/shaken_head\"\n"), std::string::npos);
  EXPECT_NE(text.find("double templateStartTime = 8\n"), std::string::npos);
  EXPECT_NE(text.find("double templateEndTime = 11\n"), std::string::npos);
  EXPECT_NE(text.find("double templateStride = 1\n"), std::string::npos);
  const usda::Stage stage = parsed(text);
  EXPECT_TRUE(stage.prims[0].clips.contains("default"));
  ASSERT_EQ(stage.prims[0].children.size(), 2u);
  EXPECT_EQ(stage.prims[0].children[0].attribute("points"), nullptr);
  EXPECT_EQ(stage.prims[0].children[1].attribute("curveVertexCounts")->value.numbers, (Numbers{3, 2}));

  for (const int frame : {8, 9, 11}) {
    const std::string name = std::string("frame.00") + (frame < 10 ? "0" : "") + std::to_string(frame) + ".usda";
    const std::string clip = read_text(folder / "f_clips" / name).value();
    EXPECT_NE(clip.find("            " + std::to_string(frame) + ": [(0, "), std::string::npos) << clip;
    const usda::Stage layer = parsed(clip);
    EXPECT_FALSE(layer.prims.at(0).defined);
    EXPECT_EQ(layer.prims[0].name, "shaken_head");
    const usda::Prim& front = layer.prims[0].children.at(0);
    EXPECT_EQ(front.name, "front");
    EXPECT_EQ(front.attribute("points")->value.numbers, (Numbers{0, double(frame), 0.25, 1, double(frame), 0.25}));
    EXPECT_EQ(front.attribute("velocities")->value.numbers[1], 24.0);
    EXPECT_EQ(front.attribute("extent")->value.numbers.size(), 6u);
  }
  const usda::Stage manifest = parsed(read_text(folder / "f_clips" / "manifest.usda").value());
  const usda::Prim& declared = manifest.prims.at(0).children.at(1);
  for (const char* name : {"points", "velocities", "extent"}) {
    ASSERT_NE(declared.attribute(name), nullptr) << name;
    EXPECT_TRUE(declared.attribute(name)->value.numbers.empty());
  }
}

TEST_F(UsdaWriter, PutsSamplesOfTheShutterIntoTheClipOfTheirFrame) {
  const CurveSequence sequence = blurred_sequence({8, 9, 11}, 0.5, {9});
  EXPECT_EQ(usda_outputs(folder / "f.usda", sequence, {42}).size(), 1u);
  EXPECT_EQ(usda_outputs(folder / "f.usda", sequence, {41}).size(), 2u) << "six samples, as far as one can tell";
  const std::string text = written(sequence, {41});
  EXPECT_EQ(entries(), 6u);
  // Listed, since the times of a template would end with the last frame.
  EXPECT_EQ(text.find("template"), std::string::npos);
  for (const char* line :
       {"asset[] assetPaths = [@./f_clips/frame.0008.usda@, @./f_clips/frame.0009.usda@, "
        "@./f_clips/frame.0011.usda@]\n",
        "double2[] active = [(8, 0), (9, 1), (11, 2)]\n",
        "double2[] times = [(8, 8), (9, 9), (11, 11), (11.5, 11.5)]\n",
        "asset manifestAssetPath = @./f_clips/manifest.usda@\n", "string primPath = \"/shaken_head\"\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  const auto clip = [&](int frame) {
    return read_text(folder / "f_clips" / fmt::format("frame.{:04}.usda", frame)).value();
  };
  EXPECT_NE(clip(8).find("point3f[] points.timeSamples = {\n"
                         "            8: [(0, 8, 0.25), (1, 8, 0.25)],\n"
                         "            8.5: [(0, 8.5, 0.25), (1, 8.5, 0.25)],\n        }\n"),
            std::string::npos)
      << clip(8);
  EXPECT_EQ(clip(9).find("9.5: "), std::string::npos);
  EXPECT_NE(clip(11).find("            11.5: [(1, 25, 3)"), std::string::npos) << clip(11);
  for (const int frame : {8, 9, 11}) parsed(clip(frame));
}

TEST_F(UsdaWriter, WritesClipsThatCanBeReadBack) {
  for (const bool blurred : {false, true}) {
    CurveSequence sequence = blurred ? blurred_sequence({8, 9, 11}, 0.25) : moving_sequence({8, 9, 11});
    sequence.groom.attributes = {{"guide", false, 1, {1, 0, 1}}};
    sequence.sets = {{"front", 1}, {"none", 0}, {"back", 2}};
    written(sequence, {1});
    ASSERT_TRUE(write_usda(folder / "plain.usda", sequence));
    const auto plain = read_groom(folder / "plain.usda"), clips = read_groom(folder / "f.usda");
    ASSERT_TRUE(plain && clips) << (clips ? plain : clips).error().message();
    EXPECT_EQ(clips.value().curves.points[6], Eigen::Vector3d(6, 8, 0.25)) << "frame 8";
    EXPECT_EQ(clips.value().curves.points, plain.value().curves.points);
    EXPECT_EQ(clips.value().curves.offsets, plain.value().curves.offsets);
    EXPECT_EQ(clips.value().radius, plain.value().radius);
    EXPECT_EQ(clips.value().metres_per_unit, 1.0);
    ASSERT_EQ(clips.value().attributes.size(), plain.value().attributes.size());
    EXPECT_EQ(clips.value().attribute("guide")->values, (Numbers{1, 0, 1}));
  }
}

TEST_F(UsdaWriter, WritesClipsThatMoveWithTheFileAndMissWithoutThem) {
  written(moving_sequence({8, 9, 11}), {1});
  std::filesystem::create_directories(folder / "elsewhere");
  for (const char* name : {"f.usda", "f_clips"}) std::filesystem::rename(folder / name, folder / "elsewhere" / name);
  const std::filesystem::path file = folder / "elsewhere" / "f.usda", clips = folder / "elsewhere" / "f_clips";
  const auto height = [&] { return read_groom(file).value().curves.points[0].y(); };
  EXPECT_EQ(height(), 8.0);
  std::filesystem::remove(clips / "frame.0008.usda");
  EXPECT_EQ(height(), 9.0) << "where there is none, USD passes over it";
  ASSERT_TRUE(write_file(clips / "frame.0008.usda", "half"));
  EXPECT_EQ(read_groom(file).error().message(),
            (clips / "frame.0008.usda").string() + ": is not a USD text file: it does not begin with #usda 1.0");
  std::filesystem::remove_all(clips);
  EXPECT_EQ(read_groom(file).error().message(),
            file.string() +
                ":12: shaken_head: of the layers ./f_clips/frame.####.usda of its value clips from 8 to 11 "
                "none is there");
  // A listed one must be there; a folder is none. An absolute path is as good as any.
  written(blurred_sequence({8, 9}, 0.5), {1});
  std::string text = read_text(folder / "f.usda").value();
  std::filesystem::remove(folder / "f_clips" / "frame.0008.usda");
  std::filesystem::create_directory(folder / "f_clips" / "frame.0008.usda");
  EXPECT_EQ(read_groom(folder / "f.usda").error().message(),
            (folder / "f.usda").string() +
                ":12: shaken_head: the layer ./f_clips/frame.0008.usda of its value clips is missing");
  const std::string relative = "./f_clips/frame.0008.usda";
  text.replace(text.find(relative), relative.size(), (folder / "f_clips" / "frame.0009.usda").string());
  ASSERT_TRUE(write_file(file, text));
  EXPECT_EQ(height(), 9.0);
}

TEST_F(UsdaWriter, StridesOverFramesThatAreNotEvenlySpaced) {
  ASSERT_TRUE(write_usda(folder / "f.usda", moving_sequence({2, 6, 8}), {1}));
  EXPECT_NE(read_text(folder / "f.usda").value().find("templateStride = 2\n"), std::string::npos);
}

TEST_F(UsdaWriter, NamesTheFolderOfClipsSoThatTheFileCanSayIt) {
  ASSERT_TRUE(write_usda(folder / "a\"@b.usda", moving_sequence({1, 2}), {1}));
  EXPECT_TRUE(std::filesystem::exists(folder / "a__b_clips" / "frame.0002.usda"));
  parsed(read_text(folder / "a\"@b.usda").value());
}

TEST_F(UsdaWriter, HandsOnTheErrorOfAFrameAndKeepsTheOldFile) {
  for (const std::size_t most_points : {100, 1}) {
    ASSERT_TRUE(write_file(folder / "f.usda", "old"));
    CurveSequence sequence = moving_sequence({1, 2, 3});
    sequence.fetch = [fetch = sequence.fetch](std::size_t i) { return i < 2 ? fetch(i) : Error{"frame 3", "is torn"}; };
    const Status status = write_usda(folder / "f.usda", sequence, {most_points});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message(), "frame 3: is torn");
    EXPECT_EQ(read_text(folder / "f.usda").value(), "old");
    EXPECT_FALSE(std::filesystem::exists(folder / "f.usda.part"));
    CurveSequence blurred = blurred_sequence({1, 2, 3}, 0.5);
    blurred.fetch_shutter = [](std::size_t) { return Error{"shutter 1", "is torn"}; };
    EXPECT_EQ(write_usda(folder / "f.usda", blurred, {most_points}).error().message(), "shutter 1: is torn");
    EXPECT_EQ(read_text(folder / "f.usda").value(), "old");
  }
}

TEST_F(UsdaWriter, KeepsTheOldFileWhereverTheDiskIsFull) {
  for (const std::size_t most_points : {100, 1}) {
    for (std::int64_t k = 1;; ++k) {
      ASSERT_TRUE(write_file(folder / "f.usda", "old"));
      fail_writes_from(k);
      const Status status = write_usda(folder / "f.usda", moving_sequence({1, 2}), {most_points});
      const std::int64_t calls = fail_writes_from(0);
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        EXPECT_NE(entry.path().extension(), ".part") << entry.path();
      if (status) {
        EXPECT_EQ(calls, k - 1);
        EXPECT_GT(calls, 10);
        break;
      }
      EXPECT_TRUE(status.error().message().ends_with("cannot be written: No space left on device"));
      EXPECT_EQ(read_text(folder / "f.usda").value(), "old") << k;
    }
  }
}

}  // namespace
}  // namespace tendril
