// Attributes with one value per strand that importers of grooms look for under names of their own ("Alembic for
// Grooms", which Unreal's importer of USD follows): the strand's number, whether it is a guide, the numbers of the
// three guides next to it and their weights.
#pragma once

#include <string_view>

namespace tendril::usda {

struct GroomPrimvar {
  std::string_view attribute, name;  // in a groom, in USD after "primvars:"
  int components = 1;                // 3: in USD a tuple
  bool whole = false;                // integers, as far as they are
};
inline constexpr GroomPrimvar groom_primvars[] = {{"groom_id", "groom_id", 1, true},
                                                  {"guide", "groom_guide", 1, true},
                                                  {"closest_guides", "groom_closest_guides", 3, true},
                                                  {"guide_weights", "groom_guide_weights", 3, false}};

}  // namespace tendril::usda
