// What a run says of its contacts in words, a sentence each: what a user should know without asking for numbers.
#pragma once

#include <string>
#include <vector>

#include "tendril/contact/report.hpp"
#include "tendril/sim/contact/totals.hpp"

namespace tendril {

// `solver`: the one that was asked for.
std::vector<std::string> contact_notes(const ContactTotals& totals, contact::Solver solver);

}  // namespace tendril
