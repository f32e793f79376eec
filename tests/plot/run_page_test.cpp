#include "tendril/plot/run_page.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/plot/frame_charts.hpp"
#include "xml_check.hpp"

namespace tendril::plot {
namespace {

using support::count;
using support::XmlCheck;

constexpr const char* whole_run = R"({
  "command": "run", "name": "shaken-head", "strands": 2000, "vertices": 100000, "frames": 3, "steps": 8, "dt": 0.004,
  "threads": 2, "isa": "avx2", "seconds": 5.8, "ns_per_vertex_step": 86.7, "outcome": "finished", "hash": "5efd",
  "version": "0.1.0", "commit": "62db", "notes": ["density is assumed"], "repairs": {"points_merged": 17, "spikes_removed": 0},
  "stage_seconds": {"setup": 0.1, "step": 4.2, "measure": 1.0},
  "frame_records": [
    {"frame": 1, "time": 0.0, "energy_kinetic": 0.0, "energy_stretch": 0.0, "energy_bend": 1.0, "energy_twist": 0.0,
     "energy_external": 2.0, "energy_total": 3.0, "force_residual": 0.0, "stretch": 0.0, "usable": false,
     "step_seconds": 0.1, "measure_seconds": 0.01, "record_seconds": 0.002, "iterations": 3, "retries": 0},
    {"frame": 2, "time": 0.1, "energy_kinetic": 0.5, "energy_stretch": 0.0, "energy_bend": 1.0, "energy_twist": 0.0,
     "energy_external": 1.5, "energy_total": 3.0, "force_residual": 1e-9, "stretch": 1e-3, "usable": true,
     "step_seconds": 0.1, "measure_seconds": 0.01, "record_seconds": 0.002, "iterations": 4, "retries": 1},
    {"frame": 3, "time": 0.2, "energy_kinetic": null, "energy_total": 2.9, "force_residual": 1e-8, "stretch": 2e-3}],
  "worst_strands": [{"set": "hair", "strand": 12, "frame": 3, "stretch": 1e-3, "curvature": 812.0, "speed": 3.1},
                    {"set": "hair", "strand": 7, "frame": 2, "speed": 4.5}, {}]
})";

std::string page_of(const std::string& text) {
  const Result<Report> report = parse_report(text, "report.json");
  EXPECT_TRUE(report) << report.error().message();
  const std::string html = report_page(report.value()).html();
  const XmlCheck xml(html);
  EXPECT_EQ(xml.fault, "") << text;
  for (const std::string& label : xml.labels) EXPECT_TRUE(xml.ids.contains(label));
  return html;
}

std::string refused(const std::string& text) {
  const Result<Report> report = parse_report(text, "report.json");
  EXPECT_FALSE(report) << text;
  return report ? "" : report.error().message();
}

TEST(RunPage, ShowsEverySectionOfAWholeReport) {
  const std::string html = page_of(whole_run);
  for (const char* part : {"<h1>shaken-head</h1>",
                           "<h2>Notes and repairs</h2>",
                           "density is assumed",
                           "17 points merged",
                           "<h2>Energies</h2>",
                           ">kinetic</text>",
                           ">total</text>",
                           "<h2>Residuals</h2>",
                           "accepted above tolerance",
                           "<h2>Time</h2>",
                           "Time per stage",
                           "Time per frame",
                           "Newton iterations",
                           "Retries",
                           "<h2>Worst strands</h2>",
                           "hair 12",
                           "Worst strands: curvature",
                           "100\u202f000",
                           "86.7 ns",
                           "5efd"})
    EXPECT_GE(count(html, part), 1u) << part;
  EXPECT_EQ(count(html, "spikes"), 0u) << "what was not repaired is not listed";
}

TEST(RunPage, IsTheSameEveryTime) { EXPECT_EQ(page_of(whole_run), page_of(whole_run)); }

TEST(RunPage, LeavesOutWhatAnOlderReportLacks) {
  const std::string html =
      page_of(R"({"command": "run", "frame_records": [{"frame": 1, "time": 0.5, "energy_total": 1.0}]})");
  EXPECT_EQ(count(html, "<h2>"), 1u);
  EXPECT_EQ(count(html, "role=\"img\""), 2u) << "energies, and their sum alone";
  EXPECT_EQ(count(page_of(R"({"command": "run"})"), "role=\"img\""), 0u);
}

constexpr const char* run_with_contact =
    R"({"command": "run", "contacts_mean": 12.5, "contacts_max": 31, "sweeps_mean": 44,
  "frame_records": [
    {"frame": 1, "time": 0.0, "contacts": 0, "contact_error": 0.0, "penetration": 0.0, "contact_seconds": 0.0, "detection_seconds": 0.0},
    {"frame": 2, "time": 0.1, "contacts": 31, "contact_error": 9e-5, "penetration": 2e-6, "contact_seconds": 0.4, "detection_seconds": 0.1},
    {"frame": 3, "time": 0.2, "contacts": 28, "contact_error": 7e-5, "penetration": 1e-6, "contact_seconds": 0.3, "detection_seconds": 0.1}]})";

