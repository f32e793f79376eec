// Contact problems by the hundred: how many of them are solved to 1e-6, none tuned for.
#pragma once

#include "report.hpp"

namespace tendril::bench {

// 60 bundles of 200 to 2000 contacts; 306 bundles of 4 to 60 strands with usual friction, and 306 with much friction on
// strands that hardly stretch; 100 000 single contacts.
void add_contact_batches(Report& report);

}  // namespace tendril::bench
