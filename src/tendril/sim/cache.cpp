#include "tendril/sim/cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tendril/base/build_info.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/cache_folder.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

Channel make_channel(const char* name, PerElement per, std::uint32_t components, std::size_t size) {
  return {name, per, components, std::vector<float>(size)};
}

std::vector<float>& floats(Channel& channel) { return std::get<std::vector<float>>(channel.values); }

// Guides of the groom, whose strands they can be named by.
bool carried_by_its_own(const World::Part& part) {
  return part.followers && !part.followers->binding().strands.empty();
}

// Which strands are guides, and which of them carry each strand, by index among all strands. A set without guides of
// its own follows itself.
void add_guide_channels(const World& world, Frame& frame) {
  constexpr std::size_t most = GuideBinding::most;
  std::vector<std::uint32_t> guide, closest;
  std::vector<float> weights;
  std::uint32_t base = 0;
  for (const World::Part& part : world.parts) {
    const auto strands = std::uint32_t(part.groom().strands());
    for (std::uint32_t s = 0; s < strands; ++s) {
      guide.push_back(part.simulated(s).has_value());
      for (std::size_t c = 0; c < most; ++c) {
        if (!carried_by_its_own(part)) {
          closest.push_back(base + s), weights.push_back(c == 0 ? 1.0f : 0.0f);
          continue;
        }
        const GuideBinding& binding = part.followers->binding();
        const std::uint32_t place = binding.closest[s][c];
        closest.push_back(base + std::uint32_t(binding.strands[place]));
        weights.push_back(float(binding.weights[s][c]));
      }
    }
    base += strands;
  }
  frame.channels.push_back({"guide", PerElement::strand, 1, std::move(guide)});
  frame.channels.push_back({"closest_guides", PerElement::strand, std::uint32_t(most), std::move(closest)});
  frame.channels.push_back({"guide_weights", PerElement::strand, std::uint32_t(most), std::move(weights)});
}

// Of the run that is in the folder.
double shutter_of(const fs::path& folder) {
  const Result<std::string> text = read_text(folder / cache_index_name);
  const nlohmann::json index = nlohmann::json::parse(text ? text.value() : "", nullptr, false);
  return index.is_object() && index.contains("shutter") && index["shutter"].is_number() ? double(index["shutter"])
                                                                                        : 0.0;
}

void remove_frames(const fs::path& folder, OldCache old, int last_kept, bool same_shutter, std::vector<int>& kept) {
  std::error_code error;
  for (const int number : frame_numbers(folder))
    if (old == OldCache::keep && number <= last_kept)
      kept.push_back(number);
    else
      fs::remove(folder / frame_name(number), error);
  for (const int number : shutter_numbers(folder))
    if (old != OldCache::keep || number > last_kept || !same_shutter) fs::remove(folder / shutter_name(number), error);
  if (kept.empty()) fs::remove(folder / cache_index_name, error);
}

}  // namespace

Result<CacheWriter> CacheWriter::open(const fs::path& folder, const World& world, const OutputSettings& output,
                                      OldCache old, int last_kept) {
  const std::string where = folder.string();
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    return Error{where, "is a file; a run needs a folder"};
  if (is_cache(folder) && old == OldCache::refuse)
    return Error{where, "already holds a run; give another --out, --resume to go on with it, or --force to replace it"};
  fs::create_directories(folder, error);
  if (error) return Error{where, fmt::format("cannot make the folder: {}", error.message())};
  Result<FolderLock> lock = FolderLock::take(folder);
  if (!lock) return lock.error();
  std::vector<int> kept;
  remove_frames(folder, old, last_kept, shutter_of(folder) == output.shutter, kept);

  CacheWriter cache;
  cache.folder_ = folder;
  cache.lock_ = std::move(lock.value());
  cache.shutter_ = output.shutter;
  if (!kept.empty()) cache.first_ = kept.front(), cache.last_ = kept.back(), cache.written_ = int(kept.size());
  cache.name_ = world.run.name;
  cache.fps_ = world.run.fps;
  cache.frame_.offsets = {0};
  for (const World::Part& part : world.parts) {
    cache.sets_.push_back(part.settings.name);
    cache.set_strands_.push_back(part.groom().strands());
    const std::uint32_t base = cache.frame_.offsets.back();
    for (std::size_t s = 0; s < part.groom().strands(); ++s)
      cache.frame_.offsets.push_back(base + std::uint32_t(part.groom().offsets[s + 1]));
  }
  const std::size_t vertices = world.groom_vertex_count();
  cache.frame_.channels.push_back(make_channel("position", PerElement::vertex, 3, 3 * vertices));
  cache.frame_.channels.push_back(make_channel("velocity", PerElement::vertex, 3, 3 * vertices));
  cache.frame_.channels.push_back(make_channel("radius", PerElement::vertex, 1, vertices));
  std::size_t at = 0;
  for (const World::Part& part : world.parts)
    for (const double r : part.radius) floats(cache.frame_.channels[2])[at++] = float(r);
  if (std::ranges::any_of(world.parts, carried_by_its_own)) add_guide_channels(world, cache.frame_);
  return cache;
}

Frame CacheWriter::snapshot(int number, bool usable, const World& world, const LastStep& last, const WorldState& state,
                            GroomScratch& scratch) const {
  Frame frame = frame_;
  frame.number = number;
  frame.time = state.clock.time(world.run.dt());
  frame.flags = usable ? frame_flag_usable : 0;
  std::vector<Eigen::Vector3d> positions, velocities;
  std::size_t at = 0;
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const std::size_t vertices = world.parts[i].groom().points.size();
    positions.resize(vertices), velocities.resize(vertices);
    gather_groom(world, i, state, scratch, positions);
    gather_groom_velocities(world, i, last, state, positions, scratch, velocities);
    for (std::size_t v = 0; v < vertices; ++v)
      for (int c = 0; c < 3; ++c, ++at) {
        floats(frame.channels[0])[at] = float(positions[v][c]);
        floats(frame.channels[1])[at] = float(velocities[v][c]);
      }
  }
  return frame;
}

Status CacheWriter::write(const Frame& frame) {
  if (Status status = write_frame(folder_ / frame_name(frame.number), frame); !status) return status;
  if (first_ == 0) first_ = frame.number;
  last_ = frame.number, ++written_;
  return write_index();
}

Status CacheWriter::write_shutter(const Frame& frame) const {
  return write_frame(folder_ / shutter_name(frame.number), frame);
}

Status CacheWriter::write_index() const {
  nlohmann::json sets = nlohmann::json::array();
  for (std::size_t i = 0; i < sets_.size(); ++i) sets.push_back({{"name", sets_[i]}, {"strands", set_strands_[i]}});
  nlohmann::json index = {{"format", "tendril cache"},
                          {"format_version", 1},
                          {"name", name_},
                          {"tendril", version()},
                          {"fps", fps_},
                          {"first_frame", first_},
                          {"last_frame", last_},
                          {"frames", written_},
                          {"file_pattern", "frame_%04d.tendril"},
                          {"unit", "m"},
                          {"up", "y"},
                          {"sets", std::move(sets)}};
  if (shutter_ > 0.0) index["shutter"] = shutter_;
  return write_file(folder_ / cache_index_name, index.dump(2) + "\n");
}

}  // namespace tendril
