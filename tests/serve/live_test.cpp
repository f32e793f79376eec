// A simulation that is watched and handled: orders, dragging, pace, failures.
#include "tendril/serve/live.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "serve/small_site.hpp"

namespace tendril::serve {
namespace {

using Eigen::Vector3d;
using nlohmann::json;
using std::chrono::milliseconds;

LiveRun run_of(const std::vector<std::string>& overrides = {}, const std::string& text = small_scene) {
  return std::move(LiveRun::create(scene_of(text, overrides)).value());
}

std::unique_ptr<Live> live_of(const std::vector<std::string>& overrides = {}) {
  return std::move(Live::start(scene_of(small_scene, overrides), "scene.toml").value());
}

json state_of(Live& live) { return json::parse(live.state_json()); }

// Asks until it is so, for two seconds at most.
bool soon(const std::function<bool()>& is_so) {
  for (int i = 0; i < 400; ++i) {
    if (is_so()) return true;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return false;
}

TEST(LiveOrders, ControlsAreReadKeyByKey) {
  const ControlOrder order =
      parse_controls(R"({"paused": true, "gravity": [0, -1, 0], "stiffness": 2, "damping": 0.5, "step": true})")
          .value();
  EXPECT_EQ(order.paused, true);
  EXPECT_EQ(order.gravity, Vector3d(0, -1, 0));
  EXPECT_EQ(order.stiffness, 2.0);
  EXPECT_EQ(order.damping, 0.5);
  EXPECT_FALSE(order.wind);
  EXPECT_TRUE(order.step);
  EXPECT_FALSE(order.reset);
  EXPECT_TRUE(parse_controls("{}"));
}

TEST(LiveOrders, WhatIsWrongIsRefusedInWords) {
  for (const char* wrong :
       {"", "[]", "null", "{", R"({"gravity": [0, 0]})", R"({"gravity": [0, 0, 1e9]})", R"({"gravity": "down"})",
        R"({"gravity": [0, null, 0]})", R"({"wind": [0, 0, 0, 0]})", R"({"stiffness": 0})", R"({"stiffness": 1e999})",
        R"({"stiffness": true})", R"({"damping": -1})", R"({"paused": 1})", R"({"reset": "yes"})", R"({"speed": 1})"}) {
    const Result<ControlOrder> order = parse_controls(wrong);
    ASSERT_FALSE(order) << wrong;
    EXPECT_GT(order.error().message().size(), 10u) << wrong;
  }
  for (const char* wrong :
       {"{}", R"({"set": 1})", R"({"set": "hair"})", R"({"set": "hair", "offset": [0, 0]})",
        R"({"set": "hair", "offset": [0, 0, 101]})", R"({"set": "hair", "offset": [0, 0, 0], "turn": [0, 0, 0, 0]})",
        R"({"set": "hair", "release": false})", R"({"set": "hair", "offset": [0, 0, 0], "by": 1})"})
    EXPECT_FALSE(parse_drag(wrong)) << wrong;
  EXPECT_TRUE(parse_drag(R"({"set": "hair", "release": true})"));
  EXPECT_TRUE(parse_drag(R"({"set": "hair", "offset": [0, 0, 1], "turn": [0.7071, 0, 0.7071, 0]})"));
}

TEST(LiveRun, WithoutOrdersIsTheRunBitForBit) {
  LiveRun live = run_of();
  EXPECT_TRUE(live.control(live.defaults()));
  Simulation plain = std::move(Simulation::create(scene_of(small_scene)).value());
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(live.step());
    ASSERT_TRUE(plain.step());
  }
  EXPECT_EQ(live.simulation().hash(), plain.hash());
}

TEST(LiveRun, DraggedRootsFollowSmoothlyAndReturn) {
  LiveRun live = run_of();
  const Vector3d drawn = live.simulation().positions()[0];
  const double dt = live.simulation().world().run.dt();
  live.drag({"hair", DragGoal{{1.0, 0.0, 0.0}, Eigen::Quaterniond::Identity()}});
  Vector3d before = drawn, velocity = Vector3d::Zero();
  const auto follow = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      ASSERT_TRUE(live.step());
      const Vector3d now = live.simulation().positions()[0];
      EXPECT_LE((now - before).norm(), 1.0001 * RootDrag::fastest * dt);
      EXPECT_LE(((now - before) / dt - velocity).norm(), 1.01 * RootDrag::acceleration * dt);
      velocity = (now - before) / dt, before = now;
    }
  };
  follow(300);
  EXPECT_FALSE(live.under_way());
  EXPECT_LT((before - drawn - Vector3d(1.0, 0.0, 0.0)).norm(), 1e-12);
  live.drag({"hair", std::nullopt});
  EXPECT_TRUE(live.under_way());
  follow(300);
  EXPECT_FALSE(live.under_way());
  EXPECT_LT((before - drawn).norm(), 1e-12);
}

