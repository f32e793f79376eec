"""tendril.der.Strands from outside: derivatives by differences, closed forms, errors, views, threads, Ctrl-C."""

import contextlib
import copy
import gc
import io
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import weakref

import numpy as np

import tendril
from tendril.der import Strands

STILL = (0.0, 0.0, 0.0)


def line(length, vertices, direction=(1.0, 0.0, 0.0)):
    return np.linspace(0.0, length, vertices)[:, None] * np.asarray(direction)


def helix(vertices, radius=0.3, pitch=0.2, turns=1.5):
    angle = np.linspace(0.0, 2.0 * np.pi * turns, vertices)
    return np.stack([radius * np.cos(angle), pitch * angle / (2.0 * np.pi), radius * np.sin(angle)], axis=1)


def bent_and_twisted(seed, **options):
    """A strand of soft material away from rest: every energy is of order one."""
    rng = np.random.default_rng(seed)
    options = {"radius": (0.05, 0.08), "young": 4e4, "shear": 2e4, "density": 900.0, **options}
    strand = Strands(helix(7), **options)
    n = len(strand.positions)
    strand.set_positions(strand.positions + rng.normal(0.0, 0.03, (n, 3)))
    strand.set_theta(rng.normal(0.0, 0.5, n))
    return strand


def moved(strand, unknown, amount):
    """A copy with one unknown of (x_0, theta_0, x_1, ...) moved."""
    twin = strand.copy()
    vertex, component = divmod(unknown, 4)
    if component < 3:
        positions = twin.positions.copy()
        positions[vertex, component] += amount
        twin.set_positions(positions)
    else:
        theta = twin.theta.copy()
        theta[vertex] += amount
        twin.set_theta(theta)
    return twin


def unknowns(per_vertex):
    """(n, 4) as the vector x_0, theta_0, x_1, ... without the angle that has no edge."""
    return per_vertex.reshape(-1)[:-1]


def turn(axis, angle, translation=(0.0, 0.0, 0.0)):
    a = np.asarray(axis) / np.linalg.norm(axis)
    cross = np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
    pose = np.eye(4)
    pose[:3, :3] += np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    pose[:3, 3] = translation
    return pose


class Module(unittest.TestCase):
    def test_tells_version_instruction_set_and_threads(self):
        self.assertRegex(tendril.__version__, r"^\d+\.\d+\.\d+$")
        self.assertIn(tendril.isa(), ("reference", "v2", "avx2", "avx512"))
        before = tendril.threads()
        tendril.set_threads(3)
        self.assertEqual(tendril.threads(), 3)
        tendril.set_threads(0)
        self.assertGreaterEqual(tendril.threads(), 1)
        tendril.set_threads(before)

    def test_refuses_a_thread_count_that_cannot_be(self):
        for count in (-1, 10**6, 10**30, 1.5):
            with self.assertRaises(ValueError):
                tendril.set_threads(count)

    def test_refuses_an_instruction_set_that_the_machine_lacks(self):
        environment = {**os.environ, "TENDRIL_ISA": "neon"}
        run = subprocess.run([sys.executable, "-c", "import tendril"], env=environment, capture_output=True, text=True)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("ImportError: TENDRIL_ISA: 'neon' is not an instruction set of this machine", run.stderr)


