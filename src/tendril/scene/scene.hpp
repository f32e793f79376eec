// A scene: what is simulated and how, as plain data with all defaults filled in. It is read from a TOML file, in which
// every key is checked: one that is unknown, misspelt, out of range or belongs to a feature that is not built yet is
// refused with file, line and column. schema_text() lists all keys; examples/ has scenes to start from.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/io/prepared_groom.hpp"
#include "tendril/rods/chain/settings.hpp"
#include "tendril/rods/curves.hpp"
#include "tendril/rods/der/curvature.hpp"
#include "tendril/rods/der/description.hpp"
#include "tendril/rods/inextensible/method.hpp"
#include "tendril/sagfree/options.hpp"
#include "tendril/scene/contact_settings.hpp"
#include "tendril/scene/generator.hpp"
#include "tendril/scene/groom_source.hpp"
#include "tendril/scene/guides.hpp"
#include "tendril/scene/mesh_sequence.hpp"
#include "tendril/scene/motion.hpp"
#include "tendril/scene/strand_model_kind.hpp"
#include "tendril/scene/value_map.hpp"

namespace tendril {

enum class RunMode : std::uint8_t { dynamic, statics };
enum class TimeIntegrator : std::uint8_t { euler, bdf2 };
enum class OnTolerance : std::uint8_t { accept, retry, stop };
enum class RestShape : std::uint8_t { drawn, straight };

// Drag of the air on each segment, taken as a piece of a cylinder.
struct AirSettings {
  double density = 0.0;      // [kg/m3]; 0 = no air, 1.2 = air at room temperature
  double normal = 1.0;       // drag coefficient across the strand, on its diameter; about 1 for cylinders
  double tangential = 0.02;  // along the strand, on its circumference
};

struct RunSettings {
  std::string name;  // empty in the file: the file's folder or name
  std::uint64_t seed = 1;
  int threads = 0;                                 // 0 = one per core
  Eigen::Vector3d gravity = {0.0, -9.81, 0.0};     // [m/s2]
  Eigen::Vector3d wind = Eigen::Vector3d::Zero();  // [m/s]
  AirSettings air;
  int frames = 1;  // after frame 1, the start pose: the last frame is frames + 1, at the time frames / fps
  double fps = 60.0;
  int substeps = 4;  // time steps per frame
  RunMode mode = RunMode::dynamic;
  TimeIntegrator integrator = TimeIntegrator::euler;
  std::optional<std::int64_t> newton = 1;  // iterations per pass; nothing = until `tolerance`
  double tolerance = 1e-8;                 // largest force residual, as a share of the load
  std::optional<std::int64_t> passes = 1;  // nothing = until forces balance, as newton
  OnTolerance on_tolerance = OnTolerance::retry;
  double preroll = 0.0;  // [s], simulated before frame 1 with all motions at their start

  double dt() const { return 1.0 / (fps * substeps); }  // [s]
};

// A groom file, read with the scene.
struct GroomSource {
  GroomRequest request;
  std::shared_ptr<const LoadedGroom> loaded;
};

// A groom that `tendril sagfree` has written, read with the scene: it brings material, clamps and rest state.
struct PreparedSource {
  std::filesystem::path file;
  std::shared_ptr<const PreparedGroom> groom;
  std::uint64_t hash = 0;  // of the file
};

using StrandSource = std::variant<GeneratorOptions, Curves, GroomSource, PreparedSource>;
std::size_t strand_count(const StrandSource& source);
std::size_t vertex_count(const StrandSource& source, std::size_t strand);
Groom make_groom(const StrandSource& source, std::uint64_t seed);

// Something held beside the clamps.
struct HoldSettings {
  std::optional<std::int64_t> strand;                          // nothing = all
  int vertex = 0;                                              // negative: counted from the tip
  std::array<bool, 4> components = {true, true, true, false};  // x, y, z; twist of the edge that starts there
  Motion motion;                                               // carries the drawn position of the vertex
  TwistMotion twist;                                           // turns the edge
};

struct LoadSettings {
  std::optional<std::int64_t> strand;               // nothing = all
  int vertex = -1;                                  // negative: counted from the tip
  Eigen::Vector3d force = Eigen::Vector3d::Zero();  // [N]
  double torque = 0.0;                              // [N m], about the edge that starts there
};

// Roots that are vertices of other strands of the same set.
struct RootOnStrand {
  std::int64_t strand = 0, of = 0;  // the root of the first is a vertex of the second
  int vertex = -1;                  // negative: counted from the tip
};
struct ParentSettings {
  bool touching = false;  // of all strands whose roots were drawn there
  std::vector<RootOnStrand> roots;

