// The names of solvers, how they may end, and what they say of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace tendril::contact {

enum class Solver : std::uint8_t {
  automatic,     // "auto": accelerated gradients, Gauss-Seidel where these stall far off, then Newton
  gauss_seidel,  // "gs": contact after contact, each by Coulomb's law exactly; with contacts asleep that do not change
  apgd,          // accelerated projected gradients on the dual, with De Saxcé's correction
  newton,        // proximal semismooth Newton in the velocities
  newton_mfb,    // "newton-mfb": Newton on the Fischer-Burmeister function of all contacts, dense: for a few hundred
  newton_ac,     // "newton-ac": the same on Alart and Curnier's function
  newton_jm,     // "newton-jm": on its variant by Jean and Moreau
  path,          // follows a curve of solutions from a convex problem, round its folds
  admm,          // alternating directions with one factorisation
  active_set,    // "active-set": block pivoting, without friction only, dense
};
constexpr std::size_t solver_count = 10;

// How long `auto` tries where a problem resists a tolerance below 1e-4.
enum class Effort : std::uint8_t {
  limited,  // steps in time: one that ends above the tolerance costs less than minutes of waiting
  full,     // problems that are asked for by themselves: all that it knows, up to two minutes for a thousand contacts
};

enum class Outcome : std::uint8_t {
  converged,
  iteration_limit,
  stalled,       // the error no longer falls
  not_definite,  // the matrix of a block has no inverse
  not_finite,    // numbers overflowed
  unsuitable,    // the solver is not for such a problem: active-set with friction, dense ones with many contacts
};

std::string_view name(Solver solver);
std::string_view name(Outcome outcome);
std::optional<Effort> effort_named(std::string_view name);
std::span<const std::string_view> effort_names();
std::optional<Solver> solver_named(std::string_view name);
std::span<const std::string_view> solver_names();

struct Report {
  Outcome outcome = Outcome::iteration_limit;
  Solver solver = Solver::automatic;                       // the one that found the impulses
  double error = std::numeric_limits<double>::infinity();  // what nobody has measured is not small
  int sweeps = 0;  // or iterations, of all solvers that were tried; of several islands the most
  // The same by solver: the rungs of `auto`. Sweeps over the last few contacts count as apgd, by their share of all.
  std::array<int, solver_count> sweeps_by{};
  std::size_t islands = 0;  // parts of the problem that do not feel each other
  // How many islands, with how many contacts, each solver had a part in: under `auto` those beyond gradients had to
  // take over.
  std::array<std::size_t, solver_count> islands_by{}, contacts_by{};
  std::array<std::size_t, 3> states{};  // contacts that take off, stick and slide
  // Of gs, and of sweeps over the last few contacts under `auto`; by the fail-safe; and not even by it.
  std::size_t local_solves = 0, rescued = 0, unsolved = 0;
  std::size_t immovable = 0;  // contacts that no impulse moves: left out
  std::size_t jammed = 0;     // contacts that no impulse can keep apart: capped

  // That of an earlier problem, whose outcome and error do not count any more.
  void add_effort(const Report& earlier);
};

}  // namespace tendril::contact
