// Meshes from disk, by the extension of the file's name (capitals do not matter).
#pragma once

#include <filesystem>

#include "tendril/base/error.hpp"
#include "tendril/geometry/mesh.hpp"

namespace tendril {

Result<TriangleMesh> read_triangle_mesh(const std::filesystem::path& path);  // .obj, .ply, .stl; one triangle or more

// .msh, or .node or .ele: either one finds the other beside it. One tetrahedron or more.
Result<TetMesh> read_tet_mesh(const std::filesystem::path& path);

}  // namespace tendril
