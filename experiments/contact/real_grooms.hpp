// Whole heads of real hair in contact: grooms that start inside the head and inside each other, shaken.
#pragma once

#include "experiments/experiment.hpp"

namespace tendril::experiments::real_grooms_in_contact {

Findings sintel(const Context& context);
Findings ponytail(const Context& context);

}  // namespace tendril::experiments::real_grooms_in_contact
