#include "tendril/rods/chain/run.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/rods/chain/precision.hpp"

namespace tendril::chain {

std::string_view name(Status status) {
  switch (status) {
    case Status::ok: return "ok";
    case Status::round_off: return "round_off";
    case Status::not_converged: return "not_converged";
    case Status::stalled: return "stalled";
    case Status::taut: return "taut";
    case Status::overstretched: return "overstretched";
    case Status::too_long_link: return "too_long_link";
    case Status::rigid_mismatch: return "rigid_mismatch";
    case Status::bad_input: break;
  }
  return "bad_input";
}

std::string_view meaning(Status status) {
  switch (status) {
    case Status::ok:
    case Status::round_off: return "all is well";
    case Status::not_converged: return "iterations ended above the tolerance";
    case Status::stalled: return "no step led nearer to a solution";
    case Status::taut: return "held points are as far apart as the links between them allow, or as near";
    case Status::overstretched: return "held points are farther apart than the links between them are long";
    case Status::too_long_link: return "a link between held points is longer than all others there can reach";
    case Status::rigid_mismatch: return "a link between two held points has not its length";
    case Status::bad_input: break;
  }
  return "a position or velocity is not a finite number";
}

bool is_stationary(Status status, double residual, const Options& options) {
  return status <= Status::round_off && residual <= std::max(options.tolerance, Precision<double>::stationary);
}

int iteration_limit(const Options& options) {
  if (options.max_iterations > 0) return options.max_iterations;
  return options.method == Method::pbd || options.method == Method::xpbd ? 10000 : 1000;
}

Options options_of(const Chains& chains, std::uint32_t c, Options options) {
  if (!chains.tolerance.empty()) options.tolerance = chains.tolerance[c];
  return options;
}

void add(const Outcome& piece, Outcome& whole) {
  whole.status = std::max(whole.status, piece.status);
  whole.iterations = std::max(whole.iterations, piece.iterations);
  if (!std::isnan(whole.residual) && !(piece.residual <= whole.residual)) whole.residual = piece.residual;
  whole.certified &= piece.certified;
}

}  // namespace tendril::chain
