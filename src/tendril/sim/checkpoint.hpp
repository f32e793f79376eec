// Checkpoints: all that a run needs to go on as if it had never stopped.
//
//   byte  size  what
//   0     8     "TENDRILC"
//   8     4     u32  version, 6
//   12    4     u32  unused
//   16    8     u64  size of all that follows byte 512
//   24    8     u64  checksum (base/hash.hpp) of it
//   32    480        unused
//   512   ...        an HDF5 file, which HDF5's own tools find behind this block:
//     /scene_hash, /clock_ticks, /frame, /substep, /frame_usable   integers
//     /isa, /report                                  texts; the report so far as JSON
//     /scene, /scene_folder                          texts; the scene as TOML, and where its files are sought
//     /parts/N/current, /previous                    the state's streams (rods/der/layout.hpp), as packed for /isa
//     /parts/N/low                                   what statics keeps of positions beyond their last bit
//     /parts/N/own                                   unknowns of the model beside these (sim/models)
//     /parts/N/previous_dt                           [s]
//     /parts/N/given_pose                            none, or 14 numbers: the pose before and now, (w, x, y, z) and
//     shift
//     /contact/places, /geometry, /forces            contacts of the last step (sim/contact/memory.hpp)
//     /contact/joint_forces, /vertex_forces, /depth, /edge_depth
//
// A file counts if its checksum is right: what the HDF5 library sees was written by us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

struct Checkpoint {
  std::uint64_t scene_hash = 0;
  std::string isa;
  int frame = 1;              // the last one that is complete
  int substep = 0;            // sub-steps taken since
  bool frame_usable = false;  // one of them stayed above tolerance
  std::string report;
  std::string scene, scene_folder;
  WorldState state;
};

Result<std::vector<std::byte>> encode_checkpoint(const Checkpoint& checkpoint);
// The scene, its folder and its hash alone, before there is a world.
Result<Checkpoint> decode_checkpoint_scene(std::span<const std::byte> bytes, const std::string& name);
// The state gets the shape of `world`'s; one that does not fit is an error.
Result<Checkpoint> decode_checkpoint(std::span<const std::byte> bytes, const World& world, const std::string& name);

// Another instruction set would go on to other bits.
Status check_isa(const Checkpoint& checkpoint, const std::string& name);

// Of a run's folder: checkpoints/checkpoint_0012.h5, by frame.
std::filesystem::path checkpoint_path(const std::filesystem::path& run, int frame);
// The newest one that is whole; nothing if there is none.
std::optional<std::filesystem::path> newest_checkpoint(const std::filesystem::path& run);
// What to say of a checkpoint there that another version of this program has written; nothing if there is none.
std::optional<std::string> checkpoint_of_other_version(const std::filesystem::path& run);
// Removes all but the newest `keep`.
void remove_old_checkpoints(const std::filesystem::path& run, std::size_t keep);

}  // namespace tendril
