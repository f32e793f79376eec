#include "tendril/scene/generator.hpp"

#include "tendril/scene/hairstyles.hpp"
#include "tendril/scene/rod_shapes.hpp"

namespace tendril {

bool is_hairstyle(GeneratorKind kind) { return kind <= GeneratorKind::fringe; }

GeneratorOptions default_options(GeneratorKind kind) {
  GeneratorOptions options;
  options.kind = kind;
  if (is_hairstyle(kind)) {
    options.count = 2000;
    options.length_variation = 0.15;
    options.clump = 0.4;
    options.noise = 0.003;
    options.lift = 0.012;
  }
  switch (kind) {
    case GeneratorKind::straight: break;
    case GeneratorKind::wavy:
      options.wave_amplitude = 0.006;
      options.waves = 5.0;
      options.clump = 0.6;
      break;
    case GeneratorKind::curly:
      options.curl_radius = 0.0075;
      options.curl_turns = 4.5;
      options.clump = 0.8;
      options.noise = 0.002;
      break;
    case GeneratorKind::afro:
      options.length = 0.16;
      options.vertices = 80;
      options.curl_radius = 0.0025;
      options.curl_turns = 8.0;
      options.clump = 0.2;
      options.noise = 0.005;
      break;
    case GeneratorKind::ponytail:
      options.length = 0.5;
      options.vertices = 80;
      options.lift = 0.004;
      options.noise = 0.005;
      break;
    case GeneratorKind::fringe:
      options.count = 300;
      options.vertices = 30;
      options.length = 0.1;
      options.lift = 0.006;
      options.noise = 0.0015;
      break;
    case GeneratorKind::horizontal: break;
    case GeneratorKind::vertical: options.axis = {0.0, -1.0, 0.0}; break;
    case GeneratorKind::helix:
      options.axis = {0.0, -1.0, 0.0};
      options.radius = 0.01;
      options.turns = 4.0;
      options.pitch = 0.02;
      options.vertices = 100;
      break;
    case GeneratorKind::coil:
      options.axis = {0.0, -1.0, 0.0};
      options.radius = 0.02;
      options.turns = 20.0;
      options.pitch = 0.01;
      options.vertices = 2000;
      break;
    case GeneratorKind::ring:
      options.axis = {0.0, 0.0, 1.0};
      options.radius = 0.05;
      options.vertices = 100;
      break;
    case GeneratorKind::knot:
      options.length = 1.0;
      options.vertices = 100;
      break;
    case GeneratorKind::tress:
      options.axis = {0.0, -1.0, 0.0};
      options.count = 300;
      options.radius = 0.01;
      break;
  }
  return options;
}

Curves generate(const GeneratorOptions& options, std::uint64_t seed) {
  return is_hairstyle(options.kind) ? generate_hair(options, seed) : generate_rods(options);
}

}  // namespace tendril
