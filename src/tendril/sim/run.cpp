#include "tendril/sim/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tendril/base/build_info.hpp"
#include "tendril/base/hash.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/implicit/der_statics.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/sim/cache.hpp"
#include "tendril/sim/step.hpp"

namespace tendril {
namespace {

class Run {
 public:
  Run(const Scene& scene, const RunOptions& options) : scene_(scene), options_(options) {}

  Result<RunReport> operator()() {
    const int last = last_frame();
    if (options_.frames && options_.frames->first > last)
      return Error{"--frames", fmt::format("frame {} is after the last one, {}", options_.frames->first, last)};
    if (Status status = set_up(); !status) return status.error();
    if (Status status = record(1, {}, false); !status) return status.error();
    for (int frame = 2; frame <= last && report_.stopped.empty(); ++frame)
      if (Status status = scene_.run.mode == RunMode::statics ? solve_frame(frame) : step_frame(frame); !status)
        return status.error();
    report_.hash = hash(world_, state_);
    report_.seconds = total_.seconds();
    return report_;
  }

 private:
  int last_frame() const {
    const int last = scene_.run.frames + 1;
    return options_.frames ? std::min(last, options_.frames->second) : last;
  }

  Status set_up() {
    set_thread_count(scene_.run.threads);
    const Timer timer;
    Result<World> made = make_world(scene_);
    if (!made) return made.error();
    world_ = std::move(made.value());
    state_ = start(world_);
    Result<CacheWriter> cache = CacheWriter::open(options_.out, world_, options_.overwrite);
    if (!cache) return cache.error();
    cache_.emplace(std::move(cache.value()));
    report_.name = scene_.run.name;
    report_.repairs = world_.repairs, report_.notes = world_.notes;
    report_.strands = world_.strand_count(), report_.vertices = world_.vertex_count();
    report_.dt = scene_.run.dt();
    for (const World::Part& part : world_.parts)
      report_.lanes = part.strands.lanes(), report_.bytes += part.strands.bytes();
    for (const der::State& part : state_.parts)
      report_.bytes += 2 * sizeof(double) * part.current.all().size();  // and its trial
    const auto substeps = std::int64_t(scene_.run.preroll / scene_.run.dt() + 0.5);
    for (std::int64_t i = 0; i < substeps && report_.stopped.empty(); ++i) take_substep(true, false);
    report_.setup_seconds = timer.seconds();
    return ok();
  }

  Status step_frame(int frame) {
    bool usable = false;
    Residuals measured;
    for (int i = 0; i < scene_.run.substeps && report_.stopped.empty(); ++i) {
      const bool last = i + 1 == scene_.run.substeps;
      const Timer timer;
      const SubstepReport taken = take_substep(false, last);
      report_.step_seconds += timer.seconds();
      usable = usable || taken.usable > 0;
      if (!last || !report_.stopped.empty()) continue;
      const Timer measuring;
      measured = residuals(world_, taken.last_dt, work_, state_);
      report_.measure_seconds += measuring.seconds();
    }
    if (!report_.stopped.empty()) return ok();
    return record(frame, measured, usable);
  }

  SubstepReport take_substep(bool frozen, bool remember) {
    const SubstepReport taken = substep(world_, frozen, remember, work_, state_);
    report_.steps += taken.steps, report_.usable_steps += taken.usable, report_.failed_steps += taken.failed;
    report_.clamped_pivots += std::int64_t(taken.clamped_pivots);
    report_.iterations_max = std::max(report_.iterations_max, taken.iterations);
    if (taken.stopped)
      report_.stopped = fmt::format("at {:.6g} s {}", state_.clock.time(scene_.run.dt()), taken.last.message());
    else if (options_.interrupted && options_.interrupted())
      report_.stopped = fmt::format("interrupted at {:.6g} s", state_.clock.time(scene_.run.dt()));
    return taken;
  }

  // Every frame of a static run is an equilibrium, with clamps and holds where their motions have them by then.
  Status solve_frame(int frame) {
    const Timer timer;
    der::StaticOptions options;
    options.gravity = scene_.run.gravity;
    options.tolerance = std::min(options.tolerance, scene_.run.tolerance);
    const double before = state_.clock.time(scene_.run.dt());
    state_.clock.ticks = std::int64_t(frame - 1) * scene_.run.substeps * Clock::ticks_per_substep;
    StaticSummary summary = report_.statics.value_or(StaticSummary{});
    Residuals measured;
    bool usable = false;
    for (std::size_t i = 0; i < world_.parts.size(); ++i) {
      const World::Part& part = world_.parts[i];
      der::Targets targets = part.strands.make_targets();
      drive(part, before, state_.clock.time(scene_.run.dt()), state_.parts[i], work_.drive, targets);
      for (const der::StaticReport& strand : der::solve_static(part.strands, targets, options, state_.parts[i])) {
        const bool converged = strand.status == SolveStatus::converged;
        ++summary.strands;
        summary.converged += converged, summary.unstable += converged && !strand.stable();
        summary.residual = std::max(summary.residual, strand.residual);
        measured.force = std::max(measured.force, strand.residual);
        summary.iterations = std::max(summary.iterations, strand.iterations);
        usable = usable || !converged;
      }
      measured.stretch = std::max(measured.stretch, der::largest_stretch(part.strands, targets, state_.parts[i]));
    }
    report_.statics = summary;
    ++report_.steps, report_.usable_steps += usable;
    report_.iterations_max = std::max(report_.iterations_max, summary.iterations);
    report_.step_seconds += timer.seconds();
    if (options_.interrupted && options_.interrupted()) report_.stopped = fmt::format("interrupted at frame {}", frame);
    return record(frame, measured, usable);
  }