TEST(RunPage, DrawsContactsWhereThereIsContact) {
  const std::string html = page_of(run_with_contact);
  for (const char* part : {"<h2>Contact</h2>", ">Contacts<", ">Friction error<", ">Penetration<", ">detection</text>",
                           "contacts per step", "12.5", "most contacts", "contact iterations per step"})
    EXPECT_GE(count(html, part), 1u) << part;
  EXPECT_EQ(count(page_of(whole_run), "<h2>Contact</h2>"), 0u);
  std::string shallow = run_with_contact;
  for (const char* depth : {"2e-6", "1e-6"}) shallow.replace(shallow.find(depth), 4, "0.00");
  EXPECT_EQ(count(page_of(shallow), ">Penetration<"), 0u) << "nothing was ever inside";
}

TEST(RunPage, DrawsRetriesOnlyIfThereWereAny) {
  const std::string none = R"({"frame_records": [{"frame": 1, "retries": 0}, {"frame": 2, "retries": 0}]})";
  EXPECT_EQ(count(page_of(none), ">Retries<"), 0u);
  EXPECT_GE(count(page_of(whole_run), ">Retries<"), 1u);
}

TEST(RunPage, ToleratesEveryWrongType) {
  const std::string keys[] = {"name",          "strands",      "notes",  "repairs",       "stage_seconds",
                              "frame_records", "bars",         "cases",  "worst_strands", "outcome",
                              "stopped",       "energy_total", "claims", "energy_kinetic"};
  for (const std::string& key : keys)
    for (const char* value : {"null", "1", "-1e308", "\"text\"", "true", "[]", "{}", "[1, \"a\", null, {}, [[]]]",
                              "{\"a\": {\"b\": []}}", "[{\"frame\": \"x\", \"time\": [], \"usable\": 2}]",
                              "[{\"case\": 1, \"refinements\": 3}, {\"refinements\": [{}, {\"n\": 0, \"error\": 0}]}]"})
      page_of("{\"command\": \"run\", \"" + key + "\": " + value + "}");
}

TEST(RunPage, RefusesWhatIsNoReportInOneSentence) {
  for (const char* text : {"", "{", "[1, 2", "nonsense", "{\"command\": \"run\", \"frame_reco"})
    EXPECT_EQ(refused(text), "report.json: is not JSON, or only a part of it; give a file that --report wrote") << text;
  for (const char* text : {"{}", "[]", "3", "null", "\"run\"", "{\"command\": \"info\", \"strands\": 3}", "[{}]"})
    EXPECT_EQ(refused(text).find("is JSON, but no report"), 13u) << text;
}

TEST(RunPage, RefusesEveryBeginningOfAReport) {
  const std::string text = whole_run;
  for (std::size_t size = 0; size + 1 < text.size(); size += 7) refused(text.substr(0, size));
}

TEST(RunPage, EscapesHostileNames) {
  const std::string html = page_of(R"({"command": "run", "name": "<script>x</script>", "notes": ["</ul><img src=x>"],
    "stage_seconds": {"<b>": 1}, "worst_strands": [{"set": "\"'><svg onload=x>", "strand": 1, "stretch": 1}]})");
  EXPECT_EQ(count(html, "<script"), 0u);
  EXPECT_EQ(count(html, "<img"), 0u);
  EXPECT_EQ(count(html, "<svg onload"), 0u);
}

TEST(RunPage, ShowsBarsOfABenchmark) {
  const std::string html = page_of(R"({"benchmark": "der", "strands": 1024, "bars": [
    {"name": "ratio", "value": 0.3, "bound": 0.35, "holds": true}, {"name": "slow", "value": 3, "bound": 2, "holds": false},
    {"name": "odd", "value": null}]})");
  for (const char* part :
       {"<h1>Benchmark der</h1>", "1 of 3 bars hold", "✓ holds", "✗ missed", "Values over their bounds"})
    EXPECT_GE(count(html, part), 1u) << part;
}

TEST(RunPage, ShowsCasesOfAValidationAndTheirConvergence) {
  const std::string html = page_of(R"({"model": "der", "passed": 1, "failed": 1, "cases": [
    {"case": "B1-tip", "quantity": "deflection", "unit": "m", "exact": 1, "ours": 1.01, "error_relative": 0.01,
     "order": 2.0, "expected_order": 2.0, "tolerance": 0.02, "pass": true,
     "refinements": [{"n": 10, "error": 0.04}, {"n": 20, "error": 0.01}, {"n": 40, "error": 0.0}]},
    {"case": "B2", "quantity": "angle", "error_relative": 1, "tolerance": 0.5, "order": null, "pass": false}]})");
  for (const char* part : {"<h1>Validation der</h1>", "1 of 2 quantities pass", "✓ pass", "✗ FAIL", "Convergence",
                           "order 2", "Nearest to the limit", "1 value that is not above zero is left out."})
    EXPECT_GE(count(html, part), 1u) << part;
}

