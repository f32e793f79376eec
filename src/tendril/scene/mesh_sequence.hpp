// A triangle mesh that moves, as an animation program has baked it: the same triangles in every frame, points that are
// straight lines in time from one frame to the next and that stay where they are before the first frame and after the
// last.
//
// Two forms of file:
//   head_####.obj (.ply, .stl)   one mesh per frame. The # stand for the frame's number with at least so many digits;
//                                numbers ascend by 1 from the lowest that is found in the folder. All frames have the
//                                points and triangles of the first.
//   head.obj (.ply) + head.pc2   triangles from the mesh, points from the cache (io/pc2_file.hpp). Its first sample is
//                                the first frame, whatever number it bears; `rate` of its frames go to the next one.
//
// An .stl names no points: those at one place become one when it is read. A sequence of them works as long as the same
// points meet in every frame, and is refused otherwise.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/io/groom.hpp"

namespace tendril {

struct MeshSequenceRequest {
  std::filesystem::path mesh;                   // a name with # or, together with `points`, without
  std::optional<std::filesystem::path> points;  // .pc2
  double fps = 24.0;                            // [1/s], frames of the sequence in a second
  std::optional<double> scale;                  // metres per unit; nothing: metres
  UpAxis up = UpAxis::y;                        // z turns (x, y, z) into (x, z, -y)
  double start = 0.0;                           // [s], time of the first frame
};

// A time as frames see it.
struct FrameTime {
  std::size_t frame = 0;  // the last one that is not later
  double along = 0.0;     // to the next one, in [0, 1); 0 before the first and after the last

  bool operator==(const FrameTime&) const = default;
};

struct MeshSequence {
  std::string name;                                     // of the file, for errors
  std::vector<std::array<std::uint32_t, 3>> triangles;  // one or more
  std::vector<std::vector<Eigen::Vector3f>> frames;     // [m], y up, finite; one or more
  double fps = 24.0;                                    // [1/s]
  double start = 0.0;                                   // [s], time of the first frame

  FrameTime frame_time(double time) const;
  Eigen::Vector3d point(std::size_t vertex, const FrameTime& time) const;  // [m]
  Eigen::Vector3d point(std::size_t vertex, double time) const { return point(vertex, frame_time(time)); }
  std::vector<Eigen::Vector3d> points_at(double time) const;
  double end() const { return start + static_cast<double>(frames.size() - 1) / fps; }  // [s], time of the last frame
};

Result<std::shared_ptr<const MeshSequence>> read_mesh_sequence(const MeshSequenceRequest& request);

}  // namespace tendril