  Status record(int frame, const Residuals& measured, bool usable) {
    if (!all_finite(state_)) {
      report_.stopped = fmt::format("frame {} would hold a number that is not finite", frame);
      return ok();
    }
    FrameRecord row{frame, state_.clock.time(scene_.run.dt()), {}, measured.force, measured.stretch, usable};
    const Timer measuring;
    for (std::size_t i = 0; i < world_.parts.size(); ++i) {
      const der::Strands& strands = world_.parts[i].strands;
      const der::Energies e = der::total_energies(strands, strands.make_targets(), scene_.run.gravity, state_.parts[i]);
      row.energies.stretch += e.stretch, row.energies.bend += e.bend, row.energies.twist += e.twist;
      row.energies.kinetic += e.kinetic, row.energies.external += e.external;
    }
    report_.measure_seconds += measuring.seconds();
    report_.frames.push_back(row);
    const bool wanted = (frame - 1) % scene_.output.every == 0 && (!options_.frames || frame >= options_.frames->first);
    if (wanted) {
      const Timer timer;
      if (Status status = cache_->write(frame, row.time, usable, world_, state_); !status) return status;
      report_.write_seconds += timer.seconds();
      ++report_.frames_written;
      if (report_.first_frame_seconds == 0.0) report_.first_frame_seconds = total_.seconds();
    }
    if (options_.progress) options_.progress(frame, last_frame(), total_.seconds());
    return ok();
  }

  const Scene& scene_;
  const RunOptions& options_;
  Timer total_;
  World world_;
  WorldState state_;
  WorldWorkspace work_;
  std::optional<CacheWriter> cache_;
  RunReport report_;
};

}  // namespace

Result<RunReport> run(const Scene& scene, const RunOptions& options) { return Run(scene, options)(); }

std::string to_json(const RunReport& report) {
  using nlohmann::json;
  double force = 0.0, stretch = 0.0;
  json frames = json::array();
  for (const FrameRecord& f : report.frames) {
    force = std::max(force, f.force_residual), stretch = std::max(stretch, f.stretch);
    frames.push_back({{"frame", f.number},
                      {"time", f.time},
                      {"energy_kinetic", f.energies.kinetic},
                      {"energy_stretch", f.energies.stretch},
                      {"energy_bend", f.energies.bend},
                      {"energy_twist", f.energies.twist},
                      {"energy_external", f.energies.external},
                      {"energy_total", f.energies.total()},
                      {"force_residual", f.force_residual},
                      {"stretch", f.stretch},
                      {"usable", f.usable}});
  }
  const double vertex_steps = double(report.vertices) * double(std::max<std::int64_t>(1, report.steps));
  json out = {{"command", "run"},
              {"name", report.name},
              {"version", version()},
              {"commit", commit()},
              {"compiler", compiler()},
              {"isa", active_isa_name()},
              {"lanes", report.lanes},
              {"threads", thread_count()},
              {"strands", report.strands},
              {"vertices", report.vertices},
              {"dt", report.dt},
              {"steps", report.steps},
              {"usable_steps", report.usable_steps},
              {"failed_steps", report.failed_steps},
              {"clamped_pivots", report.clamped_pivots},
              {"newton_iterations_max", report.iterations_max},
              {"force_residual_max", force},
              {"stretch_max", stretch},
              {"seconds", report.seconds},
              {"seconds_setup", report.setup_seconds},
              {"seconds_steps", report.step_seconds},
              {"seconds_measure", report.measure_seconds},
              {"seconds_write", report.write_seconds},
              {"seconds_first_frame", report.first_frame_seconds},
              {"ns_per_vertex_step", report.step_seconds * 1e9 / vertex_steps},
              {"bytes_per_vertex", double(report.bytes) / double(std::max<std::size_t>(1, report.vertices))},
              {"hash", hash_text(report.hash)},
              {"repairs", report.repairs.counts()},
              {"notes", report.notes},
              {"outcome", report.stopped.empty() ? "finished" : "stopped"},
              {"frames", std::move(frames)}};
  if (!report.stopped.empty()) out["stopped"] = report.stopped;
  if (report.statics)
    out["statics"] = {{"strands", report.statics->strands},
                      {"converged", report.statics->converged},
                      {"unstable", report.statics->unstable},
                      {"residual_max", report.statics->residual},
                      {"iterations_max", report.statics->iterations}};
  return out.dump(2) + "\n";
}

}  // namespace tendril
