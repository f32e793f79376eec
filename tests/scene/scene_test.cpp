#include "tendril/scene/scene.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "support/test_data.hpp"
#include "tendril/base/random.hpp"
#include "tendril/scene/presets.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

const std::string run = "[run]\nduration = \"1 s\"\n";
const std::string hair = "[[strands]]\nsource = { generator = \"curly\", count = 10 }\n";
const std::string rod = "[[strands]]\nsource = { points = [[0, 0, 0], [1, 0, 0], [2, 0, 0]] }\n";

Scene scene_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  auto scene = parse_scene(text, "scene.toml", overrides);
  EXPECT_TRUE(scene) << scene.error().message();
  return scene ? scene.value() : Scene{};
}

std::string refusal(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const auto scene = parse_scene(text, "scene.toml", overrides);
  return scene ? "accepted" : scene.error().message();
}

TEST(Scene, FillsInDefaults) {
  const Scene scene = scene_of(run + hair);
  EXPECT_EQ(scene.run.frames, 60);
  EXPECT_EQ(scene.run.fps, 60.0);
  EXPECT_EQ(scene.run.substeps, 4);
  EXPECT_DOUBLE_EQ(scene.run.dt(), 1.0 / 240.0);
  EXPECT_EQ(scene.run.gravity, Vector3d(0, -9.81, 0));
  EXPECT_EQ(scene.run.mode, RunMode::dynamic);
  EXPECT_EQ(scene.run.newton, 1);
  EXPECT_EQ(scene.run.on_tolerance, OnTolerance::retry);
  EXPECT_EQ(scene.run.air.density, 0.0);
  ASSERT_EQ(scene.strands.size(), 1u);
  const StrandSet& set = scene.strands[0];
  EXPECT_EQ(set.name, "strands");
  EXPECT_EQ(set.preset, "human-hair");
  EXPECT_EQ(set.clamps.root, der::Clamp::edge);
  EXPECT_EQ(set.clamps.tip, der::Clamp::free);
  EXPECT_EQ(set.curvature, der::Curvature::four);
  EXPECT_TRUE(set.root_motion.still());
  EXPECT_EQ(scene.output.every, 1);
  EXPECT_EQ(scene_of(run + rod).strands[0].clamps.root, der::Clamp::point);  // a rod, not hair
}

TEST(Scene, ReadsTheWholeOfRun) {
  const Scene scene = scene_of(
      "[run]\nname = 'x'\nseed = 7\nthreads = 2\ngravity = [0, 0, '-9.81 m/s2']\nwind = ['1 m/s', 0, 0]\n"
      "air = { density = '1.2 kg/m3', normal = 1.1, tangential = 0.03 }\nframes = 12\nfps = 24\nsubsteps = 10\n"
      "integrator = 'bdf2'\nnewton = 'converge'\ntolerance = 1e-6\npasses = 'converge'\n"
      "on_tolerance = 'stop'\npreroll = '0.5 s'\n[output]\ndir = 'out'\nevery = 5\nformats = []\n" +
      hair);
  EXPECT_EQ(scene.run.name, "x");
  EXPECT_EQ(scene.run.seed, 7u);
  EXPECT_EQ(scene.run.threads, 2);
  EXPECT_EQ(scene.run.gravity, Vector3d(0, 0, -9.81));
  EXPECT_EQ(scene.run.wind, Vector3d(1, 0, 0));
  EXPECT_EQ(scene.run.air.density, 1.2);
  EXPECT_EQ(scene.run.air.normal, 1.1);
  EXPECT_EQ(scene.run.air.tangential, 0.03);
  EXPECT_EQ(scene.run.frames, 12);
  EXPECT_EQ(scene.run.mode, RunMode::dynamic);
  EXPECT_EQ(scene_of("[run]\nmode = 'static'\n" + hair).run.mode, RunMode::statics);
  EXPECT_EQ(scene.run.integrator, TimeIntegrator::bdf2);
  EXPECT_FALSE(scene.run.newton);
  EXPECT_EQ(scene.run.tolerance, 1e-6);
  EXPECT_FALSE(scene.run.passes);
  EXPECT_EQ(scene.run.on_tolerance, OnTolerance::stop);
  EXPECT_EQ(scene.run.preroll, 0.5);
  EXPECT_EQ(scene.output.dir, "out");
  EXPECT_EQ(scene.output.every, 5);
}

TEST(Scene, RoundsADurationUpToWholeFrames) {
  const auto frames = [](const std::string& duration) {
    return scene_of("[run]\nfps = 30\nduration = " + duration + "\n" + hair).run.frames;
  };
  EXPECT_EQ(frames("2"), 60);
  EXPECT_EQ(frames("0.1"), 3);  // 3.0000000000000004 in binary
  EXPECT_EQ(frames("0.11"), 4);
  EXPECT_EQ(frames("1e-9"), 1);
  EXPECT_EQ(scene_of("[run]\nmode = 'static'\n" + hair).run.frames, 1);
}

