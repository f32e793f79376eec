#include "tendril/io/mesh_file.hpp"

#include <fmt/format.h>

#include <string>

#include "tendril/io/atomic_file.hpp"
#include "tendril/io/msh_file.hpp"
#include "tendril/io/node_ele_file.hpp"
#include "tendril/io/obj_file.hpp"
#include "tendril/io/ply_file.hpp"
#include "tendril/io/stl_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

std::string lower_extension(const fs::path& path) {
  std::string text = path.extension().string();
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

Error unknown_extension(const fs::path& path, const char* kind, const char* known) {
  return {path.string(),
          fmt::format("the extension '{}' is not one of a {}; these are {}", path.extension().string(), kind, known)};
}

Result<TriangleMesh> read_any_triangle_mesh(const fs::path& path) {
  const std::string extension = lower_extension(path), name = path.string();
  if (extension == ".obj") {
    const auto text = read_text(path);
    return text ? read_obj_mesh(text.value(), name) : text.error();
  }
  if (extension != ".ply" && extension != ".stl")
    return unknown_extension(path, "triangle mesh", ".obj, .ply and .stl");
  const auto bytes = read_bytes(path);
  if (!bytes) return bytes.error();
  return extension == ".ply" ? read_ply_mesh(bytes.value(), name) : read_stl(bytes.value(), name);
}

// NAME.node for NAME.ele and the other way round; its extension has capitals if that of `path` has.
fs::path partner(const fs::path& path) {
  const std::string extension = path.extension().string();
  const bool capitals = extension.size() > 1 && extension[1] < 'a';
  const bool is_node = lower_extension(path) == ".node";
  return fs::path(path).replace_extension(is_node ? (capitals ? ".ELE" : ".ele") : (capitals ? ".NODE" : ".node"));
}

Result<TetMesh> read_pair(const fs::path& node, const fs::path& ele) {
  const auto node_text = read_text(node);
  if (!node_text) return node_text.error();
  const auto ele_text = read_text(ele);
  if (!ele_text) return ele_text.error();
  return read_node_ele(node_text.value(), node.string(), ele_text.value(), ele.string());
}

Result<TetMesh> read_any_tet_mesh(const fs::path& path) {
  const std::string extension = lower_extension(path);
  if (extension == ".node") return read_pair(path, partner(path));
  if (extension == ".ele") return read_pair(partner(path), path);
  if (extension != ".msh") return unknown_extension(path, "tetrahedral mesh", ".msh, .node and .ele");
  const auto text = read_text(path);
  return text ? read_msh(text.value(), path.string()) : text.error();
}

}  // namespace

Result<TriangleMesh> read_triangle_mesh(const fs::path& path) {
  auto mesh = read_any_triangle_mesh(path);
  if (mesh && mesh.value().triangles.empty()) return Error{path.string(), "there are no triangles"};
  return mesh;
}

Result<TetMesh> read_tet_mesh(const fs::path& path) {
  auto mesh = read_any_tet_mesh(path);
  if (mesh && mesh.value().tets.empty()) return Error{path.string(), "there are no tetrahedra"};
  return mesh;
}

}  // namespace tendril
