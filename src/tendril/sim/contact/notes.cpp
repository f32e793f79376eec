#include "tendril/sim/contact/notes.hpp"

#include <fmt/format.h>

namespace tendril {

std::vector<std::string> contact_notes(const ContactTotals& totals, contact::Solver solver) {
  std::vector<std::string> notes;
  if (totals.replaced_solves > 0)
    notes.push_back(
        fmt::format("contact: {} of {} problems are none for the solver '{}', and were solved by 'auto' in its place",
                    totals.replaced_solves, totals.rounds, contact::name(solver)));
  if (totals.jammed > 0)
    notes.push_back(fmt::format("contact: in {} steps something was jammed, so that no impulse could keep it apart{}",
                                totals.jammed_steps, totals.jam ? "; the worst: " + totals.jam->place : ""));
  return notes;
}

}  // namespace tendril
