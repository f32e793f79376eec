#include "tendril/sagfree/options.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tendril::sagfree {
namespace {

constexpr std::array<std::pair<Mode, std::string_view>, 5> modes = {{{Mode::naive, "naive"},
                                                                     {Mode::rest_shape, "rest-shape"},
                                                                     {Mode::penalty, "penalty"},
                                                                     {Mode::full, "full"},
                                                                     {Mode::sweep, "sweep"}}};

}  // namespace

std::string_view name(Mode mode) {
  return std::ranges::find(modes, mode, &std::pair<Mode, std::string_view>::first)->second;
}

std::optional<Mode> mode_named(std::string_view name) {
  const auto found = std::ranges::find(modes, name, &std::pair<Mode, std::string_view>::second);
  return found == modes.end() ? std::nullopt : std::optional(found->first);
}

}  // namespace tendril::sagfree