class Construction(unittest.TestCase):
    def refused(self, message, *args, **options):
        with self.assertRaisesRegex(ValueError, message):
            Strands(*args, **options)

    def test_takes_points_in_four_forms(self):
        a, b = line(1.0, 5), line(1.0, 5) + (0.0, 0.0, 1.0)
        flat = np.concatenate([a, b])
        for strands in (
            Strands(np.stack([a, b])),
            Strands(flat, offsets=[0, 5, 10]),
            Strands([a, b]),
            Strands([a.tolist(), b.tolist()]),
        ):
            self.assertEqual(len(strands), 2)
            np.testing.assert_array_equal(strands.offsets, [0, 5, 10])
            np.testing.assert_array_equal(strands.positions, flat)
        self.assertEqual(len(Strands(a)), 1)
        self.assertEqual(len(Strands(a.tolist())), 1)
        ragged = Strands([a, b[:3]])
        np.testing.assert_array_equal(ragged.offsets, [0, 5, 8])

    def test_refuses_bad_shapes(self):
        self.refused(r"^points: has shape \(3, 2\)", np.zeros((3, 2)))
        self.refused(r"^points: has shape \(3,\)", np.zeros(3))
        self.refused(r"^points: is not an array of real numbers", "hair")
        self.refused(r"^points: is not an array of real numbers", [[0, 0, 0], [1, 0]])
        self.refused(r"^strand 1: has shape \(3, 2\)", [line(1.0, 4), np.zeros((3, 2))])
        self.refused(r"^offsets: must rise from 0 to the number of vertices, 4$", line(1.0, 4), offsets=[0, 3])
        self.refused(r"^offsets: must rise", line(1.0, 4), offsets=[0, 3, 2, 4])
        self.refused(r"^offsets: must be whole numbers", line(1.0, 4), offsets=[0.0, 4.0])
        self.refused(r"^young: has shape \(3,\); give a number or .* shape \(4,\)", line(1.0, 4), young=(1,) * 3)
        self.refused(r"^rest curvature: has shape", line(1.0, 4), rest={"curvature": np.zeros((4, 2))})

    def test_refuses_bad_geometry_naming_strand_and_vertex(self):
        good = line(1.0, 4)
        nan = good.copy()
        nan[2, 1] = np.nan
        self.refused("^strand 1: has 1 vertex; a strand needs 2 or more$", [good, good[:1]])
        self.refused("^strand 0: has 0 vertices", np.zeros((0, 3)))
        self.refused("^strands: there are none", np.zeros((0, 4, 3)))
        self.refused("^strand 1, vertex 2: position is not a finite number$", [good, nan])
        self.refused("^strand 0, vertex 2: coincides with the vertex before it", good[[0, 1, 1, 2]])
        self.refused("^strand 0, vertex 2: folds back by 180 degrees", good[[0, 1, 2, 1]])

    def test_refuses_bad_material_naming_strand_and_vertex(self):
        good = line(1.0, 4)
        self.refused("^strand 0, vertex 0: radius is 0; it must be positive$", good, radius=0.0)
        self.refused("^strand 0, vertex 0: density is -1; it must be positive$", good, density=-1.0)
        self.refused("^strand 0, vertex 0: density is not a finite number$", good, density=np.nan)
        self.refused("^strand 0, vertex 2: bend modulus is -3", good, young=[1, 1, -3, 1], stretch_young=1.0)
        self.refused("^strand 0: damping is -1", good, damping=-1.0)
        self.refused("^strand 0, vertex 0: mass is 0", good, mass=0.0)
        self.refused("^strand 0, vertex 0: rest strain must be above -1$", good, rest={"strain": -1.0})

    def test_refuses_unknown_names(self):
        good = line(1.0, 4)
        self.refused('^clamp: "glued" is not known; choose one of free, edge, point$', good, clamp="glued")
        self.refused("^clamp: 3 is neither", good, clamp=3)
        self.refused("^clamps: has 2 entries", good, clamp=["edge", "point"])
        self.refused('^curvature: "5d" is not known', good, curvature="5d")
        self.refused("^rest: must be None", good, rest="curly")
        self.refused("^rest: must be None", good, rest={"bend": 0})
        self.refused('^isa: "neon" is not known', good, isa="neon")
        self.refused("^hold 0: names vertex 9 of strand 0, which has 4$", good, holds=[{"vertex": 9}])
        self.refused("^hold 0: components are 'q'", good, holds=[{"vertex": 0, "components": "q"}])
        self.refused("^hold 1: strand 3: is not there", good, holds=[{"vertex": 1}, {"vertex": 1, "strand": 3}])

    def test_spreads_material_over_vertices_edges_and_strands(self):
        two = np.stack([line(1.0, 3), line(1.0, 3) + (0, 0, 1)])
        per_vertex = Strands(two, radius=1e-3, density=[1, 1, 1, 2, 2, 2]).mass
        np.testing.assert_array_equal(Strands(two, radius=1e-3, density=[1, 1, 2, 2]).mass, per_vertex)
        np.testing.assert_array_equal(Strands(two, radius=1e-3, density=[1, 2]).mass, per_vertex)
        np.testing.assert_array_equal(Strands(two, radius=1e-3, density=[[1, 1], [2, 2]]).mass, per_vertex)
        area = np.pi * 1e-6
        np.testing.assert_allclose(per_vertex, area * np.array([0.25, 0.5, 0.25, 0.5, 1.0, 0.5]), rtol=1e-15)
        ellipse = Strands(two, radius=(1e-3, 2e-3), density=[1, 2]).mass
        np.testing.assert_allclose(ellipse, 2.0 * per_vertex, rtol=1e-15)

    def test_is_at_rest_as_drawn(self):
        strand = Strands(helix(20), radius=0.01)
        self.assertLess(strand.energy(STILL).total, 1e-20)
        np.testing.assert_allclose(strand.force(STILL), 0.0, atol=1e-6)  # of an EA of 1e6 N

    def test_rest_can_be_given_and_read_back(self):
        drawn = Strands(helix(20), radius=0.01)
        again = Strands(
            helix(20),
            radius=0.01,
            rest={
                "reference_length": drawn.reference_length,
                "strain": drawn.rest_strain,
                "curvature": drawn.rest_curvature,
                "twist": drawn.rest_twist,
            },
            mass=drawn.mass,
        )
        for name in ("reference_length", "rest_strain", "rest_curvature", "rest_twist", "mass"):
            np.testing.assert_array_equal(getattr(again, name), getattr(drawn, name))
        drawn.step(1e-3, steps=3)
        again.step(1e-3, steps=3)
        np.testing.assert_allclose(again.positions, drawn.positions, rtol=0.0, atol=1e-13)

        straight = Strands(helix(20), radius=0.01, rest="straight")
        self.assertEqual(abs(straight.rest_curvature).max(), 0.0)
        self.assertGreater(straight.energy(STILL).bend, 0.0)
        drawn.set_rest(strain=0.01, curvature=np.zeros((20, 4)))
        self.assertEqual(abs(drawn.rest_curvature).max(), 0.0)
        np.testing.assert_array_equal(drawn.rest_strain, [0.01] * 19 + [0.0])

    def test_rest_strain_shortens_the_rest_length(self):
        strand = Strands(line(1.0, 6), radius=0.01, young=1e6, rest={"strain": 0.25})
        # EA ((l - l_0) / rest + strain) with l = l_0
        np.testing.assert_allclose(strand.reactions(gravity=STILL).tension[:-1], 1e6 * np.pi * 1e-4 * 0.25, rtol=1e-12)

    def test_copies_go_their_own_way(self):
        strand = Strands(helix(10), radius=0.01)
        strand.step(1e-3, steps=2)
        for twin in (strand.copy(), copy.copy(strand), copy.deepcopy(strand)):
            self.assertIsInstance(twin, Strands)
            self.assertEqual((twin.hash, twin.time), (strand.hash, strand.time))
            twin.step(1e-3)
            self.assertNotEqual(twin.hash, strand.hash)


