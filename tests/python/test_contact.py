"""tendril.contact: Coulomb's law from Python."""

import json
import os
import pathlib
import tempfile
import unittest

import numpy as np
import tendril

DATA = pathlib.Path(os.environ["TENDRIL_SOURCE"], "tests", "data", "coulomb-contact_onestep.json")


def problems():
    for entry in json.loads(DATA.read_text())["problems"]:
        data = {key: np.asarray(value) for key, value in entry["data"].items()}
        if "H" not in data:
            blocks, n = list(data["M"]), len(data["mu"])
            size = blocks[0].shape[0]
            rows = np.zeros((3 * n, size * len(blocks)))
            for i in range(n):
                for block, side in ((data["oa"][i], data["Ha"][i]), (data["ob"][i], data["Hb"][i])):
                    if block >= 0:
                        rows[3 * i : 3 * i + 3, size * block : size * (block + 1)] += side
            yield entry, blocks, rows, data["f"].ravel(), data["w"].ravel(), data["mu"]
        else:
            yield entry, [data["M"]], data["H"], data["f"], data["w"], data["mu"]


def dense(matrix):
    return matrix.toarray() if hasattr(matrix, "toarray") else matrix


class Solve(unittest.TestCase):
    def test_reference_problems_by_blocks_and_by_w(self):
        for entry, blocks, H, f, w, mu in problems():
            tolerance = 1e-4 if entry["kind"] == "hair" else 1e-7
            for solver in ("auto", "gs", "apgd"):
                options = {"mu": mu, "solver": solver, "tolerance": tolerance, "max_sweeps": 20000}
                found = tendril.contact.solve(M_blocks=blocks, H=H, f=f, w=w, **options)
                self.assertEqual(found.status, "converged", (entry["kind"], solver))
                self.assertTrue(found.converged)
                M = np.zeros((len(f), len(f)))
                first = 0
                for block in blocks:
                    M[first : first + len(block), first : first + len(block)] = block
                    first += len(block)
                np.testing.assert_allclose(M @ found.v, f + H.T @ found.r.ravel(), atol=1e-9 * np.abs(f).max())
                np.testing.assert_allclose(H @ found.v + w, found.u.ravel(), atol=1e-10)
                W, b = H @ np.linalg.solve(M, H.T), H @ np.linalg.solve(M, f) + w
                self.assertLess(np.abs(found.u.ravel() - np.ravel(entry["u"])).max(), 100 * tolerance * np.abs(b).max())
                stored = tendril.contact.solve(W=0.5 * (W + W.T), b=b, **options)
                self.assertEqual(stored.status, "converged")
                self.assertEqual(len(stored.v), 0)

    def test_blocks_may_be_given_by_their_inverses(self):
        _, blocks, H, f, w, mu = list(problems())[2]
        given = tendril.contact.solve(M_blocks=blocks, H=H, f=f, w=w, mu=mu, tolerance=1e-8)
        inverses = [np.linalg.inv(block) for block in blocks]
        free = np.concatenate([inverse @ part for inverse, part in zip(inverses, np.split(f, len(blocks)))])
        found = tendril.contact.solve(M_blocks=inverses, inverses=True, H=H, f=free, w=w, mu=mu, tolerance=1e-8)
        np.testing.assert_allclose(found.v, given.v, atol=1e-6)

    def test_every_solver_has_a_name(self):
        _, blocks, H, f, w, mu = list(problems())[0]
        for solver in ("newton", "newton-mfb", "newton-ac", "newton-jm", "path", "admm"):
            found = tendril.contact.solve(M_blocks=blocks, H=H, f=f, w=w, mu=mu, solver=solver, tolerance=1e-7)
            self.assertTrue(found.converged, solver)
        smooth = tendril.contact.solve(M_blocks=blocks, H=H, f=f, w=w, mu=0.0, solver="active-set", tolerance=1e-9)
        self.assertTrue(smooth.converged)
        refused = tendril.contact.solve(M_blocks=blocks, H=H, f=f, w=w, mu=0.3, solver="active-set")
        self.assertEqual(refused.status, "unsuitable")

    def test_impulses_obey_the_cone(self):
        entry, blocks, H, f, w, mu = list(problems())[2]
        r = tendril.contact.solve(M_blocks=blocks, H=H, f=f, w=w, mu=mu, tolerance=1e-8, max_sweeps=5000).r
        self.assertTrue((np.hypot(r[:, 1], r[:, 2]) <= mu * r[:, 0] * (1 + 1e-9)).all())

    def test_files_hold_what_was_written(self):
        entry, blocks, H, f, w, mu = list(problems())[-1]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "problem.json")
            tendril.contact.write(path, M_blocks=blocks, H=H, f=f, w=w, mu=mu)
            read = tendril.contact.read(path)
            self.assertEqual(set(read), {"M_blocks", "H", "f", "w", "mu", "joints"})
            self.assertFalse(read["joints"].any())
            self.assertTrue((dense(read["H"]) == H).all() and (read["f"] == f).all() and (read["w"] == w).all())
            self.assertTrue(all((a == b).all() for a, b in zip(read["M_blocks"], blocks, strict=True)))
            found = tendril.contact.solve(**read)

            path = pathlib.Path(folder, "problem.h5")
            tendril.contact.write(path, **read, solution=found)
            by_w = tendril.contact.read(path)
            self.assertEqual(set(by_w), {"W", "b", "mu", "joints"})
            np.testing.assert_allclose(dense(by_w["W"]) @ found.r.ravel() + by_w["b"], found.u.ravel(), atol=1e-12)
            self.assertTrue((by_w["mu"] == mu).all())
            self.assertTrue(tendril.contact.solve(**by_w, r0=found.r).converged)
            with self.assertRaisesRegex(ValueError, "given by W"):
                tendril.contact.write(pathlib.Path(folder, "problem.json"), **by_w)
            with self.assertRaisesRegex(ValueError, "not a format"):
                tendril.contact.read(pathlib.Path(folder, "problem.txt"))

    def test_collections_are_read_one_by_one(self):
        for which, (entry, blocks, H, f, w, mu) in enumerate(problems()):
            read = tendril.contact.read(DATA, problem=which)
            self.assertEqual(len(read["M_blocks"]), len(blocks))
            np.testing.assert_array_equal(dense(read["H"]), H)
            np.testing.assert_array_equal(read["mu"], mu)
        for arguments, message in (
            ({}, "holds 9 problems; say which one"),
            ({"problem": 9}, "holds 9 problems, counted from 0; 9 is not one of them"),
            ({"problem": -1}, "^problem: is -1"),
            ({"problem": 0.5}, "^problem: 0.5 is not a whole number"),
        ):
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                tendril.contact.read(DATA, **arguments)

    def test_contacts_may_be_kept_awake(self):
        _, blocks, H, f, w, mu = list(problems())[-1]
        given = {"M_blocks": blocks, "H": H, "f": f, "w": w, "mu": mu, "solver": "gs", "max_sweeps": 100, "tolerance": 1e-5}
        asleep, awake = tendril.contact.solve(**given), tendril.contact.solve(**given, freezing=False)
        self.assertEqual((asleep.sweeps, awake.sweeps), (100, 100))
        self.assertLess(asleep.local_solves, awake.local_solves)

    def test_joints_hold_and_are_kept_by_files(self):
        _, blocks, H, f, w, mu = list(problems())[2]
        joints = np.arange(len(mu)) == 4
        given = {"M_blocks": blocks, "H": H, "f": f, "w": w, "mu": mu}
        W, b = H @ np.linalg.solve(blocks[0], H.T), H @ np.linalg.solve(blocks[0], f) + w
        by_w = {"W": 0.5 * (W + W.T), "b": b, "mu": mu}
        self.assertGreater(np.abs(tendril.contact.solve(**given, tolerance=1e-9).u[4]).max(), 1e-3)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "problem.json")
            tendril.contact.write(path, **given, joints=joints)
            read = tendril.contact.read(path)
            self.assertEqual(read["joints"].dtype, bool)
            self.assertTrue((read["joints"] == joints).all())
            with self.assertRaisesRegex(ValueError, "contact 4 is a joint"):
                tendril.contact.write(pathlib.Path(folder, "problem.h5"), **by_w, joints=joints)
        for problem in (read, {**by_w, "joints": joints}):
            for solver in ("auto", "gs", "apgd", "newton"):
                found = tendril.contact.solve(**problem, solver=solver, tolerance=1e-9, max_sweeps=20000)
                self.assertTrue(found.converged, solver)
                self.assertLess(np.abs(found.u[4]).max(), 1e-9 * np.abs(b).max(), solver)

    def test_warm_start_and_local_solvers(self):
        _, blocks, H, f, w, mu = list(problems())[-1]
        cold = tendril.contact.solve(M_blocks=blocks, H=H, f=f, w=w, mu=mu)
        warm = tendril.contact.solve(M_blocks=blocks, H=H, f=f, w=w, mu=mu, r0=cold.r)
        self.assertLess(warm.sweeps, cold.sweeps)
        for local in ("mfb", "enum", "pac", "dac", "duriez06", "duriez08", "4sides"):
            found = tendril.contact.solve(
                M_blocks=blocks, H=H, f=f, w=w, mu=mu, solver="gs", local=local, max_sweeps=20, tolerance=1e-9
            )
            self.assertTrue(np.isfinite(found.r).all(), local)

    def test_hard_problems_raise_nothing(self):
        found = tendril.contact.solve(M_blocks=[-np.eye(3)], H=np.eye(3), f=np.ones(3), mu=0.3)
        self.assertEqual(found.status, "not-definite")
        jam = tendril.contact.solve(W=np.zeros((3, 3)), b=[-1, 0, 0], mu=0.3)
        self.assertEqual(jam.immovable, 1)

    def test_wrong_arguments_are_refused_in_one_sentence(self):
        good = {"W": np.eye(3), "b": np.zeros(3), "mu": 0.3}
        blocks = {"M_blocks": [np.eye(3)], "H": np.eye(3), "f": np.zeros(3), "mu": 0.3}
        for message, arguments in (
            ("^W: give W and b, or M_blocks", {"mu": 0.3}),
            ("^mu: is missing", {**good, "mu": None}),
            ("^mu: has shape", {**good, "mu": [0.1, 0.2]}),
            ("mu: of contact 0 is -1", {**good, "mu": -1.0}),
            ("^joints: must be 1 bools", {**good, "joints": [0.0]}),
            ("^joints: must be 1 bools", {**blocks, "joints": [True, False]}),
            ("^W: has shape", {**good, "W": np.eye(6)}),
            ("W: is not symmetric", {**good, "W": np.triu(np.ones((3, 3)))}),
            ("W: is not finite", {**good, "W": np.full((3, 3), np.nan)}),
            ("^b: must have three rows", {**good, "b": np.zeros(4)}),
            ("^solver: is 'gauss'", {**good, "solver": "gauss"}),
            ("^local: is 'newton'", {**good, "local": "newton"}),
            ("^effort: is 'some'", {**good, "effort": "some"}),
            ("^tolerance: is 0", {**good, "tolerance": 0}),
            ("^r0: must be 3 finite", {**good, "r0": [1.0]}),
            ("^f: has 2 numbers", {**blocks, "f": np.zeros(2)}),
            ("^H: has shape", {**blocks, "H": np.ones((3, 5))}),
            ("^M_blocks.0.: has shape", {**blocks, "M_blocks": [np.ones((2, 3))]}),
            ("^w: has 1 numbers", {**blocks, "w": [1.0]}),
        ):
            with self.subTest(message), self.assertRaisesRegex(ValueError, message):
                tendril.contact.solve(**arguments)


if __name__ == "__main__":
    unittest.main()
