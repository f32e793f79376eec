#include "tendril/sim/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "tendril/io/atomic_file.hpp"
#include "tendril/io/hdf5_file.hpp"
#include "tendril/io/sealed_file.hpp"
#include "tendril/linalg/isa.hpp"
#include "tendril/sim/contact/memory_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

constexpr SealKind seal = {"TENDRILC", 6, "a checkpoint"};
constexpr std::string_view prefix = "checkpoint_", extension = ".h5";

std::string part_name(std::size_t part, const char* what) { return fmt::format("/parts/{}/{}", part, what); }

Result<std::int64_t> integer(const Hdf5Reader& file, const char* what, std::int64_t least, std::int64_t most) {
  Result<std::vector<std::int64_t>> values = file.integers(what);
  if (!values) return values.error();
  if (values.value().size() != 1) return Error{what, "must be one number"};
  const std::int64_t value = values.value()[0];
  if (value < least || value > most) return Error{what, fmt::format("{} is not from {} to {}", value, least, most)};
  return value;
}

// A stream of the file into one of the given shape; an empty one stays as it is.
Status read_streams(const Hdf5Reader& file, const std::string& what, const der::GroupStreams& shape,
                    der::GroupStreams& out) {
  Result<std::vector<double>> values = file.numbers(what);
  if (!values) return values.error();
  if (values.value().empty()) return out.clear(), ok();
  out.shape_like(shape);
  if (values.value().size() != out.all().size())
    return Error{what, fmt::format("has {} numbers; this scene needs {}", values.value().size(), out.all().size())};
  std::ranges::copy(values.value(), out.all().begin());
  return ok();
}

der::GroupStreams shape_of_low(const der::GroupStreams& current) {
  der::GroupStreams low;
  for (std::size_t g = 0; g < current.size(); ++g)
    low.append(current[g].size() / der::StateLayout::components * 3, 0.0);
  return low;
}

Status read_part(const Hdf5Reader& file, std::size_t i, const PartState& like, PartState& state) {
  const der::GroupStreams& shape = like.current;
  if (Status s = read_streams(file, part_name(i, "current"), shape, state.current); !s) return s;
  if (state.current.size() != shape.size()) return Error{part_name(i, "current"), "is empty"};
  if (Status s = read_streams(file, part_name(i, "previous"), shape, state.previous); !s) return s;
  if (Status s = read_streams(file, part_name(i, "low"), shape_of_low(shape), state.low); !s) return s;
  Result<std::vector<double>> dt = file.numbers(part_name(i, "previous_dt"));
  if (!dt) return dt.error();
  if (dt.value().size() != 1 || !(dt.value()[0] >= 0.0) || !std::isfinite(dt.value()[0]))
    return Error{part_name(i, "previous_dt"), "must be one time, 0 or more"};
  state.previous_dt = dt.value()[0];
  if (state.previous.empty()) state.previous_dt = 0.0;
  Result<std::vector<double>> own = file.numbers(part_name(i, "own"));
  if (!own) return own.error();
  if (own.value().size() != like.own.size())
    return Error{part_name(i, "own"),
                 fmt::format("has {} numbers; this scene needs {}", own.value().size(), like.own.size())};
  state.own = std::move(own.value());
  return ok();
}

std::vector<double> pose_numbers(const std::optional<GivenPose>& given) {
  std::vector<double> numbers;
  if (!given) return numbers;
  for (const Pose* pose : {&given->before, &given->now}) {
    const Eigen::Quaterniond& q = pose->rotation;
    const Eigen::Vector3d& t = pose->translation;
    numbers.insert(numbers.end(), {q.w(), q.x(), q.y(), q.z(), t.x(), t.y(), t.z()});
  }
  return numbers;
}

Status read_pose(const Hdf5Reader& file, std::size_t i, std::optional<GivenPose>& given) {
  const std::string name = part_name(i, "given_pose");
  const Result<std::vector<double>> numbers = file.numbers(name);
  if (!numbers) return numbers.error();
  const std::vector<double>& n = numbers.value();
  if (n.empty()) return ok();
  if (n.size() != 14) return Error{name, fmt::format("has {} numbers in place of 14", n.size())};
  const auto pose = [&](std::size_t at) {
    return Pose{Eigen::Quaterniond(n[at], n[at + 1], n[at + 2], n[at + 3]), {n[at + 4], n[at + 5], n[at + 6]}};
  };
  given = GivenPose{pose(0), pose(7)};
  return ok();
}

std::optional<int> checkpoint_number(const fs::path& path) {
  const std::string name = path.filename().string();
  if (!name.starts_with(prefix) || !name.ends_with(extension) || name.size() <= prefix.size() + extension.size())
    return std::nullopt;
  int number = 0;
  const char* last = name.data() + name.size() - extension.size();
  const auto [end, fault] = std::from_chars(name.data() + prefix.size(), last, number);
  return fault == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

fs::path folder_of(const fs::path& run) { return run / "checkpoints"; }

std::vector<int> newest_first(const fs::path& run) {
  std::vector<int> numbers;
  std::error_code fault;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_of(run), fault))
    if (const std::optional<int> number = checkpoint_number(entry.path())) numbers.push_back(*number);
  std::ranges::sort(numbers, std::greater());
  return numbers;
}

}  // namespace