TEST(Scene, ReadsMaterialsFromPresetsAndValues) {
  const auto material = [](const std::string& table) {
    return scene_of(run + hair + "material = " + table + "\n").strands[0].material;
  };
  EXPECT_EQ(material("{ preset = 'rod-steel' }").young, 200e9);
  EXPECT_EQ(material("{ preset = 'human-hair', radius = '45 um' }").radius, 45e-6);
  const der::Material taper = material("{ preset = 'human-hair', radius = { root = '45 um', tip = '20 um' } }");
  EXPECT_EQ(taper.radius, 45e-6);
  EXPECT_EQ(taper.tip_radius, 20e-6);

  // A stiffer fibre of the same kind: all moduli grow.
  const der::Material hair_value = material("{ preset = 'human-hair' }"), rope = material("{ preset = 'cotton-rope' }");
  const der::Material stiff_hair = material("{ preset = 'human-hair', young = '7.78 GPa' }");
  EXPECT_DOUBLE_EQ(stiff_hair.shear, 2 * hair_value.shear);
  EXPECT_FALSE(stiff_hair.stretch_young);
  EXPECT_DOUBLE_EQ(*material("{ preset = 'cotton-rope', young = '10 MPa' }").stretch_young, 2 * *rope.stretch_young);
  EXPECT_DOUBLE_EQ(*material("{ preset = 'cotton-rope', stretch_young = '1 MPa' }").stretch_young, 1e6);

  const der::Material own = material("{ radius = '1 mm', young = 3e6, density = 1000, damping = '2 ms', aspect = 2 }");
  EXPECT_DOUBLE_EQ(own.shear, 3e6 / 2.6);
  EXPECT_EQ(own.damping, 2e-3);
  EXPECT_EQ(own.aspect, 2.0);
  EXPECT_DOUBLE_EQ(material("{ radius = 1, young = 3, density = 1, poisson = 0.5 }").shear, 1.0);
  EXPECT_DOUBLE_EQ(material("{ radius = 1, young = 3, density = 1, shear = 0.7 }").shear, 0.7);
}

TEST(Scene, TakesPointsOfOneOrSeveralStrands) {
  const auto curves = [](const std::string& points) {
    const Scene scene = scene_of(run + "[[strands]]\nsource = { points = " + points + " }\n");
    return make_groom(scene.strands.at(0).source, 1).curves;
  };
  EXPECT_EQ(curves("[[0, 0, 0], ['1 cm', 0, 0]]").points[1], Vector3d(0.01, 0, 0));
  const Curves two = curves("[[[0, 0, 0], [1, 0, 0]], [[0, 1, 0], [1, 1, 0], [2, 1, 0.5]]]");
  EXPECT_EQ(two.offsets, (std::vector<std::size_t>{0, 2, 5}));
  EXPECT_EQ(two.points[4], Vector3d(2, 1, 0.5));
}

TEST(Scene, ReadsGeneratorsWithTheirOwnDefaults) {
  const auto source = [](const std::string& table) {
    return std::get<GeneratorOptions>(scene_of(run + "[[strands]]\nsource = " + table + "\n").strands.at(0).source);
  };
  EXPECT_EQ(source("{ generator = 'afro' }").curl_radius, default_options(GeneratorKind::afro).curl_radius);
  const GeneratorOptions curly = source(
      "{ generator = 'curly', count = 5, vertices = 9, length = '30 cm', curl_radius = '1 cm', curl_turns = 3, clump = "
      "0.1, noise = 0, head_radius = '9.5 cm', head_centre = [0, 1.6, 0] }");
  EXPECT_EQ(curly.count, 5);
  EXPECT_EQ(curly.length, 0.3);
  EXPECT_EQ(curly.curl_turns, 3.0);
  EXPECT_EQ(curly.head.radii, Vector3d(0.095, 0.095, 0.095));
  EXPECT_EQ(curly.head.centre.y(), 1.6);
  const GeneratorOptions helix =
      source("{ generator = 'helix', radius = '2 cm', turns = 3, pitch = 0, axis = [0, 0, 2] }");
  EXPECT_EQ(helix.radius, 0.02);
  EXPECT_EQ(helix.axis, Vector3d(0, 0, 2));
  EXPECT_EQ(source("{ generator = 'curly', head_radius = [0.1, 0.2, 0.3] }").head.radii, Vector3d(0.1, 0.2, 0.3));
}

TEST(Scene, ReadsClampsHoldsAndLoads) {
  const Scene scene = scene_of(
      run + rod +
      "clamp = { root = 'edge', tip = 'point' }\nrest_shape = 'straight'\ncurvature = '2d-slerped'\n"
      "holds = [{ vertex = 1, components = 'xz' }, { strand = 0, vertex = -2, components = 't', twist = { rate = '90 "
      "deg/s', duration = '2 s' } }]\n"
      "loads = [{ force = [0, '-2 mN', 0] }, { vertex = 0, torque = '3 uN m' }]\n"
      "tip_motion = { move = [0.5, 0, 0], start = 1 }\n");
  const StrandSet& set = scene.strands.at(0);
  EXPECT_EQ(set.clamps.root, der::Clamp::edge);
  EXPECT_EQ(set.clamps.tip, der::Clamp::point);
  EXPECT_EQ(set.rest_shape, RestShape::straight);
  EXPECT_EQ(set.curvature, der::Curvature::slerped);
  ASSERT_EQ(set.holds.size(), 2u);
  EXPECT_EQ(set.holds[0].components, (std::array<bool, 4>{true, false, true, false}));
  EXPECT_FALSE(set.holds[0].strand);
  EXPECT_EQ(set.holds[1].strand, 0);
  EXPECT_NEAR(set.holds[1].twist.at(5.0), std::numbers::pi, 1e-14);
  EXPECT_EQ(set.loads[0].force, Vector3d(0, -2e-3, 0));
  EXPECT_EQ(set.loads[0].vertex, -1);
  EXPECT_DOUBLE_EQ(set.loads[1].torque, 3e-6);
  EXPECT_LT((apply(set.tip_motion.at(3.0), Vector3d::Zero()) - Vector3d(1, 0, 0)).norm(), 1e-15);
}

