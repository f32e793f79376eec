// A picture of a stage: paths from the eye, with lamps sampled at every point and the sky found by where paths end
// (docs/theory/hair-shading.md).
#pragma once

#include <functional>

#include "tendril/render/camera.hpp"
#include "tendril/render/image.hpp"
#include "tendril/render/stage.hpp"

namespace tendril::render {

struct TraceOptions {
  int width = 1280, height = 720;
  int samples = 16;      // per pixel
  int max_bounces = 24;  // from hair to hair; a path dies earlier by chance, in proportion to what it still carries
  std::function<void(int done, int of)> progress;  // rows of tiles
};

// The same bits for any number of threads.
Image trace(const Stage& stage, const Camera& camera, const TraceOptions& options);

}  // namespace tendril::render
