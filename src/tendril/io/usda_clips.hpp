// Value clips: values that stand in layers of their own, other files than the prim's. A prim says for itself and for
// all below it which layers there are, from which time on each is active, and which prim of a layer has its values:
//
//   explicitly     asset[] assetPaths, double2[] active (time, number of the layer), double2[] times (time, time in the
//                  layer; none: the same), string primPath
//   by a template  string templateAssetPath ("hair.####.usda", "hair.##.##.usda" for parts of a frame), double
//                  templateStartTime, templateEndTime and templateStride, string primPath; a layer that is not there
//                  is passed over
//
// They are read at the earliest time. Neither is a manifest needed for that, nor are clips of a layer followed.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "tendril/base/error.hpp"
#include "tendril/io/usda_file.hpp"
#include "tendril/io/usda_parser.hpp"

namespace tendril::usda {

class ClipReader {
 public:
  // `name` is that of the file with the prims.
  ClipReader(const std::string& name, const UsdaLayers& layers) : name_(name), layers_(layers) {}

  // `path` leads from the root to a prim with curves. What it does not have itself of points, counts, widths and
  // primvars it gets from the nearest clips that have its points; nothing happens if there are no clips.
  Status fill(std::span<Prim* const> path);

 private:
  // Which layer, and which time in it.
  struct Pose {
    std::string asset;
    double time;
  };
  struct Layer {
    const Metadata* set;  // whose earliest layer it is
    std::string name;
    Stage stage;
  };

  Error refuse(const Prim& owner, const std::string& what) const;
  Result<std::optional<UsdaLayer>> ask(const std::string& asset, const Prim& owner);
  Result<Pose> explicit_pose(const Metadata& set, const Prim& owner) const;
  Status read_explicit(const Metadata& set, const Prim& owner);
  Status read_template(const Metadata& set, const Prim& owner);
  Status keep(const Metadata& set, const UsdaLayer& layer, double time);
  Status fill_from(const Metadata& set, std::span<Prim* const> path);  // whose first prim has the set

  const std::string& name_;
  const UsdaLayers& layers_;
  std::optional<Layer> last_;  // most prims have the same
  int asked_ = 0, read_ = 0;
};

}  // namespace tendril::usda
