// Gauss-Seidel over contacts: each by Coulomb's law exactly, with the impulses of all others as they stand.
#pragma once

#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/solver.hpp"
#include "tendril/contact/velocity_space.hpp"

namespace tendril::contact {

// `speed`: what errors are relative to [m/s]. r: the start, then the best impulses that were met.
template <class System>
Report gauss_seidel(System& system, const Options& options, double speed, Impulses& r);

extern template Report gauss_seidel(ExplicitDelassus&, const Options&, double, Impulses&);
extern template Report gauss_seidel(VelocitySpace&, const Options&, double, Impulses&);

}  // namespace tendril::contact