Result<std::vector<std::byte>> encode_checkpoint(const Checkpoint& c) {
  Hdf5Writer file;
  const auto one = [&](const char* name, std::int64_t value) { file.integers(name, std::span(&value, 1)); };
  one("/scene_hash", std::bit_cast<std::int64_t>(c.scene_hash));
  one("/clock_ticks", c.state.clock.ticks), one("/frame", c.frame), one("/substep", c.substep);
  one("/frame_usable", c.frame_usable);
  file.text("/isa", c.isa), file.text("/report", c.report);
  file.text("/scene", c.scene), file.text("/scene_folder", c.scene_folder);
  for (std::size_t i = 0; i < c.state.parts.size(); ++i) {
    const PartState& part = c.state.parts[i];
    file.numbers(part_name(i, "current"), part.current.all());
    file.numbers(part_name(i, "previous"), part.previous_dt > 0.0 ? part.previous.all() : std::span<const double>());
    file.numbers(part_name(i, "low"), part.low.all());
    file.numbers(part_name(i, "own"), part.own);
    file.numbers(part_name(i, "previous_dt"), std::span(&part.previous_dt, 1));
    file.numbers(part_name(i, "given_pose"), pose_numbers(c.state.given_poses[i]));
  }
  write_memory(c.state.contact, file);
  Result<std::vector<std::byte>> body = file.finish();
  if (!body) return body;
  return sealed(seal, body.value());
}

namespace {

Result<Hdf5Reader> open_checkpoint(std::span<const std::byte> bytes, const std::string& name) {
  const Result<std::span<const std::byte>> body = unsealed(seal, bytes, name);
  if (!body) return body.error();
  return Hdf5Reader::open(body.value(), name);
}

Result<Checkpoint> decode_head(const Hdf5Reader& file, const std::string& name) {
  Checkpoint out;
  using Words = std::numeric_limits<std::int64_t>;
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  const Result<std::int64_t> scene = integer(file, "/scene_hash", Words::min(), Words::max()),
                             ticks = integer(file, "/clock_ticks", 0, Words::max() / 2),
                             frame = integer(file, "/frame", 0, most), substep = integer(file, "/substep", 0, most),
                             usable = integer(file, "/frame_usable", 0, 1);
  for (const Result<std::int64_t>* value : {&scene, &ticks, &frame, &substep, &usable})
    if (!*value) return Error{name, value->error().message()};
  out.scene_hash = std::bit_cast<std::uint64_t>(scene.value());
  out.state.clock.ticks = ticks.value(), out.frame = int(frame.value()), out.substep = int(substep.value());
  out.frame_usable = usable.value() != 0;
  const Result<std::string> isa = file.text("/isa"), report = file.text("/report"), text = file.text("/scene"),
                            folder = file.text("/scene_folder");
  for (const Result<std::string>* value : {&isa, &report, &text, &folder})
    if (!*value) return Error{name, value->error().message()};
  out.isa = isa.value(), out.report = report.value(), out.scene = text.value(), out.scene_folder = folder.value();
  return out;
}

}  // namespace

Result<Checkpoint> decode_checkpoint_scene(std::span<const std::byte> bytes, const std::string& name) {
  const Result<Hdf5Reader> file = open_checkpoint(bytes, name);
  if (!file) return file.error();
  return decode_head(file.value(), name);
}

Result<Checkpoint> decode_checkpoint(std::span<const std::byte> bytes, const World& world, const std::string& name) {
  const Result<Hdf5Reader> opened = open_checkpoint(bytes, name);
  if (!opened) return opened.error();
  const Hdf5Reader& file = opened.value();
  Result<Checkpoint> head = decode_head(file, name);
  if (!head) return head;
  Checkpoint& out = head.value();
  out.state.parts.resize(world.parts.size()), out.state.given_poses.resize(world.parts.size());
  const WorldState shape = start(world);
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    if (Status s = read_part(file, i, shape.parts[i], out.state.parts[i]); !s) return Error{name, s.error().message()};
    if (Status s = read_pose(file, i, out.state.given_poses[i]); !s) return Error{name, s.error().message()};
  }
  const MemoryShape contact{world.strand_count(), world.vertex_count(), world.colliders.size(), world.joints.size()};
  if (Status s = read_memory(file, contact, out.state.contact); !s) return Error{name, s.error().message()};
  return head;
}

Status check_isa(const Checkpoint& checkpoint, const std::string& name) {
  if (checkpoint.isa == active_isa_name()) return ok();
  return Error{name,
               fmt::format("was made with the instruction set {0}; set TENDRIL_ISA={0} to go on with the same bits",
                           checkpoint.isa)};
}

fs::path checkpoint_path(const fs::path& run, int frame) {
  return folder_of(run) / fmt::format("{}{:04}{}", prefix, frame, extension);
}

std::optional<fs::path> newest_checkpoint(const fs::path& run) {
  for (const int number : newest_first(run)) {
    const fs::path path = checkpoint_path(run, number);
    const Result<std::vector<std::byte>> bytes = read_bytes(path);
    if (bytes && unsealed(seal, bytes.value(), path.string())) return path;
  }
  return std::nullopt;
}

std::optional<std::string> checkpoint_of_other_version(const fs::path& run) {
  for (const int number : newest_first(run)) {
    const Result<std::vector<std::byte>> bytes = read_bytes(checkpoint_path(run, number));
    if (!bytes) continue;
    const std::uint32_t version = seal_version(seal, bytes.value());
    if (version != 0 && version != seal.version)
      return fmt::format("has a checkpoint of version {}; this program goes on from {}, or begins anew with --force",
                         version, seal.version);
  }
  return std::nullopt;
}

void remove_old_checkpoints(const fs::path& run, std::size_t keep) {
  const std::vector<int> numbers = newest_first(run);
  std::error_code fault;
  for (std::size_t i = keep; i < numbers.size(); ++i) fs::remove(checkpoint_path(run, numbers[i]), fault);
}

}  // namespace tendril