TEST(LiveRun, RootsThatAreLetGoCatchUpWithTheirMotion) {
  const std::string moving = small_scene.substr(0, small_scene.find("[[probes]]")) +
                             "motion = { sine = [0.05, 0, 0], frequency = \"1 Hz\" }\n";
  LiveRun live = run_of({}, moving), plain = run_of({}, moving);
  live.drag({"hair", DragGoal{{0.0, 0.3, 0.0}, Eigen::Quaterniond(Eigen::AngleAxisd(1.0, Vector3d::UnitY()))}});
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(live.step());
  live.drag({"hair", std::nullopt});
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(live.step());
  for (int i = 0; i < 460; ++i) ASSERT_TRUE(plain.step());
  EXPECT_FALSE(live.under_way());
  EXPECT_EQ(live.simulation().positions()[0], plain.simulation().positions()[0]);
}

// Also when they are taken up again on their way back.
TEST(LiveRun, RootsInMotionAreTakenUpWithoutAJerk) {
  const std::string moving = small_scene.substr(0, small_scene.find("[[probes]]")) +
                             "motion = { sine = [0.05, 0, 0], frequency = \"1 Hz\" }\n";
  LiveRun live = run_of({}, moving);
  const double dt = live.simulation().world().run.dt();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(live.step());
  Vector3d before = live.simulation().positions()[0];
  ASSERT_TRUE(live.step());
  Vector3d velocity = (live.simulation().positions()[0] - before) / dt;
  for (const bool pulled : {true, false, true, false}) {
    live.drag(
        {"hair", pulled ? std::optional(DragGoal{{0.1, 0.1, 0.0}, Eigen::Quaterniond::Identity()}) : std::nullopt});
    for (int i = 0; i < 7; ++i) {
      before = live.simulation().positions()[0];
      ASSERT_TRUE(live.step());
      const Vector3d now = (live.simulation().positions()[0] - before) / dt;
      EXPECT_LE((now - velocity).norm(), (RootDrag::acceleration + 3.0) * dt) << "and that of the motion itself";
      velocity = now;
    }
  }
}

// A rope on ground that is tilted by gravity: 0.3 holds it.
const std::string rope_on_slope = R"(
[run]
name = "slope"
frames = 60
gravity = [2, -9.81, 0]
[[strands]]
name = "rope"
source = { generator = "horizontal", vertices = 5, length = "10 cm", origin = [0, "2 mm", 0] }
material = { preset = "cotton-rope", radius = "2 mm" }
clamp = "free"
[contact]
friction = 0.3
[[colliders]]
name = "ground"
shape = { plane = true }
)";

TEST(LiveOrders, FrictionIsANumberFromNothingUpwards) {
  EXPECT_EQ(parse_controls(R"({"friction": 0.5})").value().friction, 0.5);
  EXPECT_EQ(parse_controls(R"({"friction": 0})").value().friction, 0.0);
  for (const char* wrong : {R"({"friction": -0.1})", R"({"friction": "much"})", R"({"friction": null})"})
    EXPECT_FALSE(parse_controls(wrong)) << wrong;
}

