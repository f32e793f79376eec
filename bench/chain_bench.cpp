#include "bench/chain_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "bench/chain_crowd.hpp"
#include "bench/chain_scene.hpp"
#include "tendril/base/cpu_seconds.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/rods/chain/rival_kernels.hpp"

namespace tendril::bench {
namespace {

using chain::BlockMethod;
using chain::BlockView;
using chain::Rival;

constexpr double tolerance = 1e-6, single_tolerance = 1e-5;
constexpr double step = 1.0 / 240.0, frame = 1.0 / 60.0;  // [s]

// What one method takes on all predictions that were looked at.
struct Measured {
  std::string name;
  double seconds = 0.0, iterations = 0.0, violation = 0.0;
  std::size_t chains = 0, points = 0, failed = 0;

  double nanoseconds() const { return 1e9 * seconds / double(points); }
  double mean_iterations() const { return iterations / double(chains); }
};

template <class T>
struct Entry {
  typename Crowd<T>::Project project;
  std::size_t bytes;
  Measured measured;
};

template <class T>
Entry<T> ours(std::string name, Isa isa, BlockMethod method, double tolerance_of, std::size_t points) {
  const chain::ProjectKernels& kernels = chain::project_kernels(isa);
  const chain::BlockOptions options{tolerance_of, 100, method};
  const auto project = [&kernels, options](const BlockView<T>& view, void* memory) {
    if constexpr (std::is_same_v<T, double>)
      kernels.project(view, options, memory);
    else
      kernels.project_single(view, options, memory);
  };
  return {project, kernels.bytes(points), {.name = std::move(name)}};
}

Entry<double> rival(std::string name, Rival method, std::size_t points) {
  const chain::RivalKernels& kernels = chain::rival_kernels(active_isa());
  const chain::RivalOptions options{tolerance, method == Rival::pbd ? 100'000 : 100, method};
  const auto project = [&kernels, options](const BlockView<double>& view, void* memory) {
    kernels.project(view, options, nullptr, memory);
  };
  return {project, kernels.bytes(points), {.name = std::move(name)}};
}

template <class T>
void measure(Crowd<T>& crowd, Entry<T>& entry) {
  const double before = cpu_seconds();
  crowd.project(entry.project, entry.bytes);
  Measured& m = entry.measured;
  m.seconds += cpu_seconds() - before;
  m.violation = std::max(m.violation, crowd.violation());
  m.chains += crowd.chains(), m.points += crowd.point_count();
  for (const CrowdBlock<T>& block : crowd.blocks())
    for (std::size_t lane = 0; lane < block.status.size(); ++lane) {
      m.iterations += block.iterations[lane];
      m.failed += block.status[lane] > chain::Status::round_off;
    }
}

// The crowd goes on by the first entry; every so many steps all of them project what was predicted.
template <class T>
void compare(Crowd<T>& crowd, std::vector<Entry<T>>& entries, int steps, int every) {
  for (int k = 0; k < steps; ++k) {
    crowd.predict(step);
    if (k % every == every - 1)
      for (std::size_t i = entries.size(); i-- > 1;) measure(crowd, entries[i]);
    if (k % every == every - 1)
      measure(crowd, entries[0]);
    else
      crowd.project(entries[0].project, entries[0].bytes);
    crowd.advance(step);
  }
}

void tell(const Measured& m, Report& report) {
  report.say(fmt::format("{:24} {:9.1f} ns per point, {:7.2f} iterations, lengths within {:.1e}{}", m.name,
                         m.nanoseconds(), m.mean_iterations(), m.violation,
                         m.failed > 0 ? fmt::format(", {} of {} not converged", m.failed, m.chains) : ""));
  report.values["methods"].push_back({{"name", m.name},
                                      {"nanoseconds_per_point", m.nanoseconds()},
                                      {"iterations_mean", m.mean_iterations()},
                                      {"violation_max", m.violation},
                                      {"not_converged", m.failed},
                                      {"chains", m.chains}});
}

// Points that are stepped as fast as they are shown, on so many threads.
double realtime_points(const ChainBenchOptions& options, int threads) {
  const chain::ProjectKernels& kernels = chain::project_kernels(active_isa());
  const int before = thread_count();
  set_thread_count(threads);
  Crowd<float> crowd(std::size_t(options.chains), std::size_t(options.points), kernels.single_lanes);
  const Entry<float> entry =
      ours<float>("", active_isa(), BlockMethod::hybrid, single_tolerance, crowd.padded_points());
  const int frames = options.quick ? 20 : 60;
  const Timer timer;
  for (int k = 0; k < frames; ++k)
    crowd.predict(frame), crowd.project(entry.project, entry.bytes), crowd.advance(frame);
  const double seconds = timer.seconds() / frames;
  set_thread_count(before);
  return double(crowd.point_count()) * frame / seconds;
}

// Steps of whole scenes: chains beside rods that stretch, which take turns, and points in real time.
void measure_scenes(const ChainBenchOptions& options, Report& report) {
  constexpr int rounds = 5, rate = 240;
  const int steps = options.quick ? 40 : 12;
  HairScene chain("chain", options.chains, options.points, rate), der("der", options.chains, options.points, rate);
  const auto nanoseconds = [&](HairScene& scene) {
    const double before = cpu_seconds();
    scene.step(steps);
    return 1e9 * (cpu_seconds() - before) / double(steps) / double(scene.points());
  };
  chain.step(1), der.step(1);
  std::vector<double> own, others, ratios;
  for (int round = 0; round < rounds; ++round) {
    own.push_back(nanoseconds(chain)), others.push_back(nanoseconds(der));
    ratios.push_back(own.back() / others.back());
  }
  const double model = statistics(own).median, rods = statistics(others).median, ratio = statistics(ratios).median;
  report.say(fmt::format("as a model in a scene    {:9.1f} ns per point and step, der {:.1f}; lengths within {:.1e}",
                         model, rods, chain.stretch()));
  report.values["model_ns"] = model, report.values["der_ns"] = rods, report.values["model_over_der"] = ratio;
  report.bars.push_back({"model_over_der", ratio, 1.0, true});
}

// Points of a scene that are stepped as fast as they are shown, on two threads.
double scene_realtime_points(const ChainBenchOptions& options) {
  constexpr int rate = 60;
  const int before = thread_count(), frames = options.quick ? 60 : 30;
  set_thread_count(2);
  HairScene scene("chain", options.chains, options.points, rate);
  scene.step(1);
  const Timer timer;
  scene.step(frames);
  const double seconds = timer.seconds() / frames;
  set_thread_count(before);
  return double(scene.points()) * frame / seconds;
}

}  // namespace

Report bench_chain(const ChainBenchOptions& given) {
  ChainBenchOptions options = given;
  if (options.quick) options.chains = std::max(100, options.chains / 10);
  Report report;
  report.listener = options.listener;
  report.values = environment();
  report.values["benchmark"] = "chain", report.values["methods"] = nlohmann::json::array();
  const int threads_before = thread_count();
  set_thread_count(1);
  const auto chains = std::size_t(options.chains), points = std::size_t(options.points);
  const std::size_t padded = points + 1;
  const int steps = options.quick ? 120 : 240, every = 12;
  report.say(fmt::format("{} chains of {} points, roots shaken by 0.1 m at 2 Hz, steps of 1/240 s, one thread, {}",
                         chains, points, active_isa_name()));

  Crowd<double> crowd(chains, points, chain::project_kernels(active_isa()).lanes);
  std::vector<Entry<double>> entries;
  entries.push_back(ours<double>("hybrid", active_isa(), BlockMethod::hybrid, tolerance, padded));
  entries.push_back(ours<double>("two-stage", active_isa(), BlockMethod::two_stage, tolerance, padded));
  entries.push_back(ours<double>("newton", active_isa(), BlockMethod::newton, tolerance, padded));
  entries.push_back(rival("kkt (banded)", Rival::banded, padded));
  entries.push_back(rival("fast projection", Rival::fast, padded));
  entries.push_back(rival("pbd", Rival::pbd, padded));
  compare(crowd, entries, steps, every);
  for (const Entry<double>& entry : entries) tell(entry.measured, report);

  Crowd<float> singles(chains, points, chain::project_kernels(active_isa()).single_lanes);
  std::vector<Entry<float>> single;
  single.push_back(ours<float>("hybrid, single", active_isa(), BlockMethod::hybrid, single_tolerance, padded));
  compare(singles, single, steps, every);
  tell(single[0].measured, report);

  Crowd<double> plain(chains, points, 1);
  std::vector<Entry<double>> scalar;
  scalar.push_back(ours<double>("hybrid, no lanes", Isa::reference, BlockMethod::hybrid, tolerance, padded));
  compare(plain, scalar, steps, every);
  tell(scalar[0].measured, report);

  Crowd<float> plain_singles(chains, points, 1);
  std::vector<Entry<float>> scalar_single;
  scalar_single.push_back(
      ours<float>("hybrid, single, no lanes", Isa::reference, BlockMethod::hybrid, single_tolerance, padded));
  compare(plain_singles, scalar_single, steps, every);
  tell(scalar_single[0].measured, report);
  measure_scenes(options, report);
  set_thread_count(threads_before);

  const auto ratio = [](const Measured& slow, const Measured& quick) {
    return slow.nanoseconds() / quick.nanoseconds();
  };
  const Measured& own = entries[0].measured;
  const double over_fast = ratio(own, entries[4].measured), over_pbd = ratio(entries[5].measured, own);
  const double double_lanes = ratio(scalar[0].measured, own),
               single_lanes = ratio(scalar_single[0].measured, single[0].measured);
  const double points_now = realtime_points(options, 2);
  const double scene_points = scene_realtime_points(options);
  report.say(fmt::format("such a scene in real time, 60 steps a second on two threads: {:.3g} points", scene_points));
  report.values["scene_realtime_points"] = scene_points;
  report.values["pbd_over_hybrid"] = over_pbd, report.values["hybrid_over_fast"] = over_fast;
  report.values["realtime_points"] = points_now;
  report.values["lanes_over_scalar_single"] = single_lanes, report.values["lanes_over_scalar_double"] = double_lanes;
  report.bars.insert(report.bars.end(), {{"pbd_over_hybrid", over_pbd, 10.0, false},
                                         {"hybrid_over_fast", over_fast, 3.0, true},
                                         {"lanes_over_scalar_single", single_lanes, 3.0, false},
                                         {"lanes_over_scalar_double", double_lanes, 2.0, false},
                                         {"realtime_points", points_now, 400'000.0, false}});
  return report;
}

}  // namespace tendril::bench
