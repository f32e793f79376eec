#include "tendril/contact/gauss_seidel.hpp"

#include "tendril/contact/iteration.hpp"
#include "tendril/contact/node_sweeps.hpp"
#include "tendril/contact/stored_engines.hpp"

namespace tendril::contact {
namespace {

constexpr int usual_sweeps = 300;
constexpr int early_sweeps = 5, sweeps_between_measures = 10;  // early on every sweep is measured
// The error goes up and down on its way: who has swept for long looks back farther.
constexpr int first_look_back = 4000;
constexpr double stall_share = 0.95;  // of the error that is left after twice the sweeps

template <class Engine>
Report sweep(Engine& engine, const Options& options, double speed, Impulses& r) {
  Progress progress(Solver::gauss_seidel, options, speed);
  const int most = options.max_sweeps > 0 ? options.max_sweeps : usual_sweeps;
  int look_back = first_look_back;
  engine.start(r);
  for (int& sweeps = progress.report.sweeps;; ++sweeps) {
    if (sweeps < early_sweeps || sweeps % sweeps_between_measures == 0 || sweeps >= most) {
      if (progress.note(engine.error())) engine.keep_best();
      if (progress.ends(most)) break;
    }
    if (sweeps == look_back) {
      if (progress.stalls(stall_share)) break;
      look_back *= 2;
    }
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