TEST(LiveRun, FrictionThatIsTakenAwayLetsTheRopeSlide) {
  LiveRun live = run_of({}, rope_on_slope);
  EXPECT_EQ(live.defaults().friction, 1.0);
  const auto speed_after = [&](double friction) {
    LiveControls controls = live.defaults();
    controls.friction = friction;
    EXPECT_TRUE(live.control(controls));
    for (int i = 0; i < 24; ++i) EXPECT_TRUE(live.step());
    return live.simulation().velocities().front().x();
  };
  EXPECT_LT(std::abs(speed_after(1.0)), 1e-6);
  EXPECT_NEAR(speed_after(0.0), 0.2, 1e-3);
  EXPECT_LT(std::abs(speed_after(2.0)), 1e-6);
}

TEST(Live, FrictionIsOrderedByThePageWhereThereIsSome) {
  const std::unique_ptr<Live> live = std::move(Live::start(scene_of(rope_on_slope), "scene.toml").value());
  EXPECT_EQ(state_of(*live)["defaults"]["friction"], 1.0);
  ASSERT_TRUE(live->control(R"({"friction": 0})"));
  EXPECT_EQ(state_of(*live)["controls"]["friction"], 0.0);
  EXPECT_TRUE(soon([&] { return state_of(*live)["record"]["energy_kinetic"] > 1e-6; }));
  EXPECT_TRUE(state_of(*live)["record"].contains("contacts"));
  const Status refused = live_of()->control(R"({"friction": 0.5})");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("no contact with friction"), std::string::npos);
}

TEST(LiveRun, FramesComeSixtyTimesASecondWhateverTheScenes) {
  const LiveRun fine = run_of({"run.fps=1e6", "run.substeps=1000000"});
  EXPECT_EQ(fine.steps_per_frame(), 16666666667LL);
  EXPECT_NEAR(fine.frame_seconds(), 1.0 / 60.0, 1e-9);
  const LiveRun slow = run_of({"run.fps=1", "run.substeps=240"});
  EXPECT_EQ(slow.steps_per_frame(), 4);
  const LiveRun coarse = run_of({"run.fps=24", "run.substeps=1"});
  EXPECT_EQ(coarse.steps_per_frame(), 1);
}

TEST(LiveRun, WildDraggingBreaksNothing) {
  LiveRun live = run_of();
  for (int i = 0; i < 40; ++i) {
    const double side = i % 2 == 0 ? 50.0 : -50.0;
    live.drag({"hair", DragGoal{{side, -side, 0.5 * side}, Eigen::Quaterniond(0.0, side > 0.0, side <= 0.0, 0.0)}});
    for (int k = 0; k < 10; ++k) ASSERT_TRUE(live.step());
  }
  for (const Vector3d& x : live.simulation().positions()) EXPECT_LT(x.norm(), 100.0);
}

TEST(LiveRun, FreeRootsCannotBeDragged) {
  EXPECT_TRUE(run_of().drags()[0].has_value());
  EXPECT_FALSE(run_of({"strands.0.clamp={ root = 'free' }"}).drags()[0].has_value());
}

TEST(Live, ShowsTheStartThenGoesOnAtThePaceOfTheClock) {
  const auto begun = std::chrono::steady_clock::now();
  const std::unique_ptr<Live> live = live_of();
  EXPECT_TRUE(live->wait_for_frame(0, milliseconds(0)));
  const std::optional<Content> frame = live->wait_for_frame(10, milliseconds(2000));
  ASSERT_TRUE(frame);
  EXPECT_GE(std::chrono::steady_clock::now() - begun, milliseconds(9 * 16));
  std::string bytes(frame->size(), '\0');
  ASSERT_TRUE(frame->read(0, bytes));
  const Frame decoded = decode_frame(std::as_bytes(std::span(bytes)), "frame").value();
  EXPECT_GT(decoded.number, 10);
  EXPECT_EQ(decoded.offsets.size(), 4u);
  EXPECT_GE(state_of(*live)["frame"].get<int>(), decoded.number);
  EXPECT_EQ(state_of(*live)["error"], nullptr);
  EXPECT_GT(state_of(*live)["record"]["energy_kinetic"], 0.0);
}

