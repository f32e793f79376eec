// A run that was interrupted and resumed ends with the bits of one that was not; a disk that fails costs nothing that
// was written before.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tendril/base/parallel.hpp"
#include "tendril/base/random.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/sim/checkpoint.hpp"
#include "tendril/sim/run.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

const std::string swing = R"(
[run]
frames = 20
substeps = 2
[[strands]]
name = "hair"
source = { generator = "curly", count = 9, vertices = 12 }
motion = { sine = [0.01, 0, 0], frequency = "4 Hz" }
[[strands]]
name = "rope"
source = { generator = "horizontal", vertices = 9, length = "0.3 m" }
material = { preset = "cotton-rope" }
clamp = "point"
)";

class Resume : public testing::Test {
 protected:
  fs::path folder_ =
      fs::temp_directory_path() /
      fmt::format("tendril_resume_{}_{}", testing::UnitTest::GetInstance()->current_test_info()->name(), ::getpid());
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override {
    fail_writes_from(0);
    fs::remove_all(folder_);
    set_thread_count(0);
  }

  static Scene scene(const std::vector<std::string>& overrides = {}, const std::string& text = swing) {
    return parse_scene(text, "swing.toml", overrides).value();
  }
  Result<RunReport> go(const Scene& s, bool resume, std::int64_t interrupt_after = -1) {
    RunOptions options;
    options.out = folder_;
    options.resume = resume;
    std::int64_t taken = 0;
    if (interrupt_after >= 0) options.interrupted = [&] { return ++taken >= interrupt_after; };
    return run(s, options);
  }
  std::string bytes_of(int frame) { return read_text(folder_ / frame_name(frame)).value(); }
  RunReport unbroken(const Scene& s) {
    fs::remove_all(folder_);
    const RunReport report = go(s, false).value();
    last_frame_ = bytes_of(21);
    fs::remove_all(folder_);
    return report;
  }
  std::string last_frame_;
};

// Sums and shares of contact go on where they were, by every solver that had a part.
TEST_F(Resume, GoesOnWithTheNumbersOfContact) {
  const std::string text = R"(
[run]
frames = 20
substeps = 2
[[strands]]
name = "rope"
source = { generator = "horizontal", count = 3, vertices = 9, length = "20 cm", origin = ["-10 cm", "5.5 cm", 0], spacing = [0, "3 mm", 0] }
material = { preset = "cotton-rope", radius = "2 mm" }
clamp = "free"
[contact]
solver = "gs"
local = "4sides"
friction = 0.3
[[colliders]]
name = "pole"
shape = { cylinder = "5 cm", length = "20 cm", axis = [0, 0, 1] }
)";
  const Scene s = scene({}, text);
  const ContactTotals whole = *go(s, false).value().contacts;
  EXPECT_GT(whole.contacts, 0);
  EXPECT_GT(whole.rescued, 0);
  EXPECT_LT(whole.rescued, whole.local_solves);
  for (const int after : {9, 22, 31}) {
    fs::remove_all(folder_);
    go(s, false, after).value();
    const RunReport resumed = go(s, true).value();
    const ContactTotals& now = *resumed.contacts;
    EXPECT_EQ(now.steps, whole.steps);
    EXPECT_EQ(now.contacts, whole.contacts);
    EXPECT_EQ(now.rescued, whole.rescued);
    EXPECT_EQ(now.local_solves, whole.local_solves);
    EXPECT_EQ(now.sweeps_by, whole.sweeps_by);
    EXPECT_EQ(now.islands_by, whole.islands_by);
    EXPECT_EQ(now.contacts_by, whole.contacts_by);
    const nlohmann::json report = nlohmann::json::parse(read_text(folder_ / "report.json").value());
    EXPECT_EQ(report["contacts_mean"], double(whole.contacts) / double(whole.steps));
    EXPECT_EQ(report["failsafe_share"], double(whole.rescued) / double(whole.local_solves));
    EXPECT_EQ(report["contact_ladder"]["gs"]["sweeps"], whole.sweeps_by[std::size_t(contact::Solver::gauss_seidel)]);
  }
}

