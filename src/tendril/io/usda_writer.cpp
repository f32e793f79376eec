// From a sequence of curves to USD text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "tendril/io/atomic_file.hpp"
#include "tendril/io/usda_file.hpp"
#include "tendril/io/usda_primvars.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;
using Text = fmt::memory_buffer;

template <class... T>
void print(Text& out, fmt::format_string<T...> format, T&&... values) {
  fmt::format_to(std::back_inserter(out), format, std::forward<T>(values)...);
}

// USD's identifiers: letters, digits and underscores, no digit first.
std::string identifier(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_', digit = c >= '0' && c <= '9';
    if (digit && out.empty()) out += '_';
    out += letter || digit ? c : '_';
  }
  return out.empty() ? "groom" : out;
}

template <class Values, class Print>
void print_list(Text& out, const Values& values, Print&& print_one) {
  out.push_back('[');
  bool first = true;
  for (const auto& value : values) {
    if (!first) print(out, ", ");
    first = false;
    print_one(value);
  }
  out.push_back(']');
}

void print_vectors(Text& out, std::span<const float> values) {
  out.push_back('[');
  for (std::size_t i = 0; i < values.size(); i += 3)
    print(out, "{}({}, {}, {})", i == 0 ? "" : ", ", values[i], values[i + 1], values[i + 2]);
  out.push_back(']');
}

// A set's part of the sequence.
struct SetRange {
  std::string prim;
  std::size_t strand, strands, vertex, vertices;
};

std::vector<SetRange> ranges_of(const CurveSequence& sequence) {
  std::vector<SetRange> ranges;
  std::size_t strand = 0;
  for (const CurveSequence::Set& set : sequence.sets) {
    const std::vector<std::size_t>& offsets = sequence.groom.curves.offsets;
    const std::size_t vertex = offsets[strand];
    std::string prim = identifier(set.name);
    while (std::ranges::count(ranges, prim, &SetRange::prim) > 0) prim += '_';
    ranges.push_back({prim, strand, set.strands, vertex, offsets[strand + set.strands] - vertex});
    strand += set.strands;
  }
  return ranges;
}

std::span<const float> part(const std::vector<float>& values, const SetRange& range) {
  return std::span(values).subspan(3 * range.vertex, 3 * range.vertices);
}

// The box around the curves, with their thickness.
void print_extent(Text& out, std::span<const float> positions, float widest) {
  float low[3], high[3];
  std::fill_n(low, 3, std::numeric_limits<float>::infinity());
  std::fill_n(high, 3, -std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < positions.size(); ++i)
    low[i % 3] = std::min(low[i % 3], positions[i]), high[i % 3] = std::max(high[i % 3], positions[i]);
  if (positions.empty()) std::fill_n(low, 3, 0.0f), std::fill_n(high, 3, 0.0f);
  const float r = 0.5f * widest;
  print(out, "[({}, {}, {}), ({}, {}, {})]", low[0] - r, low[1] - r, low[2] - r, high[0] + r, high[1] + r, high[2] + r);
}

// A frame, or what follows it when the shutter closes.
struct Sample {
  std::size_t frame;  // its index
  bool shutter;
  double time;  // USD's time code
};

std::vector<Sample> samples_of(const CurveSequence& sequence) {
  std::vector<Sample> samples;
  const std::vector<int>& frames = sequence.frames;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    samples.push_back({i, false, double(frames[i])});
    const double closed = frames[i] + sequence.shutter;
    const bool before_next = i + 1 == frames.size() || closed < frames[i + 1];
    if (sequence.shutter > 0.0 && sequence.fetch_shutter && before_next) samples.push_back({i, true, closed});
  }
  return samples;
}

bool needs_clips(const CurveSequence& sequence, const UsdaOptions& options) {
  const std::size_t points = sequence.groom.curves.points.size();
  return sequence.frames.size() > 1 && points > 0 && points > options.most_points / samples_of(sequence).size();
}

// An attribute that importers know by a name of their own; nullptr: it is none.
const usda::GroomPrimvar* known_primvar(const GroomAttribute& attribute) {
  const auto same = [&](const usda::GroomPrimvar& known) {
    return (attribute.name == known.attribute || attribute.name == known.name) && !attribute.per_vertex &&
           attribute.components == known.components;
  };
  const auto found = std::ranges::find_if(usda::groom_primvars, same);
  return found == std::end(usda::groom_primvars) ? nullptr : found;
}

