// Gauss-Seidel on the contacts that are above the tolerance, and on no others (docs/theory/contact.md, "The last few").
//
// After some iterations on all contacts what is left of the error is at a few places far from each other. A sweep
// visits those alone, and then measures the contacts on the strands that it has moved: what it has pushed above the
// tolerance is visited by the next one. One visit costs a millionth of an iteration's memory.
#pragma once

#include <algorithm>
#include <vector>

#include "tendril/contact/node_response.hpp"
#include "tendril/contact/node_sweeps.hpp"

namespace tendril::contact {

class SpotSweeps {
 public:
  SpotSweeps(const NodeSpace& space, const Options& options, double speed);

  // From r and the response to it on, until no contact is above the tolerance or those that are do not get fewer.
  void run(NodeResponse& response, Impulses& r);
  // Visits so far, over the number of contacts.
  double sweeps() const { return double(visits_) / double(std::max<std::size_t>(1, space_.size())); }
  std::size_t visits() const { return visits_; }
  const OtherImpulses& others() const { return engine_.others(); }

 private:
  void list_contacts_of_blocks();
  void list_above(std::span<const double> errors);
  void visit_above(Impulses& r);
  void measure_touched(const Impulses& r);

  const NodeSpace& space_;
  const double limit_;  // [m/s]
  NodeSweeps engine_;
  std::vector<std::uint32_t> first_of_block_, on_block_;  // contacts of each block
  std::vector<std::uint32_t> place_;                      // of each contact in the engine, once it has been visited
  std::vector<double> errors_;                            // [m/s], of each
  std::vector<std::uint32_t> above_, touched_;
  std::vector<char> is_moved_, is_touched_, has_moved_;  // has_moved_: in any sweep
  std::vector<std::uint32_t> moved_;
  std::size_t visits_ = 0;
};

}  // namespace tendril::contact
