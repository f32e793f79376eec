#include "tendril/io/vtp_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "tendril/io/atomic_file.hpp"
#include "tendril/io/byte_reader.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

// The XML refers to the appended bytes by offsets that grow as arrays are added.
class Appended {
 public:
  template <class T>
  std::string add(const std::string& name, const char* type, std::size_t components, const std::vector<T>& values) {
    const std::string entry = fmt::format(
        "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
        "offset=\"{}\"/>\n",
        type, name, components, bytes_.size());
    bytes_.write(std::uint64_t(values.size() * sizeof(T)));
    bytes_.write(std::span<const T>(values));
    return entry;
  }
  std::string floats(const std::string& name, std::size_t components, const std::vector<float>& values) {
    return add(name, "Float32", components, values);
  }
  std::vector<std::byte> take() { return bytes_.take(); }

 private:
  ByteWriter bytes_;
};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

std::string attributes(const Groom& groom, bool per_vertex, Appended& data) {
  std::string out;
  for (const GroomAttribute& attribute : groom.attributes)
    if (attribute.per_vertex == per_vertex)
      out += data.floats(escaped(attribute.name), std::size_t(attribute.components),
                         {attribute.values.begin(), attribute.values.end()});
  return out;
}

}  // namespace

std::vector<std::byte> encode_vtp(const CurveSequence& sequence, const CurveFrame& frame) {
  const Groom& groom = sequence.groom;
  const std::size_t strands = groom.curves.strands(), points = groom.curves.points.size();
  std::vector<std::int64_t> connectivity(points), ends, ids;
  for (std::size_t i = 0; i < points; ++i) connectivity[i] = std::int64_t(i);
  for (std::size_t s = 0; s < strands; ++s)
    ends.push_back(std::int64_t(groom.curves.offsets[s + 1])), ids.push_back(std::int64_t(s));

  Appended data;
  std::string xml =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n  <PolyData>\n";
  xml += fmt::format(
      "    <FieldData>\n      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}"
      "</DataArray>\n    </FieldData>\n",
      frame.time);
  xml += fmt::format(
      "    <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"0\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" "
      "NumberOfPolys=\"0\">\n",
      points, strands);
  xml += "      <PointData>\n";
  if (!frame.velocities.empty()) xml += data.floats("velocity", 3, frame.velocities);
  if (!groom.radius.empty()) xml += data.floats("radius", 1, {groom.radius.begin(), groom.radius.end()});
  xml += attributes(groom, true, data) + "      </PointData>\n      <CellData>\n";
  if (groom.attribute("groom_id") == nullptr) xml += data.add("groom_id", "Int64", 1, ids);
  xml += attributes(groom, false, data) + "      </CellData>\n      <Points>\n";
  xml += data.floats("position", 3, frame.positions) + "      </Points>\n      <Lines>\n";
  xml += data.add("connectivity", "Int64", 1, connectivity) + data.add("offsets", "Int64", 1, ends);
  xml += "      </Lines>\n    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_";
  ByteWriter file;
  file.text(xml);
  file.write(std::span<const std::byte>(data.take()));
  file.text("\n  </AppendedData>\n</VTKFile>\n");
  return file.take();
}

Status write_pvd(const fs::path& path, const CurveSequence& sequence) {
  const fs::path folder = path.parent_path() / path.stem();
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) return Error{folder.string(), fmt::format("cannot make the folder: {}", fault.message())};
  std::string xml =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n";
  for (std::size_t i = 0; i < sequence.frames.size(); ++i) {
    Result<CurveFrame> frame = sequence.fetch(i);
    if (!frame) return frame.error();
    const std::string name = fmt::format("{}.{:04}.vtp", path.stem().string(), sequence.frames[i]);
    if (Status s = write_file(folder / name, encode_vtp(sequence, frame.value())); !s) return s;
    xml += fmt::format("    <DataSet timestep=\"{}\" part=\"0\" file=\"{}/{}\"/>\n", frame.value().time,
                       escaped(folder.filename().string()), escaped(name));
  }
  return write_file(path, xml + "  </Collection>\n</VTKFile>\n");
}

}  // namespace tendril