// Its name stands in the file between quotes and between @.
fs::path clip_folder_of(const fs::path& path) {
  std::string name = path.stem().string() + "_clips";
  for (char& c : name)
    if (c == '"' || c == '\\' || c == '@' || c == '#' || (c >= 0 && c < ' ')) c = '_';
  return path.parent_path() / name;
}

class Writer {
 public:
  Writer(const fs::path& path, const CurveSequence& sequence, const UsdaOptions& options)
      : path_(path),
        sequence_(sequence),
        ranges_(ranges_of(sequence)),
        samples_(samples_of(sequence)),
        root_(identifier(sequence.name)) {
    clips_ = needs_clips(sequence, options);
    for (const double r : sequence.groom.radius) widest_ = std::max(widest_, float(2.0 * r));
  }

  Status operator()() {
    if (clips_)
      if (Status s = write_clips(); !s) return s;
    Result<NewFile> file = NewFile::create(path_);
    if (!file) return file.error();
    Text out;
    print_head(out, true);
    print(out, "def Xform \"{}\"{}\n{{\n", root_, clips_ ? clip_metadata() : "");
    for (const SetRange& range : ranges_) {
      print_still_part(out, range);
      if (Status s = flush(out, file.value()); !s) return s;
      if (!clips_)
        if (Status s = write_samples(range, out, file.value()); !s) return s;
      print(out, "    }}\n");
    }
    print(out, "}}\n");
    if (Status s = flush(out, file.value()); !s) return s;
    return file.value().commit();
  }

 private:
  bool moving() const { return samples_.size() > 1; }
  bool with_shutter() const { return samples_.size() > sequence_.frames.size(); }

  // Without positions: there is nothing to be written.
  Result<CurveFrame> fetch(const Sample& sample) const {
    return sample.shutter ? sequence_.fetch_shutter(sample.frame) : sequence_.fetch(sample.frame);
  }
  static bool missing(const Sample& sample, const CurveFrame& frame) {
    return sample.shutter && frame.positions.empty();
  }

  static Status flush(Text& out, NewFile& file) {
    Status status = file.write(std::string_view(out.data(), out.size()));
    out.clear();
    return status;
  }

  void print_head(Text& out, bool range) const {
    print(out, "#usda 1.0\n(\n    defaultPrim = \"{}\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n", root_);
    if (range)
      print(out,
            "    startTimeCode = {}\n    endTimeCode = {}\n    timeCodesPerSecond = {}\n    framesPerSecond = {}\n",
            sequence_.frames.front(), sequence_.frames.back(), sequence_.fps, sequence_.fps);
    print(out, ")\n\n");
  }

  // What all frames share.
  void print_still_part(Text& out, const SetRange& range) const {
    const Groom& groom = sequence_.groom;
    print(out, "    def BasisCurves \"{}\"\n    {{\n        uniform token type = \"linear\"\n", range.prim);
    print(out, "        uniform token wrap = \"nonperiodic\"\n        int[] curveVertexCounts = [");
    for (std::size_t s = 0; s < range.strands; ++s)
      print(out, "{}{}", s == 0 ? "" : ", ", groom.curves.vertices(range.strand + s));
    print(out, "]\n");
    if (!groom.radius.empty()) {
      const auto radius = std::span(groom.radius).subspan(range.vertex, range.vertices);
      for (const char* name : {"widths", "primvars:groom_width"}) {
        print(out, "        float[] {} = ", name);
        print_list(out, radius, [&](double r) { print(out, "{}", float(2.0 * r)); });
        print(out, " (\n            interpolation = \"vertex\"\n        )\n");
      }
    }
    if (groom.attribute("groom_id") == nullptr) {
      print(out, "        int[] primvars:groom_id = [");
      for (std::size_t s = 0; s < range.strands; ++s) print(out, "{}{}", s == 0 ? "" : ", ", range.strand + s);
      print(out, "] (\n            interpolation = \"uniform\"\n        )\n");
    }
    std::vector<std::string> taken = {groom.attribute("groom_id") == nullptr ? "groom_id" : "",
                                      groom.radius.empty() ? "" : "groom_width"};
    for (const GroomAttribute& attribute : groom.attributes) {
      if (attribute.name == "groom_width" && !groom.radius.empty()) continue;  // written above
      const usda::GroomPrimvar* known = known_primvar(attribute);
      std::string name = known != nullptr ? std::string(known->name) : identifier(attribute.name);
      while (std::ranges::count(taken, name) > 0) name += '_';
      print_attribute(out, attribute, name, range);
      taken.push_back(std::move(name));
    }
  }

