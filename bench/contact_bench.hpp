// How fast contact problems are solved, and how well: bundles of hair of three sizes, by sweeps, by gradients and by
// what `auto` makes of them, from rest and from the step before, on one thread and on two.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "report.hpp"

namespace tendril::bench {

enum class ContactPart : std::uint8_t {
  bundles,  // of three sizes, each solver alone and against others
  batches,  // hundreds of small ones, to a tight tolerance
  scenes,   // steps of whole scenes
};

struct ContactBenchOptions {
  int rounds = 3;      // the best counts
  bool quick = false;  // small bundles, and no tight tolerance on large ones; no batches; the small scene
  std::optional<ContactPart> only;
  std::function<void(const std::string&)> listener;  // of lines as they come: all of it takes long
};

Report bench_contact(const ContactBenchOptions& options);

}  // namespace tendril::bench