TEST(Scene, ReadsMotionsAsOneTableOrAList) {
  const auto motion = [](const std::string& table) {
    return scene_of(run + hair + "motion = " + table + "\n").strands.at(0).root_motion;
  };
  const Motion sine = motion("{ sine = ['2 cm', 0, 0], frequency = '2 Hz', ramp = 0 }");
  EXPECT_NEAR(sine.at(0.125).translation.x(), 0.02, 1e-15);
  const Motion along = motion("{ sine = '2 cm', axis = [0, 3, 0], frequency = 2, ramp = 0 }");
  EXPECT_NEAR(along.at(0.125).translation.y(), 0.02, 1e-15);
  const Motion both = motion(
      "[{ rotate = [0, 1, 0], angle = '30 deg', frequency = 1, ramp = 0 }, { turn = [0, 0, 1], rate = '1 turns/s' }]");
  EXPECT_EQ(both.parts().size(), 2u);
  // A sine starts gently unless told otherwise: half a period of ramp, or half its duration.
  EXPECT_EQ(std::get<SineShift>(motion("{ sine = [1, 0, 0], frequency = 2 }").parts()[0]).sine.window.ramp, 0.25);
  EXPECT_EQ(
      std::get<SineShift>(motion("{ sine = [1, 0, 0], frequency = 2, duration = 0.3 }").parts()[0]).sine.window.ramp,
      0.15);
}

TEST(Scene, SeeksKeysBesideItself) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "tendril_scene_keys";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "head.csv") << "time,tx,ty,tz,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n1,2,0,0,1,0,0,0\n";
  std::ofstream(folder / "scene.toml") << run + hair + "motion = { keys = \"head.csv\" }\n";
  const auto scene = read_scene(folder / "scene.toml");
  ASSERT_TRUE(scene) << scene.error().message();
  EXPECT_EQ(scene.value().strands[0].root_motion.at(0.5).translation, Vector3d(1, 0, 0));
  EXPECT_EQ(scene.value().run.name, "tendril_scene_keys");  // for a file named scene.toml, that of its folder
  std::filesystem::remove(folder / "head.csv");
  EXPECT_EQ(read_scene(folder / "scene.toml").error().message(), (folder / "scene.toml").string() +
                                                                     ":5:19: keys: " + (folder / "head.csv").string() +
                                                                     ": cannot be opened: No such file or directory");
  std::filesystem::remove_all(folder);
  EXPECT_EQ(read_scene("no/such.toml").error().message(), "no/such.toml: cannot be opened: No such file or directory");
}

TEST(Scene, IsChangedByOverrides) {
  const std::string preset = "material = { preset = 'human-hair' }\n";
  const Scene scene =
      scene_of(run + hair + preset, {"run.fps=24", "strands.0.material.young=2 GPa", "strands.0.source.count=3"});
  EXPECT_EQ(scene.run.frames, 24);
  EXPECT_EQ(scene.strands.at(0).material.young, 2e9);
  EXPECT_EQ(make_groom(scene.strands[0].source, 1).curves.strands(), 3u);
  EXPECT_EQ(refusal(run + hair, {"run.fps=0"}), "--set run.fps=0: fps must be from 0.001 to 1000000, but 0 was given");
  EXPECT_EQ(refusal(run + hair, {"strands.0.material.yung=2 GPa"}),
            "--set strands.0.material.yung=2 GPa: unknown key 'yung' in [[strands]].material; did you mean 'young'?");
}

std::string preset_names() {
  std::string names;
  for (const Preset& preset : presets()) names += (names.empty() ? "'" : ", '") + std::string(preset.name) + "'";
  return names;
}

struct BadScene {
  std::string text, sentence;
};