TEST_F(Resume, AtAnyStepAndThreadCountEndsWithTheSameBits) {
  for (const char* integrator : {"euler", "bdf2"}) {
    const std::string choice = fmt::format("run.integrator={}", integrator);
    const RunReport whole = unbroken(scene({choice}));
    Random random(7);
    for (int i = 0; i < 5; ++i)
      for (const int threads : {1, 2, 3}) {
        fs::remove_all(folder_);
        const auto steps = std::int64_t(1 + random.below(39));
        const Scene again = scene({choice, fmt::format("run.threads={}", threads)});
        ASSERT_NE(go(again, false, steps).value().stopped, "");
        const Result<RunReport> outcome = go(again, true);
        ASSERT_TRUE(outcome) << outcome.error().message();
        const RunReport& resumed = outcome.value();
        EXPECT_EQ(resumed.stopped, "");
        EXPECT_EQ(resumed.hash, whole.hash) << integrator << " after " << steps << " steps, " << threads << " threads";
        EXPECT_EQ(resumed.steps, whole.steps);
        EXPECT_EQ(resumed.resumes, 1);
        ASSERT_EQ(resumed.frames.size(), whole.frames.size());
        for (std::size_t f = 0; f < whole.frames.size(); ++f)
          EXPECT_EQ(resumed.frames[f].energies.total(), whole.frames[f].energies.total()) << f;
        EXPECT_EQ(bytes_of(21), last_frame_);
      }
  }
}

// In lanes, as trees beside them, and by a method to compare.
TEST_F(Resume, OfChainsEndsWithTheSameBits) {
  const std::string text = R"(
[run]
frames = 20
substeps = 2
[[strands]]
name = "hair"
source = { generator = "curly", count = 9, vertices = 12 }
model = "chain"
motion = { sine = [0.01, 0, 0], frequency = "4 Hz" }
[[strands]]
name = "mobile"
source = { points = [[[0, 1, 0], [0, 0.9, 0], [0, 0.8, 0]], [[0, 0.9, 0], [0.1, 0.85, 0], [0.2, 0.9, 0]], [[1, 1, 0], [1.1, 1, 0], [1.2, 1, 0]]] }
model = "chain"
parent = "touching"
[[strands]]
name = "rope"
source = { generator = "horizontal", vertices = 9, length = "0.3 m" }
model = "chain"
chain = { bending = 0, method = "fast" }
clamp = "point"
)";
  for (const char* integrator : {"euler", "bdf2"}) {
    const Scene s = scene({fmt::format("run.integrator={}", integrator)}, text);
    const RunReport whole = unbroken(s);
    for (const int after : {1, 14, 33}) {
      fs::remove_all(folder_);
      ASSERT_NE(go(s, false, after).value().stopped, "");
      const RunReport resumed = go(s, true).value();
      EXPECT_EQ(resumed.hash, whole.hash) << integrator << " after " << after << " steps";
      EXPECT_EQ(resumed.steps, whole.steps);
      EXPECT_EQ(bytes_of(21), last_frame_);
    }
  }
}

// Solvers and rounds of contact are asked often: whichever of them gives up, the sub-step is as if it had not begun.
TEST_F(Resume, WithinAStepWithContactEndsWithTheSameBits) {
  const Scene hair = scene({}, R"(
[run]
frames = 20
substeps = 2
[[strands]]
name = "hair"
source = { generator = "curly", count = 40, vertices = 12 }
motion = { sine = [0.02, 0, 0], frequency = "4 Hz" }
[contact]
friction = 0.3
[[colliders]]
shape = { ellipsoid = [0.074, 0.108, 0.092] }
follows = "hair"
)");
  const RunReport whole = unbroken(hair);
  for (const int asked_before : {0, 1, 7, 40, 150}) {
    fs::remove_all(folder_);
    RunOptions options;
    options.out = folder_;
    std::atomic<int> asked = 0;
    options.abandons_step = [&] { return ++asked > asked_before; };
    const RunReport stopped = run(hair, options).value();
    EXPECT_NE(stopped.stopped.find("interrupted"), std::string::npos) << stopped.stopped;
    EXPECT_LT(stopped.steps, whole.steps);
    const RunReport resumed = go(hair, true).value();
    EXPECT_EQ(resumed.stopped, "");
    EXPECT_EQ(resumed.hash, whole.hash) << asked_before;
    EXPECT_EQ(resumed.steps, whole.steps);
    EXPECT_EQ(bytes_of(21), last_frame_);
  }
}

