#include "tendril/io/cache_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "support/temporary_folder.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/groom_file.hpp"
#include "tendril/io/sequence_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

// Two strands of 2 and 3 vertices at the height of the frame's number.
Frame frame_of(int number) {
  Frame frame{number, number / 24.0, 0, {0, 2, 5}, {}};
  std::vector<float> position;
  for (int v = 0; v < 5; ++v) position.insert(position.end(), {float(v), float(number), 0.0f});
  frame.channels = {{"position", PerElement::vertex, 3, position},
                    {"velocity", PerElement::vertex, 3, std::vector<float>(15, 2.0f)},
                    {"radius", PerElement::vertex, 1, std::vector<float>{1, 2, 3, 4, 5}},
                    {"tension", PerElement::edge, 1, std::vector<double>(3)},
                    {"groom_id", PerElement::strand, 1, std::vector<std::uint32_t>{7, 4294967295u}},
                    {"uv", PerElement::vertex, 2, std::vector<double>(10, 0.5)}};
  return frame;
}

// What belongs to guides, as a run writes it.
void add_guides(Frame& frame) {
  frame.channels.push_back({"guide", PerElement::strand, 1, std::vector<std::uint32_t>{1, 0}});
  frame.channels.push_back({"closest_guides", PerElement::strand, 3, std::vector<std::uint32_t>{0, 0, 0, 0, 5, 7}});
  frame.channels.push_back({"guide_weights", PerElement::strand, 3, std::vector<float>{1, 0, 0, 0.5f, 0.25f, 0.25f}});
}

class CacheFolder : public support::TemporaryFolder {
 protected:
  void write_frames(const std::vector<int>& numbers) {
    for (const int number : numbers) ASSERT_TRUE(write_frame(folder / frame_name(number), frame_of(number)));
  }
  // The state half a frame later.
  void write_shutter(int number) {
    Frame frame = frame_of(number);
    frame.time += 0.5 / 24.0;
    for (float& x : std::get<std::vector<float>>(frame.channels[0].values)) x += 0.5f;
    ASSERT_TRUE(write_frame(folder / shutter_name(number), frame));
  }
  void write_index(const std::string& text) { ASSERT_TRUE(write_file(folder / cache_index_name, text)); }
  CurveSequence opened() {
    auto sequence = open_cache(folder);
    if (sequence) return sequence.value();
    return ADD_FAILURE() << sequence.error().message(), CurveSequence();
  }
  // "front 1, back 1"
  std::string sets_with(const std::string& index) {
    write_index(index);
    std::string text;
    for (const CurveSequence::Set& set : opened().sets)
      text += (text.empty() ? "" : ", ") + set.name + " " + std::to_string(set.strands);
    return text;
  }
};

TEST(CacheFolderNames, CountFrames) {
  EXPECT_EQ(frame_name(7), "frame_0007.tendril");
  EXPECT_EQ(frame_name(123456), "frame_123456.tendril");
  EXPECT_EQ(frame_number("a/frame_0007.tendril"), 7);
  EXPECT_EQ(frame_number("frame_123456.tendril"), 123456);
  for (const char* name : {"frame_7.tendril", "frame_00007.tendril", "frame_.tendril", "frame_0007.tendril.part",
                           "frame_0007x.tendril", "frame_99999999999.tendril", "x_0007.tendril", "frame_0007"})
    EXPECT_EQ(frame_number(name), std::nullopt) << name;
  EXPECT_EQ(shutter_name(7), "shutter_0007.tendril");
  EXPECT_EQ(frame_number(shutter_name(7)), std::nullopt);
}

TEST_F(CacheFolder, FindsItsFramesInOrder) {
  EXPECT_FALSE(is_cache(folder));
  EXPECT_FALSE(is_cache(folder / "missing"));
  EXPECT_TRUE(frame_numbers(folder / "missing").empty());
  write_frames({12, 3, 10001, 7});
  ASSERT_TRUE(write_file(folder / "frame_0008.tendril.part", "half"));
  ASSERT_TRUE(write_file(folder / "report.json", "{}"));
  EXPECT_EQ(frame_numbers(folder), (std::vector<int>{3, 7, 12, 10001}));
  EXPECT_TRUE(is_cache(folder));
}

