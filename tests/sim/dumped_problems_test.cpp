// --dump-problems: a file for each step that is taken and has contact, by a name that an interruption does not change.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "support/temporary_folder.hpp"
#include "tendril/io/any_contact_problem.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/sim/run.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

// A rod that lies on the ground from the start, so that every step has contact.
std::string rod(const std::string& contact) {
  return fmt::format(R"(
[run]
name = "rod"
frames = 6
fps = 60
substeps = 3
preroll = "0.02 s"
gravity = [3, -9.81, 0]
[[strands]]
name = "rod"
source = {{ generator = "horizontal", vertices = 6, length = "20 cm", origin = [0, "2 mm", 0] }}
material = {{ preset = "cotton-rope", radius = "2 mm" }}
clamp = "free"
[contact]
friction = 0.2
{}
[[colliders]]
name = "ground"
shape = {{ plane = true }}
[output]
checkpoint = "0 s"
)",
                     contact);
}

using Files = std::map<std::string, std::string>;  // texts by names

class DumpedProblems : public support::TemporaryFolder {
 protected:
  RunReport go(const std::string& text, const std::string& name, std::int64_t interrupt_after = -1, bool resume = false,
               bool fclib = false) {
    RunOptions options;
    options.out = folder / name, options.problems = folder / (name + "-problems");
    options.resume = resume, options.fclib_problems = fclib;
    std::int64_t taken = 0;
    if (interrupt_after >= 0) options.interrupted = [&] { return ++taken >= interrupt_after; };
    Result<Scene> scene = parse_scene(text, "scene.toml");
    EXPECT_TRUE(scene) << (scene ? "" : scene.error().message());
    Result<RunReport> report = run(scene.value(), options);
    EXPECT_TRUE(report) << (report ? "" : report.error().message());
    return report.value();
  }
  Files files(const std::string& name) const {
    Files out;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / (name + "-problems")))
      out[entry.path().filename().string()] = read_text(entry.path()).value();
    return out;
  }
};

TEST_F(DumpedProblems, AreThoseOfTheStepsByFrameAndSubstep) {
  const RunReport report = go(rod(""), "whole");
  const Files dumped = files("whole");
  EXPECT_EQ(std::int64_t(dumped.size()), report.contacts->steps);
  EXPECT_TRUE(dumped.contains("problem_0001_1.json"));  // of the pre-roll, on the way to frame 1
  EXPECT_TRUE(dumped.contains("problem_0002_1.json"));
  EXPECT_TRUE(dumped.contains("problem_0007_3.json"));
  EXPECT_FALSE(dumped.contains("problem_0007_4.json"));
  const Result<AnyContactProblem> read = read_any_contact_problem(folder / "whole-problems" / "problem_0003_2.json");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_GE(std::get<contact::Problem>(read.value()).size(), 2u);
}

TEST_F(DumpedProblems, AreTheSameAfterAnInterruption) {
  go(rod(""), "whole");
  for (const std::int64_t after : {4, 10}) {  // in the pre-roll, which begins anew; and within a frame
    const std::string name = fmt::format("broken{}", after);
    go(rod(""), name, after);
    go(rod(""), name, -1, true);
    EXPECT_EQ(files(name), files("whole")) << after;
  }
}

// Steps that stay above the tolerance are tried again with half their length, and the first try is no step.
TEST_F(DumpedProblems, OfStepsThatWereTakenOnly) {
  const RunReport report = go(rod("tolerance = 1e-12\nmax_iterations = 1\nsolver = \"apgd\""), "halved");
  EXPECT_GT(report.usable_steps, 0);
  EXPECT_GT(report.steps, report.contacts->steps);  // some were not taken
  const Files dumped = files("halved");
  EXPECT_EQ(std::int64_t(dumped.size()), report.contacts->steps);
  EXPECT_TRUE(dumped.contains("problem_0002_1_1.json"));
  EXPECT_TRUE(dumped.contains("problem_0002_1_2.json"));
  EXPECT_FALSE(dumped.contains("problem_0002_1.json"));
}

TEST_F(DumpedProblems, AreInTheFormOfFclibIfAskedFor) {
  go(rod(""), "fclib", -1, false, true);
  const Result<AnyContactProblem> read = read_any_contact_problem(folder / "fclib-problems" / "problem_0003_2.h5");
  ASSERT_TRUE(read) << read.error().message();
  const auto& by_w = std::get<contact::ExplicitDelassus>(read.value());
  EXPECT_GE(by_w.size(), 2u);
  EXPECT_EQ(by_w.mu(0), 0.2);
  const std::string joint = "\n[[joints]]\na = { strand = 0, vertex = 3 }\n";
  go(rod("") + joint, "joint", -1, false, true);
  EXPECT_TRUE(files("joint").contains("problem_0003_2.json"));  // FCLIB has joints in another form
}

}  // namespace
}  // namespace tendril
