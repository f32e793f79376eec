#include "simulation_bindings.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "fair_mutex.hpp"
#include "tendril/base/hash.hpp"
#include "tendril/sim/probes.hpp"
#include "tendril/sim/simulation.hpp"
#include "threads.hpp"
#include "without_python.hpp"

namespace py = pybind11;

namespace tendril::python {
namespace {

using Eigen::Vector3d;

// Raised as tendril.StepFailed.
struct StepFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T>
T taken(Result<T> result) {
  if (!result) throw std::invalid_argument(result.error().message());
  return std::move(result.value());
}
void check(const Status& status) {
  if (!status) throw std::invalid_argument(status.error().message());
}

// A simulation and its lock. Any thread may call any method at any time; many steps in a row give the lock back after
// each. Python's lock is let go before this one is taken.
class SharedSimulation {
 public:
  explicit SharedSimulation(Simulation simulation) : simulation_(std::move(simulation)) {}

  template <class F>
  auto with(F&& f) {
    const WithoutPython without;
    const Computing computing;
    const std::lock_guard lock(mutex_);
    return f(simulation_);
  }

 private:
  FairMutex mutex_;
  Simulation simulation_;
};

py::array_t<double> rows(const std::vector<Vector3d>& vectors) {
  return py::array_t<double>({py::ssize_t(vectors.size()), py::ssize_t(3)},
                             vectors.empty() ? nullptr : vectors[0].data());
}

Pose pose_of(const std::vector<double>& quaternion, const std::vector<double>& shift) {
  return {Eigen::Quaterniond(quaternion[0], quaternion[1], quaternion[2], quaternion[3]),
          {shift[0], shift[1], shift[2]}};
}

std::unique_ptr<SharedSimulation> from_text(const std::string& text, const std::filesystem::path& file,
                                            const std::vector<std::string>& overrides) {
  const WithoutPython without;
  const Computing computing;
  Scene scene = taken(text.empty() ? read_scene(file, overrides) : parse_scene(text, file, overrides));
  return std::make_unique<SharedSimulation>(taken(Simulation::create(std::move(scene))));
}

std::unique_ptr<SharedSimulation> from_file(const std::filesystem::path& file) {
  const WithoutPython without;
  const Computing computing;
  return std::make_unique<SharedSimulation>(taken(Simulation::load(file)));
}

py::dict step(SharedSimulation& simulation, std::int64_t steps) {
  using Clock = std::chrono::steady_clock;
  SimulationStep total;
  auto last_look = Clock::now();
  for (std::int64_t i = 0; i < steps; ++i) {
    const Result<SimulationStep> taken = simulation.with([](Simulation& s) { return s.step(); });
    if (!taken) throw StepFailure(taken.error().message());
    const SimulationStep& now = taken.value();
    total.steps += now.steps, total.usable += now.usable;
    total.iterations = std::max(total.iterations, now.iterations),
    total.residual = std::max(total.residual, now.residual);
    total.contacts += now.contacts;
    if (Clock::now() - last_look < std::chrono::milliseconds(50)) continue;
    last_look = Clock::now();
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  py::dict out;
  out["steps"] = total.steps, out["usable"] = total.usable, out["iterations"] = total.iterations;
  out["residual"] = total.residual;
  out["contacts"] = total.contacts.contacts_max, out["contact_error"] = total.contacts.error_max;
  return out;
}

template <class T, class Get>
py::array_t<double> stacked(const std::vector<T>& items, Get&& get) {
  std::vector<Vector3d> out;
  for (const T& item : items) out.push_back(get(item));
  return rows(out);
}

py::dict reactions(SharedSimulation& simulation, const std::string& set) {
  const std::vector<der::Reactions> all = taken(simulation.with([&](Simulation& s) { return s.reactions(set); }));
  std::vector<double> tension, bend_radius;
  std::vector<Vector3d> moment;
  for (const der::Reactions& r : all) {
    tension.insert(tension.end(), r.tension.begin(), r.tension.end());
    bend_radius.insert(bend_radius.end(), r.bend_radius.begin(), r.bend_radius.end());
    moment.insert(moment.end(), r.moment.begin(), r.moment.end());
  }
  py::dict out;
  out["root_force"] = stacked(all, [](const der::Reactions& r) { return r.root.force; });
  out["root_moment"] = stacked(all, [](const der::Reactions& r) { return r.root.moment; });
  out["tip_force"] = stacked(all, [](const der::Reactions& r) { return r.tip.force; });
  out["tip_moment"] = stacked(all, [](const der::Reactions& r) { return r.tip.moment; });
  out["tension"] = py::array_t<double>(py::ssize_t(tension.size()), tension.data());
  out["moment"] = rows(moment);
  out["bend_radius"] = py::array_t<double>(py::ssize_t(bend_radius.size()), bend_radius.data());
  return out;
}

py::dict probe(SharedSimulation& simulation, const std::string& name) {
  const std::vector<double> values = taken(simulation.with([&](Simulation& s) { return s.probe(name); }));
  const std::vector<std::string> columns = simulation.with([&](Simulation& s) {
    const auto& probes = s.world().probes;
    return probe_columns(*std::ranges::find(probes, name, &ProbeSettings::name));
  });
  py::dict out;
  for (std::size_t i = 0; i < values.size(); ++i) out[py::str(columns[i])] = values[i];
  return out;
}

py::dict energy(SharedSimulation& simulation) {
  const der::Energies e = simulation.with([](Simulation& s) { return s.energies(); });
  py::dict out;
  out["stretch"] = e.stretch, out["bend"] = e.bend, out["twist"] = e.twist;
  out["kinetic"] = e.kinetic, out["external"] = e.external;
  return out;
}

// What never changes.
py::dict description(SharedSimulation& simulation) {
  struct Facts {
    std::string name;
    std::vector<std::string> sets, probes, notes;
    std::vector<std::size_t> strands, offsets;
    std::vector<double> radius;
    int frames;
    double dt, fps;
  };
  const Facts facts = simulation.with([](Simulation& s) {
    const World& world = s.world();
    Facts f{world.run.name, {},           {}, world.notes, {}, s.offsets(), s.radius(), world.run.frames + 1,
            world.run.dt(), world.run.fps};
    if (world.run.mode == RunMode::statics) f.dt = 1.0 / world.run.fps;
    for (const World::Part& part : world.parts) {
      f.sets.push_back(part.settings.name);
      f.strands.push_back(part.groom().strands());
    }
    for (const ProbeSettings& p : world.probes) f.probes.push_back(p.name);
    return f;
  });
  py::dict out;
  out["name"] = facts.name, out["sets"] = facts.sets, out["strands"] = facts.strands, out["probes"] = facts.probes;
  out["notes"] = facts.notes, out["frames"] = facts.frames, out["dt"] = facts.dt, out["fps"] = facts.fps;
  py::array_t<std::int64_t> offsets(py::ssize_t(facts.offsets.size()));
  std::copy(facts.offsets.begin(), facts.offsets.end(), offsets.mutable_data());
  out["offsets"] = offsets;
  out["radius"] = py::array_t<double>(py::ssize_t(facts.radius.size()), facts.radius.data());
  return out;
}

void apply_wrench(SharedSimulation& simulation, const std::string& set, std::size_t strand, int vertex,
                  const std::vector<double>& force, const std::vector<double>& moment) {
  const AppliedWrench wrench{set, strand, vertex, {force[0], force[1], force[2]}, {moment[0], moment[1], moment[2]}};
  check(simulation.with([&](Simulation& s) { return s.apply_wrench(wrench); }));
}

}  // namespace

void bind_simulation(py::module_& module) {
  py::register_exception<StepFailure>(module, "SimulationStopped", PyExc_RuntimeError);
  py::class_<SharedSimulation>(module, "Simulation")
      .def_static("from_text", &from_text)
      .def_static("load", &from_file)
      .def("save",
           [](SharedSimulation& self, const std::filesystem::path& file) {
             check(self.with([&](Simulation& s) { return s.save(file); }));
           })
      .def("describe", &description)
      .def("step", &step)
      .def("time", [](SharedSimulation& self) { return self.with([](Simulation& s) { return s.time(); }); })
      .def("frame", [](SharedSimulation& self) { return self.with([](Simulation& s) { return s.frame(); }); })
      .def("hash", [](SharedSimulation& self) { return hash_text(self.with([](Simulation& s) { return s.hash(); })); })
      .def("positions",
           [](SharedSimulation& self) { return rows(self.with([](Simulation& s) { return s.positions(); })); })
      .def("velocities",
           [](SharedSimulation& self) { return rows(self.with([](Simulation& s) { return s.velocities(); })); })
      .def("contact_forces",
           [](SharedSimulation& self) { return rows(self.with([](Simulation& s) { return s.contact_forces(); })); })
      .def("set_pose",
           [](SharedSimulation& self, const std::string& set, const std::vector<double>& quaternion,
              const std::vector<double>& shift) {
             check(self.with([&](Simulation& s) { return s.set_pose(set, pose_of(quaternion, shift)); }));
           })
      .def("set_gravity",
           [](SharedSimulation& self, const std::array<double, 3>& g) {
             check(self.with([&](Simulation& s) { return s.set_gravity({g[0], g[1], g[2]}); }));
           })
      .def("set_wind",
           [](SharedSimulation& self, const std::array<double, 3>& w) {
             check(self.with([&](Simulation& s) { return s.set_wind({w[0], w[1], w[2]}); }));
           })
      .def("scale_stiffness",
           [](SharedSimulation& self, double factor) {
             check(self.with([&](Simulation& s) { return s.scale_stiffness(factor); }));
           })
      .def("set_damping",
           [](SharedSimulation& self, std::optional<double> seconds) {
             check(self.with([&](Simulation& s) { return s.set_damping(seconds); }));
           })
      .def("scale_friction",
           [](SharedSimulation& self, double factor) {
             check(self.with([&](Simulation& s) { return s.scale_friction(factor); }));
           })
      .def("reset", [](SharedSimulation& self) { self.with([](Simulation& s) { s.reset(); }); })
      .def("apply_wrench", &apply_wrench)
      .def("reactions", &reactions)
      .def("probe", &probe)
      .def("energy", &energy);
}

}  // namespace tendril::python
