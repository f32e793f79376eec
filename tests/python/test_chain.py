"""tendril.chain from outside: reference cases, batches, trees, rivals, statuses and errors."""

import json
import os
import pathlib
import unittest

import numpy as np
import tendril

DATA = pathlib.Path(os.environ["TENDRIL_SOURCE"], "tests", "data", "chain-projection_cases.json")
CASES = json.loads(DATA.read_text())["cases"]


def lengths_of(x):
    return np.linalg.norm(np.diff(x, axis=0), axis=1)


def noisy(seed, n=20, noise=0.1):
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=3) + 0.3 * rng.normal(size=(n - 1, 3))
    steps /= np.linalg.norm(steps, axis=1)[:, None]
    x = np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    p = x + noise * rng.normal(size=x.shape)
    p[0] = 0.0
    w = np.ones(n)
    w[0] = 0.0
    return p, w


class Project(unittest.TestCase):
    def test_reference_cases(self):
        for case in CASES:
            with self.subTest(case["name"]):
                p = np.array(case["p"])
                found = tendril.chain.project(
                    p, case["w"], case["l"], start=case["x0"], tolerance=1e-12, max_iterations=400
                )
                if case["status"] != "ok":
                    self.assertEqual(found.status, case["status"])
                    continue
                self.assertIn(found.status, ("ok", "round_off"))
                np.testing.assert_allclose(lengths_of(found.positions), case["l"], rtol=1e-12)
                w = np.array(case["w"])
                moved = ((found.positions - p)[w > 0] ** 2).sum(axis=1) / w[w > 0]
                np.testing.assert_allclose(0.5 * moved.sum(), case["expected"]["objective"], rtol=1e-10)

    def test_what_moves_points_is_what_the_multipliers_say(self):
        p, w = noisy(1)
        found = tendril.chain.project(p, w, 1.0, tolerance=1e-12)
        pull = found.multipliers[:, None] * (found.positions[:-1] - found.positions[1:])
        force = np.zeros_like(p)
        force[:-1] += pull
        force[1:] -= pull
        np.testing.assert_allclose((p - found.positions)[1:], (w[:, None] * force)[1:], atol=1e-11)
        self.assertTrue(found.certified)

    def test_a_batch_is_what_each_chain_is_by_itself(self):
        chains = [noisy(seed, n) for seed, n in enumerate((5, 40, 12, 12, 3, 2, 33))]
        offsets = np.cumsum([0] + [len(p) for p, _ in chains])
        together = tendril.chain.project(
            np.concatenate([p for p, _ in chains]), np.concatenate([w for _, w in chains]), 1.0, offsets=offsets
        )
        for c, (p, w) in enumerate(chains):
            alone = tendril.chain.project(p, w, 1.0)
            np.testing.assert_array_equal(together.positions[offsets[c] : offsets[c + 1]], alone.positions)
            self.assertEqual(together.status[c], alone.status)
            self.assertEqual(together.iterations[c], alone.iterations)

    def test_equal_chains_keep_their_shape(self):
        p, w = noisy(3)
        found = tendril.chain.project(np.stack([p, 2.0 * p]), np.tile(w, 2), 1.0)
        self.assertEqual(found.positions.shape, (2, 20, 3))
        self.assertEqual(found.residual.shape, (2,))

    def test_rivals_have_the_lengths_but_another_point(self):
        p, w = noisy(4)
        exact = tendril.chain.project(p, w, 1.0, tolerance=1e-12).positions
        for method in ("fast", "pbd", "xpbd"):
            found = tendril.chain.project(p, w, 1.0, method=method, tolerance=1e-10)
            self.assertEqual(found.status, "ok", method)
            np.testing.assert_allclose(lengths_of(found.positions), 1.0, rtol=1e-9)
            self.assertGreater(np.abs(found.positions - exact).max(), 1e-3, method)
        for method in ("two-stage", "newton", "kkt"):
            found = tendril.chain.project(p, w, 1.0, method=method, tolerance=1e-11, max_iterations=300)
            np.testing.assert_allclose(found.positions, exact, atol=1e-9)

    def test_a_tree_keeps_every_link(self):
        rng = np.random.default_rng(5)
        parents = np.array([-1] + [rng.integers(0, i) for i in range(1, 30)])
        p = 2.0 * rng.normal(size=(30, 3))
        w = np.ones(30)
        w[0] = 0.0
        length = rng.uniform(0.5, 2.0, 30)
        found = tendril.chain.project(p, w, length, parents=parents, tolerance=1e-10)
        self.assertEqual(found.status, "ok")
        links = np.linalg.norm(found.positions[1:] - found.positions[parents[1:]], axis=1)
        np.testing.assert_allclose(links, length[1:], rtol=1e-12)

    def test_a_chain_as_a_tree_bends_gives_way_and_goes_slack(self):
        p, w = noisy(7)
        n = len(p)
        rest = 0.1 * np.random.default_rng(1).normal(size=p.shape)
        for options in (
            {"bending": 2.0, "rest": rest}, {"compliance": 0.02}, {"slack": True},
            {"bending": 0.5, "compliance": 0.01, "slack": True},
        ):
            chain = tendril.chain.project(p, w, 1.0, tolerance=1e-11, **options)
            for order in (np.arange(n), np.arange(n)[::-1]):  # held at its root, or at what is its last point
                turned = {k: v[order] if k == "rest" else v for k, v in options.items()}
                tree = tendril.chain.project(p[order], w[order], 1.0, parents=np.arange(n) - 1, tolerance=1e-11, **turned)
                self.assertEqual((tree.status, chain.status), ("ok", "ok"))
                np.testing.assert_allclose(tree.positions, chain.positions[order], atol=1e-9)

    def test_branches_with_joints_and_compliance_are_stationary(self):
        rng = np.random.default_rng(9)
        n, k, soft = 20, 0.7, 0.03
        parents = np.array([-1] + [i if i % 5 else i // 2 for i in range(n - 1)])
        w = rng.uniform(0.5, 2.0, n)
        w[0] = 0.0
        p = 1.5 * rng.normal(size=(n, 3))
        found = tendril.chain.project(p, w, 1.0, parents=parents, bending=k, compliance=soft, tolerance=1e-11)
        self.assertEqual(found.status, "ok")
        first_child = {parents[i]: i for i in range(n - 1, 0, -1)}

        def value(x):
            links = x[parents[1:]] - x[1:]
            gaps = 0.5 * ((links**2).sum(axis=1) - 1.0)
            total = 0.5 * (((x - p)[1:] ** 2).sum(axis=1) / w[1:]).sum() + found.multipliers[1:] @ gaps
            for i in range(1, n):
                if i in first_child:
                    total += 0.5 * k * ((x[parents[i]] - 2 * x[i] + x[first_child[i]]) ** 2).sum()
            return total, gaps

        np.testing.assert_allclose(value(found.positions)[1], soft * found.multipliers[1:], atol=1e-10)
        for i in range(1, n):
            for axis in range(3):
                ends = []
                for by in (1e-5, -1e-5):
                    x = found.positions.copy()
                    x[i, axis] += by
                    ends.append(value(x)[0])
                self.assertLess(abs(ends[0] - ends[1]) / 2e-5, 1e-6)

    def test_single_precision(self):
        p, w = noisy(6)
        exact = tendril.chain.project(p, w, 1.0, tolerance=1e-12)
        single = tendril.chain.project(p, w, 1.0, tolerance=1e-5, single=True)
        np.testing.assert_allclose(single.positions, exact.positions, atol=1e-3)

    def test_general_optimisers_find_nothing_closer(self):
        try:
            from scipy import optimize
        except ImportError:
            self.skipTest("this machine has no scipy")
        random = np.random.default_rng(11)
        for points, held in ((6, (0,)), (10, ()), (12, (0, 11)), (15, (0,))):
            length = random.uniform(0.5, 1.5, points - 1)
            turns = np.cumsum(0.3 * random.standard_normal((points - 1, 3)), axis=0) + np.array([1.0, 0.0, 0.0])
            links = length[:, None] * turns / np.linalg.norm(turns, axis=1)[:, None]
            start = np.vstack([np.zeros(3), np.cumsum(links, axis=0)])
            mass = 10.0 ** random.uniform(-1.0, 1.0, points)
            inverse = 1.0 / mass
            inverse[list(held)] = 0.0
            p = start + 0.3 * random.standard_normal(start.shape) * (inverse > 0.0)[:, None]
            ours = tendril.chain.project(p, inverse, length, start=start, tolerance=1e-12, max_iterations=400)
            self.assertIn(ours.status, ("ok", "round_off"))
            free = inverse > 0.0

            def spread(x):
                out = p.copy()
                out[free] = x.reshape(-1, 3)
                return out

            def objective(x):
                return 0.5 * (mass[:, None] * (spread(x) - p) ** 2).sum()

            def gaps(x):
                return (np.diff(spread(x), axis=0) ** 2).sum(axis=1) - length**2

            found = optimize.minimize(
                objective, start[free].ravel(), method="SLSQP", constraints={"type": "eq", "fun": gaps},
                options={"maxiter": 1000, "ftol": 1e-14},
            )
            self.assertLess(np.abs(gaps(found.x)).max(), 1e-8)
            self.assertAlmostEqual(objective(ours.positions[free].ravel()) / found.fun, 1.0, places=6)

    def test_bending_makes_second_differences_small(self):
        p, w = noisy(9)
        rough = [
            np.linalg.norm(np.diff(tendril.chain.project(p, w, 1.0, bending=k, tolerance=1e-9).positions, n=2, axis=0))
            for k in (0.0, 1.0, 100.0)
        ]
        self.assertLess(rough[1], rough[0])
        self.assertLess(rough[2], 0.2 * rough[0])
        at_rest = tendril.chain.project(p, w, 1.0, tolerance=1e-12).positions
        bent = np.zeros_like(at_rest)
        bent[1:-1] = np.diff(at_rest, n=2, axis=0)
        held = tendril.chain.project(at_rest, w, 1.0, bending=50.0, rest=bent, tolerance=1e-10)
        np.testing.assert_allclose(held.positions, at_rest, atol=1e-9)

    def test_compliance_stretches_and_slack_pulls_only(self):
        p, w = noisy(10)
        soft = tendril.chain.project(p, w, 1.0, compliance=0.1, tolerance=1e-10)
        lengths = np.linalg.norm(np.diff(soft.positions, axis=0), axis=1)
        np.testing.assert_allclose(0.5 * (lengths**2 - 1.0), 0.1 * soft.multipliers, atol=1e-10)
        slack = tendril.chain.project(p, w, 1.0, slack=True)
        lengths = np.linalg.norm(np.diff(slack.positions, axis=0), axis=1)
        self.assertTrue(slack.certified)
        self.assertTrue((slack.multipliers >= 0.0).all() and (lengths < 1.0 + 1e-12).all())
        np.testing.assert_allclose(slack.multipliers * (lengths - 1.0), 0.0, atol=1e-11)

    def test_numbers_that_cannot_be_used_are_a_status(self):
        p, w = noisy(7)
        for spoil in (np.nan, np.inf):
            q = p.copy()
            q[4, 1] = spoil
            self.assertEqual(tendril.chain.project(q, w, 1.0).status, "bad_input")
        self.assertEqual(tendril.chain.project(p, w, 0.0).status, "bad_input")
        self.assertEqual(tendril.chain.project(p, -w, 1.0).status, "bad_input")

    def test_what_is_wrong_is_said_in_one_sentence(self):
        p, w = noisy(8)
        for arguments, words in (
            ((p[:, :2], w, 1.0), "points: has shape"),
            ((p, w[:-1], 1.0), "inverse_mass: has shape"),
            ((p, w, np.ones(5)), "length: has shape"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                tendril.chain.project(*arguments)
        for options, words in (
            ({"method": "magic"}, "method: is 'magic'"),
            ({"tolerance": 0}, "tolerance: is 0"),
            ({"max_iterations": 0}, "max_iterations: is 0"),
            ({"compliance": 1.0, "method": "pbd"}, "compliance: not for method 'pbd'"),
            ({"bending": 1.0, "method": "fast"}, "bending: not for method 'fast'"),
            ({"slack": True, "method": "xpbd"}, "slack: not for method 'xpbd'"),
            ({"rest": p}, "rest: belongs to bending"),
            ({"bending": np.ones(3)}, "bending: has shape"),
            ({"slack": True, "method": "two-stage", "parents": [-1] + [0] * 19}, "slack: not for method 'two-stage'"),
            ({"single": True, "parents": [-1] + [0] * 19}, "single: not for a tree"),
            ({"start": p[:-1]}, "start: has shape"),
            ({"offsets": [0, 5, 5, 20]}, "offsets: a chain has no point"),
            ({"parents": [0] * 3}, "parents: must be"),
            ({"parents": [-1] + [50] * 19}, "parents: must be points"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                tendril.chain.project(p, w, 1.0, **options)


if __name__ == "__main__":
    unittest.main()