// Every line of the scene counts in the sentence: [run] is line 1, duration line 2, [[strands]] line 3, source line 4,
// and what is added begins at line 5.
std::vector<BadScene> bad_scenes() {
  const auto set = [](const std::string& line) { return run + hair + line + "\n"; };
  const auto points = [](const std::string& list) { return run + "[[strands]]\nsource = { points = " + list + " }\n"; };
  const auto source = [](const std::string& table) { return run + "[[strands]]\nsource = " + table + "\n"; };
  const auto in_run = [](const std::string& lines) { return "[run]\n" + lines + "\n" + hair; };
  return {
      // the file as a whole
      {"", "scene.toml:1:1: [run] is missing; write at least [run] and duration = \"2 s\""},
      {run, "scene.toml:1:1: there are no strands; write at least one [[strands]]"},
      {"[run\n", "scene.toml:1:5: this is not TOML: Error while parsing table header: expected ']', saw '\\n'"},
      {"[runs]\nframes = 1\n" + hair, "scene.toml:1:2: unknown key 'runs'; did you mean 'run'?"},
      {run + hair + "[runs]\n", "scene.toml:5:2: unknown key 'runs'; did you mean 'run'?"},
      {"run = 3\n", "scene.toml:1:7: run must be a table, but it is a whole number"},
      {run + "[strands]\nsource = 3\n", "scene.toml:4:10: source must be a table, but it is a whole number"},
      {run + "strands = 3\n", "scene.toml:3:1: unknown key 'strands' in [run]"},

      // features of later versions
      {run + hair + "[[bodies]]\n", "scene.toml:5:3: bodies is not built yet"},
      {run + hair + "[[joints]]\nbody = 'hair'\n", "scene.toml:6:1: body is not built yet"},
      {set("model = 'cosserat'"),
       "scene.toml:5:9: model 'cosserat' is not built yet; there are 'der', "
       "'der-inextensible', 'superhelix', 'corde', 'chain'"},
      {set("solver = 'xpbd'"), "scene.toml:5:10: solver 'xpbd' is not built yet; there is 'newton'"},
      {source("{ file = 'groom.hair', scale = 0.01 }"),
       "scene.toml:4:19: file: groom.hair: cannot be opened: No such file or directory"},
      {run + hair + "[output]\nformats = ['usd']\n",
       "scene.toml:6:12: 'usd' is not one of the formats (did you mean 'usda'?); there are usda, pvd, pc2, hair, data, "
       "ply, "
       "obj, vtp"},
      {run + hair + "[output]\nformats = 'usda'\n", "scene.toml:6:11: formats must be a list of texts"},

      // [contact], [[colliders]], [[joints]]
      {run + hair + "[contact]\nlaw = 'sticky'\n",
       "scene.toml:6:7: law = 'sticky' is not one of 'none', 'frictionless', 'coulomb'"},
      {run + hair + "[contact]\nfriction = -0.1\n",
       "scene.toml:6:12: friction of 'default' must be a number from 0 to 1e+06"},
      {run + hair + "[contact]\nfriction = { 'strands/head' = 1 }\n",
       "scene.toml:6:14: there are no strands and no collider named 'head'"},
      {run + hair + "[contact]\nfriction = { strands = 1 }\n",
       "scene.toml:6:14: 'strands' must be default, or two names as in \"hair/head\" = 0.5"},
      {run + hair + "[contact]\nlaw = 'frictionless'\nfriction = 0.1\n",
       "scene.toml:7:12: friction is for law = \"coulomb\""},
      {run + hair + "[[colliders]]\n",
       "scene.toml:5:1: shape is missing in [[colliders]]; write what it is, such as shape = { sphere = \"10 cm\" } "
       "or "
       "{ mesh = \"head.obj\" }"},
      {run + hair + "[[colliders]]\nname = 'strands'\nshape = { sphere = 1 }\n",
       "scene.toml:6:8: name 'strands' is that of earlier strands or of an earlier collider"},
      {run + hair + "[[colliders]]\nshape = { box = [1, 0, 1] }\n",
       "scene.toml:6:17: the sizes of a box must be positive"},
      {run + hair + "[[colliders]]\nshape = { sphere = 1 }\nfollows = 'strand'\n",
       "scene.toml:7:11: there are no strands named 'strand' (did you mean 'strands'?)"},
      {run + hair + "[[joints]]\na = { vertex = 0 }\nb = { vertex = 0 }\n",
       "scene.toml:7:5: a and b are the same vertex"},

      // [run]
      {in_run("fps = 30"),
       "scene.toml:1:1: duration is missing in [run]; write how long to run, such as duration = \"2 s\" or frames = "
       "120"},
      {in_run("duration = '1 s'\nframes = 3"), "scene.toml:3:10: write either duration or frames, not both"},
      {in_run("duration = '1 m'"),
       "scene.toml:2:12: duration = '1 m' is a length, not a time; write a time such as \"2 s\""},
      {in_run("duration = -1"), "scene.toml:2:12: duration must be above 0 s, but -1 was given"},
      {in_run("duration = 1e9"),
       "scene.toml:2:12: duration of 1000000000 s at 60 frames per second is more than 10000000 frames"},
      {in_run("duration = nan"), "scene.toml:2:12: duration must be finite, but nan was given"},
      {in_run("frames = 0"), "scene.toml:2:10: frames must be from 1 to 10000000, but 0 was given"},
      {in_run("frames = 1.5"), "scene.toml:2:10: frames must be a whole number, but 1.5 was given"},
      {in_run("frames = 1\nfps = inf"), "scene.toml:3:7: fps must be finite, but inf was given"},
      {in_run("frames = 1\nfps = '24 s'"),
       "scene.toml:3:7: fps = '24 s' is a time, not a plain number; write a plain number such as \"0.5\""},
      {in_run("frames = 1\nfsp = 24"), "scene.toml:3:1: unknown key 'fsp' in [run]; did you mean 'fps'?"},
      {in_run("frames = 1\nquality = 24"), "scene.toml:3:1: unknown key 'quality' in [run]"},
      {in_run("frames = 1\nsubsteps = 0"), "scene.toml:3:12: substeps must be from 1 to 1000000, but 0 was given"},
      {in_run("frames = 1\nseed = -1"), "scene.toml:3:8: seed must be at least 0, but -1 was given"},
      {in_run("frames = 1\nname = 5"), "scene.toml:3:8: name must be a text, but it is a whole number"},
      {in_run("frames = 1\ngravity = [0, -9.81]"),
       "scene.toml:3:11: gravity must be a list of three numbers [x, y, z], but it is a list of 2"},
      {in_run("frames = 1\ngravity = 9.81"),
       "scene.toml:3:11: gravity must be a list of three numbers [x, y, z], but it is a number"},
      {in_run("frames = 1\ngravity = [0, '-9.81 m/s', 0]"),
       "scene.toml:3:15: gravity = '-9.81 m/s' is a speed, not an acceleration; write an acceleration such as \"9.81 "
       "m/s2\""},
      {in_run("frames = 1\ngravity = [0, [1], 0]"),
       "scene.toml:3:15: gravity must be a number or an acceleration such as \"9.81 m/s2\", but it is a list"},
      {in_run("frames = 1\nmode = 'statik'"),
       "scene.toml:3:8: mode = 'statik' is not one of 'dynamic', 'static'; did you mean 'static'?"},
      {in_run("frames = 1\nmode = 1"), "scene.toml:3:8: mode must be one of 'dynamic', 'static', but 1 was given"},
      {in_run("frames = 1\nnewton = 0"),
       "scene.toml:3:10: newton must be from 1 to 1000000 or 'converge', but 0 was given"},
      {in_run("frames = 1\nnewton = 'always'"),
       "scene.toml:3:10: newton must be a whole number or 'converge', but 'always' was given"},
      {in_run("frames = 1\npasses = 2"), "scene.toml:3:10: passes must be 1 or 'converge', but 2 was given"},
      {in_run("frames = 1\ntolerance = 0"), "scene.toml:3:13: tolerance must be from 1e-14 to 1, but 0 was given"},
      {in_run("frames = 1\nair = { density = '1.2 kg' }"),
       "scene.toml:3:19: density = '1.2 kg' is a mass, not a density; write a density such as \"1.3 g/cm3\""},
      {in_run("frames = 1\nair = { thickness = 1 }"), "scene.toml:3:9: unknown key 'thickness' in [run].air"},

      // source
      {run + "[[strands]]\nname = 'x'\n",
       "scene.toml:3:1: source is missing in [[strands]]; write where the strands come from, such as source = { "
       "generator = \"curly\" }"},
      {source("{}"),
       "scene.toml:4:10: file, prepared, generator or points is missing in [[strands]].source; write exactly one of "
       "them, such "
       "as "
       "generator = \"curly\""},
      {source("{ generator = 'curley' }"),
       "scene.toml:4:24: generator = 'curley' is not one of 'straight', 'wavy', 'curly', 'afro', 'ponytail', 'fringe', "
       "'horizontal', 'vertical', 'helix', 'coil', 'ring', 'knot', 'tress'; did you mean 'curly'?"},
      {source("{ generator = 'curly', vertices = 1 }"),
       "scene.toml:4:44: vertices must be from 2 to 1000000, but 1 was given"},
      {source("{ generator = 'curly', count = 90000000, vertices = 1000 }"),
       "scene.toml:4:41: 90000000 strands of 1000 vertices are more than the 268435456 vertices that a scene may have"},
      {source("{ generator = 'curly', curl_radius = '2 cm' }"),
       "scene.toml:4:47: 4.5 turns with curl_radius 0.02 m need 0.565 m of hair, but length is 0.25 m"},
      {source("{ generator = 'curly', radius = '2 cm' }"),
       "scene.toml:4:33: unknown key 'radius' in [[strands]].source"},
      {source("{ generator = 'helix', axis = [0, 0, 0] }"),
       "scene.toml:4:40: axis must be a direction, but its length is 0"},
      {source("{ generator = 'curly', head_radius = [0.1, -0.1, 0.1] }"),
       "scene.toml:4:47: head_radius must have three lengths above 0 m and at most 1000 m"},
      {points("[]"), "scene.toml:4:21: points must be a list of strands [[[x, y, z], ...], ...], but it is a list"},
      {points("[[0, 0, 0]]"), "scene.toml:4:21: strand 0 has 1 vertices; it needs at least 2"},
      {points("[[0, 0, 0], [0, 0, 0]]"), "scene.toml:4:21: vertices 0 and 1 of strand 0 coincide"},
      {points("[[[0, 0, 0], [1, 0, 0]], [[0, 0]]]"),
       "scene.toml:4:47: points must be a list of three numbers [x, y, z], but it is a list of 2"},
      {points("[[[0, 0, 0], [1, 0, nan]]]"), "scene.toml:4:41: points must be finite, but nan was given"},
      {points("[[[0, 0, 0], [1, 0, 0]], 5]"),
       "scene.toml:4:46: points must hold lists of [x, y, z], but this is a whole number"},

      // material
      {set("material = { yung = '3 GPa' }"),
       "scene.toml:5:14: unknown key 'yung' in [[strands]].material; did you mean 'young'?"},
      {set("material = { young = '3 GPa' }"),
       "scene.toml:5:12: radius is missing in [[strands]].material; write it, or start from preset = \"human-hair\""},
      {set("material = { preset = 'human-hare' }"),
       "scene.toml:5:23: preset = 'human-hare' is not one of " + preset_names() + "; did you mean 'human-hair'?"},
      {set("material = { preset = 'human-hair', young = '3.9 Gpa' }"),
       "scene.toml:5:45: young = '3.9 Gpa' has the unknown unit 'Gpa'; write a pressure such as \"3.9 GPa\""},
      {set("material = { preset = 'human-hair', radius = '-4 um' }"),
       "scene.toml:5:46: radius must be above 0 m, but '-4 um' was given"},
      {set("material = { preset = 'human-hair', radius = [1, 2] }"),
       "scene.toml:5:46: radius must be a number or a length such as \"25 cm\", but it is a list"},
      {set("material = { preset = 'human-hair', radius = { root = '40 um' } }"),
       "scene.toml:5:46: tip is missing in [[strands]].material.radius; write both, such as radius = { root = \"45 "
       "um\", tip = \"20 um\" }"},
      {set("material = { preset = 'human-hair', poisson = 0.7 }"),
       "scene.toml:5:47: poisson must be from -0.99 to 0.5, but 0.7 was given"},
      {set("material = { preset = 'human-hair', poisson = 0.3, shear = 1e9 }"),
       "scene.toml:5:47: write either shear or poisson, not both"},

      // clamps, holds, loads
      {set("clamp = 'egde'"),
       "scene.toml:5:9: clamp = 'egde' is not one of 'edge', 'point', 'free'; did you mean 'edge'?"},
      {set("clamp = { root = 'edge', top = 'edge' }"),
       "scene.toml:5:26: unknown key 'top' in [[strands]].clamp; did you mean 'tip'?"},
      {set("clamp = 'free'\nmotion = { move = [1, 0, 0] }"),
       "scene.toml:6:10: motion moves the root clamp, but clamp is 'free'"},
      {set("tip_motion = { move = [1, 0, 0] }"),
       "scene.toml:5:14: tip_motion moves the tip clamp, but the tip is free; write clamp = { tip = \"edge\" }"},
      {set("holds = [{ vertex = 50 }]"), "scene.toml:5:21: vertex 50 does not exist in strand 0, which has 50"},
      {set("holds = [{ vertex = -51 }]"), "scene.toml:5:21: vertex -51 does not exist in strand 0, which has 50"},
      {set("holds = [{ strand = 10 }]"), "scene.toml:5:21: strand 10 does not exist; there are 10, counted from 0"},
      {set("holds = [{ strand = 'some' }]"),
       "scene.toml:5:21: strand must be a whole number or 'all', but 'some' was given"},
      {set("holds = [{ components = 'xw' }]"),
       "scene.toml:5:25: components = 'xw' must have each of the letters x, y, z, t at most once"},
      {set("holds = [{ components = '' }]"), "scene.toml:5:25: components must name at least one of x, y, z, t"},
      {set("holds = [{ vertex = -1, components = 't' }]"),
       "scene.toml:5:21: no edge starts at vertex -1, the last one of strand 0; use vertex -2 for the last edge"},
      {set("holds = [{ twist = { rate = 1 } }]"), "scene.toml:5:20: twist needs the component t"},
      {set("holds = [3]"), "scene.toml:5:10: holds must hold tables, but this is a whole number"},
      {set("holds = 3"), "scene.toml:5:9: holds must be a table or a list of tables, but it is a whole number"},
      {set("loads = [{ torque = 1 }]"),
       "scene.toml:5:10: no edge starts at vertex -1, the last one of strand 0; use vertex -2 for the last edge"},
      {set("loads = [{ force = [0, '1 N m', 0] }]"),
       "scene.toml:5:24: force = '1 N m' is a torque, not a force; write a force such as \"2 mN\""},

      // motions
      {set("motion = {}"),
       "scene.toml:5:10: sine, rotate, move, turn or keys is missing in [[strands]].motion; one of them says what kind "
       "of motion it is"},
      {set("motion = { sine = [1, 0, 0], move = [1, 0, 0] }"),
       "scene.toml:5:10: [[strands]].motion mixes kinds of motion; write them as a list of tables, each with one of "
       "sine, rotate, move, turn or keys"},
      {set("motion = { sine = [1, 0, 0] }"),
       "scene.toml:5:10: frequency is missing in [[strands]].motion; write how often it swings, such as frequency = "
       "\"2 Hz\""},
      {set("motion = { sine = '2 cm', frequency = 2 }"),
       "scene.toml:5:10: axis is missing in [[strands]].motion; write the direction of the swing, such as axis = [1, "
       "0, "
       "0]"},
      {set("motion = { sine = [1, 0, 0], frequncy = 2 }"),
       "scene.toml:5:30: unknown key 'frequncy' in [[strands]].motion; did you mean 'frequency'?"},
      {set("motion = { rotate = [0, 0, 0], angle = 1, frequency = 1 }"),
       "scene.toml:5:21: rotate must be a direction, but its length is 0"},
      {set("motion = { turn = [0, 1, 0], rate = '2 Hz' }"),
       "scene.toml:5:37: rate = '2 Hz' is a frequency, not an angular speed; write an angular speed such as \"90 "
       "deg/s\""},
      {set("motion = { sine = [1, 0, 0], frequency = 1, duration = 1, ramp = 0.6 }"),
       "scene.toml:5:66: ramp must be at most half the duration of 1 s"},
      {set("motion = { move = [1, 0, 0], frequency = 1 }"),
       "scene.toml:5:30: unknown key 'frequency' in [[strands]].motion"},
      {set("motion = { keys = 'none.csv' }"),
       "scene.toml:5:19: keys: none.csv: cannot be opened: No such file or directory"},

      // without effect
      {"[run]\nframes = 2\nwind = [1, 0, 0]\n" + hair,
       "scene.toml:3:8: wind has no effect without air; write air = { density = \"1.2 kg/m3\" } too"},
      {"[run]\nmode = 'static'\nair = { density = 1 }\n" + hair,
       "scene.toml:3:7: air acts on moving strands only; mode = \"static\" takes none"},
      {"[run]\nmode = 'static'\npreroll = 1\n" + hair,
       "scene.toml:3:11: preroll is for motion; mode = \"static\" takes none"},
      {"[run]\nframes = 2\non_tolerance = 'stop'\n" + hair,
       "scene.toml:3:16: a fixed number of newton iterations has no tolerance to stop at; write newton = "
       "\"converge\""},

      {set("model = 'chain'\nrest = 'sag-free'\nsag_free = { mu = 0.2, twist_share = 1 }"),
       "scene.toml:7:12: model = 'chain' has no use for twist_share of sag_free; leave twist_share out"},
      {set("model = 'superhelix'\nrest = 'sag-free'\nsag_free = { mu = 0.2 }"),
       "scene.toml:7:12: model = 'superhelix' has no use for mu of sag_free; leave mu out"},
      {set("model = 'corde'\nrest = 'sag-free'\nsag_free = { max_stiffness = 2 }"),
       "scene.toml:7:12: model = 'corde' has no use for max_stiffness of sag_free; leave max_stiffness out"},
      {set("model = 'der-inextensible'\nrest = 'sag-free'\nsag_free = { mode = 'full', longest = 2 }"),
       "scene.toml:7:12: model = 'der-inextensible' has no use for longest of sag_free; leave longest out"},
      {"[run]\nframes = 2\non_tolerance = 'stop'\n" + hair + "model = 'superhelix'\n",
       "scene.toml:3:16: one linear solve per step has no tolerance to stop at; leave on_tolerance out"},
      {"[run]\nframes = 2\non_tolerance = 'stop'\n" + hair + "model = 'corde'\n",
       "scene.toml:3:16: one linear solve per step has no tolerance to stop at; leave on_tolerance out"},

      // several sets
      {run + "[[strands]]\nholds = [{ vertex = 3 }]\n",
       "scene.toml:3:1: source is missing in [[strands]]; write where the strands come from, such as source = { "
       "generator = \"curly\" }"},
      {run + hair + hair.substr(0, 12) + "name = 'strands'\n" + hair.substr(12),
       "scene.toml:6:8: name 'strands' is that of an earlier set of strands"},
      {run + hair + "[output]\nevery = 0\n", "scene.toml:6:9: every must be from 1 to 10000000, but 0 was given"},
  };
}

