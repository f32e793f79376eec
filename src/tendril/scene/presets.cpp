#include "tendril/scene/presets.hpp"

#include <algorithm>

namespace tendril {
namespace {

constexpr double mega = 1e6, giga = 1e9;

// name, meaning, radius, aspect, young, shear, stretch_young, density
constexpr Preset table[] = {
    // Robbins, Chemical and Physical Behavior of Human Hair, appendix: E = 3.89 GPa, G = 0.89 GPa (keratin is far from
    // isotropic), density 1.32; diameters are 50 to 100 um.
    {"human-hair", "scalp hair, dry (Robbins, Chemical and Physical Behavior of Human Hair)", 40e-6, 1.0, 3.89 * giga,
     0.89 * giga, 3.89 * giga, 1320.0},
    // The same fibre with the flat section that goes with tight curls: semi-axes 1.7 : 1 (same book, on ellipticity).
    {"human-hair-flat", "scalp hair with a flat section, as in tight curls (Robbins)", 50e-6, 0.59, 3.89 * giga,
     0.89 * giga, 3.89 * giga, 1320.0},
    // Ellipticities 1.20, 1.40 and 1.89 by type: Kamath, Hornby and Weigmann, J. Soc. Cosmet. Chem. 35, 21, 1984, and
    // Syed et al. Mean diameters: 86 um (Jeong et al., Skin Res. Technol. 17, 63, 2011), 65 um, 73 um; they vary by a
    // fifth from hair to hair. Semi-axes follow from both.
    {"human-hair-asian", "thick scalp hair, nearly round (Kamath et al. 1984; Jeong et al. 2011)", 47.1e-6, 1.0 / 1.20,
     3.89 * giga, 0.89 * giga, 3.89 * giga, 1320.0},
    {"human-hair-european", "fine scalp hair, oval (Kamath et al. 1984)", 38.5e-6, 1.0 / 1.40, 3.89 * giga, 0.89 * giga,
     3.89 * giga, 1320.0},
    {"human-hair-african", "scalp hair with a flat section (Kamath et al. 1984)", 50.2e-6, 1.0 / 1.89, 3.89 * giga,
     0.89 * giga, 3.89 * giga, 1320.0},
    // Machinery's Handbook, music wire of 0.033 to 0.063 inch: E = 29.0e6 psi, G = 11.85e6 psi; density 0.284 lb/in3.
    {"rod-steel", "music wire, 1 mm thick (Machinery's Handbook)", 0.5e-3, 1.0, 200 * giga, 81.7 * giga, 200 * giga,
     7860.0},
    // Annealed copper, common tables of engineering materials: E = 117 GPa, G = 45 GPa.
    {"copper-wire", "annealed copper wire, 1 mm thick (engineering tables)", 0.5e-3, 1.0, 117 * giga, 45 * giga,
     117 * giga, 8960.0},
    // Silica: E = 72 GPa, Poisson 0.17, density 2200; a telecommunication fibre is 125 um thick.
    {"glass-fibre", "optical fibre without its coat (fused silica)", 62.5e-6, 1.0, 72 * giga, 30.8 * giga, 72 * giga,
     2200.0},
    // Vinylpolysiloxane rods of desktop experiments, E about 1.3 MPa, incompressible, density about 1200 (Lazarus et
    // al.,
    // Soft Matter 2013; Miller et al., Phys. Rev. Lett. 112, 068103, 2014).
    {"rubber-cord", "silicone rubber cord, 3 mm thick (Miller et al. 2014)", 1.55e-3, 1.0, 1.3 * mega, 1.3 * mega / 3.0,
     1.3 * mega, 1200.0},
    // Morton and Hearle, Physical Properties of Textile Fibres, table 13.1: 2.6 N/tex, with density 1.14 E = 3.0 GPa.
    // Shear from a Poisson number of 0.4, an estimate: drawn fibres are anisotropic.
    {"nylon-thread", "nylon monofilament, 0.3 mm thick (Morton and Hearle, Physical Properties of Textile Fibres)",
     0.15e-3, 1.0, 3.0 * giga, 3.0 * giga / 2.8, 3.0 * giga, 1140.0},
    // Cotton again (next line) as a spun yarn of 60 tex: two fifths of the section are air; stretching 1.5 GPa and a
    // bending stiffness between that of loose fibres and of a solid, both estimates.
    {"cotton-yarn", "spun cotton yarn, 0.35 mm thick (fibres: Morton and Hearle; as a yarn: estimated)", 0.175e-3, 1.0,
     50 * mega, 20 * mega, 1500 * mega, 620.0},
    // Wire rope 6 x 19 of 6 mm: metal in about half of the section, 100 GPa along that (Feyrer, Wire Ropes); its wires
    // slip when it is bent, which leaves a few per cent of the stiffness of a solid: an estimate.
    {"steel-cable", "wire rope 6 x 19, 6 mm thick (Feyrer, Wire Ropes; bending: estimated)", 3e-3, 1.0, 2 * giga,
     0.8 * giga, 50 * giga, 3900.0},
    // The same table: cotton 5.0 N/tex, with density 1.52 E = 7.6 GPa along a fibre. The rest is estimated: in a
    // braided
    // rope half the section is air and the fibres run askew (0.5 GPa along the rope), and they slip when it is bent or
    // twisted (moduli such that 6 mm of rope droop after some 10 cm).
    {"cotton-rope", "braided cotton rope, 6 mm thick (fibres: Morton and Hearle; as a rope: estimated)", 3e-3, 1.0,
     5 * mega, 2 * mega, 500 * mega, 800.0},
};

}  // namespace

std::span<const Preset> presets() { return table; }

const Preset* find_preset(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Preset::name);
  return found == std::end(table) ? nullptr : found;
}

der::Material material_of(const Preset& preset) {
  der::Material material;
  material.radius = preset.radius;
  material.aspect = preset.aspect;
  material.young = preset.young;
  material.shear = preset.shear;
  if (preset.stretch_young != preset.young) material.stretch_young = preset.stretch_young;
  material.density = preset.density;
  return material;
}

}  // namespace tendril