TEST_F(CacheFolder, OpensWhateverFramesAreThere) {
  write_index(
      R"({"name": "head", "fps": 24, "sets": [{"name": "front", "strands": 1}, {"name": "back", "strands": 1}]})");
  for (int frames = 1; frames <= 4; ++frames) {  // every prefix of a run
    write_frames({frames});
    const CurveSequence sequence = opened();
    EXPECT_EQ(sequence.name, "head");
    EXPECT_EQ(sequence.fps, 24.0);
    ASSERT_EQ(sequence.frames.size(), std::size_t(frames));
    const auto last = sequence.fetch(std::size_t(frames) - 1);
    ASSERT_TRUE(last) << last.error().message();
    EXPECT_EQ(last.value().number, frames);
    EXPECT_EQ(last.value().time, frames / 24.0);
    EXPECT_EQ(last.value().positions[13], float(frames));
    EXPECT_EQ(last.value().velocities, std::vector<float>(15, 2.0f));
  }
}

TEST_F(CacheFolder, TellsTheGroomOfItsFirstFrame) {
  write_frames({2, 3});
  const Groom groom = opened().groom;
  EXPECT_EQ(groom.curves.offsets, (std::vector<std::size_t>{0, 2, 5}));
  EXPECT_EQ(groom.curves.points[4], Eigen::Vector3d(4, 2, 0));
  EXPECT_EQ(groom.radius, (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(groom.metres_per_unit, 1.0);
  EXPECT_EQ(groom.up, UpAxis::y);
  ASSERT_EQ(groom.attributes.size(), 2u) << "numbers per edge have no place in a groom";
  EXPECT_EQ(groom.attribute("groom_id")->values, (std::vector<double>{7, 4294967295.0}));
  EXPECT_FALSE(groom.attribute("groom_id")->per_vertex);
  EXPECT_EQ(groom.attribute("uv")->components, 2);
  EXPECT_TRUE(groom.attribute("uv")->per_vertex);
  EXPECT_EQ(read_groom(folder / frame_name(2)).value().curves.points, groom.curves.points);
}

TEST_F(CacheFolder, TellsWhatBelongsToGuides) {
  Frame frame = frame_of(1);
  add_guides(frame);
  ASSERT_TRUE(write_frame(folder / frame_name(1), frame));
  const Groom groom = opened().groom;
  EXPECT_EQ(groom.attribute("guide")->values, (std::vector<double>{1, 0}));
  EXPECT_EQ(groom.attribute("closest_guides")->values, (std::vector<double>{0, 0, 0, 0, 5, 7}));
  EXPECT_EQ(groom.attribute("guide_weights")->values, (std::vector<double>{1, 0, 0, 0.5, 0.25, 0.25}));
  for (const char* name : {"guide", "closest_guides", "guide_weights"}) {
    EXPECT_FALSE(groom.attribute(name)->per_vertex) << name;
    EXPECT_EQ(groom.attribute(name)->components, name == std::string("guide") ? 1 : 3) << name;
  }
  // They survive the way to USD and back.
  ASSERT_TRUE(write_sequence(folder / "f.usda", opened()));
  const Groom back = read_groom(folder / "f.usda").value();
  for (const char* name : {"guide", "closest_guides", "guide_weights"})
    EXPECT_EQ(back.attribute(name)->values, groom.attribute(name)->values) << name;
}

TEST_F(CacheFolder, FetchesSamplesOfTheShutter) {
  write_frames({3, 5, 6});
  write_shutter(3), write_shutter(6), write_shutter(9);  // 9 has no frame yet
  EXPECT_EQ(shutter_numbers(folder), (std::vector<int>{3, 6, 9}));
  EXPECT_EQ(frame_numbers(folder), (std::vector<int>{3, 5, 6}));
  EXPECT_TRUE(shutter_numbers(folder / "missing").empty());
  const CurveSequence without = opened();
  EXPECT_EQ(without.shutter, 0.0) << "cache.json has to say it";
  EXPECT_FALSE(without.fetch_shutter);

  write_index(R"({"fps": 24, "shutter": 0.5})");
  const CurveSequence sequence = opened();
  EXPECT_EQ(sequence.shutter, 0.5);
  EXPECT_EQ(sequence.fetch(2).value().positions[13], 6.0f);
  const auto last = sequence.fetch_shutter(2);
  ASSERT_TRUE(last) << last.error().message();
  EXPECT_EQ(last.value().number, 6);
  EXPECT_EQ(last.value().time, 6.5 / 24.0);
  EXPECT_EQ(last.value().positions[13], 6.5f);
  EXPECT_EQ(last.value().velocities, std::vector<float>(15, 2.0f));
  const auto none = sequence.fetch_shutter(1);
  ASSERT_TRUE(none) << none.error().message();
  EXPECT_TRUE(none.value().positions.empty());

  const CurveSequence part = excerpt(sequence, 1, 2);
  EXPECT_EQ(part.frames, (std::vector<int>{5, 6}));
  EXPECT_EQ(part.fetch(1).value().number, 6);
  EXPECT_EQ(part.fetch_shutter(1).value().positions[13], 6.5f);
  EXPECT_EQ(part.shutter, 0.5);
  EXPECT_EQ(excerpt(without, 2, 1).fetch(0).value().number, 6);
  EXPECT_FALSE(excerpt(without, 2, 1).fetch_shutter);
}

TEST_F(CacheFolder, WritesTheShutterToUsdOnly) {
  write_frames({3, 4});
  write_shutter(3), write_shutter(4);
  for (const char* name : {"plain", "blurred"}) {
    if (name == std::string("blurred")) write_index(R"({"fps": 60, "shutter": 0.5})");
    for (const char* extension : {".usda", ".pc2", ".pvd", ".####.ply"})
      ASSERT_TRUE(write_sequence(folder / (std::string(name) + extension), opened())) << extension;
  }
  const auto text = [&](const char* name) { return read_text(folder / name).value(); };
  EXPECT_EQ(text("blurred.pc2"), text("plain.pc2"));
  EXPECT_EQ(text("blurred.0004.ply"), text("plain.0004.ply"));
  EXPECT_EQ(text("blurred/blurred.0004.vtp"), text("plain/plain.0004.vtp"));
  EXPECT_EQ(text("plain.usda").find("3.5: ["), std::string::npos);
  EXPECT_NE(text("blurred.usda").find("            4.5: [(0.5, 4.5, 0.5)"), std::string::npos);
}

TEST_F(CacheFolder, NamesADamagedShutter) {
  write_frames({1, 2});
  write_index(R"({"shutter": 0.25})");
  ASSERT_TRUE(write_file(folder / shutter_name(1), "half"));
  Frame other = frame_of(2);
  other.offsets = {0, 3, 5};
  ASSERT_TRUE(write_frame(folder / shutter_name(2), other));
  const CurveSequence sequence = opened();
  EXPECT_TRUE(sequence.fetch_shutter(0).error().message().starts_with((folder / shutter_name(1)).string()));
  EXPECT_EQ(sequence.fetch_shutter(1).error().message(),
            (folder / shutter_name(2)).string() + ": has other strands than the first frame");
}

TEST_F(CacheFolder, OpensWithoutItsIndex) {
  write_frames({1});
  const CurveSequence sequence = opened();
  EXPECT_EQ(sequence.name, "groom");
  EXPECT_EQ(sequence.fps, 60.0);
  ASSERT_EQ(sequence.sets.size(), 1u);
  EXPECT_EQ(sequence.sets[0].name, "strands");
  EXPECT_EQ(sequence.sets[0].strands, 2u);
}

TEST_F(CacheFolder, OpensWithABrokenIndex) {
  write_frames({1});
  EXPECT_EQ(sets_with(R"({"sets": [{"name": "a", "strands": 1}, {"name": "b", "strands": 1}]})"), "a 1, b 1");
  EXPECT_EQ(sets_with(R"({"sets": [{"name": "a", "strands": 0}, {"name": "b", "strands": 2}]})"), "a 0, b 2");
  for (const char* index :
       {"", "{", "[]", "7", "{\"sets\": 7}", R"({"sets": []})", R"({"sets": [7, null, {"name": 7, "strands": 2}]})",
        R"({"sets": [{"name": "a", "strands": 1}]})", R"({"sets": [{"name": "a", "strands": 3}]})",
        R"({"sets": [{"name": "a", "strands": -2}]})", R"({"sets": [{"name": "a", "strands": 2.0}]})",
        // a sum that overflows to 2
        R"({"sets": [{"name": "a", "strands": 18446744073709551615}, {"name": "b", "strands": 3}]})"})
    EXPECT_EQ(sets_with(index), "strands 2") << index;
  write_index(R"({"name": 7, "fps": "24"})");
  EXPECT_EQ(opened().name, "groom");
  EXPECT_EQ(opened().fps, 60.0);
  write_index(R"({"fps": 0})");
  EXPECT_EQ(opened().fps, 60.0);
  write_index(R"({"fps": -24})");
  EXPECT_EQ(opened().fps, 60.0);
  for (const char* index : {R"({"shutter": "0.5"})", R"({"shutter": 0})", R"({"shutter": -0.5})",
                            R"({"shutter": 1.001})", R"({"shutter": null})", R"({"shutter": true})"}) {
    write_index(index);
    EXPECT_EQ(opened().shutter, 0.0) << index;
    EXPECT_FALSE(opened().fetch_shutter) << index;
  }
  write_index(R"({"shutter": 1})");
  EXPECT_EQ(opened().shutter, 1.0);
}

TEST_F(CacheFolder, SaysThatItHoldsNoFrames) {
  write_index("{}");
  EXPECT_TRUE(is_cache(folder));
  EXPECT_EQ(open_cache(folder).error().message(), folder.string() + ": holds no frames of a run");
  EXPECT_EQ(open_cache(folder / "missing").error().message(),
            (folder / "missing").string() + ": holds no frames of a run");
}

TEST_F(CacheFolder, NamesADamagedFrame) {
  write_frames({1, 2, 3});
  const fs::path second = folder / frame_name(2);
  auto bytes = read_bytes(second).value();
  for (const std::size_t size : {std::size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
    ASSERT_TRUE(write_file(second, std::span(bytes).first(size)));
    const CurveSequence sequence = opened();
    EXPECT_TRUE(sequence.fetch(0) && sequence.fetch(2));
    const auto damaged = sequence.fetch(1);
    ASSERT_FALSE(damaged);
    EXPECT_TRUE(damaged.error().message().starts_with(second.string())) << damaged.error().message();
  }
  bytes[bytes.size() / 2] ^= std::byte{1};
  ASSERT_TRUE(write_file(second, bytes));
  EXPECT_FALSE(opened().fetch(1)) << "its checksum is wrong";
  const CurveSequence before = opened();
  fs::remove(second);
  EXPECT_TRUE(before.fetch(1).error().message().starts_with(second.string())) << "it is gone";
  ASSERT_TRUE(write_file(folder / frame_name(1), "no frame"));
  EXPECT_TRUE(open_cache(folder).error().message().starts_with((folder / frame_name(1)).string()));
}

TEST_F(CacheFolder, RefusesAFrameWithOtherStrands) {
  write_frames({1});
  Frame other = frame_of(2);
  other.offsets = {0, 3, 5};
  ASSERT_TRUE(write_frame(folder / frame_name(2), other));
  EXPECT_EQ(opened().fetch(1).error().message(),
            (folder / frame_name(2)).string() + ": has other strands than the first frame");
}

TEST_F(CacheFolder, RefusesAFrameWithoutPositions) {
  for (const bool of_doubles : {false, true}) {
    Frame frame = frame_of(1);
    if (of_doubles)
      frame.channels[0].values = std::vector<double>(15);
    else
      frame.channels.erase(frame.channels.begin());
    ASSERT_TRUE(write_frame(folder / frame_name(1), frame));
    EXPECT_EQ(open_cache(folder).error().message(),
              (folder / frame_name(1)).string() + ": has no channel 'position' of three f32 per vertex");
  }
}

}  // namespace
}  // namespace tendril
