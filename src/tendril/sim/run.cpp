#include "tendril/sim/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tendril/base/hash.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/io/any_contact_problem.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/io/sequence_file.hpp"
#include "tendril/io/write_queue.hpp"
#include "tendril/sim/cache.hpp"
#include "tendril/sim/checkpoint.hpp"
#include "tendril/sim/contact/notes.hpp"
#include "tendril/sim/frame_table.hpp"
#include "tendril/sim/probes.hpp"
#include "tendril/sim/run_folder.hpp"
#include "tendril/sim/step.hpp"

namespace tendril {
namespace {

// Counters and times of a run so far.
struct Spent {
  std::int64_t steps = 0, retries = 0;
  double step = 0.0, measure = 0.0, record = 0.0;  // [s]
};

class Run {
 public:
  Run(const Scene& scene, const RunOptions& options) : scene_(scene), options_(options), folder_(options.out) {}

  Result<RunReport> operator()() {
    if (Status status = check_range(); !status) return status.error();
    if (Status status = set_up(); !status) return status.error();
    if (!resumed_ && report_.stopped.empty())
      if (Status status = record(1, {}, preroll_, false); !status) return status.error();
    while (frame_ < last_frame() && report_.stopped.empty())
      if (Status status = scene_.run.mode == RunMode::statics ? solve_frame(frame_ + 1) : step_frame(frame_ + 1);
          !status)
        return status.error();
    if (Status status = end(); !status) return status.error();
    return report_;
  }

 private:
  // Frames are counted from 1 here; users see other numbers if the scene says so.
  int number_of(int frame) const { return frame - 1 + scene_.output.start_frame; }
  int frame_of(int number) const { return number + 1 - scene_.output.start_frame; }
  int last_frame() const {
    const int last = scene_.run.frames + 1;
    return options_.frames ? std::min(last, frame_of(options_.frames->second)) : last;
  }
  Status check_range() const {
    if (!options_.frames) return ok();
    const int first = number_of(1), last = number_of(scene_.run.frames + 1);
    if (options_.frames->first >= first && options_.frames->first <= last) return ok();
    return Error{"--frames",
                 fmt::format("frame {} does not exist; there are {} to {}", options_.frames->first, first, last)};
  }

  Status set_up() {
    set_thread_count(scene_.run.threads);
    const Timer timer;
    Result<World> made = make_world(scene_);
    if (!made) return made.error();
    world_ = std::move(made.value());
    state_ = start(world_);
    worst_.emplace(world_);
    if (options_.resume)
      if (Status status = load_checkpoint(); !status) return status;
    Result<CacheWriter> cache =
        CacheWriter::open(folder_.path(), world_, scene_.output, old_cache(), number_of(frame_));
    if (!cache) return cache.error();
    cache_.emplace(std::move(cache.value()));
    if (Status status = folder_.begin(scene_, resumed_, frame_); !status) return status;
    for (const ProbeSettings& probe : world_.probes) {
      Result<FrameTable> table = FrameTable::open(probe_path(folder_.path(), probe), probe_columns(probe), last_kept());
      if (!table) return table.error();
      probes_.push_back(std::move(table.value()));
    }
    Result<FrameTable> records =
        FrameTable::open(folder_.path() / records_name, record_columns(world_.has_contact()), last_kept());
    if (!records) return records.error();
    records_ = std::move(records.value());
    describe_run();
    if (Status status = begin_dump(); !status) return status;
    work_.interrupted = options_.abandons_step;
    if (!resumed_)
      if (Status status = take_preroll(); !status) return status;
    report_.setup_seconds += timer.seconds();
    return ok();
  }

  Status begin_dump() {
    if (options_.problems.empty()) return ok();
    std::error_code fault;
    std::filesystem::create_directories(options_.problems, fault);
    if (fault) return Error{options_.problems.string(), fmt::format("cannot make the folder: {}", fault.message())};
    work_.on_problem = [this](const contact::Problem& problem) { problems_.push_back(problem); };
    return ok();
  }

