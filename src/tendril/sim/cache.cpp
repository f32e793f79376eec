#include "tendril/sim/cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "tendril/base/build_info.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/io/ply_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

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
  if (!kept.empty()) return;
  for (const char* name : {cache_index_name, rest_name}) fs::remove(folder / name, error);
  fs::remove_all(folder / bodies_name, error);
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
  cache.maker_.emplace(world, output.channels);
  for (const World::Part& part : world.parts) {
    cache.sets_.push_back(part.settings.name);
    cache.set_strands_.push_back(part.groom().strands());
  }
  if (Status status = cache.write_what_is_constant(world); !status) return status.error();
  return cache;
}

Status CacheWriter::write_what_is_constant(const World& world) {
  if (Status status = write_frame(folder_ / rest_name, maker_->rest(world)); !status) return status;
  std::error_code error;
  if (!maker_->bodies().empty()) fs::create_directories(folder_ / bodies_name, error);
  if (error) return Error{(folder_ / bodies_name).string(), fmt::format("cannot make the folder: {}", error.message())};
  for (const Body& body : maker_->bodies()) {
    bodies_.push_back({body.name, body_file_name(body.name), body.motion != nullptr});
    if (Status status = write_file(folder_ / bodies_.back().file, encode_ply_mesh(body.mesh)); !status) return status;
  }
  return ok();
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
  for (const CacheBody& body : bodies_)
    index["bodies"].push_back({{"name", body.name}, {"mesh", body.file}, {"deforms", body.deforms}});
  return write_file(folder_ / cache_index_name, index.dump(2) + "\n");
}

}  // namespace tendril
