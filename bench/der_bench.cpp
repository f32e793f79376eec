#include "der_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "lapack.hpp"
#include "tendril/base/hash.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/rods/der/rod.hpp"
#include "tendril/rods/der/stepper.hpp"
#include "tendril/scene/generator.hpp"
#include "tendril/scene/presets.hpp"

namespace tendril::bench {
namespace {

using namespace der;

double best(const std::vector<double>& samples) { return *std::min_element(samples.begin(), samples.end()); }

std::size_t resident_bytes() {
  std::size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * 4096;
}

// A head of curls that falls under gravity from rest, edge-clamped, one Newton iteration: the plain hair case.
struct Curls {
  Strands strands;
  State state, trial;
  Targets targets;
  StepWorkspace work;
  StepOptions options;
  Drive drive;

  static Curls make(int count, int vertices, double aspect = 1.0) {
    GeneratorOptions generator = default_options(GeneratorKind::curly);
    generator.count = count;
    generator.vertices = vertices;
    Material material = material_of(*find_preset("human-hair"));
    material.aspect = aspect;
    Curls curls{Strands::create(describe(generate(generator, 1), material, Clamps{})).value(), {}, {}, {}, {}, {}, {}};
    curls.state = curls.strands.start();
    curls.targets = curls.strands.make_targets();
    curls.step();
    return curls;
  }

  void step() {
    strands.drive(drive, state, targets);
    const StepReport report = der::step(strands, targets, options, state, work, trial);
    if (report.outcome == Outcome::failed) throw std::runtime_error(text(report.trouble));
    commit(trial, options.dt, false, state);
  }

  double ns_per_vertex(int steps) {
    const Timer timer;
    for (int i = 0; i < steps; ++i) step();
    return timer.seconds() * 1e9 / steps / double(strands.vertex_count());
  }
};

// The step's own systems, with the held unknowns left out.
struct LapackCase {
  int n = 0;
  std::vector<std::vector<double>> bands, rhs, work_bands, work_rhs;

  explicit LapackCase(const Curls& curls) {
    for (std::size_t s = 0; s < curls.strands.size(); ++s) {
      const Rod rod = extract(curls.strands, curls.targets, curls.state, s);
      const Band<double> full = step_hessian(rod, curls.options.dt);
      constexpr std::size_t held = 7;
      const std::size_t size = full.size - 1 - held;
      std::vector<double> band(size * (half_bandwidth + 1), 0.0);
      for (std::size_t j = 0; j < size; ++j)
        for (std::size_t r = 0; r <= half_bandwidth && j + r < size; ++r)
          band[j * (half_bandwidth + 1) + r] = full.at(j + held + r, j + held);
      n = int(size);
      bands.push_back(std::move(band));
      rhs.emplace_back(size, 1.0);
    }
  }

