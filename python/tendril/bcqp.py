"""Box-constrained quadratic programs: the x of min 1/2 x'Ax - b'x, lo <= x <= hi, for positive definite A."""

from typing import NamedTuple, Optional

import numpy as np

from . import _arrays, _tendril

__all__ = ["Band", "History", "Result", "solve"]

_ASYMMETRY = 1e-8  # of the largest entry; what is above is a mistake, not round-off


class Band:
    """A symmetric banded matrix by its lower band.

    ab          (half bandwidth + 1, n): entry (j + r, j) in row r and column j, as LAPACK and
                scipy.linalg.solveh_banded(..., lower=True) take it, and der.Strands.hessian(banded=True) gives it
    """

    def __init__(self, ab):
        self.ab = _arrays.numbers(ab, "ab")
        if self.ab.ndim != 2 or self.ab.shape[0] == 0:
            raise ValueError(f"ab: has shape {self.ab.shape}; give an array of (half bandwidth + 1, n)")


class History(NamedTuple):
    """The iterates, the start first: one array entry each."""

    iteration: np.ndarray
    seconds: np.ndarray  # since the start of the call, set-up included
    projected_gradient: np.ndarray  # norm
    objective: np.ndarray


class Result(NamedTuple):
    """What solve() found, and how."""

    x: np.ndarray
    status: str  # "converged", "iteration limit", "cycled", "stalled", "not positive definite", ...
    method: str  # the one that found x
    iterations: int
    residual: float  # norm of the projected gradient over its value at the point of the box nearest to 0
    projected_gradient: float  # the norm itself, of D^-1/2 times it with D the diagonal of A unless scaling=False
    objective: float
    active: int  # how many entries are at a bound
    violation: float  # how far x is out of the box: 0, but for method="penalty"
    cg_steps: int  # of mprgp, which is all iterations together with
    expansions: int
    proportionings: int
    factorisations: int
    history: Optional[History]

    @property
    def converged(self) -> bool:
        return self.status == "converged"


def solve(
    A,
    b,
    lo=None,
    hi=None,
    method="auto",
    preconditioner="asc",
    tolerance=1e-10,
    max_iterations=None,
    x0=None,
    history=False,
    *,
    absolute_tolerance=0.0,
    scaling=True,
    expansion="fixed",
    proportioning=1.0,
    box_weight=1e6,
) -> Result:
    """Minimises 1/2 x'Ax - b'x over lo <= x <= hi.

    A               a square array, a sparse matrix of SciPy, or a Band; symmetric and positive definite
    lo, hi          numbers or arrays; None or infinite entries: no bound; equal ones: a fixed entry
    method          "auto": pdas, then mprgp with asc, then ipm, until one converges; "mprgp", "pdas", "ipm", "pgs",
                    "penalty" (which leaves the box, with `box_weight`)
    preconditioner  of mprgp: "none", "diagonal", "jacobi", "ssor", "ic", "mic", "amg" or "asc"
    tolerance       on Result.residual; `absolute_tolerance` is one on Result.projected_gradient
    max_iterations  None: 10000 for mprgp and pgs, 30 for pdas, 100 for the others
    x0              a start; None: the point of the box nearest to 0
    history         True: Result.history has the norms and objectives of all iterates, with times
    scaling         False: without Jacobi scaling, for comparisons
    expansion       of mprgp: "fixed", or "projected-cg", often faster but without proof that it ends
    proportioning   of mprgp: how early it leaves a face of the box; 1 is good

    A problem that cannot be solved raises nothing: the status says what happened, and x is the best point that was
    found. What is wrong with an argument raises ValueError.
    """
    right = _arrays.numbers(b, "b")
    if right.ndim != 1:
        raise ValueError(f"b: has shape {right.shape}; give one number per unknown")
    n = len(right)
    options = {
        "method": str(method),
        "preconditioner": str(preconditioner),
        "expansion": str(expansion),
        "tolerance": _not_negative(tolerance, "tolerance"),
        "absolute_tolerance": _not_negative(absolute_tolerance, "absolute_tolerance"),
        "max_iterations": _limit(max_iterations),
        "scaling": bool(scaling),
        "proportioning": _not_negative(proportioning, "proportioning"),
        "box_weight": _not_negative(box_weight, "box_weight"),
        "history": bool(history),
    }
    start = None if x0 is None else _entries(x0, "x0", n)
    rest = right, _bounds(lo, "lo", n, -np.inf), _bounds(hi, "hi", n, np.inf), start, options
    if isinstance(A, Band):
        _same_size(A.ab.shape[1], n)
        found = _tendril.bcqp_band(A.ab, *rest)
    else:
        rows, columns, values = _triplets(A, n)
        found = _tendril.bcqp_sparse(rows, columns, values, *rest)
    if found["history"] is not None:
        found["history"] = History(**found["history"])
    return Result(**found)


def _same_size(rows, n):
    if rows != n:
        raise ValueError(f"A: has {rows} rows, but b has {n} entries; they must be as many")


def _triplets(A, n):
    """Rows, columns and values of a symmetric matrix."""
    shape, rows, columns, values = _arrays.triplets(A, "A")
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"A: has shape {shape}; give a square matrix, or wrap a band by tendril.bcqp.Band")
    _same_size(shape[0], n)
    if n >= 2**31:
        raise ValueError(f"A: has {n} rows; there may be at most {2**31 - 1}")
    _check_symmetry(rows, columns, values, n)
    return rows, columns, values


def _check_symmetry(rows, columns, values, n):
    """Every entry has its mirror image. A matrix that is not finite passes: its outcome is told by the status."""
    if not np.isfinite(values).all():
        return
    low, high = np.minimum(rows, columns).astype(np.int64), np.maximum(rows, columns).astype(np.int64)
    pairs, place = np.unique(low * n + high, return_inverse=True)
    difference = np.bincount(place, np.sign(rows - columns) * values, len(pairs))
    if len(pairs) and np.abs(difference).max() > _ASYMMETRY * np.abs(values).max():
        raise ValueError("A: is not symmetric")


def _entries(values, name, n):
    array = _arrays.numbers(values, name)
    if array.shape != (n,):
        raise ValueError(f"{name}: has shape {array.shape}; give {n} numbers, as many as b has")
    return array


def _bounds(values, name, n, none):
    if values is None:
        return np.full(n, none)
    array = _arrays.numbers(values, name)
    return np.full(n, float(array)) if array.ndim == 0 else _entries(array, name, n)


def _not_negative(value, name):
    number = _arrays.number(value, name)
    if not number >= 0.0:
        raise ValueError(f"{name}: is {number:g}; it must not be negative")
    return number


def _limit(max_iterations):
    return 0 if max_iterations is None else _arrays.at_least_one(max_iterations, "max_iterations")
