#include "tendril/sim/models/superhelix_model.hpp"

#include "tendril/base/parallel.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/implicit/newton.hpp"
#include "tendril/rods/superhelix/balance.hpp"
#include "tendril/rods/superhelix/forces.hpp"
#include "tendril/rods/superhelix/one_step.hpp"
#include "tendril/rods/superhelix/static_potential.hpp"
#include "tendril/sim/models/own_numbers.hpp"
#include "tendril/sim/models/plain_report.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

void pack(const superhelix::State& state, std::vector<double>& own) {
  NumberWriter out(own);
  out.numbers(state.q), out.numbers(state.rate);
  for (std::size_t s = 0; s < state.root.size(); ++s) {
    out.quaternion(state.root[s].rotation), out.vector(state.root[s].translation);
    out.vector(state.root_velocity[s]), out.vector(state.root_spin[s]);
  }
}

void unpack(const superhelix::Strands& strands, std::span<const double> own, superhelix::State& state) {
  const std::size_t n = strands.size() * strands.unknowns();
  NumberReader in(own);
  in.numbers(n, state.q), in.numbers(n, state.rate);
  state.root.resize(strands.size()), state.root_velocity.resize(strands.size()), state.root_spin.resize(strands.size());
  for (std::size_t s = 0; s < strands.size(); ++s) {
    state.root[s].rotation = in.quaternion(), state.root[s].translation = in.vector();
    state.root_velocity[s] = in.vector(), state.root_spin[s] = in.vector();
  }
}

// Memory for what is shown.
struct Shown {
  std::vector<Vector3d> positions, velocities, directors;

  void show(const superhelix::Strands& helices, const superhelix::State& state, const der::Strands& strands,
            PartState& out) {
    for (auto* values : {&positions, &velocities, &directors}) values->resize(helices.vertex_count());
    superhelix::gather_positions(helices, state, positions);
    superhelix::gather_velocities(helices, state, velocities);
    superhelix::gather_directors(helices, state, directors);
    der::show(strands, positions, velocities, directors, out);
    pack(state, out.own);
  }
};

class SuperhelixStep final : public ModelStepOf<superhelix::OneStep> {
 public:
  explicit SuperhelixStep(const superhelix::Strands& strands) : helices_(strands) {}

  der::StepReport linearise(const StepInputs& in, const PartState& state) override {
    strands_ = &in.strands, shape_ = &state;
    options_.dt = in.options.dt, options_.gravity = in.options.gravity;
    options_.expected_contact = in.contact_before;
    unpack(helices_, state.own, state_);
    helices_.drive(in.roots, targets_);
    system_.emplace(helices_, targets_, options_, state_, work_);
    return {};
  }
  void set_end_positions(std::size_t block, std::span<const double> velocity, std::span<Vector3d> out) const override {
    system_->end_positions(block, velocity, out);
  }
  der::StepReport advance(PartState& trial) override {
    const der::StepReport report = in_terms_of_rods(system_->advance(trial_));
    trial.current = shape_->current;  // what no super-helix has stays as it is
    shown_.show(helices_, trial_, *strands_, trial);
    return report;
  }

 private:
  const superhelix::Strands& helices_;
  const der::Strands* strands_ = nullptr;
  const PartState* shape_ = nullptr;
  superhelix::StepOptions options_;
  superhelix::Workspace work_;
  superhelix::State state_, trial_;
  std::vector<Pose> targets_;
  Shown shown_;
};

}  // namespace

std::unique_ptr<StrandModel> SuperhelixModel::clone() const { return std::make_unique<SuperhelixModel>(*this); }

std::unique_ptr<ModelStep> SuperhelixModel::make_step() const { return std::make_unique<SuperhelixStep>(strands_); }

void SuperhelixModel::start(const der::Strands& strands, PartState& state) const {
  Shown().show(strands_, strands_.start(), strands, state);
}

der::Energies SuperhelixModel::energies(const der::Strands&, const Vector3d& gravity, const PartState& state) const {
  superhelix::State helices;
  unpack(strands_, state.own, helices);
  return superhelix::total_energies(strands_, gravity, helices);
}

Result<sagfree::Outcome> SuperhelixModel::make_sag_free(const sagfree::Options& options, der::Strands& strands) {
  const Timer timer;
  sagfree::Outcome outcome;
  outcome.stiffness_factor.resize(strands.vertex_count());
  for (const superhelix::Balance& found : superhelix::balance(strands_.start(), options.gravity, strands_)) {
    const std::size_t s = outcome.strands.size();
    sagfree::StrandOutcome& strand = outcome.strands.emplace_back();
    strand.status = found.after > options.tolerance ? sagfree::StrandStatus::stopped
                    : found.stable                  ? sagfree::StrandStatus::balanced
                                                    : sagfree::StrandStatus::unstable;
    strand.imbalance_before = found.before, strand.imbalance = found.after;
    strand.stiffness_factor = found.stiffness_factor, strand.negative_modes = found.stable ? 0 : 1;
    std::fill_n(outcome.stiffness_factor.begin() + std::ptrdiff_t(strands.offset(s)), strands.vertices(s),
                found.stiffness_factor);
  }
  outcome.seconds = timer.seconds();
  return outcome;
}

std::vector<StaticStrand> SuperhelixModel::settle(const StepInputs& in, PartState& state) const {
  superhelix::State helices;
  unpack(strands_, state.own, helices);
  strands_.drive(in.roots, helices.root);
  std::ranges::fill(helices.rate, 0.0);
  std::ranges::fill(helices.root_velocity, Vector3d::Zero()), std::ranges::fill(helices.root_spin, Vector3d::Zero());
  NewtonOptions options;
  options.max_iterations = 200, options.gradient_tolerance = std::min(1e-10, in.options.tolerance);
  std::vector<StaticStrand> out(strands_.size());
  parallel_for(out.size(), [&](std::size_t s) {
    superhelix::StaticPotential potential(strands_, helices, s, in.options.gravity);
    NewtonWorkspace work;
    Eigen::VectorXd q = potential.unknowns();
    const double scale = potential.force_scale();
    const auto residual = [&](const Eigen::VectorXd& g) {
      return g.lpNorm<Eigen::Infinity>() / (scale > 0.0 ? scale : 1.0);
    };
    const SolveReport report = newton(potential, options, residual, work, q);
    const bool stable = Eigen::LLT<Eigen::MatrixXd>(potential.hessian(q)).info() == Eigen::Success;
    out[s] = {report.status == SolveStatus::converged, stable, report.residual, report.iterations};
    std::copy(q.begin(), q.end(), helices.q.begin() + std::ptrdiff_t(s * strands_.unknowns()));
  });
  Shown().show(strands_, helices, in.strands, state);
  return out;
}

}  // namespace tendril
