// tendril render: pictures and films of a run or a groom.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

#include "commands.hpp"
#include "frame_range.hpp"
#include "progress.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/base/text.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/render/legend.hpp"
#include "tendril/render/movie.hpp"
#include "tendril/render/picture.hpp"
#include "tendril/render/png_file.hpp"

namespace tendril::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct RenderCommand {
  std::string input, frames, out, movie, size = "1280x720", camera = "three-quarter", target, colour = "strand", range;
  std::string hair = "brown", look = "auto", up, report;
  std::vector<std::string> meshes;
  std::vector<float> melanin;
  double scale = 0.0;
  float thickness = 0.0f, zoom = 1.0f, field_of_view = 26.0f;
  int samples = 16, threads = 0;
  bool no_bodies = false, no_ground = false, no_blur = false, no_legend = false, dark = false, quiet = false;
};

template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.push_back(entry.name);
  return names;
}

[[noreturn]] void refuse(const std::string& option, const std::string& what) {
  throw CommandFailed{{option, what}, usage_error};
}

// Numbers with commas or another sign between them; nothing if it is not just that.
std::vector<float> numbers_in(const std::string& text, char between) {
  std::vector<float> numbers;
  const char *at = text.data(), *end = text.data() + text.size();
  while (true) {
    float number = 0.0f;
    const auto [stop, fault] = std::from_chars(at, end, number);
    if (fault != std::errc() || !std::isfinite(number)) return {};
    numbers.push_back(number);
    if (stop == end) return numbers;
    if (*stop != between) return {};
    at = stop + 1;
  }
}

Eigen::Vector3f point_of(const std::string& option, const std::string& text) {
  const std::vector<float> n = numbers_in(text, ',');
  if (n.size() != 3) refuse(option, fmt::format("'{}' is not a point; give it in metres, as in 0.3,0.1,0.8", text));
  return {n[0], n[1], n[2]};
}

void read_size(const std::string& text, render::PictureOptions& options) {
  const std::vector<float> n = numbers_in(text, 'x');
  const auto good = [](float side) { return side >= 16.0f && side <= 16384.0f && side == std::floor(side); };
  if (n.size() != 2 || !good(n[0]) || !good(n[1]))
    refuse("--size", fmt::format("'{}' is not a size of 16 to 16384 pixels a side, as in 1280x720", text));
  options.width = int(n[0]), options.height = int(n[1]);
}

void read_camera(const RenderCommand& command, render::PictureOptions& options) {
  options.zoom = command.zoom;
  options.field_of_view = command.field_of_view * std::numbers::pi_v<float> / 180.0f;
  if (!command.target.empty()) options.target = point_of("--target", command.target);
  const auto views = render::named_views();
  const auto view =
      std::ranges::find(views, command.camera, [](const render::NamedView& v) { return std::string(v.name); });
  if (view != views.end()) {
    options.view = view->towards_eye;
  } else if (command.camera.find(',') != std::string::npos) {
    options.eye = point_of("--camera", command.camera);
  } else {
    const std::vector<std::string> names = names_of(views);
    refuse("--camera", fmt::format("'{}' is no view{}; there are {}, or a point such as 0.3,0.1,0.8", command.camera,
                                   did_you_mean(command.camera, names), fmt::join(names, ", ")));
  }
}

void read_colours(const RenderCommand& command, render::PictureOptions& options) {
  options.colour = command.colour;
  if (!command.range.empty()) {
    const std::vector<float> n = numbers_in(command.range, ':');
    if (n.size() != 2 || !(n[0] < n[1]))
      refuse("--range",
             fmt::format("'{}' is not a range; give the least and the largest value, as in 0:0.01", command.range));
    options.range = {n[0], n[1]};
  }
  const auto colours = render::hair_colours();
  const auto hair =
      std::ranges::find(colours, command.hair, [](const render::HairColour& h) { return std::string(h.name); });
  if (hair == colours.end()) {
    const std::vector<std::string> names = names_of(render::hair_colours());
    refuse("--hair", fmt::format("'{}' is no colour of hair{}; there are {}", command.hair,
                                 did_you_mean(command.hair, names), fmt::join(names, ", ")));
  }
  options.melanin = hair->melanin;
  if (!command.melanin.empty()) options.melanin = {command.melanin[0], command.melanin[1]};
  if (command.look == "hair") options.look = render::Look::hair;
  if (command.look == "rod") options.look = render::Look::rod;
}

