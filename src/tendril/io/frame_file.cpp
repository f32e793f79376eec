#include "tendril/io/frame_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "tendril/base/hash.hpp"
#include "tendril/io/atomic_file.hpp"

namespace tendril {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

constexpr std::array<char, 8> magic = {'T', 'E', 'N', 'D', 'R', 'I', 'L', '\0'};
constexpr std::uint32_t version = 1, byte_order_mark = 0x01020304;
constexpr std::size_t header_size = 48, entry_size = 48, name_size = 24, checksum_size = 8;
constexpr std::uint32_t max_channels = 64, max_components = 16, max_vertices = 0x7fffffff;
constexpr std::string_view offset_name = "offset";

constexpr std::uint64_t padded(std::uint64_t size) { return (size + 7) / 8 * 8; }

// What stands in the table about a channel, and what follows from it.
struct Entry {
  std::array<char, name_size> name = {};
  std::uint32_t type = 0;  // index in Channel::values, plus 1
  std::uint32_t components = 0;
  std::uint32_t per = 0;
  std::uint32_t count = 0;  // of elements, if they are counted
  std::uint64_t offset = 0;

  std::string_view text() const { return {name.begin(), std::ranges::find(name, '\0')}; }
};
static_assert(sizeof(Entry) == entry_size);

struct Header {
  std::array<char, 8> magic = {};
  std::uint32_t version = 0, byte_order = 0;
  std::int32_t number = 0;
  std::uint32_t flags = 0;
  double time = 0.0;
  std::uint32_t strands = 0, vertices = 0, channels = 0, unused = 0;
};
static_assert(sizeof(Header) == header_size);

std::uint64_t element_count(const Entry& entry, std::uint64_t strands, std::uint64_t vertices) {
  switch (static_cast<PerElement>(entry.per)) {
    case PerElement::strand: return strands;
    case PerElement::vertex: return vertices;
    case PerElement::edge: return vertices - strands;
    case PerElement::strand_plus_one: return strands + 1;
    case PerElement::counted: return entry.count;
  }
  return 0;
}

constexpr std::uint64_t number_size(std::uint32_t type) { return type == 2 ? 8 : 4; }

// Every rule for a table entry but its offset; both the writer and the reader ask here.
std::optional<std::string> complaint(const Entry& entry, std::span<const Entry> earlier) {
  const std::string_view name = entry.text();
  const bool good_letters = std::ranges::all_of(
      name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
  const bool zeros_follow = std::all_of(entry.name.begin() + static_cast<std::ptrdiff_t>(name.size()), entry.name.end(),
                                        [](char c) { return c == '\0'; });
  if (name.empty() || name.size() >= name_size || !good_letters || !zeros_follow)
    return "has no name of 1 to 23 characters a-z 0-9 _ -";
  if (entry.type < 1 || entry.type > 3) return fmt::format("has the unknown type {}", entry.type);
  if (entry.components < 1 || entry.components > max_components)
    return fmt::format("has {} numbers per element; 1 to {} are allowed", entry.components, max_components);
  if (entry.per < 1 || entry.per > 5) return fmt::format("has elements of the unknown kind {}", entry.per);
  if (entry.per != 5 && entry.count != 0) return "has a number of elements of its own, which is for kind 5";
  if (entry.count > max_vertices) return fmt::format("has {} elements, which are too many", entry.count);
  if (std::ranges::any_of(earlier, [&](const Entry& other) { return other.name == entry.name; }))
    return fmt::format("has the name '{}' of an earlier one", name);
  const bool is_offset = name == offset_name && entry.type == 3 && entry.components == 1 && entry.per == 4;
  if (earlier.empty() && !is_offset) return "is not the channel 'offset'";
  return std::nullopt;
}

std::optional<std::string> offsets_complaint(std::span<const std::uint32_t> offsets, std::uint32_t vertices) {
  if (offsets.front() != 0) return fmt::format("the first strand begins at vertex {} instead of 0", offsets.front());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    if (offsets[s + 1] < offsets[s] || offsets[s + 1] - offsets[s] < 2)
      return fmt::format("strand {} has fewer than 2 vertices", s);
  if (offsets.back() != vertices)
    return fmt::format("the strands end at vertex {}, but there are {}", offsets.back(), vertices);
  return std::nullopt;
}

template <class T>
void store(const T& value, std::size_t at, std::vector<std::byte>& bytes) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class T>
T load(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
std::vector<T> load_array(std::span<const std::byte> bytes, const Entry& entry, std::uint64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  if (count > 0) std::memcpy(values.data(), bytes.data() + entry.offset, values.size() * sizeof(T));
  return values;
}

}  // namespace

const Channel* Frame::channel(std::string_view name) const {
  const auto found = std::ranges::find(channels, name, &Channel::name);
  return found == channels.end() ? nullptr : &*found;
}

Result<std::vector<std::byte>> encode_frame(const Frame& frame, const std::string& name) {
  const auto refuse = [&name](const std::string& what) { return Error{name, what}; };
  if (frame.offsets.empty()) return refuse("a frame has one offset more than strands, even without any");
  if (frame.offsets.back() > max_vertices) return refuse(fmt::format("{} vertices are too many", frame.offsets.back()));
  if (frame.channels.size() >= max_channels)
    return refuse(fmt::format("{} channels are too many", frame.channels.size()));
  if (!std::isfinite(frame.time)) return refuse("the time is not finite");

  Header header{magic, version, byte_order_mark, frame.number, frame.flags, frame.time};
  header.vertices = frame.offsets.back();
  header.strands = static_cast<std::uint32_t>(std::min<std::size_t>(frame.offsets.size() - 1, max_vertices));
  header.channels = static_cast<std::uint32_t>(frame.channels.size()) + 1;
  if (const auto fault = offsets_complaint(frame.offsets, header.vertices)) return refuse(*fault);

  std::vector<Entry> table;
  std::uint64_t end = header_size + entry_size * header.channels;
  const auto add = [&](std::string_view channel, std::uint32_t type, std::uint32_t components, PerElement per,
                       std::uint64_t size) -> std::optional<std::string> {
    Entry entry{{}, type, components, static_cast<std::uint32_t>(per), 0, end};
    if (per == PerElement::counted && components > 0)
      entry.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(size / components, max_vertices));
    if (channel.size() < name_size) std::ranges::copy(channel, entry.name.begin());
    if (const auto fault = complaint(entry, table)) return fmt::format("channel '{}' {}", channel, *fault);
    const std::uint64_t wanted = element_count(entry, header.strands, header.vertices) * components;
    if (size != wanted) return fmt::format("channel '{}' holds {} numbers instead of {}", channel, size, wanted);
    end += padded(wanted * number_size(type));
    table.push_back(entry);
    return std::nullopt;
  };
  if (const auto fault = add(offset_name, 3, 1, PerElement::strand_plus_one, frame.offsets.size()))
    return refuse(*fault);
  for (const Channel& channel : frame.channels) {
    const auto type = static_cast<std::uint32_t>(channel.values.index()) + 1;
    const std::uint64_t size = std::visit([](const auto& values) { return values.size(); }, channel.values);
    if (const auto fault = add(channel.name, type, channel.components, channel.per, size)) return refuse(*fault);
  }

  std::vector<std::byte> bytes(static_cast<std::size_t>(end + checksum_size));  // zeros: the gaps are filled
  store(header, 0, bytes);
  for (std::size_t c = 0; c < table.size(); ++c) {
    store(table[c], header_size + entry_size * c, bytes);
    const auto copy = [&](const auto& values) {
      if (!values.empty())
        std::memcpy(bytes.data() + table[c].offset, values.data(), values.size() * sizeof values.front());
    };
    if (c == 0)
      copy(frame.offsets);
    else
      std::visit(copy, frame.channels[c - 1].values);
  }
  const std::uint64_t checksum = Hash().bytes(std::span(bytes).first(static_cast<std::size_t>(end))).value();
  store(checksum, static_cast<std::size_t>(end), bytes);
  return bytes;
}

Result<Frame> decode_frame(std::span<const std::byte> bytes, const std::string& name) {
  const auto refuse = [&name](std::uint64_t at, const std::string& what) {
    return Error{fmt::format("{}: byte {}", name, at), what};
  };
  const std::uint64_t size = bytes.size();
  if (size < header_size + checksum_size) return refuse(0, fmt::format("{} bytes are too few for a frame file", size));
  const auto header = load<Header>(bytes, 0);
  if (header.magic != magic) return refuse(0, "this is not a Tendril frame file: it does not begin with TENDRIL");
  if (header.version != version)
    return refuse(8, fmt::format("version {} is unknown; this program reads version {}", header.version, version));
  if (header.byte_order != byte_order_mark) return refuse(12, "the byte-order mark is wrong");
  if (!std::isfinite(header.time)) return refuse(24, "the time is not finite");
  if (header.vertices > max_vertices) return refuse(36, fmt::format("{} vertices are too many", header.vertices));
  if (header.strands > header.vertices / 2)
    return refuse(32, fmt::format("{} strands do not fit in {} vertices", header.strands, header.vertices));
  if (header.channels < 1 || header.channels > max_channels)
    return refuse(40, fmt::format("{} channels; there are 1 to {}", header.channels, max_channels));
  if (header.unused != 0) return refuse(44, "unused bytes are not 0");

  // The whole table first: it says how long the file must be, before anything is allocated for its content.
  std::uint64_t end = header_size + entry_size * std::uint64_t{header.channels};
  if (end > size - checksum_size)
    return refuse(40, fmt::format("{} channels do not fit in {} bytes", header.channels, size));
  std::vector<Entry> table;
  std::vector<std::uint64_t> counts;
  for (std::size_t c = 0; c < header.channels; ++c) {
    const std::size_t at = header_size + entry_size * c;
    const auto entry = load<Entry>(bytes, at);
    if (const auto fault = complaint(entry, table)) return refuse(at, fmt::format("channel {} {}", c, *fault));
    if (entry.offset != end)
      return refuse(at + 40, fmt::format("channel '{}' is said to begin at byte {} instead of {}", entry.text(),
                                         entry.offset, end));
    // No overflow: below 2^31 elements of at most 16 numbers of 8 bytes, 64 times.
    counts.push_back(element_count(entry, header.strands, header.vertices) * entry.components);
    end += padded(counts.back() * number_size(entry.type));
    if (end > size - checksum_size)
      return refuse(
          at, fmt::format("{} numbers of channel '{}' do not fit in {} bytes", counts.back(), entry.text(), size));
    table.push_back(entry);
  }
  if (end != size - checksum_size)
    return refuse(end, fmt::format("{} bytes follow the last channel instead of 8", size - end));
  const auto body = bytes.first(static_cast<std::size_t>(end));
  if (load<std::uint64_t>(bytes, body.size()) != Hash().bytes(body).value())
    return refuse(end, "the checksum does not match: the file is damaged");

  Frame frame{header.number, header.time, header.flags, load_array<std::uint32_t>(bytes, table[0], counts[0]), {}};
  if (const auto fault = offsets_complaint(frame.offsets, header.vertices)) return refuse(table[0].offset, *fault);
  for (std::size_t c = 0; c < table.size(); ++c) {
    const std::uint64_t used = counts[c] * number_size(table[c].type);
    const auto gap =
        bytes.subspan(static_cast<std::size_t>(table[c].offset + used), static_cast<std::size_t>(padded(used) - used));
    if (std::ranges::any_of(gap, [](std::byte b) { return b != std::byte{0}; }))
      return refuse(table[c].offset + used, "padding bytes are not 0");
    if (c == 0) continue;
    Channel channel{std::string(table[c].text()), static_cast<PerElement>(table[c].per), table[c].components, {}};
    if (table[c].type == 1) channel.values = load_array<float>(bytes, table[c], counts[c]);
    if (table[c].type == 2) channel.values = load_array<double>(bytes, table[c], counts[c]);
    if (table[c].type == 3) channel.values = load_array<std::uint32_t>(bytes, table[c], counts[c]);
    frame.channels.push_back(std::move(channel));
  }
  return frame;
}

Status write_frame(const std::filesystem::path& path, const Frame& frame) {
  const auto bytes = encode_frame(frame, path.string());
  if (!bytes) return bytes.error();
  return write_file(path, bytes.value());
}

Result<Frame> read_frame(const std::filesystem::path& path) {
  const auto bytes = read_bytes(path);
  if (!bytes) return bytes.error();
  return decode_frame(bytes.value(), path.string());
}

}  // namespace tendril
