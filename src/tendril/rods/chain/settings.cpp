#include "tendril/rods/chain/settings.hpp"

#include <fmt/format.h>

namespace tendril::chain {

std::optional<std::string> unfit_method(const Settings& settings, bool has_trees) {
  const Method method = settings.method;
  const bool is_ours = method == Method::hybrid || method == Method::newton;
  const bool is_general = is_ours || method == Method::kkt;
  const auto because = [&](const char* what) {
    return fmt::format("method = '{}' {}, or write method = 'hybrid'", name(method), what);
  };
  if (settings.bending > 0.0 && !is_general) return because("knows links alone; write bending = 0");
  if (!settings.keeps_lengths() && !is_general && method != Method::xpbd)
    return because("keeps lengths; leave compliance out");
  if (settings.slack && !is_general) return because("has no slack links; leave slack out");
  if (has_trees && !is_ours) return because("has no trees of strands; leave parent out");
  return std::nullopt;
}

}  // namespace tendril::chain