render::PictureOptions picture_options(const RenderCommand& command) {
  render::PictureOptions options;
  read_size(command.size, options);
  read_camera(command, options);
  read_colours(command, options);
  options.samples = command.samples;
  if (command.thickness > 0.0f) options.thickness = command.thickness;
  options.bodies = !command.no_bodies, options.ground = !command.no_ground, options.blur = !command.no_blur;
  options.dark = command.dark;
  options.meshes.assign(command.meshes.begin(), command.meshes.end());
  return options;
}

// The frames of the run that were asked for; all of them for a film.
std::vector<int> chosen_frames(const RenderCommand& command, const Recording& recording) {
  const std::vector<int>& all = recording.frames();
  if (command.frames.empty()) return command.movie.empty() ? std::vector{all.front()} : all;
  const FrameRange range = or_fail(parse_frames(command.frames, "--frame"), usage_error);
  std::vector<int> chosen;
  std::ranges::copy_if(all, std::back_inserter(chosen), [&](int n) { return n >= range.first && n <= range.last; });
  if (chosen.empty())
    throw CommandFailed{
        {command.input, fmt::format("has no frame {}; there are {} to {}", command.frames, all.front(), all.back())}};
  return chosen;
}

// Pictures of a film without names of their own are in a folder that goes when the film is made.
class PictureNames {
 public:
  PictureNames(const RenderCommand& command, std::size_t frames) {
    if (command.out.empty()) {
      folder_ = command.movie + ".frames";
      std::error_code fault;
      fs::create_directories(folder_, fault);
      if (fault) throw CommandFailed{{folder_.string(), fmt::format("cannot make the folder: {}", fault.message())}};
      before_ = (folder_ / "frame_").string(), after_ = ".png", digits_ = 6;
      return;
    }
    if (fs::path(command.out).extension() != ".png")
      refuse("--out", fmt::format("'{}' must end in .png: that is what pictures are written as", command.out));
    const std::size_t begin = command.out.find('#');
    before_ = command.out.substr(0, begin);
    if (begin == std::string::npos) {
      if (frames > 1)
        refuse("--out",
               fmt::format("'{}' is one name for {} pictures; write #### where the number goes", command.out, frames));
      return;
    }
    const std::size_t end = std::min(command.out.size(), command.out.find_first_not_of('#', begin));
    digits_ = end - begin, after_ = command.out.substr(end);
  }
  ~PictureNames() {
    std::error_code fault;
    if (!folder_.empty()) fs::remove_all(folder_, fault);
  }
  PictureNames(const PictureNames&) = delete;
  PictureNames& operator=(const PictureNames&) = delete;

  std::string of(int number) const {
    return digits_ == 0 ? before_ : fmt::format("{}{:0{}}{}", before_, number, digits_, after_);
  }
  // For printf, with the percent signs of the name itself doubled.
  std::string pattern() const {
    const auto escaped = [](const std::string& text) {
      std::string out;
      for (const char c : text) out += c == '%' ? "%%" : std::string(1, c);
      return out;
    };
    return fmt::format("{}%0{}d{}", escaped(before_), digits_, escaped(after_));
  }
  bool numbered() const { return digits_ > 0; }

 private:
  fs::path folder_;
  std::string before_, after_;
  std::size_t digits_ = 0;
};

