// The report of a run as JSON, and back: a checkpoint carries the report so far.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tendril/base/build_info.hpp"
#include "tendril/base/hash.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/linalg/isa.hpp"
#include "tendril/sim/run.hpp"
#include "tendril/sim/sag_free_report.hpp"

namespace tendril {
namespace {

using nlohmann::json;

json frame_json(const FrameRecord& f) {
  json out = {{"frame", f.number},
              {"time", f.time},
              {"energy_kinetic", f.energies.kinetic},
              {"energy_stretch", f.energies.stretch},
              {"energy_bend", f.energies.bend},
              {"energy_twist", f.energies.twist},
              {"energy_external", f.energies.external},
              {"energy_total", f.energies.total()},
              {"force_residual", f.force_residual},
              {"stretch", f.stretch},
              {"usable", f.usable},
              {"steps", f.steps},
              {"retries", f.retries},
              {"iterations", f.iterations},
              {"step_seconds", f.step_seconds},
              {"measure_seconds", f.measure_seconds},
              {"record_seconds", f.record_seconds}};
  if (f.contacts)
    out.update({{"contacts", f.contacts->contacts},
                {"contact_error", f.contacts->error},
                {"penetration", f.contacts->penetration},
                {"contact_seconds", f.contacts->contact_seconds},
                {"detection_seconds", f.contacts->detection_seconds}});
  return out;
}

json worst_json(const WorstStrand& w) {
  return {{"set", w.set},         {"strand", w.strand},       {"frame", w.frame},
          {"stretch", w.stretch}, {"curvature", w.curvature}, {"speed", w.speed}};
}

json troubles_json(const std::vector<StrandTrouble>& troubles) {
  json out = json::array();
  for (const StrandTrouble& t : troubles)
    out.push_back({{"set", t.set},
                   {"status", t.status},
                   {"why", t.why},
                   {"count", t.count},
                   {"first_strand", t.strand},
                   {"first_time", t.time}});
  return out;
}

FrameRecord frame_record(const json& f) {
  FrameRecord out;
  out.number = f.at("frame"), out.time = f.at("time");
  out.energies.kinetic = f.at("energy_kinetic"), out.energies.stretch = f.at("energy_stretch");
  out.energies.bend = f.at("energy_bend"), out.energies.twist = f.at("energy_twist");
  out.energies.external = f.at("energy_external");
  out.force_residual = f.at("force_residual"), out.stretch = f.at("stretch"), out.usable = f.at("usable");
  out.steps = f.at("steps"), out.retries = f.at("retries"), out.iterations = f.at("iterations");
  out.step_seconds = f.at("step_seconds"), out.measure_seconds = f.at("measure_seconds");
  out.record_seconds = f.at("record_seconds");
  if (f.contains("contacts"))
    out.contacts = {f.at("contacts"), f.at("contact_error"), f.at("penetration"), f.at("contact_seconds"),
                    f.at("detection_seconds")};
  return out;
}

json energy_json(const std::vector<FrameRecord>& frames) {
  json kinetic = json::array(), elastic = json::array(), gravity = json::array();
  for (const FrameRecord& f : frames) {
    kinetic.push_back(f.energies.kinetic), elastic.push_back(f.energies.elastic());
    gravity.push_back(f.energies.external);
  }
  return {{"kinetic", kinetic}, {"elastic", elastic}, {"gravity", gravity}};
}

json statics_json(const StaticSummary& s) {
  return {{"strands", s.strands},
          {"converged", s.converged},
          {"unstable", s.unstable},
          {"residual_max", s.residual},
          {"iterations_max", s.iterations}};
}

// What each solver had a part in: the rungs of `auto`.
json ladder_json(const ContactTotals& c) {
  json out = json::object();
  for (std::size_t s = 0; s < contact::solver_count; ++s)
    if (c.islands_by[s] > 0)
      out[std::string(contact::name(contact::Solver(s)))] = {
          {"islands", c.islands_by[s]}, {"contacts", c.contacts_by[s]}, {"sweeps", c.sweeps_by[s]}};
  return out;
}

void read_ladder(const json& in, ContactTotals& c) {
  for (std::size_t s = 0; s < contact::solver_count; ++s) {
    const auto rung = in.find(std::string(contact::name(contact::Solver(s))));
    if (rung == in.end()) continue;
    c.islands_by[s] = rung->at("islands"), c.contacts_by[s] = rung->at("contacts"), c.sweeps_by[s] = rung->at("sweeps");
  }
}

// Sums that a resumed run goes on with, and what is made of them.
void add_contacts(const ContactTotals& c, json& out) {
  const double steps = double(std::max<std::int64_t>(1, c.steps)),
               solves = double(std::max<std::int64_t>(1, c.local_solves));
  out["contacts_mean"] = double(c.contacts) / steps;
  out["contacts_max"] = c.contacts_max;
  out["over_tolerance_share"] = double(c.over_tolerance) / steps;
  out["sweeps_mean"] = double(c.sweeps) / steps;
  out["failsafe_share"] = double(c.rescued) / solves;
  out["contact_seconds"] = c.contact_seconds;
  out["detection_seconds"] = c.detection_seconds;
  out["strand_overlap_max"] = c.strand_overlap_max;
  out["inside_start"] = c.inside_start, out["inside_end"] = c.inside_end;
  out["inside_start_depth"] = c.deepest_start, out["inside_end_depth"] = c.deepest_end;
  out["inside_growth_max"] = c.regrowth_max;
  out["overlaps_left_max"] = c.overlaps_left_max;
  out["crossings"] = c.crossings;
  out["contact_ladder"] = ladder_json(c);
  out["contacts_jammed"] = c.jammed, out["contacts_immovable"] = c.immovable;
  out["jammed_steps"] = c.jammed_steps;
  out["worst_jam"] = c.jam ? json{{"place", c.jam->place}, {"speed", c.jam->speed}} : json(nullptr);
  out["contact_totals"] = {{"steps", c.steps},
                           {"over_tolerance", c.over_tolerance},
                           {"contacts", c.contacts},
                           {"sweeps", c.sweeps},
                           {"islands", c.islands},
                           {"rounds", c.rounds},
                           {"coarse_solves", c.coarse_solves},
                           {"refined_solves", c.refined_solves},
                           {"replaced_solves", c.replaced_solves},
                           {"local_solves", c.local_solves},
                           {"rescued", c.rescued},
                           {"unsolved", c.unsolved},
                           {"rejected_seconds", c.rejected_seconds}};
}

ContactTotals contact_totals(const json& in) {
  const json& sums = in.at("contact_totals");
  ContactTotals c;
  c.steps = sums.at("steps"), c.over_tolerance = sums.at("over_tolerance"), c.contacts = sums.at("contacts");
  c.sweeps = sums.at("sweeps"), c.rounds = sums.at("rounds"), c.local_solves = sums.at("local_solves");
  c.coarse_solves = sums.value("coarse_solves", 0), c.refined_solves = sums.value("refined_solves", 0);
  c.replaced_solves = sums.value("replaced_solves", 0);
  c.rejected_seconds = sums.value("rejected_seconds", 0.0);
  c.rescued = sums.at("rescued"), c.unsolved = sums.at("unsolved"), c.crossings = in.at("crossings");
  c.contacts_max = in.at("contacts_max"), c.error_max = in.at("error_max");
  c.penetration_max = in.at("penetration_max"), c.strand_overlap_max = in.at("strand_overlap_max");
  c.inside_start = in.at("inside_start"), c.inside_end = in.at("inside_end");
  c.deepest_start = in.at("inside_start_depth"), c.deepest_end = in.at("inside_end_depth");
  c.overlaps_left_max = in.at("overlaps_left_max");
  c.regrowth_max = in.at("inside_growth_max"), c.islands = sums.at("islands");
  c.jammed = in.at("contacts_jammed"), c.immovable = in.at("contacts_immovable");
  c.jammed_steps = in.value("jammed_steps", 0);
  if (const auto jam = in.find("worst_jam"); jam != in.end() && !jam->is_null())
    c.jam = {jam->at("place"), jam->at("speed")};
  read_ladder(in.at("contact_ladder"), c);
  c.detection_seconds = in.at("detection_seconds"), c.contact_seconds = in.at("contact_seconds");
  return c;
}

}  // namespace

void FrameContacts::add(const ContactTotals& steps) {
  contacts = std::max(contacts, std::int64_t(steps.contacts_max));
  error = std::max(error, steps.error_max), penetration = std::max(penetration, steps.penetration_max);
  contact_seconds += steps.contact_seconds, detection_seconds += steps.detection_seconds;
}

std::vector<std::string> record_columns(bool with_contact) {
  std::vector<std::string> columns = {"time [s]",
                                      "energy_kinetic [J]",
                                      "energy_stretch [J]",
                                      "energy_bend [J]",
                                      "energy_twist [J]",
                                      "energy_external [J]",
                                      "energy_total [J]",
                                      "force_residual",
                                      "stretch",
                                      "usable",
                                      "steps",
                                      "retries",
                                      "iterations",
                                      "step_seconds [s]",
                                      "measure_seconds [s]",
                                      "record_seconds [s]"};
  if (with_contact)
    columns.insert(columns.end(),
                   {"contacts", "contact_error", "penetration [m]", "contact_seconds [s]", "detection_seconds [s]"});
  return columns;
}

std::vector<double> record_values(const FrameRecord& f) {
  std::vector<double> values = {f.time,
                                f.energies.kinetic,
                                f.energies.stretch,
                                f.energies.bend,
                                f.energies.twist,
                                f.energies.external,
                                f.energies.total(),
                                f.force_residual,
                                f.stretch,
                                double(f.usable),
                                double(f.steps),
                                double(f.retries),
                                double(f.iterations),
                                f.step_seconds,
                                f.measure_seconds,
                                f.record_seconds};
  if (f.contacts)
    values.insert(values.end(), {double(f.contacts->contacts), f.contacts->error, f.contacts->penetration,
                                 f.contacts->contact_seconds, f.contacts->detection_seconds});
  return values;
}

std::string to_json(const RunReport& report) {
  double force = 0.0, stretch = 0.0;
  json records = json::array();
  for (const FrameRecord& f : report.frames) {
    force = std::max(force, f.force_residual), stretch = std::max(stretch, f.stretch);
    records.push_back(frame_json(f));
  }
  json worst = json::array();
  for (const WorstStrand& w : report.worst_strands) worst.push_back(worst_json(w));
  const double vertex_steps = double(report.vertices) * double(std::max<std::int64_t>(1, report.steps));
  const auto frames = double(std::max<std::size_t>(1, report.frames.size()));
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
              {"groom_strands", report.groom_strands},
              {"groom_vertices", report.groom_vertices},
              {"dt", report.dt},
              {"frames", report.frames.size()},
              {"frames_written", report.frames_written},
              {"steps", report.steps},
              {"usable_steps", report.usable_steps},
              {"retries", report.failed_steps},
              {"resumes", report.resumes},
              {"clamped_pivots", report.clamped_pivots},
              {"newton_iterations_max", report.iterations_max},
              {"force_residual_max", force},
              {"error_max", report.contacts ? report.contacts->error_max : 0.0},
              {"penetration_max", report.contacts ? report.contacts->penetration_max : 0.0},
              {"stretch_max", stretch},
              {"seconds", report.seconds},
              {"seconds_per_frame", report.seconds / frames},
              {"stage_seconds",
               {{"setup", report.setup_seconds},
                {"step", report.step_seconds},
                {"measure", report.measure_seconds},
                {"record", report.write_seconds},
                {"checkpoint", report.checkpoint_seconds}}},
              {"io_wait_seconds", report.io_wait_seconds},
              {"seconds_first_frame", report.first_frame_seconds},
              {"ns_per_vertex_step", report.step_seconds * 1e9 / vertex_steps},
              {"bytes_per_vertex", double(report.bytes) / double(std::max<std::size_t>(1, report.vertices))},
              {"hash", hash_text(report.hash)},
              {"repairs", report.repairs.counts()},
              {"notes", report.notes},
              {"outcome", report.stopped.empty() ? "finished" : "stopped"},
              {"worst_strands", std::move(worst)},
              {"energy", energy_json(report.frames)},
              {"frame_records", std::move(records)}};
  out["strand_troubles"] = troubles_json(report.troubles);
  if (!report.stopped.empty()) out["stopped"] = report.stopped;
  for (const auto& [set, summary] : report.sag_free) {
    json entry = json::parse(sag_free_json(summary));
    entry["set"] = set;
    out["sag_free"].push_back(std::move(entry));
  }
  if (report.statics) out["statics"] = statics_json(*report.statics);
  if (report.contacts) add_contacts(*report.contacts, out);
  return out.dump(2) + "\n";
}