// A clamp that stands still holds its angle; that must come from the state, not from what a workspace remembers.
TEST_F(Resume, OfRootsThatStandStill) {
  for (const char* clamp : {"edge", "point"}) {
    const std::string still = fmt::format(R"(
[run]
frames = 20
substeps = 2
[[strands]]
name = "hair"
source = {{ generator = "curly", count = 9, vertices = 12 }}
clamp = "{}"
motion = {{ turn = [1, 2, 3], rate = "1 rad/s", duration = "50 ms" }}
)",
                                          clamp);
    const RunReport whole = unbroken(scene({}, still));
    for (const std::int64_t steps : {3, 9, 25}) {
      fs::remove_all(folder_);
      ASSERT_NE(go(scene({}, still), false, steps).value().stopped, "");
      EXPECT_EQ(go(scene({}, still), true).value().hash, whole.hash) << clamp << steps;
      EXPECT_EQ(bytes_of(21), last_frame_);
    }
  }
}

TEST_F(Resume, OfAPrerollBeginsItAnew) {
  const Scene s = scene({"run.preroll=0.1 s"});
  const RunReport whole = unbroken(s);
  ASSERT_NE(go(s, false, 5).value().stopped, "");
  EXPECT_TRUE(frame_numbers(folder_).empty());
  EXPECT_EQ(go(s, true).value().hash, whole.hash);
}

TEST_F(Resume, IsRefusedForOtherFrameNumbersAndVersions) {
  ASSERT_TRUE(go(scene({"output.start_frame=1001"}), false, 10));
  for (const char* other : {"output.start_frame=1", "output.start_frame=2001"}) {
    const Result<RunReport> resumed = go(scene({other}), true);
    ASSERT_FALSE(resumed);
    EXPECT_NE(resumed.error().message().find("begin at 1001"), std::string::npos);
  }
  const std::vector<int> frames = frame_numbers(folder_);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "checkpoints")) {
    std::string bytes = read_text(entry.path()).value();
    bytes[8] = 1;
    ASSERT_TRUE(write_file(entry.path(), bytes));
  }
  const Result<RunReport> old = go(scene({"output.start_frame=1001"}), true);
  ASSERT_FALSE(old);
  EXPECT_NE(old.error().message().find("of version 1"), std::string::npos);
  EXPECT_EQ(frame_numbers(folder_), frames);
}

TEST_F(Resume, WithAnotherShutterDropsTheOldPoses) {
  ASSERT_TRUE(go(scene({"output.shutter=0.5"}), false, 10));
  ASSERT_FALSE(shutter_numbers(folder_).empty());
  ASSERT_TRUE(go(scene(), true));
  EXPECT_TRUE(shutter_numbers(folder_).empty());
}

TEST_F(Resume, SeveralTimesAndOfStatics) {
  const std::string statics = R"(
[run]
mode = "static"
frames = 6
fps = 4
[[strands]]
source = { generator = "horizontal", vertices = 15, length = "0.2 m" }
motion = { turn = [0, 1, 0], rate = "90 deg/s" }
)";
  const RunReport whole = go(scene({}, statics), false).value();
  fs::remove_all(folder_);
  ASSERT_TRUE(go(scene({}, statics), false, 2));
  for (int i = 0; i < 2; ++i) ASSERT_NE(go(scene({}, statics), true, 1).value().stopped, "");
  const RunReport resumed = go(scene({}, statics), true).value();
  EXPECT_EQ(resumed.hash, whole.hash);
  EXPECT_EQ(resumed.resumes, 3);
  EXPECT_EQ(resumed.statics->converged, whole.statics->converged);
}

TEST_F(Resume, IsRefusedForAnotherScene) {
  ASSERT_TRUE(go(scene(), false, 10));
  const Result<RunReport> changed = go(scene({"run.fps=30"}), true);
  ASSERT_FALSE(changed);
  EXPECT_NE(changed.error().message().find("is of another scene"), std::string::npos);
  const Result<RunReport> same = go(scene({"output.every=2", "run.threads=2", "run.name=other"}), true);
  ASSERT_TRUE(same) << same.error().message();
  EXPECT_EQ(same.value().stopped, "");
}