// Before the work: a picture may take an hour.
void check_folder(const std::string& out) {
  const fs::path folder = fs::path(out).parent_path();
  std::error_code fault;
  if (!folder.empty() && !fs::is_directory(folder, fault))
    throw CommandFailed{{out, fmt::format("cannot be written: there is no folder {}", folder.string())}};
}

RecordingOptions recording_options(const RenderCommand& command) {
  RecordingOptions options;
  if (command.scale > 0.0) options.scale = command.scale;
  if (!command.up.empty()) options.up = command.up == "Z" || command.up == "z" ? UpAxis::z : UpAxis::y;
  return options;
}

void write_report(const RenderCommand& command, const Recording& recording, const render::PictureOptions& options,
                  const render::Setting& setting, const std::vector<std::string>& images, double seconds) {
  if (command.report.empty()) return;
  std::size_t strands = 0;
  for (const CurveSequence::Set& set : recording.sets()) strands += set.strands;
  json report = {{"command", "render"},
                 {"input", command.input},
                 {"images", images},
                 {"strands", strands},
                 {"width", options.width},
                 {"height", options.height},
                 {"samples", options.samples},
                 {"threads", thread_count()},
                 {"thickness", setting.thickness},
                 {"colour", options.colour},
                 {"notes", recording.notes()},
                 {"seconds", seconds},
                 {"seconds_per_image", seconds / double(images.size())}};
  if (setting.range)
    report["range"] = {{"low", setting.range->low},
                       {"high", setting.range->high},
                       {"log", setting.range->log},
                       {"unit", setting.unit}};
  if (!command.movie.empty()) report["movie"] = command.movie;
  or_fail(write_file(command.report, report.dump(2) + "\n"));
}

void render_pictures(const RenderCommand& command) {
  if (command.out.empty() && command.movie.empty())
    refuse("--out", "is missing; name the picture, as in --out hair.png");
  const render::PictureOptions options = picture_options(command);
  if (!command.movie.empty()) or_fail(render::can_make_movies());
  set_thread_count(command.threads);
  const Recording recording = or_fail(Recording::open(command.input, recording_options(command)));
  const std::vector<int> frames = chosen_frames(command, recording);
  for (const std::string& out : {command.out, command.movie}) check_folder(out);
  const PictureNames names(command, frames.size());
  if (!command.movie.empty() && !names.numbered()) refuse("--out", "needs #### in the name for the pictures of a film");
  const Timer timer;
  const render::Setting setting = or_fail(render::prepare(recording, frames, options));
  std::vector<std::string> images;
  {
    Progress progress("tile", command.quiet);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const auto tell = [&](int done, int of) {
        progress.show(int(i) * of + done, int(frames.size()) * of, timer.seconds());
      };
      render::Image image = or_fail(render::draw(recording, frames[i], setting, options, tell));
      if (setting.range && !command.no_legend)
        render::paint_legend({setting.label, setting.unit, *setting.range, options.dark}, image);
      // A film counts its pictures; else they have the numbers of their frames.
      images.push_back(names.of(command.movie.empty() ? frames[i] : int(i) + 1));
      or_fail(render::write_png(images.back(), image));
    }
  }
  if (!command.movie.empty()) or_fail(render::make_movie(names.pattern(), 1, recording.fps(), command.movie));
  write_report(command, recording, options, setting, images, timer.seconds());
  if (command.quiet) return;
  for (const std::string& note : recording.notes()) fmt::print("{}\n", note);
  if (setting.thickness > 1.0f)
    fmt::print("strands are drawn {:.1f} times as thick as they are; --thickness 1 shows them as they are\n",
               setting.thickness);
  const std::string what = !command.movie.empty() ? command.movie
                           : images.size() == 1   ? images[0]
                                                  : fmt::format("{} ... {}", images.front(), images.back());
  fmt::print("{} picture{} of {} x {} pixels with {} samples each in {}: {}\n", images.size(),
             images.size() == 1 ? "" : "s", options.width, options.height, options.samples,
             duration_text(timer.seconds()), what);
}

}  // namespace