TEST(BadScene, IsRefusedWithOneSentenceThatSaysWhereAndWhat) {
  for (const BadScene& bad : bad_scenes()) EXPECT_EQ(refusal(bad.text), bad.sentence) << bad.text;
}

TEST(BadScene, NeverCrashesTheReader) {
  std::vector<std::string> texts = {run + hair, run + rod};
  for (const BadScene& bad : bad_scenes()) texts.push_back(bad.text);
  for (std::uint64_t round = 0; round < 3000; ++round) {
    Random random(21, round);
    std::string text = texts[random.below(texts.size())];
    for (auto changes = 1 + random.below(4); changes > 0 && !text.empty(); --changes) {
      const std::size_t place = random.below(text.size());
      switch (random.below(4)) {
        case 0: text[place] = "[]{}=\",.#'-0123456789e"[random.below(22)]; break;
        case 1: text.insert(place, text.substr(random.below(text.size()), random.below(30))); break;
        case 2: text.erase(place, random.below(8) + 1); break;
        case 3: text[place] = static_cast<char>(random.below(256)); break;
      }
    }
    const auto scene = parse_scene(text, "scene.toml");
    EXPECT_TRUE(scene || !scene.error().what.empty());
  }
}

TEST(Schema, ListsEveryKeyWithUnitDefaultAndMeaning) {
  const std::string schema = schema_text();
  for (const char* line :
       {"[run]    how the scene is run\n",
        "  fps               frames per second\n                      number, default 60\n",
        "[[strands]].material    what",
        "  density           of the material\n                      density [kg/m3], default 1320\n",
        "[[strands]].tip_motion    of the tip clamp\n  the same keys as [[strands]].motion\n", "[output]"})
    EXPECT_NE(schema.find(line), std::string::npos) << line << "\n" << schema;
  EXPECT_EQ(schema.find("cosserat"), std::string::npos);  // what is not built is not offered
}