  bool any() const { return touching || !roots.empty(); }
};

// Draws every vertex to where it would be if the groom as drawn were carried along rigidly by its root: a spring of the
// given frequency on the vertex's own mass, and a damper.
struct AttractionSettings {
  double frequency = 0.0;  // [Hz], at the root; 0: none
  double tip = 1.0;        // share of the frequency that is left at the tip, linear in between
  double damping = 1.0;    // of the critical one, at which nothing swings
};

struct StrandSet {
  std::string name;
  StrandSource source;
  GuideChoice guides;  // the strands that are simulated
  StrandModelKind model = StrandModelKind::der;
  HelixPieces helix;                                               // of super-helices
  chain::Settings links;                                           // of chains
  inextensible::Method projection = inextensible::Method::newton;  // of rods whose edges keep their lengths
  ParentSettings parents;
  std::string preset;  // that the material started from; empty: none
  der::Material material;
  bool radius_of_groom = true;                    // where the groom has one: the scene gives none
  std::optional<ValueMap> radius_map, young_map;  // in place of the material's; other moduli go with young
  der::Curvature curvature = der::Curvature::four;
  std::optional<Eigen::Vector3d> director;  // where the first semi-axis of the section points at the root
  RestShape rest_shape = RestShape::drawn;
  std::optional<sagfree::Options> sag_free;  // rest = "sag-free"; its gravity is the run's
  der::Clamps clamps;
  Motion root_motion, tip_motion;                 // of the clamps; they carry the drawn pose
  std::shared_ptr<const MeshSequence> root_mesh;  // carries each root for itself, in place of root_motion
  AttractionSettings attraction;
  FrictionFactor friction_factor;
  std::vector<HoldSettings> holds;
  std::vector<LoadSettings> loads;
};

// What is measured in every frame.
enum class ProbeKind : std::uint8_t { clamp, tension, moment, bend_radius, path, contact_force };
struct ProbeSettings {
  std::string name;
  ProbeKind kind = ProbeKind::clamp;
  std::string set;  // name of the strands
  std::int64_t strand = 0;
  bool at_tip = false;        // clamp: which end
  std::optional<int> vertex;  // negative: counted from the tip; nothing: where it is worst
};

// A rigid connector at an end of a strand.
struct JointSettings {
  std::string name;
  std::string set;                     // name of the strands
  std::optional<std::int64_t> strand;  // nothing = all
  der::Connector connector;            // its strand is filled in later
};

struct OutputSettings {
  std::string dir;           // empty: chosen by the caller
  int start_frame = 1;       // number of the first frame, in names and reports
  double shutter = 0.0;      // share of a frame after which a second pose is written for motion blur; 0: none
  int every = 1;             // writes frame 1 and each `every`-th one after it
  double checkpoint = 60.0;  // [s] of work between checkpoints
  std::vector<std::string> channels = {"velocity", "strain", "director", "contact",
                                       "tension"};  // of frames, beside positions and radii
  std::vector<std::string> formats;  // beside the native cache, written when the run has finished: "usda", "pvd", ...
};

struct Scene {
  RunSettings run;
  std::vector<StrandSet> strands;
  ContactSettings contact;
  std::vector<ColliderSettings> colliders;
  std::vector<JointSettings> joints;
  std::vector<PointJointSettings> point_joints;
  std::vector<ProbeSettings> probes;
  OutputSettings output;
  std::filesystem::path folder;  // absolute; in which files of the scene are sought
  std::string text;              // TOML of all that was read, overrides included
  std::uint64_t hash = 0;        // of all that can change a result: not of [output], nor of the number of threads
};

// Overrides are "key=value" as in `--set strands.0.material.young=2 GPa`. Files that the scene names are sought beside
// it.
Result<Scene> read_scene(const std::filesystem::path& path, const std::vector<std::string>& overrides = {});
Result<Scene> parse_scene(std::string_view text, const std::filesystem::path& filename,
                          const std::vector<std::string>& overrides = {});

// Every key with type, unit, default and meaning, made by the reader itself.
std::string schema_text();

}  // namespace tendril
