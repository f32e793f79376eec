#include "der_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>

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
  report.values["ns_per_vertex_step_best"] = *std::min_element(ours.begin(), ours.end());
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

void over_threads(const DerBenchOptions& options, Report& report) {
  Curls curls = Curls::make(options.strands, options.vertices);
  const int steps = std::max(1, 400'000 / (options.strands * options.vertices));
  std::vector<double> speedups;
  for (int round = 0; round < options.rounds; ++round) {
    set_thread_count(1);
    const double one = curls.ns_per_vertex(steps);
    set_thread_count(2);
    speedups.push_back(one / curls.ns_per_vertex(steps));
  }
  set_thread_count(1);
  const double speedup = statistics(speedups).median;
  report.values["speedup_two_threads"] = speedup;
  report.bars.push_back({"speedup_two_threads", speedup, 1.8, false});
  report.lines.push_back(fmt::format("two threads          {:8.2f} times as fast as one", speedup));
}

void over_sizes(Report& report) {
  set_thread_count(1);
  struct Size {
    int strands, vertices;
  };
  double least = 1e300, most = 0.0;
  report.values["sizes"] = nlohmann::json::array();
  for (const Size size : {Size{100, 100}, Size{1024, 100}, Size{4096, 100}, Size{20000, 100}, Size{1024, 16},
                          Size{1024, 32}, Size{1024, 400}, Size{1024, 1000}}) {
    const std::size_t before = resident_bytes();
    Curls curls = Curls::make(size.strands, size.vertices);
    std::vector<double> samples;
    const int steps = std::max(1, 200'000 / (size.strands * size.vertices));
    for (int i = 0; i < 5; ++i) samples.push_back(curls.ns_per_vertex(steps));
    const double per_vertex = statistics(samples).median;
    const double per_unknown = per_vertex * size.vertices / (4.0 * size.vertices - 8.0);
    least = std::min(least, per_unknown), most = std::max(most, per_unknown);
    report.values["sizes"].push_back({{"strands", size.strands},
                                      {"vertices_per_strand", size.vertices},
                                      {"ns_per_vertex_step", per_vertex},
                                      {"ns_per_free_unknown", per_unknown}});
    report.lines.push_back(fmt::format("{:6} x {:4}        {:8.1f} ns per vertex, {:.1f} per free unknown",
                                       size.strands, size.vertices, per_vertex, per_unknown));
    if (size.strands == 20000) {
      const double bytes = double(resident_bytes() - before) / double(curls.strands.vertex_count());
      report.values["bytes_per_vertex"] = bytes;
      report.bars.push_back({"bytes_per_vertex", bytes, 3000.0, true});
      report.lines.push_back(fmt::format("memory               {:8.0f} bytes per vertex in all", bytes));
    }
  }
  report.values["size_factor"] = most / least;
  report.bars.push_back({"size_factor", most / least, 1.5, true});
  report.lines.push_back(fmt::format("cost per free unknown varies by a factor {:.2f}", most / least));
}

}  // namespace

Report bench_der(const DerBenchOptions& options) {
  Report report;
  report.values = environment();
  report.values["benchmark"] = "der";
  against_lapack(options, report);
  anisotropic(options, report);
  if (options.threads) over_threads(options, report);
  if (options.sizes) over_sizes(report);
  return report;
}

}  // namespace tendril::bench
