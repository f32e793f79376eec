"""Siconos as a judge of contact problems: its Gauss-Seidel, as bench/siconos_nsgs.py runs it."""

import os
import pathlib
import sys

import judges

sys.path.append(str(pathlib.Path(os.environ["TENDRIL_SOURCE"], "bench")))
import siconos_nsgs  # noqa: E402


def need_siconos():
    try:
        import siconos.numerics  # noqa: F401
    except ImportError:
        judges.skip("Siconos for Python (python3-siconos) is not installed")


def solve(problem, most_sweeps=20000, tolerance=1e-9):
    """Velocities and the error of what Siconos finds for a contact_problems.Problem."""
    from scipy.sparse import csc_matrix

    given = siconos_nsgs.Problem(csc_matrix(problem.W), problem.b, problem.mu)
    nsgs = siconos_nsgs.Nsgs(given)
    nsgs.sweep(most_sweeps, tolerance)
    return given.W @ nsgs.r + given.b, siconos_nsgs.error_of(given, nsgs.r)


def our_error(problem, r):
    """By the formula that the judge has written down by itself."""
    from scipy.sparse import csc_matrix

    return siconos_nsgs.error_of(siconos_nsgs.Problem(csc_matrix(problem.W), problem.b, problem.mu), r)
