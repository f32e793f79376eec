"""The Gauss-Seidel of Siconos (NSGS) on a contact problem of FCLIB, to compare with ours: sweeps and seconds, as JSON.

    /usr/bin/python3 bench/siconos_nsgs.py problem.h5 --sweeps 200 --tolerance 1e-3

`seconds_per_sweep` is the CPU time of that many sweeps from r = 0; `seconds_to_tolerance` and `sweeps_to_tolerance` are
what it takes until our error (docs/theory/contact.md, "The error") is below the tolerance, null if that never happens
within the sweeps and seconds that are allowed; `seconds_spent` is what was spent on it.
The error is measured between sweeps and is not timed, nor is reading. Exit code 77: Siconos, SciPy or h5py is missing.
"""

import argparse
import json
import sys
import time
import warnings
from typing import NamedTuple

import numpy as np

VELOCITY_FLOOR = 1e-6  # [m/s], as contact::Options has it


class Problem(NamedTuple):
    W: object  # a sparse matrix of SciPy
    b: np.ndarray
    mu: np.ndarray


def read(path):
    """fclib_local with W by columns, as Tendril writes it."""
    import h5py
    from scipy.sparse import csc_matrix

    with h5py.File(path, "r") as file:
        local = file["fclib_local"]
        W = local["W"]
        shape = int(W["m"][0]), int(W["n"][0])
        if W["nz"][0] != -1:
            raise ValueError(f"{path}: W is not stored by columns")
        matrix = csc_matrix((W["x"][()], W["i"][()], W["p"][()]), shape)
        return Problem(matrix, local["vectors/q"][()], local["vectors/mu"][()])


def _root(x, y):
    """The square root of x∘x + y∘y in the algebra of the cone, row by row: its smaller eigenvalue as a sum of squares, so
    that no digits are lost near the boundary."""
    w0 = (x**2).sum(1) + (y**2).sum(1)
    w = 2 * (x[:, :1] * x[:, 1:] + y[:, :1] * y[:, 1:])
    length = np.linalg.norm(w, axis=1)
    n = np.where(length[:, None] > 0, w / np.maximum(length, 1e-300)[:, None], [1.0, 0.0])
    small = sum((z[:, 0] - (z[:, 1:] * n).sum(1)) ** 2 + (z[:, 1] * n[:, 1] - z[:, 2] * n[:, 0]) ** 2 for z in (x, y))
    low, high = np.sqrt(small), np.sqrt(w0 + length)
    return np.column_stack([0.5 * (high + low), 0.5 * (high - low)[:, None] * n])


def error_of(problem, r):
    """How far the worst contact is from Coulomb's law: a velocity over the largest one without contact."""
    u, mu = (problem.W @ r + problem.b).reshape(-1, 3), problem.mu
    r = r.reshape(-1, 3)
    trace = problem.W.diagonal().reshape(-1, 3).sum(1)
    moved = trace > 1e-14 * np.median(trace)
    rho = 3.0 / np.where(moved, trace, 1.0)
    x = np.column_stack([mu * r[:, 0], r[:, 1:]])
    y = rho[:, None] * np.column_stack([u[:, 0] + mu * np.hypot(u[:, 1], u[:, 2]), mu[:, None] * u[:, 1:]])
    residual = x + y - _root(x, y)
    free = mu == 0.0
    normal = r[free, 0] + rho[free] * u[free, 0] - np.hypot(r[free, 0], rho[free] * u[free, 0])
    residual[free] = np.column_stack([normal, r[free, 1:]])
    velocities = np.where(moved, np.abs(residual).max(1) / rho, 0.0)
    return float(velocities.max(initial=0.0) / max(np.abs(problem.b).max(initial=0.0), VELOCITY_FLOOR))


class Nsgs:
    """Sweeps of Siconos on one problem, with its standard solver of one contact."""

    def __init__(self, problem):
        import siconos.numerics as numerics

        self.numerics = numerics
        matrix = problem.W.tocsc()
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.problem = numerics.FrictionContactProblem(3, len(problem.mu), matrix, problem.b, problem.mu)
        self.r, self.u = np.zeros(len(problem.b)), np.zeros(len(problem.b))

    def sweep(self, count, tolerance=1e-14):
        """At most that many sweeps, fewer only if Siconos' own error falls below the tolerance: how many, and CPU time."""
        options = self.numerics.SolverOptions(self.numerics.SICONOS_FRICTION_3D_NSGS)
        options.iparam[self.numerics.SICONOS_IPARAM_MAX_ITER] = count
        options.dparam[self.numerics.SICONOS_DPARAM_TOL] = tolerance
        start = time.process_time()
        self.numerics.fc3d_nsgs(self.problem, self.r, self.u, options)
        return int(options.iparam[self.numerics.SICONOS_IPARAM_ITER_DONE]), time.process_time() - start


def time_sweeps(problem, sweeps):
    nsgs = Nsgs(problem)
    done, seconds = nsgs.sweep(sweeps)
    return {"sweeps": done, "seconds_per_sweep": seconds / max(done, 1), "error": error_of(problem, nsgs.r)}


def time_to(tolerance, problem, most_sweeps, most_seconds, sweeps_at_once):
    nsgs, done, seconds = Nsgs(problem), 0, 0.0
    error = error_of(problem, nsgs.r)
    while error > tolerance and done < most_sweeps and seconds < most_seconds:
        count, spent = nsgs.sweep(min(sweeps_at_once, most_sweeps - done))
        done, seconds, error = done + max(count, 1), seconds + spent, error_of(problem, nsgs.r)
    reached = error <= tolerance
    return {
        "seconds_to_tolerance": seconds if reached else None, "sweeps_to_tolerance": done if reached else None,
        "last_error": error, "seconds_spent": seconds,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("problem", help="an .h5 file of FCLIB")
    parser.add_argument("--sweeps", type=int, default=100, help="that are timed")
    parser.add_argument("--tolerance", type=float, default=1e-3, help="on our error")
    parser.add_argument("--max-sweeps", type=int, default=2000, help="to reach it; 0: do not try")
    parser.add_argument("--max-seconds", type=float, default=float("inf"), help="of CPU time to reach it")
    parser.add_argument("--sweeps-at-once", type=int, default=20, help="between two measures of the error")
    arguments = parser.parse_args()
    try:
        problem = read(arguments.problem)
        numbers = {"contacts": len(problem.mu), "tolerance": arguments.tolerance, **time_sweeps(problem, arguments.sweeps)}
        numbers |= time_to(arguments.tolerance, problem, arguments.max_sweeps, arguments.max_seconds,
                           arguments.sweeps_at_once)
    except ImportError as missing:
        print(f"siconos_nsgs.py: {missing}", file=sys.stderr)
        return 77
    except (OSError, KeyError, ValueError) as wrong:
        print(f"siconos_nsgs.py: {arguments.problem}: {wrong}", file=sys.stderr)
        return 1
    print(json.dumps(numbers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