void add_render_command(CLI::App& app) {
  auto options = std::make_shared<RenderCommand>();
  CLI::App* command = app.add_subcommand("render", "Draw pictures or a film of a run or a groom");
  command->footer(
      "Examples: tendril render out/shaken-head --frame 60 --out head.png\n"
      "          tendril render out/shaken-head --color strain --frame 1:121 --out strain_####.png\n"
      "          tendril render out/shaken-head --movie head.mp4\n"
      "          tendril render groom.hair --scale 0.01 --hair auburn --camera side --out groom.png");
  command->add_option("input", options->input, "Folder of a run, a frame of one, or a groom file")->required();
  command->add_option("--out", options->out, "The picture, .png; with #### for the frame's number");
  command->add_option("--frame,--frames", options->frames, "Frame N, or N:M (default: the first; of a film all)");
  command->add_option("--movie", options->movie, "Make a film of the pictures, such as out.mp4 (needs ffmpeg)");
  command->add_option("--size", options->size, "Width and height in pixels (default: 1280x720)");
  command->add_option("--samples", options->samples, "Paths per pixel: 4 is a sketch, 16 usual, 256 fine")
      ->check(CLI::Range(1, 65536));
  command->add_option(
      "--camera", options->camera,
      fmt::format("A view ({}) or a point x,y,z in metres", fmt::join(names_of(render::named_views()), ", ")));
  command->add_option("--target", options->target, "The point x,y,z that the camera looks at (default: the middle)");
  command->add_option("--zoom", options->zoom, "Above 1: nearer than where all fits")->check(CLI::Range(0.01, 100.0));
  command->add_option("--fov", options->field_of_view, "Field of view over the height, in degrees")
      ->check(CLI::Range(1.0, 150.0));
  command->add_option(
      "--color,--colour", options->colour,
      "strand (hair as it is) or a quantity: curvature, speed, strain, tension, contact-force, stiffness, "
      "radius, or any channel of one f32");
  command->add_option("--range", options->range, "Values LOW:HIGH that the colours span (default: from the frames)");
  command->add_option("--hair", options->hair,
                      fmt::format("Colour of hair: {}", fmt::join(names_of(render::hair_colours()), ", ")));
  command->add_option("--melanin", options->melanin, "In place of --hair: eumelanin,pheomelanin, as in 1.1,0.25")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::Range(0.0, 100.0));
  command->add_option("--look", options->look, "auto (thin strands are hair, others rods), hair or rod")
      ->check(CLI::IsMember({"auto", "hair", "rod"}));
  command->add_option("--thickness", options->thickness, "Factor on radii (default: so that few look like many)")
      ->check(CLI::Range(0.01, 1000.0));
  command
      ->add_option("--mesh", options->meshes, "A further surface in the picture (.obj, .ply, .stl; #### for the frame)")
      ->take_all()
      ->allow_extra_args(false);
  command->add_flag("--no-bodies", options->no_bodies, "Leave out what the strands stand on");
  command->add_flag("--no-ground", options->no_ground, "Leave out the floor and its shadows");
  command->add_flag("--no-blur", options->no_blur, "No motion blur, even if the run has shutter poses");
  command->add_flag("--no-legend", options->no_legend, "No legend for false colours");
  command->add_flag("--dark", options->dark, "A dark backdrop");
  command->add_option("--scale", options->scale, "Of a groom file: metres per unit")->check(CLI::PositiveNumber);
  command->add_option("--up", options->up, "Of a groom file: Y or Z")->check(CLI::IsMember({"Y", "Z", "y", "z"}));
  command->add_option("--threads", options->threads, "Number of threads; 0 = one per core")->check(CLI::Range(0, 1024));
  command->add_option("--report", options->report, "Write the numbers to this JSON file");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->callback([options] { render_pictures(*options); });
}

}  // namespace tendril::app