  void print_attribute(Text& out, const GroomAttribute& attribute, const std::string& name,
                       const SetRange& range) const {
    const auto fits_int = [](double v) { return std::abs(v) <= 2147483647.0 && v == std::floor(v); };
    const usda::GroomPrimvar* known = known_primvar(attribute);
    const bool whole = known != nullptr && known->whole && std::ranges::all_of(attribute.values, fits_int);
    const bool tuples = known != nullptr && known->components == 3;
    const auto n = std::size_t(attribute.components);
    const auto values = attribute.per_vertex ? std::span(attribute.values).subspan(n * range.vertex, n * range.vertices)
                                             : std::span(attribute.values).subspan(n * range.strand, n * range.strands);
    print(out, "        {}{}[] primvars:{} = [", whole ? "int" : "float", tuples ? "3" : "", name);
    for (std::size_t i = 0; i < values.size(); ++i) {
      print(out, "{}{}", i == 0 ? "" : ", ", tuples && i % 3 == 0 ? "(" : "");
      whole ? print(out, "{}", int(values[i])) : print(out, "{}", float(values[i]));
      if (tuples && i % 3 == 2) out.push_back(')');
    }
    print(out, "] (\n");
    if (n > 1 && !tuples) print(out, "            elementSize = {}\n", n);
    print(out, "            interpolation = \"{}\"\n        )\n", attribute.per_vertex ? "vertex" : "uniform");
  }

  struct Channel {
    const char* declaration;
    bool velocity;
    bool extent;
  };
  static constexpr Channel channels[] = {
      {"point3f[] points", false, false}, {"vector3f[] velocities", true, false}, {"float3[] extent", false, true}};

  static bool has(const Channel& channel, const CurveFrame& frame) {
    return !channel.velocity || !frame.velocities.empty();
  }
  void print_channel(Text& out, const Channel& channel, const CurveFrame& frame, const SetRange& range) const {
    if (channel.extent)
      print_extent(out, part(frame.positions, range), widest_);
    else
      print_vectors(out, part(channel.velocity ? frame.velocities : frame.positions, range));
  }

  // USD wants all samples of an attribute together, so the frames are read once per attribute.
  Status write_samples(const SetRange& range, Text& out, NewFile& file) const {
    for (const Channel& channel : channels) {
      bool begun = false;
      for (const Sample& sample : samples_) {
        Result<CurveFrame> frame = fetch(sample);
        if (!frame) return frame.error();
        if (missing(sample, frame.value()) || !has(channel, frame.value())) continue;
        if (!begun)
          print(out, "        {}{} = {}", channel.declaration, moving() ? ".timeSamples" : "", moving() ? "{\n" : "");
        begun = true;
        if (moving()) print(out, "            {}: ", sample.time);
        print_channel(out, channel, frame.value(), range);
        print(out, "{}\n", moving() ? "," : "");
        if (Status s = flush(out, file); !s) return s;
      }
      if (begun && moving()) print(out, "        }}\n");
    }
    return ok();
  }

  // ---- value clips: one layer per frame, and one that says which attributes they have ----

  fs::path clip_folder() const { return clip_folder_of(path_); }
  std::string clip_name(int frame) const { return fmt::format("frame.{:04}.usda", frame); }