Status from_json(const std::string& text, RunReport& report) {
  const json in = json::parse(text, nullptr, false);
  if (!in.is_object()) return Error{"report", "is not JSON"};
  try {
    report.steps = in.at("steps"), report.usable_steps = in.at("usable_steps"), report.failed_steps = in.at("retries");
    report.resumes = in.at("resumes"), report.clamped_pivots = in.at("clamped_pivots");
    report.iterations_max = in.at("newton_iterations_max"), report.frames_written = in.at("frames_written");
    report.seconds = in.at("seconds"), report.io_wait_seconds = in.at("io_wait_seconds");
    const json& stages = in.at("stage_seconds");
    report.setup_seconds = stages.at("setup"), report.step_seconds = stages.at("step");
    report.measure_seconds = stages.at("measure"), report.write_seconds = stages.at("record");
    report.checkpoint_seconds = stages.at("checkpoint"), report.first_frame_seconds = in.at("seconds_first_frame");
    report.frames.clear();
    for (const json& f : in.at("frame_records")) report.frames.push_back(frame_record(f));
    report.worst_strands.clear();
    for (const json& w : in.at("worst_strands"))
      report.worst_strands.push_back(
          {w.at("set"), w.at("strand"), w.at("frame"), w.at("stretch"), w.at("curvature"), w.at("speed")});
    report.troubles.clear();
    for (const json& t : in.value("strand_troubles", json::array()))
      report.troubles.push_back(
          {t.at("set"), t.at("status"), t.at("why"), t.at("count"), t.at("first_strand"), t.at("first_time")});
    if (in.contains("contact_totals")) report.contacts = contact_totals(in);
    if (in.contains("statics")) {
      const json& s = in.at("statics");
      report.statics = {s.at("strands"), s.at("converged"), s.at("unstable"), s.at("residual_max"),
                        s.at("iterations_max")};
    }
  } catch (const json::exception& fault) {
    return Error{"report", fmt::format("cannot be read: {}", fault.what())};
  }
  return ok();
}

}  // namespace tendril
