// Table 1: whole heads of hair over three seconds, with all that a run writes, so that it can be interrupted and taken
// up again: contacts, iterations and times per step, and how many steps were left above the tolerance.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>

#include "experiments/contact/contact.hpp"
#include "experiments/contact/hair.hpp"
#include "tendril/sim/run.hpp"

namespace tendril::experiments::contact {
namespace {

constexpr double tolerance = 1e-3;

struct Row {
  const char* name;
  const char* paper;  // contacts mean/max, iterations, s per step, share above tolerance
  HairOptions hair;
};

constexpr const char* turning = R"([
  { rotate = [0, 1, 0], angle = "40 deg", frequency = "1 Hz", duration = "2 s" },
  { sine = [0.03, 0, 0], frequency = "1.5 Hz", duration = "2 s" }])";
constexpr const char* leaning = R"({ rotate = [1, 0, 0], angle = "25 deg", frequency = "1 Hz", duration = "2 s" })";

// Ten steps of 4 ms per frame; a step in which strands would pass through each other is halved.
std::vector<Row> rows(bool quick) {
  const auto scene = [&](const char* style, int strands, double mu, double mu_head, const char* motion) {
    HairOptions o;
    o.model = "superhelix";  // of 16 unknowns
    o.style = style, o.strands = quick ? strands / 24 : strands;
    o.mu = mu, o.mu_head = mu_head, o.motion = motion, o.tolerance = tolerance;
    o.seconds = quick ? 0.2 : 3.0;
    return o;
  };
  std::vector<Row> out = {
      {"Free/A", "24659/46915, 136, 7.15 s, 0.056 %", scene("straight", 1920, 0.3, 0.5, turning)},
      {"Free/B", "28153/36287, 160, 11.1 s, 0.13 %", scene("straight", 1920, 0.2, 0.3, leaning)},
      {"Curly", "21425/33578, 118, 7.54 s, 0.013 %", scene("curly", 1920, 0.3, 0.5, leaning)},
      {"Pony", "9850/16613, 301, 6.2 s, 0.42 %", scene("tress", 334, 0.3, 0.5, turning)},
  };
  out[2].hair.more_style = ", curl_radius = 0.01, curl_turns = 2.5";  // 58 1/m
  // Packed where they are tied, behind the head, with a third of their thickness between them.
  out[3].hair.more_style = fmt::format(", radius = {}, origin = [0, 0.04, -0.105], axis = [0, -0.6, -0.8]",
                                       0.0125 * std::sqrt(out[3].hair.strands / 334.0));
  return out;
}

// One folder per row, below that of the user or a temporary one.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& kept) : kept_(!kept.empty()) {
    path_ = kept_ ? kept : std::filesystem::temp_directory_path() / fmt::format("tendril-table-1-{}", ::getpid());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    if (!kept_) std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path of(const Row& row) const {
    std::string name = row.name;
    std::ranges::replace(name, '/', '-');
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
  bool kept_;
};

RunReport run_row(const Row& row, const std::filesystem::path& out) {
  Result<Scene> scene = parse_scene(scene_text(row.hair), "table-1.toml");
  if (!scene) throw std::logic_error(scene.error().message());
  RunOptions options;
  options.out = out, options.resume = std::filesystem::exists(out / "checkpoints");
  Result<RunReport> done = run(scene.value(), options);
  if (!done) throw std::runtime_error(done.error().message());
  return std::move(done.value());
}

void claim_row(const Row& row, const RunReport& report, bool quick, Findings& out) {
  const ContactTotals& c = report.contacts.value();
  const double steps = double(std::max<std::int64_t>(1, c.steps));
  out.claim(
      fmt::format("{}: {} strands", row.name, report.strands), "runs to the end",
      report.stopped.empty() ? fmt::format("{} frames, {} steps", report.frames.size(), report.steps) : report.stopped,
      "runs to the end", report.stopped.empty());
  if (std::string(row.name) == "Curly" && !quick)
    out.claim("Curly: contacts", "21425 per step, 33578 at most",
              fmt::format("{:.0f} per step, {} at most", double(c.contacts) / steps, c.contacts_max),
              "20 000 or more at most", c.contacts_max >= 20000);
  const double over = double(c.over_tolerance) / steps;
  out.claim(fmt::format("{}: steps above the tolerance of {:.0e}", row.name, tolerance), row.paper,
            fmt::format("{:.2g} % of {}, largest error {:.1e}", 100.0 * over, c.steps, c.error_max),
            "less than 2 %, and no error above 10 times the tolerance", over < 0.02 && c.error_max <= 10.0 * tolerance);
  const double share = c.detection_seconds / report.step_seconds;
  const std::string detection = fmt::format("{:.1f} % of the time of a step", 100.0 * share);
  if (quick)  // with few contacts there is little else to do
    out.tell(fmt::format("{}: detection", row.name), "a small part of the step", detection);
  else
    out.claim(fmt::format("{}: detection", row.name), "a small part of the step", detection, "less than 10 %",
              share < 0.1);
}

std::vector<plot::Cell> cells_of(const Row& row, const RunReport& report) {
  const ContactTotals& c = report.contacts.value();
  const double steps = double(std::max<std::int64_t>(1, c.steps));
  return {row.name,
          fmt::format("{}", report.strands),
          fmt::format("{}", c.steps),
          fmt::format("{:.0f}", double(c.contacts) / steps),
          fmt::format("{}", c.contacts_max),
          fmt::format("{:.0f}", double(c.sweeps) / steps),
          fmt::format("{:.3f}", c.contact_seconds / steps),
          fmt::format("{:.3f}", c.detection_seconds / steps),
          fmt::format("{:.3f}", report.step_seconds / steps),
          fmt::format("{:.2g}", 100.0 * double(c.over_tolerance) / steps),
          fmt::format("{:.1e}", c.error_max),
          fmt::format("{}", c.crossings),
          row.paper};
}

}  // namespace

Findings table1(const Context& context) {
  Findings out;
  const Folder folder(context.runs);
  plot::Table table{"Per step.",
                    {{"scene"},
                     {"strands", true},
                     {"steps", true},
                     {"contacts", true},
                     {"at most", true},
                     {"iterations", true},
                     {"contact [s]", true},
                     {"detection [s]", true},
                     {"step [s]", true},
                     {"over tolerance [%]", true},
                     {"largest error", true},
                     {"crossings", true},
                     {"paper: contacts, iterations, step, over", true}},
                    {}};
  for (const Row& row : rows(context.quick)) {
    const RunReport report = run_row(row, folder.of(row));
    claim_row(row, report, context.quick, out);
    table.rows.push_back(cells_of(row, report));
  }
  out.tables.push_back(std::move(table));
  out.notes.push_back("With --runs DIR the runs are kept and taken up again; tendril render and view show them.");
  return out;
}

}  // namespace tendril::experiments::contact
