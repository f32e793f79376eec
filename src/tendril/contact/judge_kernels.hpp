// Velocities, pushes and errors of contacts that lie anywhere in memory, in lanes: what measure.hpp runs on. Plain
// types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tendril/contact/soft_push.hpp"
#include "tendril/linalg/isa.hpp"

namespace tendril::contact {

// One contact without terms as NodeContact has it, with its impulse. Behind the frame and the drift one number more is
// read, whatever it is.
struct JudgedContact {
  const double *frame, *drift;  // E by columns, w
  const double* weight;
  const std::uint32_t* node;
  const SoftPush* push;
  const double* r;
  double mu, rho;  // mu = -1: a joint
};

struct JudgeKernels {
  // u of each under velocities of the nodes, three numbers one after the other.
  void (*velocities)(const JudgedContact* contacts, std::size_t count, const double* v, double* u);
  // force += Hᵀ r, four numbers per node, one after the other.
  void (*push)(const JudgedContact* contacts, std::size_t count, double* force);
  // |f|_∞ / rho [m/s] of each.
  void (*errors)(const JudgedContact* contacts, std::size_t count, const double* v, double* errors);
};

const JudgeKernels& judge_kernels(Isa isa);

}  // namespace tendril::contact