class Derivatives(unittest.TestCase):
    CASES = (
        {},
        {"clamp": "point"},
        {"clamp": ("point", "point")},
        {"clamp": "free", "radius": 0.05},
        {"curvature": "2d-averaged"},
        {"curvature": "2d-slerped"},
        {"rest": "straight"},
    )

    def test_force_is_minus_the_gradient_of_the_energy(self):
        h, gravity = 1e-5, (1.0, -9.81, 3.0)
        for seed, case in enumerate(self.CASES):
            strand = bent_and_twisted(seed, **case)
            strand.add_load(0, 3, (10.0, 20.0, -5.0), torque=2.0)
            force = unknowns(strand.force(gravity))
            for u in range(len(force)):
                up, down = moved(strand, u, h).energy(gravity), moved(strand, u, -h).energy(gravity)
                slope = (up.total - down.total) / (2.0 * h)
                self.assertAlmostEqual(-slope, force[u], delta=1e-7 * abs(force).max(), msg=f"{case}, {u}")

    def test_exact_hessian_is_the_symmetric_part_of_the_derivative_of_the_force(self):
        h = 1e-6
        for seed, case in enumerate(self.CASES):
            strand = bent_and_twisted(seed, **case)
            hessian = strand.hessian(kind="exact")
            np.testing.assert_array_equal(hessian, hessian.T)
            size = len(hessian)
            self.assertEqual(size, 4 * 7 - 1)
            slope = np.empty((size, size))
            for u in range(size):
                up, down = moved(strand, u, h).force(STILL), moved(strand, u, -h).force(STILL)
                slope[:, u] = -unknowns(up - down) / (2.0 * h)
            slope = 0.5 * (slope + slope.T)
            np.testing.assert_allclose(hessian, slope, atol=2e-8 * abs(hessian).max(), err_msg=str(case))

    def test_step_hessian_is_positive_definite(self):
        for seed, case in enumerate(self.CASES):
            strand = bent_and_twisted(seed, **case)
            for dt in (1e-4, 1e-2, 1.0):
                np.linalg.cholesky(strand.hessian(dt=dt))  # raises if it is not

    def test_banded_form_holds_the_same_numbers(self):
        strand = bent_and_twisted(0)
        dense, band = strand.hessian(dt=0.01), strand.hessian(dt=0.01, banded=True)
        self.assertEqual(band.shape, (11, len(dense)))
        for r in range(11):
            np.testing.assert_array_equal(band[r, : len(dense) - r], np.diag(dense, -r))
        self.assertEqual(abs(np.tril(dense, -11)).max(), 0.0)

    def test_a_step_is_the_solution_of_its_system(self):
        dt, gravity = 1e-3, np.array([0.0, -9.81, 0.0])
        for clamp in ("edge", "free"):
            strand = bent_and_twisted(1, clamp=clamp)
            velocities = np.random.default_rng(2).normal(0.0, 0.1, (7, 3))
            velocities[strand.held[:, :3]] = 0.0
            strand.set_velocities(velocities)
            # A clamp also takes its edge back to the pose in which it was drawn.
            strand.set_positions(np.where(strand.held[:, :3], helix(7), strand.positions))
            strand.set_theta(np.where(strand.held[:, 3], 0.0, strand.theta))
            free = ~unknowns(strand.held)
            momentum = np.zeros((7, 4))
            momentum[:, :3] = strand.mass[:, None] * velocities
            load = unknowns(strand.force(gravity) + momentum / dt)
            increment = np.zeros(27)
            increment[free] = np.linalg.solve(strand.hessian(dt=dt)[np.ix_(free, free)], load[free])
            before = strand.positions.copy()
            strand.step(dt, gravity)
            change = np.append(increment, 0.0).reshape(-1, 4)[:, :3]
            np.testing.assert_allclose(strand.positions - before, change, atol=1e-10)
            np.testing.assert_allclose(strand.velocities, change / dt, atol=1e-7)

    def test_held_unknowns_are_marked(self):
        edge, point, free = Strands([line(1.0, 4)] * 3, clamp=["edge", "point", "free"]).held.reshape(3, 4, 4)
        dummy = np.zeros((4, 4), dtype=bool)
        dummy[3, 3] = True
        expected = dummy.copy()
        expected[0, :3] = True
        np.testing.assert_array_equal(point, expected)
        expected[0, 3] = expected[1, :3] = True
        np.testing.assert_array_equal(edge, expected)
        np.testing.assert_array_equal(free, dummy)
        held = Strands(line(1.0, 4), clamp="free", holds=[{"vertex": -2, "components": "yt"}]).held
        expected = dummy.copy()
        expected[2, [1, 3]] = True
        np.testing.assert_array_equal(held, expected)