TEST(RunPage, ShowsClaimsWhereverTheirListStands) {
  const std::string list =
      R"([{"id": "T1", "paper": 3.5, "ours": "3.4 to 3.6", "required": "<= 4", "held": true}, {"id": "T2", "paper": 1, "ours": 2}])";
  for (const std::string& text : {list, "{\"results\": " + list + "}"}) {
    const std::string html = page_of(text);
    for (const char* part : {"1 of 2 claims hold", "3.4 to 3.6", "&lt;= 4"}) EXPECT_GE(count(html, part), 1u) << part;
  }
}

TEST(Comparison, HasOneSeriesPerRun) {
  std::vector<Report> runs;
  for (const char* name : {"a", "b"}) {
    runs.push_back(parse_report(whole_run, std::string(name) + ".json").value());
    runs.back().texts["name"] = name;
  }
  const std::string html = comparison_page(runs).value().html();
  EXPECT_EQ(XmlCheck(html).fault, "");
  EXPECT_EQ(count(html, "role=\"img\""), 5u) << "energy, residual, stretch, stages, time per frame";
  EXPECT_GE(count(html, ">a</text>"), 5u);
  EXPECT_GE(count(html, ">b</text>"), 5u);
}

TEST(Comparison, TellsRunsOfOneNameApartByTheirFiles) {
  const std::vector<Report> runs = {parse_report(whole_run, "x/report.json").value(),
                                    parse_report(whole_run, "y/report.json").value()};
  const std::string html = comparison_page(runs).value().html();
  EXPECT_GE(count(html, "x/report.json"), 1u);
  EXPECT_GE(count(html, "y/report.json"), 1u);
  const std::vector<Report> twice = {runs[0], runs[0]};
  EXPECT_GE(count(comparison_page(twice).value().html(), "x/report.json (2)"), 1u);
}

TEST(Comparison, TakesRunsOnly) {
  const std::vector<Report> mixed = {parse_report(whole_run, "run.json").value(),
                                     parse_report(R"({"bars": [{"name": "x"}]})", "bench.json").value()};
  EXPECT_EQ(comparison_page(mixed).error().message(),
            "bench.json: is not the report of a run, and only runs can be compared; plot it alone");
}

TEST(Probes, AreOneChartPerUnit) {
  const ProbeColumns probe =
      parse_probe("frame,time [s],fx [N],fy [N],mx [N m],vertex\n1,0,1,2,3,7\n2,0.5,2,nan,x,7\n3,1", "hook");
  ASSERT_EQ(probe.columns.size(), 6u);
  EXPECT_EQ(probe.columns[2].values, (std::vector<double>{1.0, 2.0})) << "the last line is not whole";
  const std::vector<Chart> charts = probe_charts(probe);
  ASSERT_EQ(charts.size(), 2u) << "the vertex stays the same and is no chart";
  EXPECT_EQ(charts[0].title, "hook: force");
  EXPECT_EQ(charts[0].series.size(), 2u);
  EXPECT_EQ(charts[1].title, "hook: mx");
  EXPECT_EQ(charts[0].x.unit, "s");
}

TEST(Probes, SurviveAnyText) {
  for (const char* text : {"", "\n", "frame\n", ",,,\n,,\n", "frame,time [s]\n", "time [s],x [m\n1,2\n", "x [m]\n1\n",
                           "time [s],a,a\n1,2,3\n2,3,4\n1,2,3,4,5,6\n\n\n"})
    probe_charts(parse_probe(text, "p"));
}

using ReportFolder = tendril::support::TemporaryFolder;

TEST_F(ReportFolder, OfARunIsReadWithItsProbes) {
  ASSERT_TRUE(write_file(folder / "report.json", whole_run));
  std::filesystem::create_directories(folder / "probes");
  ASSERT_TRUE(write_file(folder / "probes" / "tip.csv", "frame,time [s],x [m]\n1,0,1\n2,1,2\n"));
  const Result<Report> report = read_report(folder);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_GE(count(report_page(report.value()).html(), "tip: x"), 1u);
  EXPECT_TRUE(read_report(folder / "report.json").value().probes.empty());
}

TEST_F(ReportFolder, WithoutReportIsARunAtWorkOrNoRun) {
  EXPECT_NE(read_report(folder).error().message().find("is not the folder of a run"), std::string::npos);
  ASSERT_TRUE(write_file(folder / "records.csv", "frame,time [s],energy_total [J]\n1,0,2.5\n2,0.1,3.5\n3,0.2"));
  const Report report = read_report(folder).value();
  EXPECT_TRUE(report.is_run());
  ASSERT_NE(report.frame_column("energy_total"), nullptr);
  EXPECT_EQ(*report.frame_column("energy_total"), (std::vector<double>{2.5, 3.5})) << "the last line is unfinished";
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_NE(read_report(folder / "missing.json").error().message().find("cannot be opened"), std::string::npos);
}

}  // namespace
}  // namespace tendril::plot
