#include "tendril/io/groom_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tendril/base/text.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/io/data_file.hpp"
#include "tendril/io/hair_file.hpp"
#include "tendril/io/obj_file.hpp"
#include "tendril/io/ply_file.hpp"
#include "tendril/io/prepared_groom.hpp"
#include "tendril/io/tfx_file.hpp"
#include "tendril/io/usda_file.hpp"
#include "tendril/io/vtp_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::byte>;

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

Result<Groom> decode_frame_file(Bytes bytes, const std::string& name) {
  Result<Frame> frame = decode_frame(bytes, name);
  if (!frame) return frame.error();
  return to_groom(frame.value(), name);
}

// With what its preparation changed as attributes.
Result<Groom> decode_prepared_groom(Bytes bytes, const std::string& name) {
  Result<PreparedGroom> prepared = decode_prepared(bytes, name);
  if (!prepared) return prepared.error();
  Groom groom = std::move(prepared.value().groom);
  if (groom.radius.empty()) groom.radius = prepared.value().description.semi_axis1;
  GroomAttribute mu{"mu", false, 1, {}};
  for (const sagfree::StrandOutcome& strand : prepared.value().outcome.strands) mu.values.push_back(strand.mu);
  groom.attributes.push_back({"stiffness_factor", true, 1, std::move(prepared.value().outcome.stiffness_factor)});
  groom.attributes.push_back(std::move(mu));
  return groom;
}

// The layers of a .usda file, by their paths from its folder.
UsdaLayers layers_beside(const fs::path& file) {
  return [folder = file.parent_path()](const std::string& asset) -> Result<std::optional<UsdaLayer>> {
    const fs::path path = folder / asset;
    std::error_code fault;
    if (!fs::is_regular_file(path, fault)) return std::optional<UsdaLayer>();  // nor does it wait for a pipe
    Result<std::string> text = read_text(path, std::uint64_t{1} << 36);
    if (!text) return text.error();
    return std::optional(UsdaLayer{path.lexically_normal().string(), std::move(text.value())});
  };
}

struct Reader {
  const char* extension;
  Result<Groom> (*decode)(Bytes, const std::string& name);
};
constexpr Reader readers[] = {
    {".hair", decode_hair},
    {".data", decode_data},
    {".tfx", decode_tfx},
    {".usda",
     [](Bytes bytes, const std::string& name) { return decode_usda(text_of(bytes), name, layers_beside(name)); }},
    {".ply", [](Bytes bytes, const std::string& name) { return read_ply_curves(bytes, name); }},
    {".obj", [](Bytes bytes, const std::string& name) { return read_obj_curves(text_of(bytes), name); }},
    {".tendril", decode_frame_file},
    {".h5", decode_prepared_groom},
};

Status write_encoded(const fs::path& path, const Result<std::vector<std::byte>>& bytes) {
  return bytes ? write_file(path, bytes.value()) : Status(bytes.error());
}

Status write_vtp(const fs::path& path, const Groom& groom) {
  const CurveSequence sequence = still(groom, path.stem().string());
  return write_file(path, encode_vtp(sequence, sequence.fetch(0).value()));
}

struct Writer {
  const char* extension;
  Status (*write)(const fs::path&, const Groom&);
};
constexpr Writer writers[] = {
    {".hair", [](const fs::path& p, const Groom& g) { return write_encoded(p, encode_hair(g, p.string())); }},
    {".data", [](const fs::path& p, const Groom& g) { return write_encoded(p, encode_data(g, p.string())); }},
    {".usda", [](const fs::path& p, const Groom& g) { return write_usda(p, still(g, p.stem().string())); }},
    {".ply", [](const fs::path& p, const Groom& g) { return write_file(p, encode_ply_curves(g)); }},
    {".obj", [](const fs::path& p, const Groom& g) { return write_file(p, encode_obj_curves(g)); }},
    {".vtp", write_vtp},
};

template <class List>
auto find_format(const List& formats, const fs::path& path) {
  return std::ranges::find_if(formats, [&](const auto& f) { return path.extension() == f.extension; });
}

template <class List>
Error unknown(const List& formats, const fs::path& path, const char* what) {
  std::string names;
  for (const auto& format : formats) names += fmt::format("{}{}", names.empty() ? "" : ", ", format.extension);
  return {path.string(),
          fmt::format("'{}' is not a format that {}; there are {}", path.extension().string(), what, names)};
}

}  // namespace

bool reads_groom(const fs::path& path) { return find_format(readers, path) != std::end(readers); }

Result<Groom> decode_groom(Bytes bytes, const fs::path& path) {
  const auto reader = find_format(readers, path);
  if (reader == std::end(readers)) return unknown(readers, path, "can be read as strands");
  return reader->decode(bytes, path.string());
}

bool writes_groom(const fs::path& path) { return find_format(writers, path) != std::end(writers); }

Result<Groom> read_groom(const fs::path& path) {
  std::error_code fault;
  if (!reads_groom(path) && (path.has_extension() || fs::exists(path, fault)))
    return unknown(readers, path, "can be read as strands");
  Result<std::vector<std::byte>> bytes = read_bytes(path);
  if (!bytes) return bytes.error();
  return decode_groom(bytes.value(), path);
}

Status write_groom(const fs::path& path, const Groom& groom) {
  const auto writer = find_format(writers, path);
  if (writer == std::end(writers)) return unknown(writers, path, "strands are written to");
  return writer->write(path, groom);
}

}  // namespace tendril