class Statics(unittest.TestCase):
    def cantilever(self, gamma, vertices=80, length=1.0, radius=0.01, clamp="point"):
        """A horizontal rod under its weight, q L^3 / (E I) = gamma."""
        density, g = 1000.0, 9.81
        young = density * np.pi * radius**2 * g * length**3 / (gamma * np.pi / 4.0 * radius**4)
        rod = Strands(line(length, vertices), radius=radius, density=density, young=young, clamp=clamp)
        report = rod.solve_static((0.0, -g, 0.0))
        self.assertTrue(report.converged.all() and report.stable.all(), report)
        self.assertLessEqual(report.residual.max(), 1e-10)
        return rod, -rod.positions[-1, 1] / length

    def test_small_deflection_of_a_cantilever(self):
        # The stretch of a slender rod and the square of the deflection are far below.
        _, drop = self.cantilever(1e-3)
        self.assertAlmostEqual(drop / (1e-3 / 8.0), 1.0, delta=2e-4)

    def test_large_deflection_of_a_cantilever(self):
        _, drop = self.cantilever(10.0)
        self.assertAlmostEqual(drop, 0.7001997155, delta=1e-4)

    def test_clamp_bears_the_weight_of_a_hair(self):
        for clamp in ("edge", "point"):
            hair = Strands(helix(60, 0.02, 0.03), radius=40e-6, young=3.9e9, density=1300.0, clamp=clamp)
            report = hair.solve_static()
            self.assertTrue(report.converged.all())
            weight = hair.mass.sum() * 9.81
            found = hair.reactions(strand=0)
            np.testing.assert_allclose(found.root_force, (0.0, weight, 0.0), atol=1e-9 * weight)
            arm = hair.positions - hair.positions[0]
            moment = np.cross(arm, hair.mass[:, None] * np.array([0.0, -9.81, 0.0])).sum(axis=0)
            np.testing.assert_allclose(found.root_moment, -moment, atol=1e-8 * abs(moment).max())
            np.testing.assert_array_equal(found.tip_force, 0.0)

    def test_tip_load_bends_an_ellipse_by_its_second_moments(self):
        length, a, b, young, force = 1.0, 0.01, 0.02, 1e9, 0.1
        for row, second_moment in ((0, np.pi / 4.0 * a**3 * b), (1, np.pi / 4.0 * a * b**3)):
            rod = Strands(line(length, 60), radius=(a, b), young=young, clamp="point")
            direction = rod.frames[0][:, row]
            rod.add_load(0, -1, force * direction)
            self.assertTrue(rod.solve_static(STILL).stable.all())
            deflection = rod.positions[-1] @ direction
            self.assertAlmostEqual(deflection / (force * length**3 / (3.0 * young * second_moment)), 1.0, delta=1e-3)
            found = rod.reactions(gravity=STILL)
            np.testing.assert_allclose(found.root_force[0], -force * direction, atol=1e-9 * force)
            moment = abs(found.moment[30, row])
            self.assertAlmostEqual(moment, force * (length - rod.positions[30, 0]), delta=1e-3 * force)
            self.assertAlmostEqual(found.bend_radius[30] * moment / (young * second_moment), 1.0, delta=1e-3)
            loaded = rod.force(STILL)
            rod.clear_loads()
            change = loaded - rod.force(STILL)
            np.testing.assert_allclose(change[-1, :3], force * direction, atol=1e-9 * force)
            self.assertEqual(abs(change[:-1]).max(), 0.0)

    def test_the_section_stands_as_its_director_tells(self):
        flat = dict(radius=(1e-3, 5e-3), young=1e8, density=1000.0)
        weak, strong = (
            Strands(line(0.3, 30), director=axis, **flat) for axis in ((0.0, 1.0, 0.0), (7.0, 0.0, 2.0))
        )
        np.testing.assert_allclose(weak.frames[0][:, 0], (0.0, 1.0, 0.0), atol=1e-15)
        np.testing.assert_allclose(strong.frames[0][:, 0], (0.0, 0.0, 1.0), atol=1e-15)
        for tape in (weak, strong):
            tape.solve_static()
        self.assertGreater(weak.positions[-1, 1] / strong.positions[-1, 1], 5.0)
        both = Strands([line(0.3, 3), line(0.3, 4)], director=[(0, 1, 0), (0, 0, 1)], **flat)
        np.testing.assert_allclose(both.frames[3][:, 0], (0.0, 0.0, 1.0), atol=1e-15)
        with self.assertRaisesRegex(ValueError, "strand 0: the root director lies along the first edge"):
            Strands(line(0.3, 3), director=(1.0, 0.0, 0.0))

    def test_torque_twists_the_tip(self):
        length, radius, shear, torque = 1.0, 0.01, 1e8, 0.02
        rod = Strands(line(length, 41), radius=radius, young=3e8, shear=shear, clamp="edge")
        rod.add_load(0, -1, torque=torque)
        self.assertTrue(rod.solve_static(STILL).stable.all())
        # From the middle of the held edge to the middle of the last.
        expected = torque * length * 39.0 / 40.0 / (shear * np.pi / 2.0 * radius**4)
        self.assertAlmostEqual(rod.theta[-2] / expected, 1.0, delta=1e-6)
        angle, director = rod.theta[20], rod.directors[20]
        m1 = np.cos(angle) * director + np.sin(angle) * np.cross((1, 0, 0), director)
        np.testing.assert_allclose(rod.frames[20][:, 0], m1, atol=1e-12)
        self.assertAlmostEqual(rod.reactions(gravity=STILL).moment[20, 2], torque, delta=1e-9 * torque)

    def test_buckled_column_is_unstable_when_straight(self):
        length, radius, young = 1.0, 0.01, 1e9
        critical = np.pi**2 * young * np.pi / 4.0 * radius**4 / (4.0 * length**2)  # one end clamped
        for factor, stable in ((0.95, True), (1.05, False)):
            rod = Strands(line(length, 80), radius=radius, young=young, clamp="point")
            rod.add_load(0, -1, (-factor * critical, 0.0, 0.0))
            report = rod.solve_static(STILL)
            self.assertTrue(report.converged.all())
            if rod.positions[-1, 0] > 0.9999 * length:  # it has stayed straight: nothing disturbs it
                self.assertEqual(bool(report.stable[0]), stable)
                self.assertEqual(int(report.negative_modes[0]), 0 if stable else 2)


