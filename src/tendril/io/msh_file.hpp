// Gmsh meshes as text, versions 4.1 and 2.2: their tetrahedra of four nodes.
//
// A file is a row of sections $Name ... $EndName, the first of which is $MeshFormat. What is read of it; other sections
// and what stands between sections is passed over, blank lines too:
//
//   $MeshFormat        VERSION FILE_TYPE DATA_SIZE          FILE_TYPE 0 is text; binary files (1) are refused
//   $Nodes (4.1)       BLOCKS NODES LEAST_TAG LARGEST_TAG
//                      each block: DIMENSION ENTITY PARAMETRIC N, then N lines TAG, then N lines X Y Z ...
//   $Elements (4.1)    BLOCKS ELEMENTS LEAST_TAG LARGEST_TAG
//                      each block: DIMENSION ENTITY TYPE N, then N lines TAG NODE NODE ...
//   $Nodes (2.2)       NODES, then as many lines TAG X Y Z
//   $Elements (2.2)    ELEMENTS, then as many lines TAG TYPE TAGS ... NODE NODE ..., with TAGS numbers in between
//
// Elements of TYPE 4 are tetrahedra of four nodes; the others are passed over. Nodes are named by their tags, which
// need not be consecutive, and keep the file's order, used or not.
#pragma once

#include <string>
#include <string_view>

#include "tendril/base/error.hpp"
#include "tendril/geometry/mesh.hpp"

namespace tendril {

// `name` stands in errors. Tetrahedra of negative volume are turned, those without volume refused.
Result<TetMesh> read_msh(std::string_view text, const std::string& name);

}  // namespace tendril
