#include "tendril/io/plain_hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tendril/io/byte_reader.hpp"

namespace tendril {
namespace {

using Bytes = std::span<const std::byte>;
using Address = std::uint64_t;

constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
constexpr std::size_t superblock_without_root = 56;  // of version 0, up to the entry of the root group

enum class MessageType : std::uint16_t {
  dataspace = 0x01,
  datatype = 0x03,
  external_files = 0x07,
  layout = 0x08,
  continuation = 0x10,
  symbol_table = 0x11,
};

struct Message {
  MessageType type;
  bool shared;
  Bytes body;
};

template <class... T>
bool read(ByteReader& in, T&... out) {
  return (in.read(out) && ...);
}

ByteReader reader_at(Bytes bytes, Address address) {
  return {address <= bytes.size() ? bytes.subspan(address) : Bytes{}, {}};
}

std::optional<Bytes> part_of(Bytes bytes, Address address, std::uint64_t size) {
  if (address > bytes.size() || size > bytes.size() - address) return {};
  return bytes.subspan(address, size);
}

bool begins_with(Bytes bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

// A reader of what follows these letters; of nothing, if they are not there.
ByteReader reader_after(Bytes bytes, Address address, std::string_view magic) {
  const Bytes rest = address <= bytes.size() ? bytes.subspan(address) : Bytes{};
  return {begins_with(rest, magic) ? rest.subspan(magic.size()) : Bytes{}, {}};
}

// All messages of an object header; nothing if it is broken. There are at most 65535, and no more pieces than these.
std::optional<std::vector<Message>> messages_of(Bytes file, Address header) {
  ByteReader in = reader_at(file, header);
  std::uint8_t version = 0, reserved = 0;
  std::uint16_t left = 0;
  std::uint32_t references = 0, first_size = 0;
  if (!read(in, version, reserved, left, references, first_size) || version != 1) return {};
  struct Piece {
    Address address;
    std::uint64_t size;
  };
  std::vector<Piece> pieces = {{header + 16, first_size}};
  std::vector<Message> messages;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const std::optional<Bytes> piece = part_of(file, pieces[p].address, pieces[p].size);
    if (!piece) return {};
    ByteReader entries(*piece, {});
    for (; left > 0 && entries.remaining() >= 8; --left) {
      std::uint16_t type = 0, size = 0;
      std::uint8_t flags = 0;
      if (!read(entries, type, size, flags) || !entries.skip(3)) return {};
      const std::optional<Bytes> body = part_of(*piece, entries.position(), size);
      if (!body || !entries.skip(size)) return {};
      messages.push_back({MessageType(type), (flags & 2) != 0, *body});
      if (MessageType(type) != MessageType::continuation) continue;
      Piece next{};
      ByteReader link(*body, {});
      if (!read(link, next.address, next.size)) return {};
      pieces.push_back(next);
    }
  }
  return messages;
}

const Message* find_message(const std::vector<Message>& messages, MessageType type) {
  const auto found = std::ranges::find(messages, type, &Message::type);
  return found == messages.end() ? nullptr : &*found;
}

// The names of a group: texts that end with a zero.
std::optional<Bytes> heap_of(Bytes file, Address address) {
  ByteReader in = reader_after(file, address, "HEAP");
  std::uint32_t version = 0;
  std::uint64_t size = 0, free = 0;
  Address data = 0;
  if (!read(in, version, size, free, data)) return {};
  return part_of(file, data, size);
}

bool is_named(Bytes heap, std::uint64_t offset, std::string_view name) {
  const std::optional<Bytes> letters = part_of(heap, offset, name.size() + 1);
  return letters && begins_with(*letters, name) && letters->back() == std::byte{0};
}

// Among the symbols of one node.
std::optional<Address> find_symbol(Bytes file, Address node, Bytes heap, std::string_view name, std::size_t& left) {
  ByteReader in = reader_after(file, node, "SNOD");
  std::uint16_t version = 0, count = 0;
  if (!read(in, version, count)) return {};
  for (std::uint16_t i = 0; i < count && left > 0; ++i, --left) {
    std::uint64_t name_offset = 0;
    Address header = 0;
    std::uint32_t kind = 0;
    if (!read(in, name_offset, header, kind) || !in.skip(20)) return {};
    const bool soft_link = kind == 2;
    if (!soft_link && is_named(heap, name_offset, name)) return header;
  }
  return {};
}

// The object of a group with this name. Each child takes 16 bytes and each symbol 40: a tree with more of them than
// that turns in circles.
std::optional<Address> find_child(Bytes file, Address group, std::string_view name) {
  const auto messages = messages_of(file, group);
  const Message* table = messages ? find_message(*messages, MessageType::symbol_table) : nullptr;
  if (table == nullptr) return {};
  ByteReader in(table->body, {});
  Address tree = 0, heap_address = 0;
  if (!read(in, tree, heap_address)) return {};
  const std::optional<Bytes> heap = heap_of(file, heap_address);
  if (!heap) return {};
  std::size_t children_left = file.size() / 16, symbols_left = file.size() / 40;
  for (std::vector<Address> open = {tree}; !open.empty();) {
    ByteReader node = reader_after(file, open.back(), "TREE");
    open.pop_back();
    std::uint8_t type = 0, level = 0;
    std::uint16_t used = 0;
    if (!read(node, type, level, used) || type != 0 || !node.skip(16)) continue;
    for (; used > 0 && children_left > 0; --used, --children_left) {
      std::uint64_t key = 0;
      Address child = 0;
      if (!read(node, key, child)) break;
      if (level > 0)
        open.push_back(child);
      else if (const std::optional<Address> found = find_symbol(file, child, *heap, name, symbols_left))
        return found;
    }
  }
  return {};
}

std::optional<Address> find_object(Bytes file, Address root, std::string_view path) {
  std::optional<Address> object = root;
  while (object && !path.empty()) {
    const std::size_t length = path.find('/');
    if (length != 0) object = find_child(file, *object, path.substr(0, length));
    path.remove_prefix(length == std::string_view::npos ? path.size() : length + 1);
  }
  return object;
}

enum class ValueType : std::uint8_t { other, integer32, integer64, number, text };

// After the byte with class and version. Only the plain forms: no padding, no other byte order.
template <std::size_t n>
bool continues_as(Bytes body, const std::array<std::uint8_t, n>& expected) {
  return body.size() > n && std::memcmp(body.data() + 1, expected.data(), n) == 0;
}

ValueType type_of(const Message& datatype) {
  const Bytes body = datatype.body;
  if (datatype.shared || body.size() < 8) return ValueType::other;
  constexpr std::array<std::uint8_t, 11> integer32 = {0x08, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0},
                                         integer64 = {0x08, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0};
  constexpr std::array<std::uint8_t, 19> number = {0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0};
  const int type_class = std::to_integer<int>(body[0]) & 15;
  if (type_class == 0 && continues_as(body, integer32)) return ValueType::integer32;
  if (type_class == 0 && continues_as(body, integer64)) return ValueType::integer64;
  if (type_class == 1 && continues_as(body, number)) return ValueType::number;
  return type_class == 3 ? ValueType::text : ValueType::other;
}

std::uint32_t size_of_value(const Message& datatype) {
  std::uint32_t size = 0;
  std::memcpy(&size, datatype.body.data() + 4, sizeof size);
  return size;
}

// How many values; nothing if more than a file can have.
std::optional<std::uint64_t> count_of(const Message& dataspace) {
  ByteReader in(dataspace.body, {});
  std::uint8_t version = 0, rank = 0, flags = 0, kind = 0;
  if (!read(in, version, rank, flags, kind) || version < 1 || version > 2) return {};
  if (version == 1 && !in.skip(4)) return {};
  const bool null_space = version == 2 && kind == 2;
  std::uint64_t count = null_space ? 0 : 1;
  for (std::uint8_t d = 0; d < rank; ++d) {
    std::uint64_t extent = 0;
    if (!in.read(extent) || (extent > 0 && count > (std::uint64_t{1} << 48) / extent)) return {};
    count *= extent;
  }
  return count;
}

enum class Layout : std::uint8_t { compact = 0, contiguous = 1 };

// The bytes of a data set; nothing if they are not in the file in one piece.
std::optional<Bytes> data_of(Bytes file, const Message& layout) {
  ByteReader in(layout.body, {});
  std::uint8_t version = 0, kind = 0;
  if (!read(in, version, kind) || version < 3 || version > 4) return {};
  if (Layout(kind) == Layout::compact) {
    std::uint16_t size = 0;
    return in.read(size) ? part_of(layout.body, in.position(), size) : std::nullopt;
  }
  Address address = 0;
  std::uint64_t size = 0;
  if (Layout(kind) != Layout::contiguous || !read(in, address, size)) return {};
  return size == 0 ? Bytes{} : part_of(file, address, size);
}

struct DataSet {
  ValueType type = ValueType::other;
  std::uint32_t value_size = 0;  // [bytes]
  Bytes data;                    // of all values
};

// The data set, or what is wrong with it.
struct Found {
  DataSet set;
  const char* wrong = nullptr;
};

Found find_data_set(Bytes file, Address root, std::string_view path) {
  const std::optional<Address> object = find_object(file, root, path);
  if (!object) return {{}, "is missing"};
  const auto messages = messages_of(file, *object);
  if (!messages) return {{}, "cannot be read"};
  const Message *space = find_message(*messages, MessageType::dataspace),
                *type = find_message(*messages, MessageType::datatype),
                *layout = find_message(*messages, MessageType::layout);
  if (space == nullptr || type == nullptr || layout == nullptr) return {{}, "is not a data set"};
  DataSet set{type_of(*type), 0, {}};
  if (set.type == ValueType::other) return {set, "has values of another type"};
  set.value_size = size_of_value(*type);
  const std::optional<std::uint64_t> count = count_of(*space);
  const std::optional<Bytes> data = data_of(file, *layout);
  if (!data || find_message(*messages, MessageType::external_files) != nullptr)
    return {set, "is not in one piece of the file"};
  if (!count || (set.value_size > 0 && *count > data->size() / set.value_size))
    return {set, "has more values than the file"};
  set.data = data->first(*count * set.value_size);
  return {set, nullptr};
}

template <class Stored, class T>
std::vector<T> values_as(const DataSet& set) {
  std::vector<T> values(set.data.size() / sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored value;
    std::memcpy(&value, set.data.data() + i * sizeof(Stored), sizeof value);
    values[i] = value;
  }
  return values;
}

Error refusal(const std::string& name, std::string_view path, std::string_view why) {
  return {name, fmt::format("{} {}", path, why)};
}

}  // namespace

Result<PlainHdf5> PlainHdf5::open(std::span<const std::byte> bytes, std::string name) {
  if (!begins_with(bytes, signature) || bytes.size() < superblock_without_root)
    return Error{std::move(name), "is not an HDF5 file"};
  const auto byte_at = [&](std::size_t i) { return std::to_integer<int>(bytes[i]); };
  const int version = byte_at(8), address_size = byte_at(13), length_size = byte_at(14);
  if (version > 1 || address_size != 8 || length_size != 8)
    return Error{std::move(name), "is an HDF5 file of a layout that is not read; h5repack makes one that is"};
  const std::size_t more = version == 1 ? 4 : 0;
  Address base = 0;
  std::uint64_t name_offset = 0;
  PlainHdf5 out(bytes, std::move(name));
  ByteReader in = reader_at(bytes, 24 + more), root = reader_at(bytes, superblock_without_root + more);
  if (!in.read(base) || base != 0 || !read(root, name_offset, out.root_))
    return Error{out.name_, "is an HDF5 file without a root group"};
  return out;
}

bool PlainHdf5::has(std::string_view path) const { return find_object(bytes_, root_, path).has_value(); }

Result<std::vector<double>> PlainHdf5::numbers(std::string_view path) const {
  const Found found = find_data_set(bytes_, root_, path);
  if (found.wrong != nullptr) return refusal(name_, path, found.wrong);
  if (found.set.type != ValueType::number) return refusal(name_, path, "must hold numbers of double precision");
  return values_as<double, double>(found.set);
}

Result<std::vector<std::int64_t>> PlainHdf5::integers(std::string_view path) const {
  const Found found = find_data_set(bytes_, root_, path);
  if (found.wrong != nullptr) return refusal(name_, path, found.wrong);
  if (found.set.type == ValueType::integer32) return values_as<std::int32_t, std::int64_t>(found.set);
  if (found.set.type == ValueType::integer64) return values_as<std::int64_t, std::int64_t>(found.set);
  return refusal(name_, path, "must hold whole numbers");
}

Result<std::string> PlainHdf5::text(std::string_view path) const {
  const Found found = find_data_set(bytes_, root_, path);
  if (found.wrong != nullptr) return refusal(name_, path, found.wrong);
  if (found.set.type != ValueType::text) return refusal(name_, path, "must be a text");
  const std::string letters(reinterpret_cast<const char*>(found.set.data.data()), found.set.data.size());
  return letters.substr(0, letters.find('\0'));
}

}  // namespace tendril