  std::string clip_metadata() const {
    const std::string folder = "./" + clip_folder().filename().string();
    return fmt::format(
        " (\n    clips = {{\n        dictionary default = {{\n{}"
        "            asset manifestAssetPath = @{}/manifest.usda@\n            string primPath = \"/{}\"\n"
        "        }}\n    }}\n)",
        with_shutter() ? clip_list(folder) : clip_template(folder), folder, root_);
  }
  std::string clip_template(const std::string& folder) const {
    return fmt::format(
        "            string templateAssetPath = \"{}/frame.####.usda\"\n"
        "            double templateStartTime = {}\n            double templateEndTime = {}\n"
        "            double templateStride = {}\n",
        folder, sequence_.frames.front(), sequence_.frames.back(), stride());
  }
  // A template's times end with the last frame, and what its layer holds for later would not be seen.
  std::string clip_list(const std::string& folder) const {
    Text assets, active, times;
    for (std::size_t i = 0; i < sequence_.frames.size(); ++i) {
      const int frame = sequence_.frames[i];
      const char* comma = i == 0 ? "" : ", ";
      print(assets, "{}@{}/{}@", comma, folder, clip_name(frame));
      print(active, "{}({}, {})", comma, frame, i);
      print(times, "{}({}, {})", comma, frame, frame);
    }
    if (samples_.back().shutter) print(times, ", ({}, {})", samples_.back().time, samples_.back().time);
    return fmt::format(
        "            asset[] assetPaths = [{}]\n            double2[] active = [{}]\n"
        "            double2[] times = [{}]\n",
        fmt::to_string(assets), fmt::to_string(active), fmt::to_string(times));
  }
  // Of times at which there may be a clip; where there is none, USD passes over it.
  int stride() const {
    int common = 0;
    for (std::size_t i = 1; i < sequence_.frames.size(); ++i)
      common = std::gcd(common, sequence_.frames[i] - sequence_.frames[i - 1]);
    return common;
  }

  Status write_clips() const {
    std::error_code fault;
    fs::create_directories(clip_folder(), fault);
    if (fault) return Error{clip_folder().string(), fmt::format("cannot make the folder: {}", fault.message())};
    bool with_velocity = false;
    std::vector<Timed> layer;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      Result<CurveFrame> frame = fetch(samples_[i]);
      if (!frame) return frame.error();
      with_velocity = with_velocity || !frame.value().velocities.empty();
      if (!missing(samples_[i], frame.value())) layer.push_back({samples_[i].time, std::move(frame.value())});
      if (i + 1 < samples_.size() && samples_[i + 1].shutter) continue;  // it goes to the same layer
      if (Status s = write_clip(sequence_.frames[samples_[i].frame], layer); !s) return s;
      layer.clear();
    }
    Text out;
    print_head(out, false);
    print(out, "over \"{}\"\n{{\n", root_);
    for (const SetRange& range : ranges_) {
      print(out, "    over \"{}\"\n    {{\n", range.prim);
      for (const Channel& channel : channels)
        if (!channel.velocity || with_velocity) print(out, "        {}\n", channel.declaration);
      print(out, "    }}\n");
    }
    print(out, "}}\n");
    return write_file(clip_folder() / "manifest.usda", std::string_view(out.data(), out.size()));
  }

  struct Timed {
    double time;
    CurveFrame frame;
  };
  Status write_clip(int number, const std::vector<Timed>& samples) const {
    Result<NewFile> file = NewFile::create(clip_folder() / clip_name(number));
    if (!file) return file.error();
    Text out;
    print_head(out, false);
    print(out, "over \"{}\"\n{{\n", root_);
    for (const SetRange& range : ranges_) {
      print(out, "    over \"{}\"\n    {{\n", range.prim);
      for (const Channel& channel : channels) {
        if (std::ranges::none_of(samples, [&](const Timed& sample) { return has(channel, sample.frame); })) continue;
        print(out, "        {}.timeSamples = {{\n", channel.declaration);
        for (const auto& [time, frame] : samples) {
          if (!has(channel, frame)) continue;
          print(out, "            {}: ", time);
          print_channel(out, channel, frame, range);
          print(out, ",\n");
        }
        print(out, "        }}\n");
        if (Status s = flush(out, file.value()); !s) return s;
      }
      print(out, "    }}\n");
    }
    print(out, "}}\n");
    if (Status s = flush(out, file.value()); !s) return s;
    return file.value().commit();
  }

  const fs::path& path_;
  const CurveSequence& sequence_;
  const std::vector<SetRange> ranges_;
  const std::vector<Sample> samples_;
  const std::string root_;
  bool clips_ = false;
  float widest_ = 0.0f;
};

}  // namespace

std::vector<fs::path> usda_outputs(const fs::path& path, const CurveSequence& sequence, const UsdaOptions& options) {
  std::vector<fs::path> outputs = {path};
  if (needs_clips(sequence, options)) outputs.push_back(clip_folder_of(path));
  return outputs;
}

Status write_usda(const fs::path& path, const CurveSequence& sequence, const UsdaOptions& options) {
  return Writer(path, sequence, options)();
}

}  // namespace tendril
