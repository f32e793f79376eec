#include "tendril/io/msh_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tendril/io/tet_orientation.hpp"
#include "tendril/io/text_scanner.hpp"

namespace tendril {
namespace {

constexpr std::uint64_t tetrahedron = 4;         // Gmsh's number of that element type
constexpr std::uint64_t least_node_size = 8;     // bytes: "1 0 0 0\n", in 4.1 on two lines
constexpr std::uint64_t least_element_size = 4;  // bytes: "1 1\n", a point

class MshReader {
 public:
  MshReader(std::string_view text, const std::string& name) : scanner_(text, name), name_(name) {}

  Result<TetMesh> read() {
    while (next_line()) {
      const std::string_view word = scanner_.word();
      if (!word.starts_with('$')) continue;
      if (const auto done = section(word.substr(1)); !done) return done.error();
    }
    if (version_ == Version::unknown) return Error{name_, "this is not a Gmsh file: there is no $MeshFormat"};
    if (mesh_.tets.empty()) return Error{name_, "there are no tetrahedra of four nodes (element type 4)"};
    return std::move(mesh_);
  }

 private:
  enum class Version : std::uint8_t { unknown, v22, v41 };

  // --- Lines

  bool next_line() {
    while (scanner_.next_line())
      if (scanner_.line().find_first_not_of(" \t\r\v\f") != std::string_view::npos) return true;
    return false;
  }

  // The numbers at the start of the next line; `wanted` names them.
  template <class... Numbers>
  Status line_of(const char* wanted, Numbers&... numbers) {
    if (!next_line()) return scanner_.error(fmt::format("the file ends where a line '{}' should follow", wanted));
    if (!(scanner_.number(numbers) && ...)) return scanner_.error(fmt::format("this is not a line '{}'", wanted));
    return ok();
  }

  Status point_from_line() {
    Eigen::Vector3d point;
    for (double& x : point)
      if (!scanner_.number(x)) return scanner_.error("a node has three coordinates 'X Y Z'");
    if (!point.allFinite()) return scanner_.error("a coordinate is not a finite number");
    mesh_.points.push_back(point);
    return ok();
  }

  // --- Sections

  Status section(std::string_view title) {
    if (title == "MeshFormat") return format();
    if (version_ == Version::unknown) return scanner_.error("$MeshFormat has to be the first section");
    const bool new_version = version_ == Version::v41;
    if (title == "Nodes") return closed("Nodes", new_version ? nodes_41() : nodes_22());
    if (title == "Elements") return closed("Elements", new_version ? elements_41() : elements_22());
    return pass_over(title);
  }

  Status closed(const char* title, Status done) {
    if (!done) return done;
    if (next_line() && scanner_.word() == fmt::format("$End{}", title)) return ok();
    return scanner_.error(fmt::format("$End{} has to follow here", title));
  }

  Status pass_over(std::string_view title) {
    const Error open = scanner_.error(fmt::format("the section ${0} is not closed by $End{0}", cut(title)));
    while (next_line())
      if (const auto word = scanner_.word(); word.starts_with("$End") && word.substr(4) == title) return ok();
    return open;
  }

  static std::string cut(std::string_view title) {
    const std::string quoted = TextScanner::quoted(title);
    return quoted.substr(1, quoted.size() - 2);
  }

  Status format() {
    if (!next_line()) return scanner_.error("the file ends within $MeshFormat");
    const std::string_view version = scanner_.word();
    int file_type = 0;
    if (!scanner_.number(file_type)) return scanner_.error("this is not a line 'VERSION FILE_TYPE DATA_SIZE'");
    if (file_type != 0) return scanner_.error("the file is binary; save it as text (Gmsh: Mesh.Binary = 0)");
    if (version == "4.1") version_ = Version::v41;
    if (version == "2.2") version_ = Version::v22;
    if (version != "4.1" && version != "2.2")
      return scanner_.error(fmt::format("version {} is not read; save it as 4.1 or 2.2", TextScanner::quoted(version)));
    return closed("MeshFormat", ok());
  }

  // --- Nodes

  Status reserve_nodes(std::uint64_t count) {
    if (!tags_.empty()) return scanner_.error("there is a second section $Nodes");
    const std::size_t left = scanner_.rest().size();
    if (count > left / least_node_size || count > 0xffffffff)
      return scanner_.error(fmt::format("{} nodes do not fit in the {} bytes that are left", count, left));
    mesh_.points.reserve(static_cast<std::size_t>(count));
    tags_.reserve(static_cast<std::size_t>(count));
    return ok();
  }

  Status add_tag(std::uint64_t count) {
    if (tags_.size() == count) return scanner_.error(fmt::format("there are more nodes than the {} of $Nodes", count));
    std::uint64_t tag = 0;
    if (!scanner_.number(tag)) return scanner_.error("the tag of a node is a number from 0 on");
    tags_.emplace_back(tag, static_cast<std::uint32_t>(tags_.size()));
    return ok();
  }

