// Whether a list of pairs is made for more than one step (docs/theory/collide.md, Neighbours). It decides how long a
// list lasts, never what is found.
#pragma once

#include <algorithm>

namespace tendril::collide {

class Horizon {
 public:
  int age() const { return age_; }  // of the list: steps after the one that it was made in
  void count_step() { ++age_; }
  // At a new list. Where strands are too quick for any list to last, room for more steps only costs time: it is tried
  // again after some of them, each time after twice as many.
  bool looks_ahead() {
    if (was_ahead_ && age_ == 0) pause_ = 1 << std::min(failures_++, most_failures);
    if (age_ > 0) failures_ = 0;
    was_ahead_ = pause_ == 0;
    pause_ = std::max(0, pause_ - 1), age_ = 0;
    return was_ahead_;
  }

 private:
  static constexpr int most_failures = 6;

  int age_ = 0;
  bool was_ahead_ = false;
  int pause_ = 0, failures_ = 0;  // lists to go for one step each, and how often it has been of no use
};

}  // namespace tendril::collide