TEST(Live, PausesStepsAndResets) {
  const std::unique_ptr<Live> live = live_of();
  ASSERT_TRUE(live->control(R"({"paused": true, "reset": true})"));
  ASSERT_TRUE(soon([&] { return state_of(*live)["time"] == 0.0; }));
  std::this_thread::sleep_for(milliseconds(50));
  const int shown = state_of(*live)["frame"];
  EXPECT_FALSE(live->wait_for_frame(shown, milliseconds(60)));
  ASSERT_TRUE(live->control(R"({"step": true})"));
  EXPECT_TRUE(live->wait_for_frame(shown, milliseconds(2000)));
  EXPECT_NEAR(state_of(*live)["time"].get<double>(), 1.0 / 60.0, 1e-12);
  ASSERT_TRUE(live->control(R"({"reset": true})"));
  ASSERT_TRUE(soon([&] { return state_of(*live)["time"] == 0.0; }));
  EXPECT_GT(state_of(*live)["frame"].get<int>(), shown + 1);  // numbers only ever grow
}

TEST(Live, APauseBreaksOffTheFrameUnderWay) {
  const std::unique_ptr<Live> live = live_of({"run.fps=1e4", "run.substeps=10000"});  // a frame takes hours
  EXPECT_TRUE(soon([&] {  // a pause may come before the frame has begun: then none is under way
    EXPECT_TRUE(live->control(R"({"paused": false})"));
    std::this_thread::sleep_for(milliseconds(5));
    EXPECT_TRUE(live->control(R"({"paused": true})"));
    return live->wait_for_frame(1, milliseconds(20)).has_value();
  }));
  EXPECT_LT(state_of(*live)["time"], 1.0 / 60.0);
}

TEST(Live, OrdersAreSeenInTheStateAtOnce) {
  const std::unique_ptr<Live> live = live_of({"run.air={ density = 1.2 }"});
  ASSERT_TRUE(live->control(R"({"gravity": [1, 2, 3], "wind": [4, 5, 6], "stiffness": 2, "damping": 0.25})"));
  EXPECT_EQ(
      state_of(*live)["controls"],
      (json{
          {"gravity", {1, 2, 3}}, {"wind", {4, 5, 6}}, {"stiffness", 2.0}, {"damping", 0.25}, {"friction", nullptr}}));
  EXPECT_EQ(state_of(*live)["defaults"], (json{{"gravity", {0, -9.81, 0}},
                                               {"wind", {0, 0, 0}},
                                               {"stiffness", 1.0},
                                               {"damping", 0.0},
                                               {"friction", nullptr}}));
  const std::unique_ptr<Live> airless = live_of();
  EXPECT_EQ(state_of(*airless)["controls"]["wind"], nullptr);
  EXPECT_FALSE(airless->control(R"({"wind": [0, 0, 1]})"));
}

TEST(Live, AStepThatFailsPausesAndResetHelps) {
  std::string points;  // a zigzag: in a long step under such a weight it stays above the tolerance
  for (int i = 0; i < 60; ++i) points += fmt::format("{}[{}, {}, 0]", i == 0 ? "" : ", ", 0.002 * i, 0.0002 * (i % 2));
  const std::string text =
      "[run]\nframes = 20\nsubsteps = 1\nfps = 10\nnewton = \"converge\"\ntolerance = 1e-14\non_tolerance = \"stop\"\n"
      "[[strands]]\nname = \"h\"\nclamp = \"edge\"\nsource = { points = [" +
      points + "] }\n";
  const std::unique_ptr<Live> live = std::move(Live::start(scene_of(text), "scene.toml").value());
  ASSERT_TRUE(live->control(R"({"gravity": [1000, 1000, 1000], "stiffness": 0.001})"));
  ASSERT_TRUE(soon([&] { return state_of(*live)["paused"] == true; }));
  EXPECT_TRUE(state_of(*live)["error"].is_string());
  EXPECT_EQ(state_of(*live)["speed"], 0.0);
  ASSERT_TRUE(live->control(R"({"reset": true, "paused": false, "gravity": [0, 0, 0], "stiffness": 1})"));
  EXPECT_TRUE(soon([&] { return state_of(*live)["error"] == nullptr && state_of(*live)["time"] > 0.2; }));
}

