"""tendril.bcqp from outside: what NumPy says about its solutions, the forms of A, statuses and errors."""

import json
import os
import threading
import unittest

import numpy as np

from tendril import bcqp, der

METHODS = "auto", "mprgp", "pdas", "ipm", "pgs"
PRECONDITIONERS = "none", "diagonal", "jacobi", "ssor", "ic", "mic", "amg", "asc"


def program(seed, n=20, width=3):
    """A random positive definite band as a dense matrix, b, lo and hi."""
    rng = np.random.default_rng(seed)
    factor = np.tril(np.triu(rng.normal(size=(n, n)), -width), -1) / width + np.diag(rng.uniform(1.0, 3.0, n))
    lo, hi = np.sort(rng.normal(size=(2, n)), axis=0)
    lo[0], hi[1] = -np.inf, np.inf
    lo[2] = hi[2]
    return factor @ factor.T, 3.0 * rng.normal(size=n), lo, hi


def band(A, width):
    n = len(A)
    ab = np.full((width + 1, n), np.nan)  # what lies beyond the matrix is not read
    for r in range(width + 1):
        ab[r, : n - r] = np.diagonal(A, -r)
    return bcqp.Band(ab)


class Sparse:
    """As much of a SciPy matrix as is asked for."""

    def __init__(self, A):
        columns = [np.nonzero(column)[0] for column in A.T]
        self.shape = A.shape
        self.indptr = np.cumsum([0] + [len(rows) for rows in columns]).astype(np.int32)
        self.indices = np.concatenate(columns).astype(np.int32)
        self.data = np.concatenate([A[rows, j] for j, rows in enumerate(columns)])

    def tocsc(self):
        return self


def optimality(A, b, lo, hi, x):
    """Largest violation of the optimality conditions; infinite outside of the box."""
    if not ((lo <= x) & (x <= hi)).all():
        return np.inf
    g = A @ x - b
    return max(abs(g * ((g > 0) & (x > lo) | (g < 0) & (x < hi))))


class Solutions(unittest.TestCase):
    def test_are_minima(self):
        for seed in range(5):
            A, b, lo, hi = program(seed)
            for method in METHODS:
                found = bcqp.solve(A, b, lo, hi, method=method)
                if method == "pdas" and not found.converged:
                    continue
                self.assertTrue(found.converged, (seed, method, found.status))
                self.assertLess(optimality(A, b, lo, hi, found.x), 1e-7)
                self.assertEqual(found.active, int(((found.x == lo) | (found.x == hi)).sum()))
                self.assertAlmostEqual(found.objective, 0.5 * found.x @ A @ found.x - b @ found.x, places=9)
                self.assertLessEqual(found.residual, 1e-10)
                self.assertEqual(found.violation, 0.0)

    def test_do_not_depend_on_the_preconditioner(self):
        A, b, lo, hi = program(7)
        x = bcqp.solve(A, b, lo, hi).x
        for preconditioner in PRECONDITIONERS:
            for expansion in ("fixed", "projected-cg"):
                found = bcqp.solve(A, b, lo, hi, "mprgp", preconditioner, expansion=expansion)
                np.testing.assert_allclose(found.x, x, atol=1e-8)
                self.assertEqual(found.iterations, found.cg_steps + found.expansions + found.proportionings)

    def test_do_not_depend_on_the_form_of_the_matrix(self):
        A, b, lo, hi = program(8)
        x = bcqp.solve(A, b, lo, hi).x
        for form in (band(A, 3), Sparse(A), A.tolist(), np.asfortranarray(A)):
            np.testing.assert_allclose(bcqp.solve(form, b, lo, hi).x, x, atol=1e-12)

    def test_take_numbers_as_bounds(self):
        A, b, _, _ = program(9)
        np.testing.assert_allclose(bcqp.solve(A, b).x, np.linalg.solve(A, b), atol=1e-9)
        boxed = bcqp.solve(A, b, -0.1, 0.1)
        self.assertLess(optimality(A, b, np.full(20, -0.1), np.full(20, 0.1), boxed.x), 1e-7)
        self.assertGreater(boxed.active, 0)

    def test_come_at_once_from_a_good_start(self):
        A, b, lo, hi = program(10)
        cold = bcqp.solve(A, b, lo, hi, "mprgp")
        warm = bcqp.solve(A, b, lo, hi, "mprgp", x0=cold.x)
        self.assertEqual((cold.iterations > 3, warm.iterations), (True, 0))

    def test_match_the_reference(self):
        path = os.path.join(os.environ["TENDRIL_SOURCE"], "tests", "data", "der-sagfree_bcqp.json")
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        lo = np.array([-np.inf if v is None else v for v in data["lo"]])
        hi = np.array([np.inf if v is None else v for v in data["hi"]])
        matrix, b = bcqp.Band(data["H_band_lower"]), -np.array(data["g"])
        found = bcqp.solve(matrix, b, lo, hi)
        np.testing.assert_allclose(found.x, data["x"], atol=1e-8)
        self.assertEqual((found.method, found.active), ("pdas", data["n_active"]))
        asc, ic = (bcqp.solve(matrix, b, lo, hi, "mprgp", p, scaling=False).iterations for p in ("asc", "ic"))
        self.assertGreater(ic, 3 * asc)

    def test_of_a_strands_step(self):
        strand = der.Strands(np.linspace((0.0, 0.0, 0.0), (0.1, 0.0, 0.0), 10))
        ab, full = strand.hessian(banded=True), strand.hessian()
        force = strand.force().reshape(-1)[:-1]
        found = bcqp.solve(bcqp.Band(ab), force, hi=0.0)
        self.assertTrue(found.converged)
        self.assertTrue((found.x <= 0.0).all())
        self.assertLess(optimality(full, force, np.full(39, -np.inf), np.zeros(39), found.x), 1e-6 * abs(force).max())