TEST(Examples, CanAllBeRead) {
  const auto folder = std::filesystem::path(test_data("")) / ".." / ".." / "examples";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!std::filesystem::exists(entry.path() / "scene.toml")) continue;
    const auto scene = read_scene(entry.path() / "scene.toml");
    EXPECT_TRUE(scene) << scene.error().message();
    ++count;
  }
  EXPECT_GE(count, 4);
}

TEST(Examples, HaveTheDefaultSceneOfTwoThousandCurlyStrands) {
  const auto path = std::filesystem::path(test_data("")) / ".." / ".." / "examples" / "shaken-head" / "scene.toml";
  const auto scene = read_scene(path);
  ASSERT_TRUE(scene) << scene.error().message();
  EXPECT_EQ(scene.value().run.frames, 120);
  EXPECT_EQ(strand_count(scene.value().strands[0].source), 2000u);
  EXPECT_EQ(vertex_count(scene.value().strands[0].source, 0), 50u);
  const Motion& motion = scene.value().strands[0].root_motion;
  EXPECT_GT(motion.at(0.6).translation.norm(), 1e-3);
  EXPECT_EQ(motion.at(1.3).translation, Vector3d::Zero());  // still again
}

const std::string named = "[[strands]]\nname = 'hair'\nsource = { generator = 'curly', count = 10 }\n";