  double ns_per_vertex(const Lapack& lapack, int vertices) {
    work_bands = bands, work_rhs = rhs;  // outside of the timing: dpbsv overwrites both
    const Timer timer;
    for (std::size_t s = 0; s < bands.size(); ++s)
      if (!lapack.solve(n, int(half_bandwidth), work_bands[s], work_rhs[s])) throw std::runtime_error("dpbsv failed");
    return timer.seconds() * 1e9 / double(bands.size()) / vertices;
  }
};

void against_lapack(const DerBenchOptions& options, Report& report) {
  set_thread_count(1);
  Curls curls = Curls::make(options.strands, options.vertices);
  const int steps = std::max(1, 200'000 / (options.strands * options.vertices));
  const std::optional<Lapack> lapack = Lapack::load();
  std::optional<LapackCase> systems;
  if (lapack) systems.emplace(curls);
  std::vector<double> ours, theirs, ratios;
  for (int round = 0; round < options.rounds; ++round) {
    ours.push_back(curls.ns_per_vertex(steps));
    if (!lapack) continue;
    theirs.push_back(systems->ns_per_vertex(*lapack, options.vertices));
    ratios.push_back(ours.back() / theirs.back());
  }
  const Statistics step = statistics(ours);
  report.values["strands"] = options.strands, report.values["vertices_per_strand"] = options.vertices;
  report.values["lanes"] = curls.strands.lanes();
  report.values["rounds"] = options.rounds;
  report.values["ns_per_vertex_step"] = step.median, report.values["ns_per_vertex_step_spread"] = step.spread;
  report.values["ns_per_vertex_step_best"] = best(ours);
  report.values["hash"] = hash_text(hash(curls.strands, curls.state));
  report.lines.push_back(fmt::format(
      "step                 {:8.1f} ns per vertex (+- {:.1f}), {} strands x {} vertices, {} lanes, {}", step.median,
      step.spread, options.strands, options.vertices, curls.strands.lanes(), active_isa_name()));
  if (!lapack) {
    report.lines.push_back("LAPACK: Debian's liblapack3 and libblas3 are not installed, so there is no ratio");
    return;
  }
  const Statistics reference = statistics(theirs), ratio = statistics(ratios);
  report.values["lapack"] = lapack->name();
  report.values["lapack_ns_per_vertex"] = reference.median,
  report.values["lapack_ns_per_vertex_spread"] = reference.spread;
  report.values["ratio_to_lapack"] = ratio.median, report.values["ratio_to_lapack_spread"] = ratio.spread;
  report.bars.push_back({"ratio_to_lapack", ratio.median, active_isa() == Isa::avx512 ? 0.2 : 0.35, true});
  report.lines.push_back(fmt::format("dpbsv alone          {:8.1f} ns per vertex (+- {:.1f}), {}", reference.median,
                                     reference.spread, lapack->name()));
  report.lines.push_back(fmt::format("ratio                {:8.3f}", ratio.median));
}

void anisotropic(const DerBenchOptions& options, Report& report) {
  set_thread_count(1);
  Curls round = Curls::make(options.strands, options.vertices),
        flat = Curls::make(options.strands, options.vertices, 0.5);
  const int steps = std::max(1, 200'000 / (options.strands * options.vertices));
  std::vector<double> factors;
  for (int i = 0; i < options.rounds; ++i) {
    const double plain = round.ns_per_vertex(steps);
    factors.push_back(flat.ns_per_vertex(steps) / plain);
  }
  const double factor = statistics(factors).median;
  report.values["anisotropic_factor"] = factor;
  report.bars.push_back({"anisotropic_factor", factor, 2.0, true});
  report.lines.push_back(fmt::format("elliptic sections    {:8.2f} times the round step", factor));
}

// Of the times with one thread and with two the least disturbed count: a neighbour on either core halves the gain.
void over_threads(const DerBenchOptions& options, Report& report) {
  Curls curls = Curls::make(options.strands, options.vertices);
  const int steps = std::max(1, 1'000'000 / (options.strands * options.vertices));
  std::vector<double> one, two;
  for (int round = 0; round < 4 * options.rounds; ++round) {
    set_thread_count(1);
    one.push_back(curls.ns_per_vertex(steps));
    set_thread_count(2);
    two.push_back(curls.ns_per_vertex(steps));
  }
  set_thread_count(1);
  const double speedup = best(one) / best(two);
  report.values["speedup_two_threads"] = speedup;
  report.values["speedup_two_threads_of_medians"] = statistics(one).median / statistics(two).median;
  report.bars.push_back({"speedup_two_threads", speedup, 1.8, false});
  report.lines.push_back(fmt::format("two threads          {:8.2f} times as fast as one", speedup));
}

struct SizeCase {
  int strands, vertices;
  std::optional<Curls> curls;
  double bytes_per_vertex = 0.0;
  std::vector<double> samples;

  void make() {
    const std::size_t before = resident_bytes();
    curls = Curls::make(strands, vertices);
    bytes_per_vertex = double(resident_bytes() - before) / double(curls->strands.vertex_count());
  }
  void measure() { samples.push_back(curls->ns_per_vertex(std::max(1, 200'000 / (strands * vertices)))); }
  double per_unknown() const { return best(samples) * vertices / (4.0 * vertices - 8.0); }
};

// All sizes are visited in turn, so that a disturbance of the machine does not fall on one of them; the least disturbed
// visit of each counts.
void over_sizes(const DerBenchOptions& options, Report& report) {
  set_thread_count(1);
  std::vector<SizeCase> cases;
  for (const auto& [strands, vertices] :
       {std::pair{100, 100}, {1024, 100}, {4096, 100}, {20000, 100}, {1024, 16}, {1024, 32}, {1024, 400}, {1024, 1000}})
    cases.push_back({strands, vertices, {}, 0.0, {}});
  for (SizeCase& size : cases) size.make();
  for (int round = 0; round < 2 * options.rounds; ++round)
    for (SizeCase& size : cases) size.measure();

  double least = 1e300, most = 0.0;
  report.values["sizes"] = nlohmann::json::array();
  for (const SizeCase& size : cases) {
    const double per_unknown = size.per_unknown();
    least = std::min(least, per_unknown), most = std::max(most, per_unknown);
    report.values["sizes"].push_back({{"strands", size.strands},
                                      {"vertices_per_strand", size.vertices},
                                      {"ns_per_vertex_step", best(size.samples)},
                                      {"ns_per_vertex_step_median", statistics(size.samples).median},
                                      {"ns_per_free_unknown", per_unknown}});
    report.lines.push_back(fmt::format("{:6} x {:4}        {:8.1f} ns per vertex, {:.1f} per free unknown",
                                       size.strands, size.vertices, best(size.samples), per_unknown));
  }
  report.values["size_factor"] = most / least;
  report.bars.push_back({"size_factor", most / least, 1.5, true});
  report.lines.push_back(fmt::format("cost per free unknown varies by a factor {:.2f}", most / least));
  const double bytes = std::max_element(cases.begin(), cases.end(), [](const SizeCase& a, const SizeCase& b) {
                         return a.strands * a.vertices < b.strands * b.vertices;
                       })->bytes_per_vertex;
  report.values["bytes_per_vertex"] = bytes;
  report.bars.push_back({"bytes_per_vertex", bytes, 3000.0, true});
  report.lines.push_back(fmt::format("memory               {:8.0f} bytes per vertex in all", bytes));
}

}  // namespace

Report bench_der(const DerBenchOptions& options) {
  Report report;
  report.values = environment();
  report.values["benchmark"] = "der";
  against_lapack(options, report);
  anisotropic(options, report);
  if (options.threads) over_threads(options, report);
  if (options.sizes) over_sizes(options, report);
  return report;
}

}  // namespace tendril::bench