class Motion(unittest.TestCase):
    def test_time_counts_steps(self):
        strand = Strands(line(0.1, 5))
        strand.step(1e-4, steps=10)
        strand.step(1e-3)
        self.assertAlmostEqual(strand.time, 2e-3, delta=1e-18)

    def test_set_pose_drives_the_root_exactly(self):
        drawn = helix(20, 0.02, 0.03)
        pose = turn((1.0, 2.0, -1.0), 0.7, (0.1, -0.2, 0.3))
        quaternion = np.append(np.cos(0.35), np.sin(0.35) * np.array([1.0, 2.0, -1.0]) / np.sqrt(6.0))
        hashes = []
        for form in (pose, (pose[:3, :3], pose[:3, 3]), (quaternion, pose[:3, 3])):
            for clamp, held in (("edge", 2), ("point", 1)):
                hair = Strands(drawn, clamp=clamp)
                frame = hair.frames[0].copy()
                hair.set_pose(0, form)
                hair.step(1e-3, steps=20)
                there = drawn @ pose[:3, :3].T + pose[:3, 3]
                np.testing.assert_allclose(hair.positions[:held], there[:held], atol=1e-15)
                if clamp == "edge":
                    np.testing.assert_allclose(hair.frames[0], pose[:3, :3] @ frame, atol=1e-14)
                before = hair.positions[:held].copy()
                hair.step(1e-3, steps=5)
                np.testing.assert_array_equal(hair.positions[:held], before)  # it stays, to the last bit
                hashes.append(hair.velocities[held:].copy())
        np.testing.assert_allclose(hashes[0], hashes[4], atol=1e-6)

    def test_a_pose_is_reached_in_equal_parts_over_the_steps(self):
        hair = Strands(line(0.1, 10))
        hair.set_pose(None, turn((0, 0, 1), 0.4))
        hair.step(1e-3, steps=4)
        rest = Strands(line(0.1, 10))
        for part in (0.1, 0.2, 0.3, 0.4):
            rest.set_pose(0, turn((0, 0, 1), part))
            rest.step(1e-3)
        np.testing.assert_allclose(hair.positions, rest.positions, atol=1e-14)

    def test_statics_follow_the_pose(self):
        # Turned about the vertical, equilibrium turns along.
        pose = turn((0, 1, 0), np.pi / 3.0, (0.0, 0.3, 0.0))
        rod, there = (Strands(line(1.0, 30), radius=0.01, young=1e9, clamp="point") for _ in range(2))
        there.set_pose(0, pose)
        self.assertTrue(rod.solve_static().stable.all())
        self.assertTrue(there.solve_static().stable.all())
        np.testing.assert_allclose(there.positions, rod.positions @ pose[:3, :3].T + pose[:3, 3], atol=1e-9)

    def test_holds_are_driven_and_bear_load(self):
        rod = Strands(line(1.0, 30), radius=0.01, young=1e9, clamp="point", holds=[{"vertex": -1, "components": "y"}])
        self.assertEqual(rod.holds, [{"strand": 0, "vertex": 29, "components": "y"}])
        rod.set_hold(0, np.array([[1, 0, 0, 0], [0, 1, 0, 0.1], [0, 0, 1, 0], [0, 0, 0, 1.0]]))
        self.assertTrue(rod.solve_static().stable.all())
        self.assertEqual(rod.positions[-1, 1], 0.1)
        found = rod.reactions(strand=0)
        self.assertAlmostEqual((found.root_force + found.holds[-1, :3])[1] / (9.81 * rod.mass.sum()), 1.0, delta=1e-9)
        turned = Strands(line(1.0, 30), radius=0.01, young=1e9, holds=[{"vertex": -2, "components": "t"}])
        turned.set_hold(-1, angle=0.5)
        turned.solve_static(STILL)
        self.assertEqual(turned.theta[28], 0.5)
        np.testing.assert_allclose(np.diff(turned.theta[:29]), 0.5 / 28.0, rtol=1e-6)

    def test_bdf2_keeps_energy_that_euler_loses(self):
        def swing(integrator):
            rod = Strands(line(1.0, 12), radius=0.01, young=1e7, rest="straight", clamp="point")
            rod.solve_static()
            start = rod.energy().total
            rod.set_velocities(np.where(rod.held[:, :3], 0.0, rod.positions[:, :1] ** 2 * np.array([0.0, 1.0, 0.0])))
            given = rod.energy().total - start
            rod.step(2e-3, integrator=integrator, newton="converge", steps=250)
            return (rod.energy().total - start) / given

        self.assertLess(swing("euler"), 0.5)
        self.assertGreater(swing("bdf2"), 0.8)

    def test_bdf2_is_of_second_order(self):
        def tip(dt, integrator):
            rod = Strands(line(1.0, 6), radius=0.02, young=1e6, clamp="point")
            rod.step(dt, integrator=integrator, newton="converge", steps=round(0.08 / dt))
            return rod.positions[-1].copy()

        for integrator, order in (("euler", 1.0), ("bdf2", 2.0)):
            tips = [tip(1e-3 / k, integrator) for k in (1, 2, 4)]
            found = np.log2(np.linalg.norm(tips[1] - tips[0]) / np.linalg.norm(tips[2] - tips[1]))
            self.assertAlmostEqual(found, order, delta=0.3, msg=integrator)

    def test_an_euler_step_between_two_of_bdf2_starts_it_afresh(self):
        def run(forget):
            rod = Strands(line(1.0, 6), radius=0.02, young=1e6)
            rod.step(1e-3, integrator="bdf2", steps=3)
            rod.step(1e-3)
            if forget:
                rod.set_velocities(rod.velocities)  # a setter drops the history
            rod.step(1e-3, integrator="bdf2", steps=2)
            return rod.hash

        self.assertEqual(run(False), run(True))

    def test_air_sets_a_terminal_velocity(self):
        radius, density, air = 40e-6, 1300.0, {"density": 1.2, "normal": 1.5}
        hair = Strands(line(0.1, 10), radius=radius, density=density, clamp="free")
        hair.step(1e-2, air=air, steps=200)
        expected = np.sqrt(2.0 * density * np.pi * radius**2 * 9.81 / (1.2 * 1.5 * 2.0 * radius))
        np.testing.assert_allclose(hair.velocities[5], (0.0, -expected, 0.0), rtol=0.02, atol=1e-6)
        blown = Strands(line(0.1, 10), radius=radius, density=density, clamp="free")
        blown.step(1e-2, STILL, air=air, wind=(0.0, 0.0, 2.0), steps=200)
        self.assertAlmostEqual(blown.velocities[5, 2], 2.0, delta=0.05)
        with self.assertRaisesRegex(ValueError, "^wind: has no effect without air"):
            blown.step(1e-2, wind=(0.0, 0.0, 2.0))

    def test_damping_takes_energy(self):
        def left(damping):
            rod = Strands(line(1.0, 12), radius=0.02, young=1e7, damping=damping, clamp="point")
            rod.step(1e-3, integrator="bdf2", newton=2, steps=300)
            return rod.energy().total

        self.assertLess(left(0.02), left(0.0))

    def test_newton_to_convergence_reports_its_residual(self):
        strand = bent_and_twisted(3)
        report = strand.step(1e-3, newton="converge", tolerance=1e-7)
        self.assertEqual(report.outcome, "converged")
        self.assertLessEqual(report.residual, 1e-7)
        self.assertGreater(report.iterations, 1)
        self.assertIsNone(report.strand)

    def test_a_failed_step_leaves_the_state_and_names_the_strand(self):
        strands = Strands([line(0.1, 10) + (0, 0, 0.01 * s) for s in range(5)])
        strands.step(1e-3, steps=3)
        before, time_before = strands.hash, strands.time
        strands.set_pose(3, turn((0, 0, 1), 3.1))
        with self.assertRaisesRegex(tendril.StepFailed, "^strand 3: ") as caught:
            strands.step(1e-3)
        self.assertEqual((strands.hash, strands.time), (before, time_before))
        self.assertEqual(caught.exception.strand, 3)
        self.assertEqual(caught.exception.report.outcome, "failed")
        self.assertEqual(str(pickle.loads(pickle.dumps(caught.exception))), str(caught.exception))
        self.assertEqual(strands.step(1e-3, steps=60).steps, 60)  # in smaller parts it goes

    def test_refuses_bad_arguments(self):
        strand = Strands(line(1.0, 6), radius=0.01)
        for message, call in (
            ("^dt: is 0; it must be a positive", lambda: strand.step(0.0)),
            ("^dt: is nan", lambda: strand.step(np.nan)),
            ("^dt: is not", lambda: strand.step("soon")),
            ("^steps: is 0", lambda: strand.step(1e-3, steps=0)),
            ("^newton: is 0", lambda: strand.step(1e-3, newton=0)),
            ("^newton: 'twice' is not", lambda: strand.step(1e-3, newton="twice")),
            ("^newton: 1099511627776 is out", lambda: strand.step(1e-3, newton=2**40)),
            ("^gravity: has shape", lambda: strand.step(1e-3, gravity=9.81)),
            ("^gravity: is not three finite", lambda: strand.force((0, np.inf, 0))),
            ("^air: has -1", lambda: strand.step(1e-3, air=-1.0)),
            ("^air: must be a density", lambda: strand.step(1e-3, air={"drag": 1.0})),
            ('^integrator: "rk4" is not known; choose one of euler, bdf2', lambda: strand.step(1e-3, integrator="rk4")),
            ("^positions: has shape", lambda: strand.set_positions(np.zeros((3, 3)))),
            ("^strand 0, vertex 1: coincides", lambda: strand.set_positions(np.zeros((6, 3)))),
            ("^strand 0, vertex 0: velocity is", lambda: strand.set_velocities(np.full((6, 3), np.inf))),
            ("^strand 0, vertex 0: theta is not a finite number", lambda: strand.set_theta(np.full(6, np.nan))),
            ("^strand 0, vertex 0: the director", lambda: strand.set_directors(line(1.0, 6))),
            ("^strand 4: is not there; there are 1", lambda: strand.set_pose(4, np.eye(4))),
            ("^pose: has shape", lambda: strand.set_pose(0, np.eye(3))),
            ("^rotation: must be a rotation matrix", lambda: strand.set_pose(0, (-np.eye(3), STILL))),
            ("^rotation: must be a unit quaternion", lambda: strand.set_pose(0, ((1, 1, 0, 0), STILL))),
            ("^strand 0: its tip is free", lambda: strand.set_pose(0, np.eye(4), end="tip")),
            ("^load: names vertex 99 of strand 0, which has 6", lambda: strand.add_load(0, 99, (0, 0, 1))),
            ("^load: is not a finite", lambda: strand.add_load(0, 1, (0, 0, np.nan))),
            ("^hold 0: is not there", lambda: strand.set_hold(0, angle=1.0)),
            ('^kind: "cubic" is not known', lambda: strand.hessian(kind="cubic")),
            ("^dt: is -1", lambda: strand.hessian(dt=-1.0)),
            ("^tolerance: is 0", lambda: strand.solve_static(tolerance=0.0)),
            ("^strand 0, vertex 0: rest strain must be above -1", lambda: strand.set_rest(strain=-2.0)),
        ):
            before = strand.hash
            with self.assertRaisesRegex(ValueError, message):
                call()
            self.assertEqual(strand.hash, before)


