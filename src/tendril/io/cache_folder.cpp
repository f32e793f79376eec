#include "tendril/io/cache_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

#include "tendril/io/atomic_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view frame_prefix = "frame_", shutter_prefix = "shutter_", extension = ".tendril";

std::string numbered(std::string_view prefix, int number) {
  return fmt::format("{}{:04}{}", prefix, number, extension);
}

std::optional<int> number_of(const fs::path& path, std::string_view prefix) {
  const std::string name = path.filename().string();
  if (!name.starts_with(prefix) || !name.ends_with(extension) || name.size() <= prefix.size() + extension.size())
    return std::nullopt;
  const char *first = name.data() + prefix.size(), *last = name.data() + name.size() - extension.size();
  int number = 0;
  const auto [end, fault] = std::from_chars(first, last, number);
  return end == last && fault == std::errc() && numbered(prefix, number) == name ? std::optional(number) : std::nullopt;
}

std::vector<int> numbers_in(const fs::path& folder, std::string_view prefix) {
  std::vector<int> numbers;
  std::error_code fault;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, fault))
    if (const std::optional<int> number = number_of(entry.path(), prefix)) numbers.push_back(*number);
  std::ranges::sort(numbers);
  return numbers;
}

const std::vector<float>* floats(const Frame& frame, const char* name, std::size_t components) {
  const Channel* channel = frame.channel(name);
  const bool fits = channel != nullptr && channel->per == PerElement::vertex && channel->components == components;
  return fits ? std::get_if<std::vector<float>>(&channel->values) : nullptr;
}

Result<CurveFrame> to_curve_frame(const Frame& frame, const std::string& name) {
  const std::vector<float>*positions = floats(frame, "position", 3), *velocities = floats(frame, "velocity", 3);
  if (positions == nullptr) return Error{name, "has no channel 'position' of three f32 per vertex"};
  return CurveFrame{frame.number, frame.time, *positions, velocities == nullptr ? std::vector<float>{} : *velocities};
}

// The state in a file whose strands must be these.
Result<CurveFrame> read_curve_frame(const fs::path& path, const std::vector<std::uint32_t>& offsets) {
  Result<Frame> frame = read_frame(path);
  if (!frame) return frame.error();
  if (frame.value().offsets != offsets) return Error{path.string(), "has other strands than the first frame"};
  return to_curve_frame(frame.value(), path.string());
}

// A file of the cache itself, whatever cache.json says.
bool is_inside(const fs::path& file) {
  return file.is_relative() && file.parent_path() == bodies_name && file.filename() != ".." && file.has_filename();
}

void read_bodies(const nlohmann::json& list, std::vector<CacheBody>& bodies) {
  if (!list.is_array()) return;
  for (const nlohmann::json& body : list) {
    if (!body.is_object() || !body.contains("name") || !body["name"].is_string() || !body.contains("mesh") ||
        !body["mesh"].is_string() || !body.contains("deforms") || !body["deforms"].is_boolean())
      return bodies.clear();  // places among the bodies would be wrong without this one
    bodies.push_back({body["name"], body["mesh"], body["deforms"]});
    if (!is_inside(bodies.back().file)) return bodies.clear();
  }
}

}  // namespace

std::string frame_name(int frame) { return numbered(frame_prefix, frame); }
std::optional<int> frame_number(const fs::path& path) { return number_of(path, frame_prefix); }
std::vector<int> frame_numbers(const fs::path& folder) { return numbers_in(folder, frame_prefix); }

std::string body_file_name(const std::string& body) {
  std::string safe = body;
  for (char& c : safe)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
  return fmt::format("{}/{}.ply", bodies_name, safe);
}

