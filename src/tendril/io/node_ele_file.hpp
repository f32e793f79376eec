// TetGen's pair of text files: points in NAME.node, tetrahedra in NAME.ele.
//
//   .node      POINTS 3 ATTRIBUTES MARKERS            then as many lines
//              NUMBER X Y Z ...                       numbers rise by one, from 0 or 1
//   .ele       TETRAHEDRA 4 ATTRIBUTES                then as many lines
//              NUMBER P P P P ...                     points by their numbers in .node
//
// Only the first two numbers of a first line have to be there. Blank lines, comments after #, attributes, markers and
// what follows the last line are passed over.
#pragma once

#include <string>
#include <string_view>

#include "tendril/base/error.hpp"
#include "tendril/geometry/mesh.hpp"

namespace tendril {

// The names stand in errors. Tetrahedra of negative volume are turned, those without volume refused.
Result<TetMesh> read_node_ele(std::string_view node_text, const std::string& node_name, std::string_view ele_text,
                              const std::string& ele_name);

}  // namespace tendril