TEST(Scene, Guides) {
  EXPECT_TRUE(std::holds_alternative<AllGuides>(scene_of(run + hair).strands[0].guides));
  EXPECT_EQ(std::get<EveryNth>(scene_of(run + hair + "guides = 'every 10'\n").strands[0].guides).n, 10);
  EXPECT_EQ(std::get<GuideCount>(scene_of(run + hair + "guides = 7\n").strands[0].guides).count, 7);
  for (const char* wrong : {"'every'", "'every '", "'every   '", "'every 0'", "'every x'", "'every -2'", "0", "-1",
                            "1.5", "[]", "''", "'unknown'"})
    EXPECT_NE(refusal(run + hair + "guides = " + wrong + "\n").find("write \"all\", \"every 10\""), std::string::npos)
        << wrong << ": " << refusal(run + hair + "guides = " + wrong + "\n");
  EXPECT_NE(refusal(run + hair + "guides = 'none.hair'\n").find("none.hair"), std::string::npos);
}

TEST(Scene, InlineKeys) {
  const Scene scene =
      scene_of(run + hair +
               "motion = { keys = [{ time = 0 }, { time = '500 ms', shift = ['1 cm', 0, 0], axis = [0, 2, "
               "0], angle = '90 deg' }, { time = 1, quaternion = [0, 0, 1, 0] }] }\n");
  const Motion& motion = scene.strands[0].root_motion;
  EXPECT_EQ(motion.at(0.0).translation, Vector3d::Zero());
  EXPECT_EQ(motion.at(0.5).translation, Vector3d(0.01, 0, 0));
  EXPECT_LT((motion.at(0.5).rotation * Vector3d::UnitX() + Vector3d::UnitZ()).norm(), 1e-12);
  EXPECT_LT((motion.at(1.0).rotation * Vector3d::UnitX() + Vector3d::UnitX()).norm(), 1e-12);
  const auto keys = [](const std::string& list) {
    return refusal(run + hair + "motion = { keys = [" + list + "] }\n");
  };
  EXPECT_NE(keys("{ time = 1 }, { time = 0 }").find("times must ascend"), std::string::npos);
  EXPECT_NE(keys("{ shift = [0, 0, 0] }").find("time is missing"), std::string::npos);
  EXPECT_NE(keys("{ time = 0, angle = 1 }").find("axis is missing"), std::string::npos);
  EXPECT_NE(keys("{ time = 0, axis = [0, 1, 0], angle = '720 deg' }").find("at most 180 deg"), std::string::npos);
  EXPECT_NE(keys("{ time = 0, quaternion = [1, 0, 0] }").find("a list of 4 numbers"), std::string::npos);
  EXPECT_NE(keys("{ time = 0, quaternion = [2, 0, 0, 0] }").find("that of a rotation is 1"), std::string::npos);
  EXPECT_NE(keys("{ time = 0, quaternion = [1, 0, 0, 0], axis = [1, 0, 0] }").find("not both"), std::string::npos);
}

