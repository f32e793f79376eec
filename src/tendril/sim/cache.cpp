#include "tendril/sim/cache.hpp"

#include <fmt/format.h>

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

}  // namespace

Result<CacheWriter> CacheWriter::open(const fs::path& folder, const World& world, OldCache old, int last_kept) {
  const std::string where = folder.string();
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    return Error{where, "is a file; a run needs a folder"};
  if (is_cache(folder) && old == OldCache::refuse)
    return Error{where, "already holds a run; give another --out, --resume to go on with it, or --force to replace it"};
  fs::create_directories(folder, error);
  if (error) return Error{where, fmt::format("cannot make the folder: {}", error.message())};
  std::vector<int> kept;
  for (const int number : frame_numbers(folder))
    if (old == OldCache::keep && number <= last_kept)
      kept.push_back(number);
    else
      fs::remove(folder / frame_name(number), error);
  if (kept.empty()) fs::remove(folder / cache_index_name, error);

  CacheWriter cache;
  cache.folder_ = folder;
  if (!kept.empty()) cache.first_ = kept.front(), cache.last_ = kept.back(), cache.written_ = int(kept.size());
  cache.name_ = world.run.name;
  cache.fps_ = world.run.fps;
  cache.frame_.offsets = {0};
  for (const World::Part& part : world.parts) {
    cache.sets_.push_back(part.settings.name);
    cache.set_strands_.push_back(part.strands.size());
    const std::uint32_t base = cache.frame_.offsets.back();
    for (std::size_t s = 0; s < part.strands.size(); ++s)
      cache.frame_.offsets.push_back(base + std::uint32_t(part.strands.offset(s + 1)));
  }
  const std::size_t vertices = world.vertex_count();
  cache.frame_.channels.push_back(make_channel("position", PerElement::vertex, 3, 3 * vertices));
  cache.frame_.channels.push_back(make_channel("velocity", PerElement::vertex, 3, 3 * vertices));
  cache.frame_.channels.push_back(make_channel("radius", PerElement::vertex, 1, vertices));
  std::size_t at = 0;
  for (const World::Part& part : world.parts) {
    const std::vector<double>& radius = part.strands.description().semi_axis1;
    for (const double r : radius) floats(cache.frame_.channels[2])[at++] = float(r);
  }
  return cache;
}

Frame CacheWriter::snapshot(int number, double time, bool usable, const World& world, const WorldState& state) const {
  Frame frame = frame_;
  frame.number = number;
  frame.time = time;
  frame.flags = usable ? frame_flag_usable : 0;
  std::vector<Eigen::Vector3d> values;
  const auto fill = [&](Channel& channel, auto&& gather) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < world.parts.size(); ++i) {
      values.resize(world.parts[i].strands.vertex_count());
      gather(world.parts[i].strands, state.parts[i], values);
      for (const Eigen::Vector3d& v : values)
        for (int c = 0; c < 3; ++c) floats(channel)[at++] = float(v[c]);
    }
  };
  fill(frame.channels[0], der::gather_positions);
  fill(frame.channels[1], der::gather_velocities);
  return frame;
}

Status CacheWriter::write(const Frame& frame) {
  if (Status status = write_frame(folder_ / frame_name(frame.number), frame); !status) return status;
  if (first_ == 0) first_ = frame.number;
  last_ = frame.number, ++written_;
  return write_index();
}

Status CacheWriter::write_index() const {
  nlohmann::json sets = nlohmann::json::array();
  for (std::size_t i = 0; i < sets_.size(); ++i) sets.push_back({{"name", sets_[i]}, {"strands", set_strands_[i]}});
  const nlohmann::json index = {{"format", "tendril cache"},
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
  return write_file(folder_ / cache_index_name, index.dump(2) + "\n");
}

}  // namespace tendril
