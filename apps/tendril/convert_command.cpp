// tendril convert: strands from one format to another, one pose or a whole run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "frame_range.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/io/sequence_file.hpp"
#include "tendril/scene/groom_source.hpp"

namespace tendril::app {
namespace {

namespace fs = std::filesystem;

struct ConvertCommand {
  std::string in, out, frames, up, report;
  double scale = 0.0;
  int subsample = 1, resample = 0;
  bool force = false, quiet = false;
};

GroomRequest request_of(const ConvertCommand& command) {
  GroomRequest request{command.in, {}, {}, command.subsample, command.resample};
  if (command.scale > 0.0) request.scale = command.scale;
  if (!command.up.empty()) request.up = command.up == "Z" || command.up == "z" ? UpAxis::z : UpAxis::y;
  return request;
}

// A run's frames as they are: thinning and scaling are for grooms, whose strands nothing depends on.
CurveSequence open_run(const ConvertCommand& command) {
  if (command.scale > 0.0 || !command.up.empty() || command.subsample > 1 || command.resample > 0)
    throw CommandFailed{{command.in,
                         "is a run, which is in metres with y up; --scale, --up, --subsample and --resample "
                         "are for grooms"},
                        usage_error};
  CurveSequence sequence = or_fail(open_cache(command.in));
  if (command.frames.empty()) return sequence;
  const FrameRange range = or_fail(parse_frames(command.frames));
  const auto begin = std::ranges::lower_bound(sequence.frames, range.first);
  const auto end = std::ranges::upper_bound(sequence.frames, range.last);
  if (begin >= end)
    throw CommandFailed{
        {"--frames", fmt::format("none of the frames {} to {} is there; the run has {} to {}", range.first, range.last,
                                 sequence.frames.front(), sequence.frames.back())}};
  const auto skipped = std::size_t(begin - sequence.frames.begin()), taken = std::size_t(end - begin);
  return excerpt(std::move(sequence), skipped, taken);
}

void convert(const ConvertCommand& command) {
  LoadedGroom loaded;
  CurveSequence sequence;
  if (fs::is_directory(command.in)) {
    sequence = open_run(command);
  } else {
    if (!command.frames.empty()) throw CommandFailed{{"--frames", "is for the folder of a run"}, usage_error};
    loaded = or_fail(load_groom(request_of(command)));
    sequence = still(loaded.groom, fs::path(command.in).stem().string());
  }
  for (const fs::path& output : sequence_outputs(command.out, sequence))
    if (fs::exists(output) && !command.force)
      throw CommandFailed{{output.string(), "exists already; give another name, or --force to replace it"}};
  or_fail(write_sequence(command.out, sequence));

  const Groom& groom = sequence.groom;
  if (!command.report.empty()) {
    const nlohmann::json report = {{"command", "convert"},
                                   {"in", command.in},
                                   {"out", command.out},
                                   {"frames", sequence.frames.size()},
                                   {"strands", groom.curves.strands()},
                                   {"vertices", groom.curves.points.size()},
                                   {"repairs", loaded.repairs.counts()},
                                   {"assumptions", loaded.assumptions}};
    or_fail(write_file(command.report, report.dump(2) + "\n"));
  }
  if (command.quiet) return;
  for (const std::string& assumption : loaded.assumptions) fmt::print("{}: {}\n", command.in, assumption);
  if (loaded.repairs.any()) fmt::print("{}: repaired: {}\n", command.in, loaded.repairs.text());
  fmt::print("{}: {} strands, {} vertices, {} {}\n", command.out, groom.curves.strands(), groom.curves.points.size(),
             sequence.frames.size(), sequence.frames.size() == 1 ? "frame" : "frames");
}

}  // namespace

void add_convert_command(CLI::App& app) {
  auto options = std::make_shared<ConvertCommand>();
  CLI::App* command = app.add_subcommand("convert", "Write strands, or a run, in another format");
  command->footer(
      "Reads .hair .data .tfx .usda .ply .obj and the folders of runs; writes .usda .pvd .pc2 for motion, .hair .data "
      ".ply .obj .vtp for one pose, or one per frame with #### in the name. Metres, y up.\n"
      "Examples: tendril convert groom.hair groom.usda --scale 0.01\n"
      "          tendril convert out/shaken-head hair.usda");
  command->add_option("in", options->in, "A groom, or the folder of a run")->required();
  command->add_option("out", options->out, "The file to write; its extension is the format")->required();
  command->add_option("--scale", options->scale, "Metres per unit of the groom, such as 0.01 for centimetres")
      ->check(CLI::PositiveNumber);
  command->add_option("--up", options->up, "Which axis of the groom points up")
      ->check(CLI::IsMember({"Y", "Z", "y", "z"}));
  command->add_option("--frames", options->frames, "Only frames A:B of a run, or one");
  command->add_option("--subsample", options->subsample, "Take every N-th strand")->check(CLI::Range(1, 1000000));
  command->add_option("--resample", options->resample, "Give every strand N vertices at equal distances")
      ->check(CLI::Range(2, 1000000));
  command->add_option("--report", options->report, "Write counts, repairs and assumptions to this JSON file");
  command->add_flag("--force", options->force, "Replace existing files");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->callback([options] { convert(*options); });
}

}  // namespace tendril::app