TEST(Scene, MeshMotionIsForRootsAlone) {
  const std::string mesh = "{ mesh = 'head_####.obj' }";
  EXPECT_NE(refusal(run + hair + "motion = " + mesh + "\n").find("mesh: "), std::string::npos);
  EXPECT_NE(refusal(run + hair + "motion = [" + mesh + "]\n").find("only motion"), std::string::npos);
  EXPECT_NE(refusal(run + hair + "clamp = { tip = 'edge' }\ntip_motion = " + mesh + "\n").find("roots of strands only"),
            std::string::npos);
}

TEST(Scene, MaterialsThatVary) {
  const auto material = [](const std::string& text) {
    return run + hair + "material = { preset = 'human-hair', " + text + " }\n";
  };
  const Scene tapered =
      scene_of(material("radius = { root = '50 um', tip = '20 um' }, young = { root = 4e9, tip = 2e9 }"));
  EXPECT_EQ(tapered.strands[0].material.tip_radius, 20e-6);
  EXPECT_FALSE(tapered.strands[0].radius_map);
  ASSERT_TRUE(tapered.strands[0].young_map);
  EXPECT_EQ(tapered.strands[0].young_map->rows[1].value, 2e9);
  EXPECT_EQ(scene_of(material("radius = { attribute = 'width', scale = 0.5 }")).strands[0].radius_map->attribute,
            "width");
  EXPECT_NE(refusal(material("radius = { tip = '50 um' }")).find("root is missing"), std::string::npos);
  EXPECT_NE(refusal(material("radius = { map = 'a.csv', attribute = 'b' }")).find("write radius = { root"),
            std::string::npos);
  EXPECT_NE(refusal(material("radius = { map = 'none.csv' }")).find("none.csv"), std::string::npos);
  EXPECT_NE(refusal(material("young = { root = 1e9, tip = 2e9 }, shear = 1e9")).find("goes with young"),
            std::string::npos);
}

TEST(Scene, ProbesAndJoints) {
  const Scene scene =
      scene_of(run + named +
               "[[probes]]\nkind = 'path'\nstrand = 3\n[[probes]]\nname = 'root'\nkind = 'clamp'\n"
               "[[joints]]\nend = 'tip'\nconnector = { mass = '2 g', cylinder = { radius = '1 cm', length = "
               "'6 cm' } }\n");
  ASSERT_EQ(scene.probes.size(), 2u);
  EXPECT_EQ(scene.probes[0].name, "probe1");
  EXPECT_EQ(scene.probes[0].set, "hair");
  EXPECT_EQ(scene.probes[0].vertex, -1);
  ASSERT_EQ(scene.joints.size(), 1u);
  EXPECT_DOUBLE_EQ(scene.joints[0].connector.offset, 0.03);
  EXPECT_DOUBLE_EQ(scene.joints[0].connector.axial_inertia, 0.002 * 1e-4 / 2.0);
  EXPECT_DOUBLE_EQ(scene.joints[0].connector.transverse_inertia, 0.002 * (1e-4 / 4.0 + 36e-4 / 12.0));
  const auto probe = [](const std::string& text) { return refusal(run + named + "[[probes]]\n" + text + "\n"); };
  EXPECT_NE(probe("name = 'a'").find("kind is missing"), std::string::npos);
  EXPECT_NE(probe("kind = 'path'\nstrands = 'hiar'").find("did you mean 'hair'"), std::string::npos);
  EXPECT_NE(probe("kind = 'path'\nstrand = 10").find("strand 10 does not exist"), std::string::npos);
  EXPECT_NE(probe("kind = 'tension'\nvertex = 1000").find("vertex 1000 does not exist"), std::string::npos);
  EXPECT_NE(probe("kind = 'clamp'\nend = 'tip'").find("is free"), std::string::npos);
  EXPECT_NE(probe("kind = 'clamp'\nvertex = 1").find("a clamp is at an end"), std::string::npos);
  EXPECT_NE(probe("kind = 'path'\nname = '../x'").find("it names a file"), std::string::npos);
  EXPECT_NE(probe("kind = 'path'\nname = 'a'\n[[probes]]\nkind = 'path'\nname = 'a'").find("an earlier probe"),
            std::string::npos);
  const auto joint = [](const std::string& text) { return refusal(run + named + "[[joints]]\n" + text + "\n"); };
  EXPECT_NE(joint("end = 'tip'").find("connector is missing"), std::string::npos);
  EXPECT_NE(joint("connector = { offset = 0 }").find("mass is missing"), std::string::npos);
  EXPECT_NE(joint("end = 'root'\nconnector = { mass = 1 }").find("a connector needs a free end"), std::string::npos);
  EXPECT_NE(joint("connector = { mass = 1, offset = 0, cylinder = { radius = 1, length = 1 } }").find("not both"),
            std::string::npos);
}

TEST(Scene, ShutterAndAttraction) {
  EXPECT_EQ(scene_of(run + hair + "[output]\nshutter = 0.25\nstart_frame = 1001\n").output.start_frame, 1001);
  EXPECT_NE(refusal(run + hair + "[output]\nshutter = 0.3\n").find("a multiple of 1/4"), std::string::npos);
  EXPECT_NE(refusal(run + hair + "[output]\nshutter = 1\n").find("below 1"), std::string::npos);
  EXPECT_EQ(scene_of(run + hair + "attraction = { frequency = '2 Hz' }\n").strands[0].attraction.frequency, 2.0);
  EXPECT_NE(refusal(run + hair + "attraction = { tip = 0 }\n").find("frequency is missing"), std::string::npos);
  EXPECT_NE(refusal("[run]\nmode = 'static'\n" + hair + "attraction = { frequency = 2 }\n").find("for motion"),
            std::string::npos);
}

}  // namespace
}  // namespace tendril
