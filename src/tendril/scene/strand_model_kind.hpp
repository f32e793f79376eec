// The strand models that scenes can ask for, and what of a scene each of them can take.
#pragma once

#include <cstdint>
#include <string_view>

namespace tendril {

enum class StrandModelKind : std::uint8_t { der, der_inextensible, superhelix, corde, chain };

struct ModelTraits {
  std::string_view name;      // in scenes and reports
  bool iterates = false;      // several Newton iterations in a step, and to convergence
  bool judges_steps = false;  // also with one iteration: they may stay above tolerance
  bool bdf2 = false;
  bool statics = false;
  bool air = false;
  bool free_roots = false;
  bool holds = false;       // vertices beside the root: holds, clamped tips, connectors, attraction
  bool curvatures = false;  // how bending is measured can be chosen
  bool reactions = false;   // clamp wrenches, tensions and moments can be measured
  bool stretches = false;   // edges have a stiffness against it
  bool tensions = false;    // edges keep their lengths, and what pulls in them is told all the same
};

constexpr ModelTraits traits(StrandModelKind kind) {
  switch (kind) {
    case StrandModelKind::der: break;
    case StrandModelKind::der_inextensible:
      return {.name = "der-inextensible",
              .judges_steps = true,
              .bdf2 = true,
              .air = true,
              .free_roots = true,
              .holds = true,
              .curvatures = true};
    case StrandModelKind::superhelix: return {.name = "superhelix", .statics = true};
    case StrandModelKind::chain:
      return {.name = "chain",
              .judges_steps = true,
              .bdf2 = true,
              .air = true,
              .free_roots = true,
              .holds = true,
              .tensions = true};
    case StrandModelKind::corde: return {.name = "corde", .free_roots = true, .stretches = true};
  }
  return {"der", true, false, true, true, true, true, true, true, true, true, false};
}

// Pieces of constant curvature and twist of a super-helix: the default is the 16 unknowns of the literature.
struct HelixPieces {
  int bend1 = 6, bend2 = 6, twist = 4;
};

}  // namespace tendril
