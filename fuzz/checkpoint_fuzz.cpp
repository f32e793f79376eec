// libFuzzer entry: any bytes through the reader of checkpoints, in three ways: as they are; as a body behind a block
// with the right size and checksum, which a mutation would hardly ever hit; and, after a letter c, as changes to a good
// body, three bytes each (place, place / 256, new byte). What is accepted must have the shape of the world's state and
// must, once it is written, be read again with the same bits.
//
// The limit of what this can promise: the checksum stands before the HDF5 library, so that it sees only files that we
// wrote; it is a guard against accidents, not against malice. io/hdf5_file.cpp adds what can be asked from outside: it
// reads only numbers of the type that we write, in one piece within the file, as many as the file has bytes for, and
// follows no link to another file. (Without that, one changed byte in a type made the library ask for 4 GB.) The parser
// of Debian's HDF5 1.10 itself is not safe: a group's heap with wrong sizes or a wrong list of free places makes it ask
// for any amount of memory (H5C_protect), read a null pointer (H5F__accum_read) or loop for ever (H5HL_protect). It
// also leaks where it gives up on a body; these leaks are not counted here. So go on after its crashes with -fork=1
// -ignore_crashes=1 -ignore_ooms=1 -ignore_timeouts=1 and ASAN_OPTIONS=allocator_may_return_null=1, and look at the
// findings whose innermost call is not in libhdf5.
//
// To build it, in one line; all but the reader is taken from the library that ./run or ./test has built:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3
//     -isystem /usr/include/hdf5/serial fuzz/checkpoint_fuzz.cpp src/tendril/sim/checkpoint.cpp
//     src/tendril/io/hdf5_file.cpp build/release/libtendril_core.a -lfmt -ltomlplusplus -lembree3 -lhdf5_serial
//     -o checkpoint_fuzz
// Run it with -malloc_limit_mb=64: a small file may not ask for more.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/base/hash.hpp"
#include "tendril/sim/checkpoint.hpp"

namespace {

using tendril::Checkpoint;
using Bytes = std::span<const std::byte>;

constexpr std::size_t block_size = 512, most_changes = 96;  // [bytes]

// Two parts, so that a file may have too few of them; strands of different length.
constexpr std::string_view scene_text = R"(
[run]
frames = 9
[[strands]]
name = "two"
source = { points = [[[0, 0, 0], [0, 1, 0], [0, 2, 0]], [[1, 0, 0], [1, 1, 0]]] }
[[strands]]
name = "one"
source = { points = [[2, 0, 0], [2, 1, 0]] }
)";

void require(bool good) {
  if (!good) std::abort();
}

bool same(std::span<const double> a, std::span<const double> b) {  // bit by bit: a NaN is equal to itself
  return std::ranges::equal(std::as_bytes(a), std::as_bytes(b));
}

const tendril::World& world() {
  static const tendril::World made = [] {
    ::setenv("TENDRIL_ISA", "reference", 1);  // the same shape on every machine, whatever its lanes
    return tendril::make_world(tendril::parse_scene(scene_text, "fuzz.toml").value()).value();
  }();
  return made;
}

// With everything that a checkpoint may hold.
std::vector<std::byte> make_good_file() {
  Checkpoint checkpoint{.scene_hash = 1,
                        .isa = "reference",
                        .frame = 3,
                        .substep = 2,
                        .frame_usable = true,
                        .report = "{}",
                        .scene = std::string(scene_text),
                        .scene_folder = ".",
                        .state = tendril::start(world())};
  checkpoint.state.given_poses[0] = tendril::GivenPose{};
  for (tendril::der::State& part : checkpoint.state.parts) {
    part.previous = part.current;
    part.previous_dt = 0.001;
    for (std::size_t g = 0; g < part.current.size(); ++g)
      part.low.append(part.current[g].size() / tendril::der::StateLayout::components * 3, 1e-20);
  }
  return tendril::encode_checkpoint(checkpoint).value();
}

const std::vector<std::byte>& good_file() {
  static const std::vector<std::byte> made = make_good_file();
  return made;
}

bool same(const tendril::Pose& a, const tendril::Pose& b) {
  return same(std::span(a.rotation.coeffs().data(), 4), std::span(b.rotation.coeffs().data(), 4)) &&
         same(std::span(a.translation.data(), 3), std::span(b.translation.data(), 3));
}

void check(Bytes bytes) {
  const auto read = tendril::decode_checkpoint(bytes, world(), "fuzz.h5");
  if (!read) {
    require(!read.error().where.empty() && !read.error().what.empty());
    return;
  }
  const Checkpoint& found = read.value();
  const tendril::WorldState shape = tendril::start(world());
  require(found.frame >= 0 && found.substep >= 0);
  require(found.state.parts.size() == shape.parts.size() && found.state.given_poses.size() == shape.parts.size());
  for (std::size_t i = 0; i < shape.parts.size(); ++i) {
    const tendril::der::State& part = found.state.parts[i];
    const std::size_t groups = shape.parts[i].current.size(), values = shape.parts[i].current.all().size();
    require(part.current.size() == groups && part.current.all().size() == values);
    require(part.previous.empty() || (part.previous.size() == groups && part.previous.all().size() == values));
    require(part.low.empty() || (part.low.size() == groups && part.low.all().size() == values / 4));
  }
  const auto again = tendril::decode_checkpoint(tendril::encode_checkpoint(found).value(), world(), "fuzz.h5");
  require(bool(again));
  const Checkpoint& kept = again.value();
  require(kept.scene_hash == found.scene_hash && kept.isa == found.isa && kept.report == found.report);
  require(kept.scene == found.scene && kept.scene_folder == found.scene_folder);
  require(kept.frame == found.frame && kept.substep == found.substep && kept.frame_usable == found.frame_usable);
  require(kept.state.clock.ticks == found.state.clock.ticks);
  for (std::size_t i = 0; i < shape.parts.size(); ++i) {
    const tendril::der::State &a = found.state.parts[i], &b = kept.state.parts[i];
    require(same(a.current.all(), b.current.all()) && same(a.low.all(), b.low.all()));
    if (a.previous_dt > 0.0) require(a.previous_dt == b.previous_dt && same(a.previous.all(), b.previous.all()));
    const auto &c = found.state.given_poses[i], &d = kept.state.given_poses[i];
    require(bool(c) == bool(d) && (!c || (same(c->before, d->before) && same(c->now, d->now))));
  }
}

// Behind a block that is right for it.
void check_body(Bytes body) {
  std::vector<std::byte> file(good_file().begin(), good_file().begin() + block_size);
  file.insert(file.end(), body.begin(), body.end());
  const std::uint64_t size = body.size(), checksum = tendril::Hash().bytes(body).value();
  std::memcpy(file.data() + 16, &size, sizeof size);
  std::memcpy(file.data() + 24, &checksum, sizeof checksum);
  check(file);
}

void check_changes(Bytes changes) {
  std::vector<std::byte> body(good_file().begin() + block_size, good_file().end());
  for (std::size_t i = 0; i + 3 <= changes.size(); i += 3) {
    const std::size_t place = std::size_t(changes[i]) + 256 * std::size_t(changes[i + 1]);
    body[place % body.size()] = changes[i + 2];
  }
  check_body(body);
}

}  // namespace

extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  const bool has_block = size >= block_size && std::ranges::equal(bytes.first(8), std::span(good_file()).first(8));
  check(bytes);
  check_body(bytes.subspan(has_block ? block_size : 0));
  if (size > 0 && size <= most_changes && data[0] == 'c') check_changes(bytes.subspan(1));
  return 0;
}
