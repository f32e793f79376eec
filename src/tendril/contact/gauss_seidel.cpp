#include "tendril/contact/gauss_seidel.hpp"

#include "tendril/contact/iteration.hpp"
#include "tendril/contact/node_sweeps.hpp"
#include "tendril/contact/stored_engines.hpp"

namespace tendril::contact {
namespace {

constexpr int usual_sweeps = 300;
constexpr int early_sweeps = 5, sweeps_between_measures = 10;  // early on every sweep is measured
constexpr int stall_sweeps = 300;                              // the error goes up and down on its way
constexpr double stall_share = 0.95;

template <class Engine>
Report sweep(Engine& engine, const Options& options, double speed, Impulses& r) {
  Progress progress(Solver::gauss_seidel, options, speed);
  const int most = options.max_sweeps > 0 ? options.max_sweeps : usual_sweeps;
  engine.start(r);
  for (int& sweeps = progress.report.sweeps;; ++sweeps) {
    if (sweeps < early_sweeps || sweeps % sweeps_between_measures == 0 || sweeps >= most) {
      if (progress.note(engine.error())) engine.keep_best();
      if (progress.ends(most)) break;
    }
    if (sweeps % stall_sweeps == 0 && progress.stalls(stall_share)) break;
    progress.report.local_solves += engine.sweep();
  }
  r = engine.best();
  progress.report.rescued = engine.others().rescued, progress.report.unsolved = engine.others().unsolved;
  return progress.report;
}

}  // namespace

Report gauss_seidel(const NodeSpace& space, const Options& options, double speed, Impulses& r) {
  NodeSweeps engine(space, options, speed);
  return sweep(engine, options, speed, r);
}

Report gauss_seidel(const ExplicitDelassus& system, const Options& options, double speed, Impulses& r) {
  StoredSweeps engine(system, options, speed);
  return sweep(engine, options, speed, r);
}

}  // namespace tendril::contact
