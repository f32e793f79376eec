#include "contact_rivals.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>

#include "tendril/base/parallel.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/contact/node_sweeps.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/fclib_file.hpp"

namespace tendril::bench {
namespace {

using namespace contact;

// All contacts in the order of strands, as one colour.
StrandPairs without_colours(const NodeSpace& space) {
  constexpr std::uint32_t task = 32;
  StrandPairs out;
  out.order.resize(space.size());
  std::iota(out.order.begin(), out.order.end(), 0u);
  for (std::uint32_t first = 0; first < space.size(); first += task) out.task_start.push_back(first);
  out.colour_start = {0, std::uint32_t(out.task_start.size())};
  out.task_start.push_back(std::uint32_t(space.size()));
  return out;
}

double seconds_of_sweeps(NodeSweeps& sweeps, const Impulses& start, int count) {
  sweeps.start(start);
  sweeps.error();  // velocities of the start
  const Timer timer;
  for (int k = 0; k < count; ++k) sweeps.sweep();
  return timer.seconds();
}

// What the script prints; nothing if it, or what it needs, is not there.
std::optional<nlohmann::json> run_script(const std::string& arguments) {
  const std::string script = TENDRIL_BENCH_DIR "/siconos_nsgs.py";
  if (!std::filesystem::exists(script)) return {};
  const std::string command = fmt::format("/usr/bin/python3 '{}' {} 2>/dev/null", script, arguments);
  const auto close = [](FILE* pipe) { pclose(pipe); };
  const std::unique_ptr<FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
  if (!pipe) return {};
  std::string text;
  for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) text.push_back(char(c));
  nlohmann::json found = nlohmann::json::parse(text, nullptr, false);
  if (found.is_discarded()) return {};
  return found;
}

// A file that goes when we go.
struct TemporaryFile {
  std::filesystem::path path = std::filesystem::temp_directory_path() / fmt::format("tendril-{}.h5", getpid());
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
};

}  // namespace

void add_unordered(const ContactCase& c, int rounds, nlohmann::json& values, Report& report) {
  constexpr int count = 50;
  const Options options = by(Solver::gauss_seidel, 1e-12);
  std::vector<std::uint32_t> all(c.problem.size());
  std::iota(all.begin(), all.end(), 0u);
  const BlockInverses inverses(c.problem);
  const NodeSpace space(c.problem, inverses, all);
  NodeSweeps ordered(space, options, 1.0), unordered(space, options, 1.0, without_colours(space));
  const Impulses none(space.size(), Eigen::Vector3d::Zero());
  set_thread_count(2);
  double ours = 1e300, theirs = 1e300;
  for (int round = 0; round < rounds; ++round) {
    ours = std::min(ours, seconds_of_sweeps(ordered, none, count));
    theirs = std::min(theirs, seconds_of_sweeps(unordered, none, count));
  }
  set_thread_count(1);
  values["gs_over_unordered"] = ours / theirs;
  report.bars.push_back({c.name + ".gs_over_unordered", ours / theirs, 1.2});
  const double visits = 1e-9 * count * double(space.size());
  report.say(fmt::format("{:10} gs on two threads {:.0f} ns per contact and sweep, {:.0f} without order", c.name,
                         ours / visits, theirs / visits));
}

void add_siconos(const ContactCase& c, nlohmann::json& values, Report& report) {
  const TemporaryFile file;
  {
    const Result<std::vector<std::byte>> bytes = encode_fclib(ExplicitDelassus(c.problem));
    if (!bytes || !write_file(file.path, bytes.value())) return;
  }
  const std::optional<nlohmann::json> found =
      run_script(fmt::format("'{}' --sweeps 20 --tolerance 1e-3 --max-seconds 60", file.path.string()));
  if (!found) {
    report.say(fmt::format("{:10} Siconos is not here to compare with", c.name));
    return;
  }
  const double theirs = 1e9 * found->at("seconds_per_sweep").get<double>() / double(c.problem.size());
  const double per_sweep = theirs / values.at("gs_ns_per_contact_sweep").get<double>();
  const double seconds = values.at("auto_seconds_to_1e3");
  const bool reached = !found->at("seconds_to_tolerance").is_null();
  const double spent = found->at("seconds_spent").get<double>();
  values["siconos_ns_per_contact_sweep"] = theirs;
  values["siconos_seconds_to_1e3"] = spent, values["siconos_reached_1e3"] = reached;
  values["siconos_error"] = found->at("last_error");
  report.bars.push_back({c.name + ".siconos_over_gs_sweep", per_sweep, 20.0, false});
  report.bars.push_back({c.name + ".siconos_over_auto", spent / seconds, 50.0, false});
  report.say(fmt::format("{:10} Siconos: {:.0f} times our time per sweep; {} {:.1f} s, {}{:.0f} times ours", c.name,
                         per_sweep, reached ? "1e-3 in" : "not at 1e-3 after", spent, reached ? "" : "more than ",
                         spent / seconds));
}

}  // namespace tendril::bench
