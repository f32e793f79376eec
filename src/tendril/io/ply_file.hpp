// Meshes and curves in PLY files (io/ply_rows.hpp has their layout), by the names that are in use:
//
//   element vertex     x, y, z: numbers of any type; all further properties matter to curves only
//                        radius                      radius of the strand
//                        red, green, blue as uchar   attribute "color", three components from 0 to 1
//                        any other single number     attribute of that name
//   element face       list vertex_indices or vertex_index: three or more points, cut into triangles around the first
//   element strand     list vertex_indices: one or more points, from the root on; single numbers are attributes
//   element edge       vertex1, vertex2: segments, which are joined (io/segment_chains.hpp); used without a strand
//
// Points are counted from 0. Lists among vertices and other elements are passed over. A point belongs to one strand
// only; curves leave out points that belong to none.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/geometry/mesh.hpp"
#include "tendril/io/groom.hpp"

namespace tendril {

// `name` stands in errors. A mesh keeps points that no face uses.
Result<TriangleMesh> read_ply_mesh(std::span<const std::byte> bytes, const std::string& name);
Result<Groom> read_ply_curves(std::span<const std::byte> bytes, const std::string& name);

// binary_little_endian, coordinates as float. Of the attributes those of one component go along, as float, and "color"
// per vertex; in their names every character but a-z A-Z 0-9 _ - . becomes _, and _ follows a name that is in use.
std::vector<std::byte> encode_ply_mesh(const TriangleMesh& mesh);
std::vector<std::byte> encode_ply_curves(const Groom& groom);

}  // namespace tendril