class SameBits(unittest.TestCase):
    """Strands of many lengths, so that packing and padding matter."""

    def strands(self):
        rng = np.random.default_rng(5)
        return [helix(int(rng.integers(5, 40)), 0.02, 0.03) + rng.normal(0.0, 0.1, 3) for _ in range(37)]

    def run_for(self, curves, **options):
        strands = Strands(curves, **options)
        strands.set_pose(None, turn((0, 1, 0), 0.3))
        strands.step(1.0 / 240.0, steps=30)
        return strands

    def test_for_any_thread_count(self):
        before = tendril.threads()
        hashes = []
        for count in (1, 2, 3):
            tendril.set_threads(count)
            hashes.append(self.run_for(self.strands()).hash)
        tendril.set_threads(before)
        self.assertEqual(len(set(hashes)), 1)

    def test_for_any_order_of_the_strands(self):
        curves = self.strands()
        order = np.random.default_rng(6).permutation(len(curves))
        first, second = self.run_for(curves), self.run_for([curves[s] for s in order])
        for place, s in enumerate(order):
            for name in ("positions", "velocities", "theta", "reference_twist"):
                a = getattr(first, name)[first.offsets[s] : first.offsets[s + 1]]
                b = getattr(second, name)[second.offsets[place] : second.offsets[place + 1]]
                np.testing.assert_array_equal(a, b)

    def test_lanes_agree_with_plain_doubles(self):
        lanes, plain = self.run_for(self.strands()), self.run_for(self.strands(), isa="reference")
        np.testing.assert_allclose(lanes.positions, plain.positions, atol=1e-9)