TEST_F(Resume, BeginsAnewWithoutAWholeCheckpoint) {
  const RunReport whole = unbroken(scene());
  ASSERT_TRUE(go(scene(), false, 10));
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "checkpoints")) {
    std::string bytes = read_text(entry.path()).value();
    bytes[bytes.size() / 2] ^= 1;
    ASSERT_TRUE(write_file(entry.path(), bytes));
  }
  EXPECT_FALSE(newest_checkpoint(folder_));
  const RunReport anew = go(scene(), true).value();
  EXPECT_EQ(anew.hash, whole.hash);
  EXPECT_EQ(anew.resumes, 0);
}

TEST_F(Resume, ClearsAwayWhatAKilledRunHadBegun) {
  ASSERT_TRUE(go(scene(), false, 10));
  for (const char* name : {"frame_0009.tendril.part", "cache.json.part", "checkpoints/checkpoint_0007.h5.part"})
    ASSERT_TRUE(write_file(folder_ / name, "half"));
  ASSERT_TRUE(go(scene(), true));
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_))
    EXPECT_NE(entry.path().extension(), ".part") << entry.path();
}

TEST_F(Resume, OfAFinishedRunDoesNothing) {
  const RunReport whole = go(scene(), false).value();
  const RunReport again = go(scene(), true).value();
  EXPECT_EQ(again.hash, whole.hash);
  EXPECT_EQ(again.steps, whole.steps);
  EXPECT_EQ(frame_numbers(folder_).size(), 21u);
}

// The k-th call that writes fails, and all after it, for every k of a run.
TEST_F(Resume, AFullDiskLeavesWholeFramesAndARunThatGoesOn) {
  const std::string probes = "[[probes]]\nname = 'tip'\nkind = 'path'\nstrands = 'rope'\n";
  const Scene s = scene({"output.checkpoint=0 s", "output.shutter=0.5"}, swing + probes);
  fail_writes_from(0);
  const RunReport whole = go(s, false).value();
  const std::int64_t calls = fail_writes_from(0);
  const std::string path = read_text(folder_ / "probes/tip.csv").value();
  ASSERT_GT(calls, 200);
  for (std::int64_t k = 1; k <= calls; ++k) {
    fs::remove_all(folder_);
    fail_writes_from(k);
    const Result<RunReport> broken = go(s, false);
    fail_writes_from(0);
    ASSERT_FALSE(broken) << k;
    EXPECT_NE(broken.error().message().find("No space left on device"), std::string::npos) << broken.error().message();
    for (const int frame : frame_numbers(folder_)) EXPECT_TRUE(read_frame(folder_ / frame_name(frame))) << frame;
    for (const int frame : shutter_numbers(folder_)) EXPECT_TRUE(read_frame(folder_ / shutter_name(frame))) << frame;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_))
      EXPECT_NE(entry.path().extension(), ".part") << entry.path();
    if (k % 10 != 0) continue;
    const Result<RunReport> resumed = go(s, true);
    ASSERT_TRUE(resumed) << k << ": " << resumed.error().message();
    EXPECT_EQ(resumed.value().hash, whole.hash) << k;
    EXPECT_EQ(read_text(folder_ / "probes/tip.csv").value(), path) << k;
  }
}

TEST_F(Resume, CheckpointsAreRefusedIfCutAnywhere) {
  ASSERT_TRUE(go(scene(), false, 10));
  const fs::path path = *newest_checkpoint(folder_);
  const std::vector<std::byte> bytes = read_bytes(path).value();
  const World world = make_world(scene()).value();
  ASSERT_TRUE(decode_checkpoint(bytes, world, "c"));
  for (std::size_t size = 0; size < bytes.size(); size += size < 600 ? 1 : 97)
    EXPECT_FALSE(decode_checkpoint(std::span(bytes).first(size), world, "c")) << size;
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::byte> damaged = bytes;
    const std::size_t at = random.below(std::uint32_t(bytes.size()));
    if (at >= 32 && at < 512) continue;  // unused
    if (at >= 12 && at < 16) continue;
    damaged[at] ^= std::byte(1 + random.below(255));
    EXPECT_FALSE(decode_checkpoint(damaged, world, "c")) << at;
  }
  const World other = make_world(scene({"strands.0.source.count=30"})).value();
  EXPECT_FALSE(decode_checkpoint(bytes, other, "c"));
}

}  // namespace
}  // namespace tendril
