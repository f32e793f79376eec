// From request to answer: addresses, contents, conditions and what a run tells of itself.
#include "tendril/serve/route.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <thread>

#include "serve/small_site.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/io/folder_lock.hpp"
#include "tendril/io/hair_file.hpp"
#include "tendril/serve/target.hpp"

namespace tendril::serve {
namespace {

using nlohmann::json;

class RouteTest : public SmallSite {
 protected:
  json view(std::size_t run = 0) const { return json::parse(text_of(get("/api/view.json")))["runs"][run]; }
  Response ranged(const std::string& range, const std::string& target = "/api/runs/0/frames/1") const {
    Request made = request(target);
    made.range = range;
    return route(site, made);
  }
};

TEST(Target, IsSplitAndThenDecodedOnce) {
  using Path = std::vector<std::string>;
  EXPECT_EQ(parse_target("/")->path, Path{""});
  EXPECT_EQ(parse_target("/a/b%20c?x=%20")->path, (Path{"a", "b c"}));
  EXPECT_EQ(parse_target("/a/b%20c?x=%20")->query, "x=%20");
  EXPECT_EQ(parse_target("/%252e%2F")->path, Path{"%2e/"});
  EXPECT_EQ(parse_target("//a/")->path, (Path{"", "a", ""}));
  for (const char* broken : {"", "a", "*", "http://127.0.0.1/", "/%", "/%2", "/%zz", "/%+1", "/%-1", "/% 1"})
    EXPECT_FALSE(parse_target(broken)) << broken;
}

TEST(Target, NumbersAreStrict) {
  EXPECT_EQ(whole_number("0"), 0);
  EXPECT_EQ(whole_number("2147483647"), 2147483647);
  for (const char* wrong : {"", "-1", "+1", "01", "1 ", " 1", "1.0", "0x1", "2147483648", "1e3", "\xd9\xa1"})
    EXPECT_FALSE(whole_number(wrong)) << wrong;
  EXPECT_EQ(query_number("after=7", "after"), 7);
  for (const char* wrong : {"", "after", "after=", "after=x", "after=1&after=2", "xafter=1", "After=1"})
    EXPECT_FALSE(query_number(wrong, "after")) << wrong;
}

TEST_F(RouteTest, ThePageAndItsLibraries) {
  EXPECT_EQ(get("/").status, 200);
  EXPECT_EQ(get("/").type, "text/html; charset=utf-8");
  EXPECT_EQ(get("/page/main.js").type, "text/javascript; charset=utf-8");
  EXPECT_EQ(text_of(get("/page/style.css")), "body {}");
  EXPECT_EQ(get("/lib/three.module.js").status, 200);
  for (const char* none : {"/page/notes.txt", "/page/index.html", "/page/", "/page", "/lib/three.cjs", "/lib/",
                           "/index.html", "/api", "/api/", "/api/runs", "/api/runs/0", "/api/runs/0/", "/favicon.ico"})
    EXPECT_EQ(get(none).status, 404) << none;
}

TEST_F(RouteTest, APageWithoutItsLibrariesNamesTheRemedy) {
  std::filesystem::remove_all(folder / "page/node_modules");
  const Result<PageFiles> files = PageFiles::open(folder / "page");
  ASSERT_FALSE(files);
  EXPECT_NE(files.error().message().find("npm ci"), std::string::npos);
  EXPECT_EQ(files.error().message().find('\n'), std::string::npos);
  EXPECT_FALSE(PageFiles::open(folder / "none"));
}

TEST_F(RouteTest, ARunTellsWhatItHas) {
  const json all = json::parse(text_of(get("/api/view.json")));
  EXPECT_EQ(all["version"], "0.1.0");
  EXPECT_EQ(all["live"], false);
  const json run = view();
  EXPECT_EQ(run["id"], 0);
  EXPECT_EQ(run["name"], "small");
  EXPECT_EQ(run["fps"], 60.0);
  EXPECT_EQ(run["frames"], (json{1, 2, 3, 4}));
  EXPECT_EQ(run["strands"], 3);
  EXPECT_EQ(run["vertices"], 18);
  EXPECT_EQ(run["sets"], (json{{{"name", "hair"}, {"strands", 3}}}));
  EXPECT_EQ(run["bodies"], (json{{{"name", "head"}, {"deforms", false}}}));
  for (const char* there : {"rest", "records", "report"}) EXPECT_EQ(run[there], true) << there;
  EXPECT_EQ(run["probes"], json{"tip"});
  EXPECT_EQ(run["in_progress"], false);
  EXPECT_FALSE(run.contains("stopped"));
  EXPECT_EQ(run["up"], (json{0, 1, 0}));
}

TEST_F(RouteTest, ColoursAreThoseThatTheChannelsAllow) {
  std::vector<std::string> ids;
  const json colours = view()["colours"];
  for (const json& colour : colours) ids.push_back(colour["id"]);
  EXPECT_EQ(ids, (std::vector<std::string>{"strand", "curvature", "speed", "tension", "radius", "strain", "rest-length",
                                           "stretch-stiffness", "stiffness"}));
  EXPECT_EQ(colours[3], (json{{"id", "tension"},
                              {"label", "tension"},
                              {"unit", "N"},
                              {"from", "derived"},
                              {"channel", "strain"},
                              {"per", "edge"},
                              {"diverging", true}}));
  EXPECT_EQ(colours[8]["channel"], "bend_stiffness");
}

TEST_F(RouteTest, ContentsAreTheFilesAsTheyAre) {
  const auto file = [&](const std::string& name) { return read_text(folder / "run" / name).value(); };
  EXPECT_EQ(text_of(get("/api/runs/0/frames/2")), file("frame_0002.tendril"));
  EXPECT_EQ(text_of(get("/api/runs/0/rest")), file("rest.tendril"));
  EXPECT_EQ(text_of(get("/api/runs/0/records.csv")), file("records.csv"));
  EXPECT_EQ(text_of(get("/api/runs/0/probes/tip.csv")), file("probes/tip.csv"));
  EXPECT_EQ(text_of(get("/api/runs/0/report.json")), file("report.json"));
  for (const char* none : {"/api/runs/1/rest", "/api/runs/0/frames/5", "/api/runs/0/bodies/1", "/api/runs/-1/rest",
                           "/api/runs/0/probes/none.csv", "/api/runs/0/probes/tip", "/api/runs/0/scene.toml"})
    EXPECT_EQ(get(none).status, 404) << none;
  EXPECT_EQ(get("/api/runs/0/frames/02").status, 400);
}

TEST_F(RouteTest, ABodyIsPointsAndTriangles) {
  const std::string bytes = text_of(get("/api/runs/0/bodies/0"));
  std::array<std::uint32_t, 2> counts{};
  std::memcpy(counts.data(), bytes.data(), 8);
  EXPECT_GT(counts[0], 10u);
  EXPECT_EQ(bytes.size(), 8 + 12 * std::size_t(counts[0] + counts[1]));
}

TEST_F(RouteTest, RangesArePartsOfTheWhole) {
  const std::string whole = read_text(folder / "run/frame_0001.tendril").value();
  const Response part = ranged("bytes=2-5");
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(text_of(part), whole.substr(2, 4));
  EXPECT_EQ(part.range, "bytes 2-5/" + std::to_string(whole.size()));
  EXPECT_EQ(text_of(ranged("bytes=10-")), whole.substr(10));
  EXPECT_EQ(text_of(ranged("bytes=-7")), whole.substr(whole.size() - 7));
  EXPECT_EQ(text_of(ranged("bytes=-99999999")), whole);
  EXPECT_EQ(text_of(ranged("bytes=0-99999999999999999999")), whole);  // too large for a number: no range
  EXPECT_EQ(ranged("bytes=0-18446744073709551615").length, whole.size());
}

TEST_F(RouteTest, RangesOutsideAreRefusedAndNonsenseIsNot) {
  for (const char* outside : {"bytes=99999999-", "bytes=-0", "bytes=18446744073709551615-"}) {
    EXPECT_EQ(ranged(outside).status, 416) << outside;
    EXPECT_TRUE(ranged(outside).range.starts_with("bytes */")) << outside;
  }
  for (const char* nonsense : {"", "bytes", "bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,4-5", "items=0-1", "bytes=a-b",
                               "bytes=0--1", "bytes= 0-1", "bytes=0-1 ", "0-1", "bytes=1"})
    EXPECT_EQ(ranged(nonsense).status, 200) << nonsense;
}

TEST_F(RouteTest, TagsSpareWhatTheAskerHas) {
  const std::string tag = '"' + get("/api/runs/0/frames/1").content.tag() + '"';
  Request again = request("/api/runs/0/frames/1");
  again.if_none_match = "\"other\", W/" + tag;
  EXPECT_EQ(route(site, again).status, 304);
  EXPECT_EQ(route(site, again).length, 0u);
  again.if_none_match = "\"other\"";
  EXPECT_EQ(route(site, again).status, 200);
  Request part = request("/api/runs/0/frames/1");
  part.range = "bytes=0-1", part.if_range = tag;
  EXPECT_EQ(route(site, part).status, 206);
  part.if_range = "\"other\"";
  EXPECT_EQ(route(site, part).status, 200);
}

TEST_F(RouteTest, AFrameThatVanishedIsNotThere) {
  std::filesystem::remove(folder / "run/frame_0002.tendril");
  const Response gone = get("/api/runs/0/frames/2");
  EXPECT_EQ(gone.status, 404);
  EXPECT_TRUE(json::parse(text_of(gone))["error"].is_string());
}

TEST_F(RouteTest, ARunInProgressGrows) {
  std::filesystem::copy_file(folder / "run/frame_0001.tendril", folder / "run/frame_0009.tendril");
  EXPECT_EQ(get("/api/runs/0/frames/9").status, 200);
  const FolderLock lock = std::move(FolderLock::take(folder / "run").value());
  std::this_thread::sleep_for(std::chrono::milliseconds(260));  // the folder is asked four times a second
  EXPECT_EQ(view()["frames"], (json{1, 2, 3, 4, 9}));
  EXPECT_EQ(view()["in_progress"], true);
  EXPECT_EQ(view()["report"], false);  // it is of the run before
  EXPECT_EQ(get("/api/runs/0/report.json").status, 404);
  EXPECT_FALSE(FolderLock::take(folder / "run"));
}

TEST_F(RouteTest, AnotherRunInTheFolderIsSeen) {
  RunOptions options;
  options.out = folder / "run", options.overwrite = true;
  ASSERT_TRUE(run(scene_of(small_scene, {"strands.0.source.count=5", "run.frames=1"}), options));
  std::this_thread::sleep_for(std::chrono::milliseconds(260));
  EXPECT_EQ(view()["strands"], 5);
  EXPECT_EQ(view()["frames"], (json{1, 2}));
}

// A run writes what holds for all frames first: who asks just then must not take that for all of it.
TEST_F(RouteTest, ARunIsSeenThatHadNoFramesWhenItWasAskedFor) {
  namespace fs = std::filesystem;
  RunOptions options;
  options.out = folder / "other";
  ASSERT_TRUE(run(scene_of(small_scene, {"strands.0.source.count=5", "run.frames=1"}), options));
  for (int number = 1; number <= 4; ++number) fs::remove(folder / "run" / frame_name(number));
  fs::remove(folder / "run/cache.json");
  const auto bring = [&](const char* name) {
    fs::copy_file(folder / "other" / name, folder / "run" / name, fs::copy_options::overwrite_existing);
    std::this_thread::sleep_for(std::chrono::milliseconds(260));
  };
  bring("rest.tendril");
  EXPECT_EQ(view()["strands"], 3) << "as it was";
  bring("frame_0001.tendril");
  EXPECT_EQ(view()["strands"], 5);
  EXPECT_EQ(view()["bodies"], json::array());
  bring("cache.json");
  EXPECT_EQ(view()["bodies"].size(), 1u);
}

TEST_F(RouteTest, ALineThatIsNotWholeIsLeftOut) {
  const std::string whole = read_text(folder / "run/records.csv").value();
  std::ofstream(folder / "run/records.csv", std::ios::app) << "5,0.08";
  EXPECT_EQ(text_of(get("/api/runs/0/records.csv")), whole);
}

TEST_F(RouteTest, AStoppedRunSaysWhy) {
  write(folder / "run/report.json", R"({"stopped": "at 3 s", "notes": ["a note", 7]})");
  std::this_thread::sleep_for(std::chrono::milliseconds(260));
  EXPECT_EQ(view()["stopped"], "at 3 s");
  EXPECT_EQ(view()["notes"], json{"a note"});
  write(folder / "run/report.json", "not JSON");
  std::this_thread::sleep_for(std::chrono::milliseconds(260));
  EXPECT_FALSE(view().contains("stopped"));
}

TEST_F(RouteTest, TwoRunsAreCompared) {
  add_run(folder / "run/frame_0003.tendril");
  EXPECT_EQ(view(1)["id"], 1);
  EXPECT_EQ(view(1)["frames"], json{3});
  EXPECT_EQ(view(1)["rest"], false);
  EXPECT_EQ(text_of(get("/api/runs/1/frames/3")), read_text(folder / "run/frame_0003.tendril").value());
  for (const char* none : {"frames/1", "rest", "records.csv", "report.json", "probes/tip.csv", "bodies/0"})
    EXPECT_EQ(get(std::string("/api/runs/1/") + none).status, 404) << none;
}

TEST_F(RouteTest, AGroomFileIsARunOfOneFrame) {
  const Groom groom = std::move(to_groom(read_frame(folder / "run/frame_0001.tendril").value(), "").value());
  ASSERT_TRUE(write_file(folder / "groom.hair", encode_hair(groom, "groom").value()));
  add_run(folder / "groom.hair");
  EXPECT_EQ(view(1)["name"], "groom");
  EXPECT_EQ(get("/api/runs/1/frames/1").status, 200);
  const std::string bytes = text_of(get("/api/runs/1/frames/1"));
  EXPECT_TRUE(decode_frame(std::as_bytes(std::span(bytes)), "frame"));
}

TEST_F(RouteTest, WhatIsNotThereIsSaidWhenItIsOpened) {
  EXPECT_FALSE(open_run(folder / "none"));
  std::filesystem::create_directories(folder / "empty");
  EXPECT_FALSE(open_run(folder / "empty"));
  write(folder / "bad.tendril", "nonsense");
  EXPECT_FALSE(open_run(folder / "bad.tendril"));
}

TEST_F(RouteTest, NothingIsOrderedOfARunThatIsNotLive) {
  for (const char* target : {"/api/live/controls", "/api/live/drag", "/", "/api/view.json", "/nothing"}) {
    Request order = request(target, "POST");
    order.content_type = "application/json", order.body = "{}";
    EXPECT_EQ(route(site, order).status, 405) << target;
  }
  EXPECT_EQ(get("/api/live/controls").status, 405);
  EXPECT_EQ(get("/api/live/state.json").status, 404);
  EXPECT_EQ(get("/api/live/frame?after=0").status, 404);
}

TEST_F(RouteTest, EveryRefusalIsJsonWithASentence) {
  for (const char* target : {"/nothing", "/api/runs/7/rest", "/api/runs/0/frames/x", "/%zz", "/\xff\xfe",
                             "/api/runs/0/probes/\xff.csv", "/api/runs/0/frames/77"}) {
    const json body = json::parse(text_of(get(target)));
    EXPECT_EQ(body.size(), 1u) << target;
    EXPECT_GT(body["error"].get<std::string>().size(), 10u) << target;
  }
}

}  // namespace
}  // namespace tendril::serve
