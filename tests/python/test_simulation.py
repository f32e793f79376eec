"""tendril.Simulation: scenes stepped from Python; and the example of the README, as it stands there."""

import os
import re
import shutil
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np
import tendril

SOURCE = Path(os.environ["TENDRIL_SOURCE"])

CABLE = {
    "run": {"name": "cable", "frames": 5, "substeps": 2, "gravity": [0, -9.81, 0]},
    "strands": [
        {
            "name": "cable",
            "source": {"generator": "horizontal", "vertices": 12, "length": "0.3 m"},
            "material": {"preset": "cotton-rope"},
            "clamp": "point",
        }
    ],
    "probes": [{"name": "clamp", "kind": "clamp"}, {"name": "tip", "kind": "path"}],
}


def changed(**run):
    return {**CABLE, "run": {**CABLE["run"], **run}}


class SimulationTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tendril_python_"))

    def tearDown(self):
        shutil.rmtree(self.folder)

    def test_dict_and_file_are_the_same(self):
        path = self.folder / "scene.toml"
        path.write_text(
            '[run]\nname = "cable"\nframes = 5\nsubsteps = 2\n[[strands]]\nname = "cable"\n'
            'source = { generator = "horizontal", vertices = 12, length = "0.3 m" }\n'
            'material = { preset = "cotton-rope" }\nclamp = "point"\n'
        )
        a, b, c = tendril.Simulation(CABLE), tendril.Simulation(path), tendril.Simulation(str(path))
        for sim in (a, b, c):
            sim.run()
            self.assertEqual(sim.frame, 6)
        self.assertEqual(a.hash, b.hash)
        self.assertEqual(a.hash, c.hash)
        self.assertEqual(a.name, "cable")

    def test_facts(self):
        sim = tendril.Simulation(CABLE)
        self.assertEqual(sim.positions.shape, (12, 3))
        self.assertEqual(sim.velocities.shape, (12, 3))
        self.assertEqual(sim.radius.shape, (12,))
        np.testing.assert_array_equal(sim.offsets, [0, 12])
        self.assertEqual(sim.sets, {"cable": range(0, 1)})
        self.assertEqual((sim.frames, sim.frame, sim.time), (6, 1, 0.0))
        self.assertEqual(sim.dt, 1 / 120)
        self.assertEqual(sim.probes, ["clamp", "tip"])
        self.assertIn("frame 1 of 6", repr(sim))

    def test_what_can_be_changed_on_the_way(self):
        plain, sim = tendril.Simulation(CABLE), tendril.Simulation(CABLE)
        first = sim.hash
        sim.set_gravity((0, 0, 0))
        sim.scale_stiffness(2.0)
        sim.set_damping(0.01)
        sim.step(4)
        self.assertLess(np.abs(sim.positions[:, 1]).max(), 1e-12, "nothing pulls")
        sim.reset()
        self.assertEqual(sim.hash, first)
        sim.set_gravity((0, -9.81, 0))
        sim.scale_stiffness(1.0)
        sim.set_damping(None)
        plain.step(4), sim.step(4)
        self.assertEqual(sim.hash, plain.hash)
        with self.assertRaisesRegex(ValueError, "no air"):
            sim.set_wind((1, 0, 0))
        for wrong in (lambda: sim.scale_stiffness(0.0), lambda: sim.set_damping(-1.0), lambda: sim.set_gravity((1, 2))):
            with self.assertRaises(ValueError):
                wrong()

    def test_numpy_values_and_paths_have_a_place_in_a_scene(self):
        scene = changed(gravity=np.array([0.0, -1.0, 0.0]), fps=np.float64(60), seed=np.int64(3), name=Path("some"))
        self.assertEqual(tendril.Simulation(scene).name, "some")
        with self.assertRaisesRegex(ValueError, "scene.run.fps: complex has no place"):
            tendril.Simulation(changed(fps=1j))
        with self.assertRaisesRegex(ValueError, "is neither a path nor a dict"):
            tendril.Simulation(3)
        with self.assertRaisesRegex(ValueError, "unknown.*fps"):
            tendril.Simulation(changed(fsp=60))
        with self.assertRaisesRegex(ValueError, "none.toml"):
            tendril.Simulation("none.toml")

    def test_overrides(self):
        sim = tendril.Simulation(CABLE, overrides={"run.frames": 9, "strands.0.material.young": "2 MPa"})
        self.assertEqual(sim.frames, 10)
        sim = tendril.Simulation(CABLE, overrides={"run.gravity": np.zeros(3), "strands.0.clamp": {"root": "edge"}})
        sim.run()
        self.assertAlmostEqual(sim.energy().kinetic, 0.0)
        with self.assertRaisesRegex(ValueError, "run"):
            tendril.Simulation({})
        self.assertEqual(tendril.Simulation({**CABLE, "run": {"frames": 1}}).name, "scene")

    def test_steps_and_callbacks(self):
        sim, frames = tendril.Simulation(CABLE), []
        report = sim.step()
        self.assertEqual((report.steps, report.usable), (1, 0))
        sim.run(lambda s: frames.append((s.frame, s.time)))
        self.assertEqual([f for f, _ in frames], [2, 3, 4, 5, 6])
        self.assertAlmostEqual(frames[-1][1], 5 / 60)
        sim.run(lambda s: self.fail("there is no frame left"))
        self.assertEqual(sim.step(0).steps, 0)
        with self.assertRaises(ValueError):
            sim.step(-1)

    def test_an_exception_leaves_the_last_whole_step(self):
        plain = tendril.Simulation(CABLE)
        plain.run()
        sim = tendril.Simulation(CABLE)

        def stumble(s):
            if s.frame == 3:
                raise KeyError("stumbled")

        with self.assertRaises(KeyError):
            sim.run(stumble)
        self.assertEqual(sim.frame, 3)
        sim.run()
        self.assertEqual(sim.hash, plain.hash)

    def test_false_ends_a_run(self):
        sim = tendril.Simulation(CABLE)
        sim.run(lambda s: s.frame < 3)
        self.assertEqual(sim.frame, 3)

    def test_save_and_load(self):
        sim = tendril.Simulation(CABLE)
        sim.step(3)
        sim.save(self.folder / "state.h5")
        again = tendril.Simulation.load(self.folder / "state.h5")
        self.assertEqual(again.hash, sim.hash)
        sim.run()
        again.run()
        self.assertEqual(again.hash, sim.hash)
        (self.folder / "bad.h5").write_bytes(b"nonsense")
        with self.assertRaisesRegex(ValueError, "is not a checkpoint"):
            tendril.Simulation.load(self.folder / "bad.h5")

    def test_poses(self):
        sim = tendril.Simulation(changed(gravity=[0, 0, 0]))
        drawn = sim.positions
        for angle in (0.3, -2.0, 3.0):
            c, s = np.cos(angle), np.sin(angle)
            for axis in range(3):
                pose = np.eye(4)
                i, j = (axis + 1) % 3, (axis + 2) % 3
                pose[i, i], pose[i, j], pose[j, i], pose[j, j] = c, -s, s, c
                pose[:3, 3] = (0.1, 0.2, angle)
                sim.set_pose("cable", pose)
                sim.step()
                np.testing.assert_allclose(sim.positions[0], pose[:3, :3] @ drawn[0] + pose[:3, 3], atol=1e-12)
        for wrong in (np.eye(3), 2 * np.eye(4), np.diag([1, 1, -1, 1])):
            with self.assertRaises(ValueError):
                sim.set_pose("cable", wrong)
        with self.assertRaisesRegex(ValueError, "did you mean 'cable'"):
            sim.set_pose("cabel", np.eye(4))

    def test_wrench_and_reactions(self):
        scene = {**changed(mode="static"), "strands": [{**CABLE["strands"][0]}]}
        sim = tendril.Simulation(scene)
        sim.step()
        before = sim.reactions()
        self.assertEqual(before.root_force.shape, (1, 3))
        self.assertEqual(before.tension.shape, (12,))
        self.assertEqual(before.moment.shape, (12, 3))
        probe = sim.probe("clamp")
        self.assertAlmostEqual(probe["fy [N]"], before.root_force[0, 1])
        tip = sim.positions[-1]
        sim.apply_wrench("cable", force=(0, 0.2, 0))
        sim.step()
        self.assertGreater(sim.positions[-1][1], tip[1])
        sim.step()
        np.testing.assert_allclose(sim.positions[-1], tip, atol=1e-9)
        for wrong in ({"strand": 1}, {"strand": -1}, {"vertex": 12}, {"force": (1, 2)}, {"force": (np.nan, 0, 0)}):
            with self.assertRaises(ValueError):
                sim.apply_wrench("cable", **wrong)
        with self.assertRaisesRegex(ValueError, "no probe of this name"):
            sim.probe("none")
        with self.assertRaises(ValueError):
            sim.reactions("none")

    def test_energy_is_bounded(self):
        sim = tendril.Simulation(CABLE)
        start = sim.energy().total
        sim.run()
        self.assertLessEqual(sim.energy().total, start + 1e-9)
        self.assertGreater(sim.energy().kinetic, 0.0)

    def test_threads_share_a_simulation(self):
        sim = tendril.Simulation(changed(frames=50))
        seen = []
        watcher = threading.Thread(target=lambda: [seen.append(np.isfinite(sim.positions).all()) for _ in range(200)])
        watcher.start()
        sim.run()
        watcher.join()
        self.assertTrue(all(seen))

    def test_a_step_that_cannot_be_done_stops(self):
        scene = changed(gravity=[0, -1e280, 0])
        sim = tendril.Simulation(scene)
        with self.assertRaises(tendril.SimulationStopped):
            sim.run()
        self.assertTrue(np.isfinite(sim.positions).all())

    def test_guides_are_carried(self):
        scene = {
            "run": {"frames": 2},
            "strands": {"source": {"generator": "curly", "count": 40}, "guides": "every 10"},
        }
        sim = tendril.Simulation(scene)
        self.assertEqual(len(sim.offsets), 41)
        self.assertEqual(len(sim.reactions().root_force), 4)

    def test_the_example_of_the_readme(self):
        text = (SOURCE / "README.md").read_text()
        block = re.search(r"```python\n(.*?)```", text, re.S)
        self.assertIsNotNone(block, "the README has no Python example")
        self.assertLessEqual(len(block.group(1).strip().splitlines()), 10)
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            (self.folder / "examples").symlink_to(SOURCE / "examples")
            exec(compile(block.group(1), "README.md", "exec"), {})
        finally:
            os.chdir(here)


if __name__ == "__main__":
    unittest.main()
