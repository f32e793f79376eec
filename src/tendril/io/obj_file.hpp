// Wavefront OBJ, as text: meshes, and curves as Blender exchanges them.
//
// One statement per line; a line goes on in the next one after a lone backslash; # starts a comment:
//
//   v X Y Z ...        a point; further numbers (a weight, a colour) are passed over
//   f I J K ...        a face of three or more points, cut into triangles I J K, I K L, ...; I, I/T, I/T/N or I//N
//   l I J K ...        a line through two or more points; I or I/T
//
// Points are counted from 1; -1 is the last one before the statement. All other statements are passed over.
//
// A line of three or more points is a strand by itself. Lines of two points are segments, which are joined
// (io/segment_chains.hpp), since Blender writes strands so, and reads no more than two points of a line. Strands come
// in the order of the lines in which they start, and a point belongs to one strand only.
#pragma once

#include <string>
#include <string_view>

#include "tendril/base/error.hpp"
#include "tendril/geometry/mesh.hpp"
#include "tendril/io/groom.hpp"

namespace tendril {

// `name` stands in errors. A mesh keeps points that no face uses; curves leave out those that no line uses.
Result<TriangleMesh> read_obj_mesh(std::string_view text, const std::string& name);
Result<Groom> read_obj_curves(std::string_view text, const std::string& name);

// Coordinates are rounded to float32 and have the nine digits that give each float32 back.
std::string encode_obj_mesh(const TriangleMesh& mesh);
std::string encode_obj_curves(const Groom& groom);

}  // namespace tendril
