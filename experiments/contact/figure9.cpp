// Figures 1 and 9: after a shake the hair comes to rest in a pattern that friction holds, another one than without it;
// and friction as it is felt: sticking and sliding in turn.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/contact/contact.hpp"
#include "experiments/contact/hair.hpp"

namespace tendril::experiments::contact {
namespace {

using Eigen::Vector3d;

constexpr double stop = 0.8;  // [s]

struct Rest {
  std::vector<double> times, kinetic, sliding;  // [s], [J], share of the contacts among the hair
  std::vector<Vector3d> pose;
  double creep = 0.0;  // [m] that the fastest vertex moves in the last tenth of a second

  double peak() const { return std::ranges::max(kinetic); }
  double left() const { return kinetic.back() / peak(); }
  double mean_sliding(double from, double to) const {
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < times.size(); ++i)
      if (times[i] > from && times[i] <= to) sum += sliding[i], ++count;
    return sum / double(std::max<std::size_t>(1, count));
  }
};

// Of the contacts among the hair that press.
double share_that_slides(const Simulation& simulation) {
  constexpr double still = 1e-4;  // [m/s]
  const ContactMemory& memory = simulation.state().contact;
  const std::vector<Vector3d> v = simulation.velocities();
  const std::vector<std::size_t> offsets = simulation.offsets();
  const auto velocity = [&](const collide::StrandPoint& at) -> Vector3d {
    const std::size_t first = offsets[at.strand] + at.edge;
    return v[first] + at.along * (v[first + 1] - v[first]);
  };
  std::size_t pressing = 0, sliding = 0;
  for (std::size_t i = 0; i < memory.contacts.size(); ++i) {
    const collide::Contact& contact = memory.contacts[i];
    if (contact.with_body() || !(memory.forces[i].dot(contact.normal) > 0.0)) continue;
    const Vector3d apart = velocity(contact.a) - velocity(contact.b);
    ++pressing, sliding += (apart - apart.dot(contact.normal) * contact.normal).norm() > still;
  }
  return double(sliding) / double(std::max<std::size_t>(1, pressing));
}

Rest shake_and_wait(double mu, double mu_head) {
  HairOptions options;
  options.strands = 300;
  options.seconds = 5.0;
  options.length = 0.12, options.damping = 0.05;  // else it swings for a minute, whether strands touch or not
  options.mu = mu, options.mu_head = mu_head, options.tolerance = 1e-5;
  options.motion =
      fmt::format(R"({{ rotate = [0, 1, 0], angle = "50 deg", frequency = "2.5 Hz", duration = "{} s" }})", stop);
  Simulation simulation = hair(options);
  Rest out;
  std::vector<Vector3d> before;
  while (!simulation.done()) {
    step(simulation);
    out.times.push_back(simulation.time());
    out.kinetic.push_back(simulation.energies().kinetic);
    out.sliding.push_back(share_that_slides(simulation));
    if (before.empty() && simulation.time() > options.seconds - 0.1) before = simulation.positions();
  }
  out.pose = simulation.positions();
  for (std::size_t v = 0; v < before.size(); ++v) out.creep = std::max(out.creep, (out.pose[v] - before[v]).norm());
  return out;
}

// A strand that hangs down on a plate; its root goes to and fro along it.
struct Drag {
  static constexpr double mu = 0.4;
  std::vector<double> times, friction, speed;  // [s], over the normal force, [m/s] of the tip
  double stuck = 0.0;                          // share of the steps

  static std::string scene() {
    return fmt::format(R"([run]
duration = "2 s"
fps = 50
substeps = 10
newton = "converge"
[[strands]]
name = "hair"
source = {{ generator = "vertical", vertices = 15, length = "6 cm" }}
material = {{ radius = "0.3 mm", young = "20 MPa", density = 1300, damping = 0.002 }}
motion = {{ sine = ["5 cm", 0, 0], frequency = "1 Hz" }}
[contact]
friction = {}
tolerance = 1e-7
[[colliders]]
name = "plate"
shape = {{ plane = true, centre = [0, "-5.8 cm", 0] }}
)",
                       mu);
  }
};