  // The contact problems of a sub-step that is complete go to files of their own, named by the frame that it leads to
  // and its number on the way there, and if it was cut also by that of the piece: a run that goes on writes those of
  // the unbroken one.
  Status write_problems(int frame, std::int64_t substep) {
    const std::vector<contact::Problem> problems = std::exchange(problems_, {});
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const std::string piece = problems.size() > 1 ? fmt::format("_{}", i + 1) : "";
      const bool has_joints = std::ranges::any_of(
          problems[i].contacts, [](const contact::Contact& c) { return c.law == contact::Law::bilateral; });
      const std::filesystem::path path =
          options_.problems / fmt::format("problem_{:04}_{}{}.{}", number_of(frame), substep, piece,
                                          options_.fclib_problems && !has_joints ? "h5" : "json");
      Status queued = queue_.push([path, problem = problems[i]] {
        const PlainLoops beside_the_steps;
        return write_any_contact_problem(path, problem);
      });
      if (!queued) return queued;
    }
    return ok();
  }

  int last_kept() const { return resumed_ ? number_of(frame_) : 0; }  // number of a frame; 0: none

  OldCache old_cache() const {
    if (options_.resume) return OldCache::keep;
    return options_.overwrite ? OldCache::replace : OldCache::refuse;
  }

  void describe_run() {
    report_.name = scene_.run.name;
    report_.repairs = world_.repairs, report_.notes = world_.notes;
    for (const World::Part& part : world_.parts)
      if (part.sag_free) report_.sag_free.emplace_back(part.settings.name, sagfree::summarise(part.sag_free->strands));
    report_.strands = world_.strand_count(), report_.vertices = world_.vertex_count();
    report_.groom_strands = world_.groom_strand_count(), report_.groom_vertices = world_.groom_vertex_count();
    report_.dt = scene_.run.dt();
    report_.bytes = 0;
    for (const World::Part& part : world_.parts)
      report_.lanes = part.strands.lanes(), report_.bytes += part.strands.bytes();
    for (const der::State& part : state_.parts)
      report_.bytes += 2 * sizeof(double) * part.current.all().size();  // and its trial
  }

  Status take_preroll() {
    const auto substeps = std::int64_t(scene_.run.preroll / scene_.run.dt() + 0.5);
    for (std::int64_t i = 1; i <= substeps && report_.stopped.empty(); ++i) {
      preroll_ = {&work_.before, take_substep(true, i == substeps).last_dt};
      if (Status status = write_problems(1, i); !status) return status;
    }
    return ok();
  }

  // A checkpoint of another scene or instruction set would go on to something else than the unbroken run.
  Status load_checkpoint() {
    const std::optional<std::filesystem::path> path = newest_checkpoint(folder_.path());
    if (!path) {  // killed before the first one: the run begins anew
      const std::optional<std::string> other = checkpoint_of_other_version(folder_.path());
      if (other) return Error{folder_.path().string(), *other};
      world_.notes.push_back("there was no checkpoint to go on from: the run began anew");
      return ok();
    }
    Result<std::vector<std::byte>> bytes = read_bytes(*path);
    if (!bytes) return bytes.error();
    Result<Checkpoint> read = decode_checkpoint(bytes.value(), world_, path->string());
    if (!read) return read.error();
    Checkpoint& checkpoint = read.value();
    if (checkpoint.scene_hash != scene_.hash)
      return Error{path->string(), "is of another scene: only [output] and threads may change before --resume"};
    if (Status status = check_isa(checkpoint, path->string()); !status) return status;
    if (Status status = from_json(checkpoint.report, report_); !status)
      return Error{path->string(), status.error().message()};
    if (!report_.frames.empty() && report_.frames.front().number != number_of(1))
      return Error{path->string(),
                   fmt::format("is of a run whose frames begin at {0}; to go on with it, write start_frame "
                               "= {0} or --start-frame {0}",
                               report_.frames.front().number)};
    state_ = std::move(checkpoint.state);
    frame_ = checkpoint.frame, substep_ = checkpoint.substep;
    frame_usable_ = checkpoint.frame_usable;
    report_.stopped.clear();
    ++report_.resumes;
    spent_ = spent();
    resumed_ = true;
    return ok();
  }

