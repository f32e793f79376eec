// A picture of a frame: which look the strands get, how they are coloured, what else is in view.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/render/camera.hpp"
#include "tendril/render/colour_map.hpp"
#include "tendril/render/image.hpp"
#include "tendril/render/stage.hpp"
#include "tendril/sim/recording.hpp"

namespace tendril::render {

struct PictureOptions {
  int width = 1280, height = 720, samples = 16;
  Eigen::Vector3f view = {0.55f, 0.18f, 1.0f};   // from where, seen from the middle
  float zoom = 1.0f;                             // above 1: nearer than all fits
  float field_of_view = 0.45f;                   // [rad]
  std::optional<Eigen::Vector3f> eye, target;    // [m], in place of `view`
  std::string colour = "strand";                 // or a quantity (colour_quantity.hpp)
  std::optional<std::pair<float, float>> range;  // of the quantity's colours; nothing: from the frames
  Melanin melanin;
  std::optional<Look> look;        // nothing: thin strands are hair, others rods
  std::optional<float> thickness;  // factor on radii; nothing: so that few strands look like many
  bool bodies = true, ground = true, blur = true;
  std::vector<std::filesystem::path> meshes;  // further surfaces; #### in a name is the frame's number
  bool dark = false;                          // backdrop
};

// What all frames of a film share, so that nothing jumps from one to the next.
struct Setting {
  Camera camera;
  Eigen::Vector3f centre = Eigen::Vector3f::Zero();  // [m], of all that is in view
  float radius = 1.0f;                               // [m]
  float floor = 0.0f;                                // [m]
  float thickness = 1.0f;
  std::optional<ValueRange> range;
  std::string label, unit;  // of the quantity
};
Result<Setting> prepare(const Recording& recording, std::span<const int> frames, const PictureOptions& options);

Result<Image> draw(const Recording& recording, int frame, const Setting& setting, const PictureOptions& options,
                   const std::function<void(int done, int of)>& progress = {});

// Light as a film would record it: bright parts are drawn together instead of cut off.
void develop(Image& image);

}  // namespace tendril::render