Drag drag() {
  Result<Scene> scene = parse_scene(Drag::scene(), "drag.toml");
  if (!scene) throw std::logic_error(scene.error().message());
  Result<Simulation> made = Simulation::create(std::move(scene.value()));
  if (!made) throw std::runtime_error(made.error().message());
  Simulation& simulation = made.value();
  Drag out;
  std::size_t stuck = 0;
  while (!simulation.done()) {
    step(simulation);
    Vector3d force = Vector3d::Zero();
    for (const Vector3d& f : simulation.contact_forces()) force += f;
    const double speed = simulation.velocities().back().x();
    if (force.y() <= 0.0) continue;
    out.times.push_back(simulation.time()), out.friction.push_back(force.x() / force.y()), out.speed.push_back(speed);
    stuck += std::abs(speed) < 1e-6;
  }
  out.stuck = double(stuck) / double(std::max<std::size_t>(1, out.times.size()));
  return out;
}

void claim_rest(const Rest& with, const Rest& without, Findings& out) {
  out.claim("kinetic energy at rest over its peak, with friction", "patterns that stay still",
            fmt::format("{:.1e}; {:.1e} without friction", with.left(), without.left()), "below 1e-8",
            with.left() < 1e-8);
  const double apart = rms_distance(with.pose, without.pose);
  out.claim("pose at rest, with and without friction", "differ",
            fmt::format("{:.1f} mm apart (root of the mean square)", 1e3 * apart), "more than a diameter, 1 mm",
            apart > 1e-3);
  out.tell("fastest vertex in the last tenth of a second", "not given", fmt::format("moves {:.1e} m", with.creep));
  const double moving = with.mean_sliding(0.0, stop), resting = with.mean_sliding(with.times.back() - 0.2, 1e9);
  out.claim("share of the contacts that slide", "stick and slip",
            fmt::format("{:.0f} % while the head moves, {:.1f} % at rest", 100.0 * moving, 100.0 * resting),
            "at least 10 %, and at most 1 % at rest", moving >= 0.1 && resting <= 0.01);
}

void claim_drag(const Drag& drag, Findings& out) {
  double largest = 0.0;
  for (const double share : drag.friction) largest = std::max(largest, std::abs(share));
  out.claim("a strand dragged to and fro over a plate", "stick-slip",
            fmt::format("sticks in {:.0f} % of the steps; friction is at most {:.4f} of the normal force",
                        100.0 * drag.stuck, largest),
            fmt::format("both in at least 5 % of the steps, and friction up to {} and no more", Drag::mu),
            drag.stuck > 0.05 && drag.stuck < 0.95 && std::abs(largest - Drag::mu) < 1e-3 * Drag::mu);
}

}  // namespace

Findings figure9(const Context&) {
  Findings out;
  const Rest with = shake_and_wait(0.3, 0.5), without = shake_and_wait(0.0, 0.0);
  claim_rest(with, without, out);
  const Drag dragged = drag();
  claim_drag(dragged, out);
  plot::Chart energy{.title = "Kinetic energy",
                     .description = "The head is shaken and stops.",
                     .x = {"time", "s"},
                     .y = {"energy", "J", plot::AxisKind::logarithmic}};
  energy.add("friction", with.times, with.kinetic), energy.add("no friction", without.times, without.kinetic);
  energy.mark_x(stop, "the head stops");
  plot::Chart sliding{.title = "Contacts that slide",
                      .description = "Of those that press, with friction.",
                      .x = {"time", "s"},
                      .y = {.label = "share"}};
  sliding.add("sliding", with.times, with.sliding), sliding.mark_x(stop, "the head stops");
  plot::Chart signal{.title = "A strand dragged over a plate",
                     .description = "Friction over the normal force: level where it slides, rising where it sticks.",
                     .x = {"time", "s"},
                     .y = {.label = "friction over normal force"}};
  signal.add("tip", dragged.times, dragged.friction);
  signal.mark_y(Drag::mu, "mu"), signal.mark_y(-Drag::mu, "-mu");
  for (plot::Chart* chart : {&energy, &sliding, &signal}) out.charts.push_back(std::move(*chart));
  return out;
}

}  // namespace tendril::experiments::contact