class Views(unittest.TestCase):
    STATE = ("positions", "velocities", "theta", "theta_velocity", "frames", "directors", "reference_twist")
    MODEL = ("mass", "rest_strain", "rest_curvature", "rest_twist", "reference_length", "held", "offsets")

    def test_are_read_only(self):
        strand = Strands(helix(10))
        for name in self.STATE + self.MODEL:
            view = getattr(strand, name)
            with self.assertRaises(ValueError):
                view[0] = 1
        with self.assertRaises(ValueError):
            strand.positions.setflags(write=True)
        with self.assertRaises(AttributeError):
            strand.positions = np.zeros((10, 3))

    def test_positions_are_live_and_stay_where_they_are(self):
        strand = Strands(helix(10))
        view = strand.positions
        start, address = view.copy(), view.ctypes.data
        for _ in range(3):
            strand.step(1e-3)
            np.testing.assert_array_equal(view, strand.copy().positions)  # a copy gathers anew
        self.assertGreater(abs(view - start).max(), 0.0)
        self.assertEqual(strand.positions.ctypes.data, address)
        for change in (strand.solve_static, lambda: strand.set_positions(start)):
            change()
            np.testing.assert_array_equal(view, strand.copy().positions)
        np.testing.assert_array_equal(view, start)

    def test_other_arrays_stay_as_they_were(self):
        strand = Strands(helix(10))
        velocities, frames = strand.velocities, strand.frames
        strand.step(1e-3)
        self.assertEqual(abs(velocities).max(), 0.0)
        self.assertGreater(abs(strand.velocities).max(), 0.0)
        self.assertGreater(np.nanmax(abs(frames - strand.frames)), 0.0)

    def test_outlive_the_name_of_their_strands(self):
        strand = Strands(helix(1000))
        view, expected = strand.positions, strand.positions.copy()
        self.assertIs(view.base, strand)
        del strand
        gc.collect()
        others = [Strands(helix(1000, 0.1 * (k + 1))).positions for k in range(5)]
        np.testing.assert_array_equal(view, expected)
        self.assertEqual(len(others), 5)

    def test_are_freed_with_the_last_view(self):
        strand = Strands(helix(10))
        alive, view = weakref.ref(strand), strand.positions
        del strand
        gc.collect()
        self.assertIsNotNone(alive())
        del view
        gc.collect()
        self.assertIsNone(alive())

    def test_frames_are_right_handed_and_undefined_where_no_edge_starts(self):
        strands = Strands([helix(10), helix(6)])
        frames = strands.frames
        self.assertTrue(np.isnan(frames[[9, 15]]).all())
        self.assertTrue(np.isnan(strands.directors[[9, 15]]).all())
        edges = np.delete(np.arange(16), [9, 15])
        for v in edges:
            np.testing.assert_allclose(frames[v].T @ frames[v], np.eye(3), atol=1e-12)
            np.testing.assert_allclose(np.cross(frames[v][:, 0], frames[v][:, 1]), frames[v][:, 2], atol=1e-12)
            along = strands.positions[v + 1] - strands.positions[v]
            np.testing.assert_allclose(frames[v][:, 2], along / np.linalg.norm(along), atol=1e-12)

    def test_directors_can_be_turned_against_theta(self):
        strand = bent_and_twisted(4, clamp="free")
        energy, frames = strand.energy(STILL).elastic, strand.frames.copy()
        strand.set_directors(frames[:, :, 0])
        strand.set_theta(0.0)
        np.testing.assert_allclose(strand.frames, frames, atol=1e-12)
        self.assertAlmostEqual(strand.energy(STILL).elastic / energy, 1.0, delta=1e-10)