TEST(Live, AStaticSceneIsSolvedOnceForEachOrder) {
  const std::unique_ptr<Live> live = live_of({"run.mode=static"});
  ASSERT_TRUE(live->wait_for_frame(1, milliseconds(2000)));
  EXPECT_FALSE(live->wait_for_frame(2, milliseconds(100)));
  ASSERT_TRUE(live->control(R"({"stiffness": 0.5})"));
  EXPECT_TRUE(live->wait_for_frame(2, milliseconds(2000)));
  EXPECT_FALSE(live->wait_for_frame(3, milliseconds(100)));
  ASSERT_TRUE(live->drag(R"({"set": "hair", "offset": [0.1, 0, 0]})"));
  EXPECT_TRUE(live->wait_for_frame(6, milliseconds(2000)));
}

TEST(Live, DragsWhatThereIs) {
  const std::unique_ptr<Live> live = live_of();
  EXPECT_EQ(state_of(*live)["sets"], (json{{{"name", "hair"}, {"draggable", true}}}));
  EXPECT_TRUE(live->drag(R"({"set": "hair", "offset": [0.1, 0, 0]})"));
  EXPECT_NE(live->drag(R"({"set": "hairs", "release": true})").error().message().find("did you mean 'hair'"),
            std::string::npos);
  EXPECT_FALSE(live_of({"strands.0.clamp={ root = 'free' }"})->drag(R"({"set": "hair", "offset": [0.1, 0, 0]})"));
}

TEST(Live, IsARunWithoutFiles) {
  const std::unique_ptr<Live> live = live_of();
  EXPECT_EQ(live->facts().frames, std::vector<int>{1});
  EXPECT_EQ(live->facts().path, "scene.toml");
  EXPECT_EQ(live->facts().strands, 3u);
  EXPECT_TRUE(live->rest());
  EXPECT_TRUE(live->body(0));
  EXPECT_FALSE(live->body(1));
  EXPECT_FALSE(live->frame(1));
  EXPECT_FALSE(live->records());
  EXPECT_FALSE(live->probe("tip"));
  EXPECT_FALSE(live->report());
}

TEST(Live, StoppingWakesWhoWaits) {
  const std::unique_ptr<Live> live = live_of();
  std::thread waiting([&] { EXPECT_FALSE(live->wait_for_frame(1 << 30, milliseconds(20000))); });
  live->stop();
  waiting.join();
}

class LiveRoute : public support::TemporaryFolder {};
TEST_F(LiveRoute, AnswersAsTheContractSays) {
  Site site;
  site.port = 8000;
  site.page = make_page(folder / "page");
  std::unique_ptr<Live> live = live_of();
  site.live = live.get();
  site.runs.push_back(std::move(live));
  Request request;
  request.method = "GET", request.host = "localhost:8000", request.target = "/api/view.json";
  EXPECT_EQ(json::parse(text_of(route(site, request)))["live"], true);
  request.target = "/api/live/frame?after=3";
  EXPECT_EQ(route(site, request).waits_after, 3);
  request.target = "/api/live/frame?after=x";
  EXPECT_EQ(route(site, request).status, 400);
  request.target = "/api/runs/0/frames/1";
  EXPECT_EQ(route(site, request).status, 404);
  request.target = "/api/live/state.json";
  EXPECT_EQ(route(site, request).status, 200);
  request.method = "POST", request.content_type = "text/plain", request.body = "{}";
  EXPECT_EQ(route(site, request).status, 405);
  request.target = "/api/live/controls";
  EXPECT_EQ(route(site, request).status, 400);  // a form of another site could send text/plain
  request.content_type = "application/json; charset=utf-8";
  EXPECT_EQ(route(site, request).status, 200);
  request.body = "{\"stiffness\": -1}";
  EXPECT_EQ(route(site, request).status, 400);
  request.target = "/api/live/drag", request.body = R"({"set": "hair", "release": true})";
  EXPECT_EQ(route(site, request).status, 204);
}

}  // namespace
}  // namespace tendril::serve
