#include "tendril/linalg/bcqp/run.hpp"

namespace tendril::bcqp {

void Trace::tell(const Problem& problem, int iteration, const Vector& x, double norm, double value) {
  if (!wanted()) return;
  const double now = timer_.seconds();
  caller_x_.resize(std::size_t(x.size()));
  if (in_box_)
    scaling_.to_caller(problem, x, caller_x_);
  else
    scaling_.to_caller_unbounded(x, caller_x_);
  observer_({iteration, now - observing_, norm * scaling_.gradient_unit, value * scaling_.objective_unit()}, caller_x_);
  observing_ += timer_.seconds() - now;
}

}  // namespace tendril::bcqp