class Histories(unittest.TestCase):
    def test_go_down(self):
        A, b, lo, hi = program(11, 60, 5)
        found = bcqp.solve(A, b, lo, hi, "mprgp", history=True)
        history = found.history
        np.testing.assert_array_equal(history.iteration, np.arange(found.iterations + 1))
        self.assertTrue((np.diff(history.seconds) >= 0.0).all())
        self.assertTrue((np.diff(history.objective) <= 1e-12 * abs(found.objective)).all())
        self.assertAlmostEqual(history.projected_gradient[-1], found.projected_gradient, places=9)
        self.assertIsNone(bcqp.solve(A, b, lo, hi).history)


class HardProblems(unittest.TestCase):
    def status(self, A, b, lo=None, hi=None, **options):
        found = bcqp.solve(A, b, lo, hi, **options)
        self.assertTrue(np.isfinite(found.x).all())
        return found.status

    def test_raise_nothing(self):
        A, b, lo, hi = program(12)
        nan = np.where(np.arange(20) == 3, np.nan, b)
        for method in METHODS + ("penalty",):
            self.assertEqual(self.status(A, b, hi, lo, method=method), "infeasible box")
            self.assertEqual(self.status(A, nan, lo, hi, method=method), "not finite")
            self.assertEqual(self.status(A + np.diag(nan), b, lo, hi, method=method), "not finite")
            self.assertEqual(self.status(-A, b, lo, hi, method=method), "not positive definite")
            self.assertEqual(self.status(np.zeros((0, 0)), [], method=method), "converged")
            self.assertEqual(self.status([[2.0]], [1.0], 0.0, 0.25, method=method), "converged")
        short = dict(method="mprgp", preconditioner="none", max_iterations=2)
        self.assertEqual(self.status(A, b, lo, hi, **short), "iteration limit")

    def test_penalty_leaves_the_box(self):
        A, b, lo, hi = program(13)
        found = bcqp.solve(A, b, lo, hi, "penalty", box_weight=1e3)
        self.assertTrue(found.converged)
        self.assertAlmostEqual(found.violation, max((lo - found.x).max(), (found.x - hi).max()))
        self.assertGreater(found.violation, 0.0)

    def test_threads_do_not_mind_each_other(self):
        A, b, lo, hi = program(14, 100, 8)
        x = bcqp.solve(A, b, lo, hi).x
        found = []
        threads = [threading.Thread(target=lambda: found.append(bcqp.solve(A, b, lo, hi).x)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertTrue(len(found) == 4 and all((other == x).all() for other in found))


class WrongArguments(unittest.TestCase):
    def test_are_refused_in_one_sentence(self):
        A, b, lo, hi = program(15, 4, 2)
        for message, call in (
            (r"^A: has shape \(4, 3\)", lambda: bcqp.solve(A[:, :3], b)),
            (r"^A: has shape \(4,\)", lambda: bcqp.solve(b, b)),
            ("^A: has 4 rows, but b has 3", lambda: bcqp.solve(A, b[:3])),
            ("^A: has 4 rows, but b has 3", lambda: bcqp.solve(band(A, 2), b[:3])),
            ("^A: is not symmetric", lambda: bcqp.solve(np.tril(A), b)),
            ("^A: is not symmetric", lambda: bcqp.solve(Sparse(np.tril(A)), b)),
            ("^A: is not an array", lambda: bcqp.solve("A", b)),
            ("^ab: has shape", lambda: bcqp.Band(b)),
            ("^b: has shape", lambda: bcqp.solve(A, A)),
            (r"^lo: has shape \(3,\); give 4", lambda: bcqp.solve(A, b, lo[:3])),
            (r"^hi: has shape \(4, 1\)", lambda: bcqp.solve(A, b, lo, hi[:, None])),
            ("^x0: has shape", lambda: bcqp.solve(A, b, x0=b[:2])),
            ('^method: "simplex" is not known; choose one of auto, mprgp', lambda: bcqp.solve(A, b, method="simplex")),
            ("^preconditioner: ", lambda: bcqp.solve(A, b, preconditioner="magic")),
            ("^expansion: ", lambda: bcqp.solve(A, b, expansion="wide")),
            ("^tolerance: is -1", lambda: bcqp.solve(A, b, tolerance=-1.0)),
            ("^tolerance: is nan", lambda: bcqp.solve(A, b, tolerance=np.nan)),
            ("^max_iterations: is 0", lambda: bcqp.solve(A, b, max_iterations=0)),
            ("^max_iterations: 'many'", lambda: bcqp.solve(A, b, max_iterations="many")),
        ):
            with self.assertRaisesRegex(ValueError, message):
                call()


if __name__ == "__main__":
    unittest.main()