CacheIndex read_cache_index(const fs::path& folder) {
  CacheIndex index;
  const Result<std::string> text = read_text(folder / cache_index_name, 1 << 24);
  if (!text) return index;
  const nlohmann::json json = nlohmann::json::parse(text.value(), nullptr, false);
  if (!json.is_object()) return index;
  if (json.contains("name") && json["name"].is_string()) index.name = json["name"];
  if (json.contains("fps") && json["fps"].is_number() && json["fps"] > 0.0) index.fps = json["fps"];
  if (json.contains("shutter") && json["shutter"].is_number() && json["shutter"] > 0.0 && json["shutter"] <= 1.0)
    index.shutter = json["shutter"];
  if (json.contains("sets") && json["sets"].is_array())
    for (const nlohmann::json& set : json["sets"])
      if (set.is_object() && set.contains("name") && set["name"].is_string() && set.contains("strands") &&
          set["strands"].is_number_unsigned())
        index.sets.push_back({set["name"], set["strands"]});
  if (json.contains("bodies")) read_bodies(json["bodies"], index.bodies);
  return index;
}

std::vector<CurveSequence::Set> fitting_sets(std::vector<CurveSequence::Set> sets, std::size_t strands) {
  std::size_t left = strands;
  // Counted down: the sum of numbers from a broken cache.json may overflow.
  const bool fit =
      std::ranges::all_of(sets, [&](const auto& set) { return set.strands <= left && (left -= set.strands, true); });
  if (!fit || left > 0 || sets.empty()) return {{"strands", strands}};
  return sets;
}

std::string shutter_name(int frame) { return numbered(shutter_prefix, frame); }
std::vector<int> shutter_numbers(const fs::path& folder) { return numbers_in(folder, shutter_prefix); }

bool is_cache(const fs::path& folder) {
  std::error_code fault;
  return fs::is_directory(folder, fault) &&
         (fs::exists(folder / cache_index_name, fault) || !frame_numbers(folder).empty());
}

Result<CurveSequence> open_cache(const fs::path& folder) {
  CurveSequence sequence;
  sequence.frames = frame_numbers(folder);
  if (sequence.frames.empty()) return Error{folder.string(), "holds no frames of a run"};
  const fs::path first = folder / frame_name(sequence.frames.front());
  Result<Frame> frame = read_frame(first);
  if (!frame) return frame.error();
  Result<Groom> groom = to_groom(frame.value(), first.string());
  if (!groom) return groom.error();
  sequence.groom = std::move(groom.value());
  const CacheIndex index = read_cache_index(folder);
  sequence.name = index.name, sequence.fps = index.fps;
  sequence.sets = fitting_sets(index.sets, sequence.groom.curves.strands());

  sequence.fetch = [folder, numbers = sequence.frames, offsets = frame.value().offsets](std::size_t i) {
    return read_curve_frame(folder / frame_name(numbers[i]), offsets);
  };
  sequence.shutter = index.shutter;
  if (sequence.shutter > 0.0)
    sequence.fetch_shutter = [folder, numbers = sequence.frames,
                              offsets = frame.value().offsets](std::size_t i) -> Result<CurveFrame> {
      const fs::path path = folder / shutter_name(numbers[i]);
      std::error_code fault;
      if (!fs::exists(path, fault)) return CurveFrame{numbers[i], 0.0, {}, {}};
      return read_curve_frame(path, offsets);
    };
  return sequence;
}

Result<Groom> to_groom(const Frame& frame, const std::string& name) {
  Result<CurveFrame> curves = to_curve_frame(frame, name);
  if (!curves) return curves.error();
  Groom groom;
  groom.metres_per_unit = 1.0, groom.up = UpAxis::y;
  groom.curves.offsets.assign(frame.offsets.begin(), frame.offsets.end());
  const std::vector<float>& x = curves.value().positions;
  for (std::size_t i = 0; i < x.size(); i += 3) groom.curves.points.emplace_back(x[i], x[i + 1], x[i + 2]);
  if (const std::vector<float>* radius = floats(frame, "radius", 1))
    groom.radius.assign(radius->begin(), radius->end());
  for (const Channel& channel : frame.channels) {
    if (channel.name == "position" || channel.name == "velocity" || channel.name == "radius") continue;
    if (channel.per != PerElement::vertex && channel.per != PerElement::strand) continue;
    GroomAttribute attribute{channel.name, channel.per == PerElement::vertex, int(channel.components), {}};
    std::visit([&](const auto& values) { attribute.values.assign(values.begin(), values.end()); }, channel.values);
    groom.attributes.push_back(std::move(attribute));
  }
  return groom;
}

}  // namespace tendril