  Status step_frame(int frame) {
    Residuals measured;
    LastStep last_step;
    while (substep_ < scene_.run.substeps && report_.stopped.empty()) {
      const bool last = substep_ + 1 == scene_.run.substeps, shutter = substep_ + 1 == shutter_substep();
      const Timer timer;
      const SubstepReport taken = take_substep(false, last || shutter);
      report_.step_seconds += timer.seconds();
      frame_usable_ = frame_usable_ || taken.usable > 0;
      if (taken.stopped) break;  // the sub-step is not complete: a checkpoint of before it is on disk
      ++substep_;
      if (Status status = write_problems(frame, substep_); !status) return status;
      last_step = {&work_.before, taken.last_dt};
      if (shutter)
        if (Status status = write_shutter(frame_, last_step); !status) return status;
      if (!last) continue;
      const Timer measuring;
      measured = residuals(world_, taken.last_dt, work_, state_);
      report_.measure_seconds += measuring.seconds();
    }
    if (substep_ < scene_.run.substeps) return ok();
    substep_ = 0;
    const bool usable = std::exchange(frame_usable_, false);
    return record(frame, measured, last_step, usable);
  }

  int shutter_substep() const { return int(std::lround(scene_.output.shutter * scene_.run.substeps)); }  // 0: none

  Status write_shutter(int frame, const LastStep& last) {
    if (!is_written(frame)) return ok();
    const Timer timer;
    Status queued =
        queue_.push([this, snapshot = cache_->maker().frame(number_of(frame), false, world_, last, state_, groom_)] {
          return cache_->write_shutter(snapshot);
        });
    report_.write_seconds += timer.seconds();
    return queued;
  }

  // The last frame has no successor on whose way its shutter would close: that way is begun and forgotten.
  Status close_last_shutter() {
    if (shutter_substep() == 0 || frame_ < last_frame() || !report_.stopped.empty()) return ok();
    const WorldState kept = state_;
    Status status = ok();
    SubstepReport taken;
    for (int i = 1; i <= shutter_substep() && !taken.stopped; ++i)
      taken = substep(world_, false, i == shutter_substep(), work_, state_);
    if (!taken.stopped)
      status = write_shutter(frame_, {&work_.before, taken.last_dt});
    else
      report_.notes.push_back("the last frame has no shutter pose: " + taken.last.message());
    state_ = kept;
    return status;
  }

  SubstepReport take_substep(bool frozen, bool remember) {
    const SubstepReport taken = substep(world_, frozen, remember, work_, state_);
    if (taken.stopped) problems_.clear();
    if (taken.interrupted) {  // it is as if it had not begun
      report_.stopped = fmt::format("interrupted at {:.6g} s", state_.clock.time(scene_.run.dt()));
      return taken;
    }
    report_.steps += taken.steps, report_.usable_steps += taken.usable, report_.failed_steps += taken.failed;
    report_.clamped_pivots += std::int64_t(taken.clamped_pivots);
    add(taken.troubles, report_.troubles);
    count_iterations(taken.iterations);
    if (world_.has_contact()) {
      report_.contacts = report_.contacts.value_or(ContactTotals{}) += taken.contacts;
      frame_contacts_.add(taken.contacts);
    }
    if (taken.stopped)
      report_.stopped = fmt::format("at {:.6g} s, in step {} ({}): {}", state_.clock.time(scene_.run.dt()),
                                    report_.steps, frozen ? "pre-roll" : "solve", taken.last.message());
    else if (options_.interrupted && options_.interrupted())
      report_.stopped = fmt::format("interrupted at {:.6g} s", state_.clock.time(scene_.run.dt()));
    return taken;
  }

  void count_iterations(int iterations) {
    report_.iterations_max = std::max(report_.iterations_max, iterations);
    frame_iterations_ = std::max(frame_iterations_, iterations);
  }

