#include "tendril/rods/der/stepper.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/base/flush_denormals.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/rods/der/group_step.hpp"

namespace tendril::der {
namespace {

// For the largest group, whichever thread it will fall to.
void reserve(std::size_t values, GroupScratch& s) {
  s.slots.reserve(values * SlotLayout::components), s.parameters.reserve(values * ParameterLayout::components);
  for (Stream* stream : {&s.iterate, &s.trial}) stream->reserve(values * StateLayout::components);
  s.strains.reserve(values * MeasureLayout::components), s.drag.reserve(values * 6);
  for (Stream* stream : {&s.increment, &s.target_velocity, &s.residual, &s.loads}) stream->reserve(values * 4);
  for (Stream* stream : {&s.tension, &s.next_tension}) stream->reserve(values);
}

}  // namespace

void prepare(const Strands& strands, StepWorkspace& work) {
  work.threads.resize(std::size_t(thread_count()));
  int longest = 0;
  for (const Strands::Group& group : strands.groups()) longest = std::max(longest, group.vertices);
  for (GroupScratch& scratch : work.threads) reserve(std::size_t(longest) * std::size_t(strands.lanes()), scratch);
  work.groups.assign(strands.groups().size(), StepReport{});
}

StepReport summary(std::span<const StepReport> groups) {
  StepReport total;
  for (const StepReport& r : groups) {
    if (r.troubled > 0 && (total.troubled == 0 || r.strand < total.strand))
      total.strand = r.strand, total.trouble = r.trouble;
    total.troubled += r.troubled;
    total.outcome = std::max(total.outcome, r.outcome);
    total.iterations = std::max(total.iterations, r.iterations);
    total.clamped_pivots += r.clamped_pivots;
    total.residual = std::max(total.residual, r.residual);
  }
  return total;
}

const char* text(Trouble trouble) {
  switch (trouble) {
    case Trouble::none: return "all is well";
    case Trouble::not_finite: return "a position or velocity is not a finite number";
    case Trouble::tangent_flip: return "an edge turned by more than 154 degrees in one step";
    case Trouble::fold_back: return "two edges folded onto each other";
    case Trouble::not_converged: return "the residual stayed above the tolerance";
  }
  return "";
}

StepReport step(const Strands& strands, const Targets& targets, const StepOptions& options, const State& state,
                StepWorkspace& work, State& trial) {
  prepare(strands, work);
  trial.current.shape_like(state.current);
  parallel_for(strands.groups().size(), [&](std::size_t g) {
    const FlushDenormals flush;
    GroupStep group(strands, targets, options, state, g, work.threads[std::size_t(worker_index())]);
    work.groups[g] = group.run(trial.current[g]);
  });
  return summary(work.groups);
}

StepReport advance(const Strands& strands, const Targets& targets, const StepOptions& options, const State& state,
                   const State* iterate, const GroupStreams& increments, StepWorkspace& work, State& trial) {
  prepare(strands, work);
  trial.current.shape_like(state.current);
  parallel_for(strands.groups().size(), [&](std::size_t g) {
    const FlushDenormals flush;
    GroupStep group(strands, targets, options, state, g, work.threads[std::size_t(worker_index())]);
    work.groups[g] = iterate == nullptr ? group.advance_by(increments[g], trial.current[g])
                                        : group.advance_from(iterate->current[g], increments[g], trial.current[g]);
  });
  return summary(work.groups);
}

namespace {

double measure_residual(const Strands& strands, const Targets& targets, const StepOptions& options, const State& before,
                        const State& after, StepWorkspace& work, GroupStreams* forces) {
  prepare(strands, work);
  if (forces != nullptr && forces->empty())
    for (const Strands::Group& group : strands.groups())
      forces->append(std::size_t(group.vertices) * 4 * std::size_t(strands.lanes()), 0.0);
  parallel_for(strands.groups().size(), [&](std::size_t g) {
    const FlushDenormals flush;
    GroupScratch& scratch = work.threads[std::size_t(worker_index())];
    GroupStep group(strands, targets, options, before, g, scratch);
    if (!targets.contact.empty()) group.add_loads(targets.contact[g]);
    work.groups[g].residual = group.residual_of(after.current[g]);
    work.groups[g].outcome = group.is_balanced() ? Outcome::converged : Outcome::usable;
    if (forces != nullptr) std::copy_n(scratch.residual.begin(), (*forces)[g].size(), (*forces)[g].begin());
  });
  double largest = 0.0;
  for (const StepReport& r : work.groups) largest = std::max(largest, r.residual);
  return largest;
}

}  // namespace

double force_residual(const Strands& strands, const Targets& targets, const StepOptions& options, const State& before,
                      const State& after, StepWorkspace& work) {
  return measure_residual(strands, targets, options, before, after, work, nullptr);
}

double force_residual(const Strands& strands, const Targets& targets, const StepOptions& options, const State& before,
                      const State& after, StepWorkspace& work, GroupStreams& forces) {
  return measure_residual(strands, targets, options, before, after, work, &forces);
}

Energies total_energies(const Strands& strands, const Targets& targets, const Eigen::Vector3d& gravity,
                        const State& state) {
  const auto w = std::size_t(strands.lanes());
  std::vector<double> rows(strands.groups().size() * EnergyReport::rows * w);
  parallel_for(strands.groups().size(), [&](std::size_t g) {
    StepTerms terms;
    for (int c = 0; c < 3; ++c) terms.gravity[c] = gravity[c];
    const Stream& loads = strands.groups()[g].loads;
    terms.loads = loads.empty() ? nullptr : loads.data();
    strands.kernels().energy(strands.view(g, targets), terms, state.current[g].data(), nullptr,
                             &rows[g * EnergyReport::rows * w]);
  });
  Energies total;
  for (std::size_t s = 0; s < strands.size(); ++s) {
    const Strands::Place place = strands.place(s);
    const double* at = &rows[place.group * EnergyReport::rows * w + std::size_t(place.lane)];
    total.stretch += at[EnergyReport::stretch * w];
    total.bend += at[EnergyReport::bend * w];
    total.twist += at[EnergyReport::twist * w];
    total.kinetic += at[EnergyReport::inertia * w];
    total.external += at[EnergyReport::external * w];
  }
  return total;
}

double largest_stretch(const Strands& strands, const Targets& targets, const State& state) {
  double largest = 0.0;
  Stream strains;
  const auto w = std::size_t(strands.lanes());
  for (std::size_t g = 0; g < strands.groups().size(); ++g) {
    const Strands::Group& group = strands.groups()[g];
    strains.resize(std::size_t(group.vertices) * MeasureLayout::components * w);
    strands.kernels().measure(strands.view(g, targets), state.current[g].data(), strains.data());
    for (std::size_t lane = 0; lane < std::size_t(group.owned); ++lane)
      for (std::size_t k = std::size_t(group.first[lane]);
           k + 1 < std::size_t(group.first[lane]) + strands.vertices(group.strands[lane]); ++k) {
        const double* parameters = &strands.parameters(g)[k * ParameterLayout::components * w + lane];
        const double length = strains[k * MeasureLayout::components * w + lane];
        const double strain = (length - parameters[ParameterLayout::reference_length * w]) *
                                  parameters[ParameterLayout::inverse_rest_length * w] +
                              parameters[ParameterLayout::rest_strain * w];
        largest = std::max(largest, std::abs(strain));
      }
  }
  return largest;
}

}  // namespace tendril::der