  // Sorted by tag from here on, for node_of().
  Status index_tags(std::uint64_t count) {
    if (tags_.size() != count)
      return scanner_.error(fmt::format("there are {} nodes instead of the {} of $Nodes", tags_.size(), count));
    std::ranges::sort(tags_);
    const auto twice = std::ranges::adjacent_find(tags_, {}, &Tag::first);
    if (twice != tags_.end()) return scanner_.error(fmt::format("two nodes have the tag {}", twice->first));
    return ok();
  }

  Status nodes_22() {
    std::uint64_t count = 0;
    if (auto done = line_of("NODES", count); !done) return done;
    if (auto done = reserve_nodes(count); !done) return done;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!next_line()) return scanner_.error("the file ends within $Nodes");
      if (auto done = add_tag(count); !done) return done;
      if (auto done = point_from_line(); !done) return done;
    }
    return index_tags(count);
  }

  Status nodes_41() {
    std::uint64_t blocks = 0, count = 0;
    if (auto done = line_of("BLOCKS NODES LEAST_TAG LARGEST_TAG", blocks, count); !done) return done;
    if (auto done = reserve_nodes(count); !done) return done;
    for (std::uint64_t b = 0; b < blocks; ++b)
      if (auto done = node_block(count); !done) return done;
    return index_tags(count);
  }

  Status node_block(std::uint64_t count) {
    std::int64_t dimension = 0, entity = 0, parametric = 0;
    std::uint64_t nodes = 0;
    if (auto done = line_of("DIMENSION ENTITY PARAMETRIC N", dimension, entity, parametric, nodes); !done) return done;
    for (std::uint64_t i = 0; i < nodes; ++i) {
      if (!next_line()) return scanner_.error("the file ends within $Nodes");
      if (auto done = add_tag(count); !done) return done;
    }
    for (std::uint64_t i = 0; i < nodes; ++i) {
      if (!next_line()) return scanner_.error("the file ends within $Nodes");
      if (auto done = point_from_line(); !done) return done;
    }
    return ok();
  }

  // --- Elements

  Status check_elements(std::uint64_t count) {
    if (tags_.empty()) return scanner_.error("$Elements stands before $Nodes, or there are no nodes");
    if (!mesh_.tets.empty()) return scanner_.error("there is a second section $Elements");
    const std::size_t left = scanner_.rest().size();
    if (count > left / least_element_size)
      return scanner_.error(fmt::format("{} elements do not fit in the {} bytes that are left", count, left));
    return ok();
  }

  Status tet_from_line() {
    std::array<std::uint32_t, 4> tet = {};
    for (std::uint32_t& node : tet) {
      std::uint64_t tag = 0;
      if (!scanner_.number(tag)) return scanner_.error("a tetrahedron has the tags of four nodes");
      const auto found = std::ranges::lower_bound(tags_, tag, {}, &Tag::first);
      if (found == tags_.end() || found->first != tag) return scanner_.error(fmt::format("there is no node {}", tag));
      node = found->second;
    }
    if (const auto fault = orient(mesh_.points, tet)) return scanner_.error(*fault);
    mesh_.tets.push_back(tet);
    return ok();
  }

  Status elements_22() {
    std::uint64_t count = 0;
    if (auto done = line_of("ELEMENTS", count); !done) return done;
    if (auto done = check_elements(count); !done) return done;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t element = 0, type = 0, extra = 0;
      if (auto done = line_of("TAG TYPE TAGS ...", element, type, extra); !done) return done;
      if (type != tetrahedron) continue;
      for (; extra > 0 && !scanner_.word().empty(); --extra) continue;
      if (auto done = tet_from_line(); !done) return done;
    }
    return ok();
  }

  Status elements_41() {
    std::uint64_t blocks = 0, count = 0;
    if (auto done = line_of("BLOCKS ELEMENTS LEAST_TAG LARGEST_TAG", blocks, count); !done) return done;
    if (auto done = check_elements(count); !done) return done;
    std::uint64_t seen = 0;
    for (std::uint64_t b = 0; b < blocks; ++b)
      if (auto done = element_block(seen); !done) return done;
    if (seen != count)
      return scanner_.error(fmt::format("there are {} elements instead of the {} of $Elements", seen, count));
    return ok();
  }

  Status element_block(std::uint64_t& seen) {
    std::int64_t dimension = 0, entity = 0;
    std::uint64_t type = 0, elements = 0, tag = 0;
    if (auto done = line_of("DIMENSION ENTITY TYPE N", dimension, entity, type, elements); !done) return done;
    for (std::uint64_t i = 0; i < elements; ++i, ++seen) {
      if (auto done = line_of("TAG NODE NODE ...", tag); !done) return done;
      if (type != tetrahedron) continue;
      if (auto done = tet_from_line(); !done) return done;
    }
    return ok();
  }

  using Tag = std::pair<std::uint64_t, std::uint32_t>;  // the file's name of a node, and our index

  TextScanner scanner_;
  const std::string& name_;
  Version version_ = Version::unknown;
  std::vector<Tag> tags_;
  TetMesh mesh_;
};

}  // namespace

Result<TetMesh> read_msh(std::string_view text, const std::string& name) { return MshReader(text, name).read(); }

}  // namespace tendril