class Threads(unittest.TestCase):
    def test_a_long_call_lets_other_python_threads_run(self):
        strands = Strands(np.stack([helix(100)] * 100))
        counted, done = 0, threading.Event()

        def work():
            strands.step(1e-4, steps=300)
            done.set()

        worker = threading.Thread(target=work)
        started = time.perf_counter()
        worker.start()
        longest, last = 0.0, time.perf_counter()
        while not done.is_set():
            counted += 1
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
        worker.join()
        took = time.perf_counter() - started
        self.assertGreater(counted, 1000)
        self.assertLess(longest, 0.5 * took)

    def test_objects_can_be_read_while_another_thread_steps(self):
        strands = Strands(np.stack([helix(20)] * 20))
        failures, done = [], threading.Event()

        def read():
            try:
                while not done.is_set():
                    self.assertTrue(np.isfinite(strands.positions).all())
                    strands.energy(), strands.reactions(strand=3), strands.copy(), strands.frames, strands.time
            except BaseException as failure:  # noqa: BLE001: shown below
                failures.append(failure)

        def change_threads():
            for k in range(50):
                tendril.set_threads(1 + k % 3)
                time.sleep(0.002)

        before = tendril.threads()
        helpers = [threading.Thread(target=read) for _ in range(2)] + [threading.Thread(target=change_threads)]
        for helper in helpers:
            helper.start()
        strands.step(1e-4, steps=500)
        done.set()
        for helper in helpers:
            helper.join()
        tendril.set_threads(before)
        self.assertEqual(failures, [])

        alone = Strands(np.stack([helix(20)] * 20))
        alone.step(1e-4, steps=500)
        self.assertEqual(alone.hash, strands.hash)

    def test_a_reader_need_not_wait_for_all_steps(self):
        strands = Strands(np.stack([helix(50)] * 50))
        worker = threading.Thread(target=lambda: strands.step(1e-4, steps=1000))
        worker.start()
        times = []
        while worker.is_alive():
            times.append(strands.time)
            time.sleep(0.001)
        worker.join()
        self.assertGreater(len(set(times)), 5)

    def test_ctrl_c_ends_after_a_step(self):
        program = """
import sys, numpy as np, tendril
strands = tendril.der.Strands(np.linspace((0, 0, 0), (0.1, 0, 0), 20))
view = strands.positions
print("running", flush=True)
try:
    strands.step(1e-4, steps=10**7)
except KeyboardInterrupt:
    whole = round(strands.time / 1e-4)
    twin = tendril.der.Strands(np.linspace((0, 0, 0), (0.1, 0, 0), 20))
    twin.step(1e-4, steps=whole)
    print("same" if twin.hash == strands.hash and (view == twin.positions).all() else "other", whole)
    sys.exit(5)
"""
        run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        self.assertEqual(run.stdout.readline().strip(), "running")
        time.sleep(0.3)
        run.send_signal(signal.SIGINT)
        started = time.perf_counter()
        rest, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 5, rest)
        self.assertRegex(rest, r"^same \d+")
        self.assertLess(time.perf_counter() - started, 20.0)


    def test_a_daemon_thread_does_not_break_the_end_of_the_program(self):
        program = """
import threading, time, numpy as np, tendril
strands = tendril.der.Strands(np.linspace((0, 0, 0), (0.1, 0, 0), 20))
def forever():
    while True:
        strands.step(1e-4, steps=1000)
threading.Thread(target=forever, daemon=True).start()
time.sleep(0.1)
print("ends", flush=True)
"""
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
        self.assertEqual((run.returncode, run.stdout, run.stderr), (0, "ends\n", ""))


class Tutorial(unittest.TestCase):
    def test_its_code_runs_as_printed(self):
        page = os.path.join(os.environ["TENDRIL_SOURCE"], "docs", "python.md")
        with open(page, encoding="utf-8") as text:
            blocks = re.findall(r"^```python\n(.*?)^```", text.read(), re.MULTILINE | re.DOTALL)
        self.assertGreater(len(blocks), 3)
        names = {}
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        for number, block in enumerate(blocks):
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, f"docs/python.md, block {number}", "exec"), names)


if __name__ == "__main__":
    unittest.main()
