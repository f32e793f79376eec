// Guides: the few strands of a groom that are simulated, and which of them carry each of the others.
//
// A strand that is no guide follows the three guides whose roots are nearest to its own, with weights that fall with
// the square of the distance of roots and shapes (docs/theory/guides.md, Eq. 1) and add up to 1. A groom whose guides
// are its own, by an attribute or by a file, may bring such bindings along as the attributes closest_guides and
// guide_weights: they are kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/io/groom.hpp"

namespace tendril {

struct AllGuides {};
struct EveryNth {
  int n = 1;
};
struct GuideCount {  // spread evenly over the roots
  int count = 1;
};
struct GuideAttribute {  // of each strand; not 0: a guide
  std::string name;
};
struct GuideFile {  // strands of their own, beside those of the groom
  std::filesystem::path path;
  std::shared_ptr<const Groom> groom;
};
using GuideChoice = std::variant<AllGuides, EveryNth, GuideCount, GuideAttribute, GuideFile>;

struct GuideBinding {
  static constexpr std::size_t most = 3;  // guides that carry a strand
  std::vector<std::size_t> strands;       // of the groom that are guides, ascending; empty: they come from a file
  std::vector<std::array<std::uint32_t, most>> closest;  // per strand of the groom: places among the guides
  std::vector<std::array<double, most>> weights;         // per strand: they add up to 1; a guide follows itself alone
};

// Which strands of the groom are guides, ascending; an error if that leaves none.
Result<std::vector<std::size_t>> choose_guides(const GuideChoice& choice, const Groom& groom);

// `guides` are the curves of the guides, `strands` which of the groom's they are, or empty.
Result<GuideBinding> bind_to_guides(const GuideChoice& choice, const Groom& groom, const Curves& guides,
                                    std::vector<std::size_t> strands);

Curves selected_curves(const Curves& curves, const std::vector<std::size_t>& strands);

}  // namespace tendril