  Status solve_frame(int frame) {
    const Timer timer;
    const StaticFrame solved = solve_static_frame(world_, work_, state_);
    report_.statics = report_.statics.value_or(StaticSummary{}) += solved.summary;
    const bool usable = solved.summary.converged < solved.summary.strands;
    ++report_.steps, report_.usable_steps += usable;
    count_iterations(solved.summary.iterations);
    report_.step_seconds += timer.seconds();
    if (options_.interrupted && options_.interrupted()) report_.stopped = fmt::format("interrupted at frame {}", frame);
    return record(frame, solved.measured, {}, usable);
  }

  bool is_written(int frame) const {
    return (frame - 1) % scene_.output.every == 0 && (!options_.frames || number_of(frame) >= options_.frames->first);
  }

  Status record(int frame, const Residuals& measured, const LastStep& last, bool usable) {
    if (const std::optional<BadNumber> bad = find_not_finite(world_, state_.parts)) {
      report_.stopped = fmt::format(
          "frame {}, in step {} (record): {}, strand {}, vertex {} would be a number that is not "
          "finite",
          number_of(frame), report_.steps, bad->set, bad->strand, bad->vertex);
      return ok();
    }
    frame_ = frame;
    FrameRecord row;
    row.number = number_of(frame), row.time = state_.clock.time(scene_.run.dt());
    row.force_residual = measured.force, row.stretch = measured.stretch, row.usable = usable;
    const Timer measuring;
    row.energies = total_energies(world_, state_);
    FoundTensions tensions;
    if (Status status = record_probes(row.number, last, tensions); !status) return status;
    worst_->update(world_, state_, row.number, report_.worst_strands);
    report_.measure_seconds += measuring.seconds();
    if (is_written(frame)) {
      const Timer timer;
      if (Status queued = write_frame(number_of(frame), usable, last, std::move(tensions)); !queued) return queued;
      report_.write_seconds += timer.seconds();
      ++report_.frames_written;
      if (report_.first_frame_seconds == 0.0) report_.first_frame_seconds = total_.seconds();
    }
    count_what_it_took(row);
    report_.frames.push_back(row);
    if (Status queued = queue_.push([this, row] { return records_.append(row.number, record_values(row)); }); !queued)
      return queued;
    if (since_checkpoint_.seconds() > scene_.output.checkpoint)
      if (Status saved = save_checkpoint(); !saved) return saved;
    if (options_.progress) options_.progress(frame, last_frame(), total_.seconds());
    return ok();
  }

  // What guides carry is made beside the next steps; unless the frame before is still on its way, for then that takes
  // longer than they do, and is work for all threads.
  Status write_frame(int number, bool usable, const LastStep& last, FoundTensions tensions) {
    if (thread_count() == 1 || !queue_.is_idle()) {
      Frame frame = cache_->maker().frame(number, usable, world_, last, state_, groom_, std::move(tensions));
      return queue_.push([this, frame = std::move(frame)] { return cache_->write(frame); });
    }
    std::optional<WorldState> before;
    if (last.before != nullptr) before = *last.before;
    return queue_.push([this, number, usable, state = state_, before = std::move(before), dt = last.dt,
                        tensions = std::move(tensions)] {
      const PlainLoops beside_the_steps;
      const LastStep step{before ? &*before : nullptr, dt};
      return cache_->write(cache_->maker().frame(number, usable, world_, step, state, queue_groom_, tensions));
    });
  }

  Spent spent() const {
    return {report_.steps, report_.failed_steps, report_.step_seconds, report_.measure_seconds, report_.write_seconds};
  }

  void count_what_it_took(FrameRecord& row) {
    const Spent now = spent(), before = std::exchange(spent_, now);
    row.steps = now.steps - before.steps, row.retries = now.retries - before.retries;
    row.iterations = std::exchange(frame_iterations_, 0);
    if (world_.has_contact()) row.contacts = std::exchange(frame_contacts_, {});
    row.step_seconds = now.step - before.step, row.measure_seconds = now.measure - before.measure;
    row.record_seconds = now.record - before.record;
  }

