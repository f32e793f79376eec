// A run: the scene's frames one after the other, into a cache on disk and a report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/rods/der/energies.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/sim/contact/totals.hpp"
#include "tendril/sim/static_frame.hpp"
#include "tendril/sim/worst_strands.hpp"

namespace tendril {

struct RunOptions {
  std::filesystem::path out;
  bool overwrite = false;                                          // an earlier run in `out`
  bool resume = false;                                             // go on from the newest checkpoint in `out`
  std::optional<std::pair<int, int>> frames;                       // by number: write only these, stop after the last
  std::function<void(int done, int of, double seconds)> progress;  // after each frame
  std::filesystem::path problems;                                  // folder for contact problems; empty: none
  bool fclib_problems = false;                                     // as .h5, but for those with joints
  std::function<bool()> interrupted;                               // asked after each sub-step; true ends the run
  std::function<bool()> abandons_step;                             // asked within it, too; once true, it is given up
};

// Of the steps since the frame before.
struct FrameContacts {
  std::int64_t contacts = 0;              // most of any step
  double error = 0.0, penetration = 0.0;  // largest, as in StepContacts; [m]
  double contact_seconds = 0.0, detection_seconds = 0.0;

  void add(const ContactTotals& steps);
};

struct FrameRecord {
  int number = 1;
  double time = 0.0;  // [s]
  der::Energies energies;
  double force_residual = 0.0, stretch = 0.0;  // at the frame's state; zero in frame 1
  bool usable = false;                         // some step since the last frame stayed above tolerance
  // What it took, since the frame before.
  std::int64_t steps = 0, retries = 0;
  int iterations = 0;  // most of any step
  double step_seconds = 0.0, measure_seconds = 0.0, record_seconds = 0.0;
  std::optional<FrameContacts> contacts;  // if the scene has contact
};

// The records of all frames so far, in the folder of a run (sim/frame_table.hpp).
inline constexpr const char* records_name = "records.csv";
std::vector<std::string> record_columns(bool with_contact);
std::vector<double> record_values(const FrameRecord& record);

struct RunReport {
  std::string name;
  std::size_t strands = 0, vertices = 0;              // simulated
  std::size_t groom_strands = 0, groom_vertices = 0;  // with those that guides carry
  int lanes = 0;
  double dt = 0.0;  // [s]
  std::int64_t steps = 0, usable_steps = 0, failed_steps = 0, clamped_pivots = 0;
  int iterations_max = 0;
  double setup_seconds = 0.0, step_seconds = 0.0, measure_seconds = 0.0, write_seconds = 0.0, seconds = 0.0;
  double checkpoint_seconds = 0.0, io_wait_seconds = 0.0;
  int resumes = 0;
  double first_frame_seconds = 0.0;  // from the start of the run to its first frame on disk
  std::size_t bytes = 0;             // of model and state
  std::uint64_t hash = 0;
  std::optional<StaticSummary> statics;                            // over all frames
  std::optional<ContactTotals> contacts;                           // if the scene has contact
  std::vector<std::pair<std::string, sagfree::Summary>> sag_free;  // of sets that start so, by name
  GroomRepairs repairs;
  std::vector<StrandTrouble> troubles;  // of steps that stayed above tolerance, as far as models can say
  std::vector<std::string> notes;       // of the world: what was repaired or assumed
  std::vector<FrameRecord> frames;
  std::vector<WorstStrand> worst_strands;  // by stretch; a few
  std::size_t frames_written = 0;          // not every frame need be (output.every, --frames)
  std::string stopped;                     // why the run ended early; empty: it did not
};

// Errors are those of before the first step; a run that stops later reports why, and its frames so far are whole.
Result<RunReport> run(const Scene& scene, const RunOptions& options);

// As JSON, with the build and the machine beside the numbers.
std::string to_json(const RunReport& report);
// What of it a resumed run goes on with: counters, times and frames.
Status from_json(const std::string& text, RunReport& report);

}  // namespace tendril