  Status record_probes(int number, const LastStep& last, FoundTensions& tensions) {
    for (std::size_t i = 0; i < probes_.size(); ++i) {
      Status queued = queue_.push(
          [file = &probes_[i], number, values = measure(world_, world_.probes[i], last, state_, groom_, tensions)] {
            return file->append(number, values);
          });
      if (!queued) return queued;
    }
    return ok();
  }

  // Every frame that is recorded may be the last before a power cut: a checkpoint follows now and then.
  Status save_checkpoint() {
    const Timer timer;
    Checkpoint checkpoint{
        scene_.hash, std::string(active_isa_name()), frame_, substep_, frame_usable_, to_json(report_),
        scene_.text, scene_.folder.string(),         state_};
    Result<std::vector<std::byte>> bytes = encode_checkpoint(checkpoint);
    if (!bytes) return bytes.error();
    report_.checkpoint_seconds += timer.seconds();
    since_checkpoint_ = Timer();
    return queue_.push([folder = folder_.path(), frame = frame_, bytes = std::move(bytes.value())]() -> Status {
      if (Status status = write_file(checkpoint_path(folder, frame), bytes); !status) return status;
      remove_old_checkpoints(folder, 2);
      return ok();
    });
  }

  // A failed step leaves the state as it was before it, so that is where --resume goes on from.
  Status end() {
    Status saved = close_last_shutter();
    if (saved && frame_ > 0) saved = save_checkpoint();  // a pre-roll that was cut short begins anew
    if (saved) saved = queue_.finish();
    report_.io_wait_seconds = queue_.waited_seconds();
    report_.hash = hash(world_, state_);
    report_.seconds += total_.seconds();
    for (const StrandTrouble& trouble : report_.troubles) report_.notes.push_back(text(trouble));
    if (!saved) return saved;
    if (report_.contacts)
      for (std::string& note : contact_notes(*report_.contacts, world_.contact.solver))
        report_.notes.push_back(std::move(note));
    if (report_.stopped.empty())
      if (Status status = export_formats(); !status) return status;
    return folder_.finish(report_);
  }

  // Formats for one pose get a file per frame, in a folder of their own.
  Status export_formats() const {
    for (const std::string& format : scene_.output.formats) {
      Result<CurveSequence> cache = open_cache(folder_.path());
      if (!cache) return cache.error();
      const bool moves = format == "usda" || format == "pvd" || format == "pc2";
      const std::filesystem::path folder = moves ? folder_.path() : folder_.path() / format;
      std::error_code fault;
      std::filesystem::create_directories(folder, fault);
      if (fault) return Error{folder.string(), fmt::format("cannot make the folder: {}", fault.message())};
      const std::string name = fmt::format("{}{}.{}", scene_.run.name, moves ? "" : ".####", format);
      if (Status status = write_sequence(folder / name, cache.value()); !status) return status;
    }
    return ok();
  }

  const Scene& scene_;
  const RunOptions& options_;
  Timer total_, since_checkpoint_;
  World world_;
  WorldState state_;
  WorldWorkspace work_;
  GroomScratch groom_, queue_groom_;
  LastStep preroll_;  // its last step
  std::optional<CacheWriter> cache_;
  std::vector<FrameTable> probes_;
  FrameTable records_;
  std::optional<WorstStrands> worst_;
  Spent spent_;               // when the last frame was recorded
  int frame_iterations_ = 0;  // most since then
  FrameContacts frame_contacts_;
  RunReport report_;
  RunFolder folder_;
  int frame_ = 0, substep_ = 0;  // last complete frame, and sub-steps since
  bool frame_usable_ = false;    // of the sub-steps since
  bool resumed_ = false;
  std::vector<contact::Problem> problems_;  // of the sub-step in hand
  WriteQueue queue_;
};

}  // namespace

Result<RunReport> run(const Scene& scene, const RunOptions& options) { return Run(scene, options)(); }

}  // namespace tendril
