"""Frictional contact with Coulomb's law: impulses r and velocities u of contacts.

Three rows per contact, the first one normal: r is the impulse on the first body, u its velocity relative to the second.
"""

import os
from typing import Any, Dict, NamedTuple

import numpy as np

from . import _arrays, _tendril

__all__ = ["Solution", "read", "solve", "write"]

_SOLVERS = ("auto", "gs", "apgd", "newton", "newton-mfb", "newton-ac", "newton-jm", "path", "admm", "active-set")
_EFFORTS = ("limited", "full")
_LOCAL = ("mfb", "enum", "pac", "dac", "duriez06", "duriez08", "4sides")


class Solution(NamedTuple):
    """What solve() found, and how."""

    r: np.ndarray  # (contacts, 3) impulses [N s], normal first
    u: np.ndarray  # (contacts, 3) relative velocities under them [m/s]
    v: np.ndarray  # end velocities of all unknowns; empty if the problem was given by W
    error: float  # how far the worst contact is from the law: a velocity over the largest one without contact
    sweeps: int  # or iterations
    status: str  # "converged", "iteration-limit", "stalled", "not-definite", "not-finite" or "unsuitable"
    solver: str  # the one that found r
    local_solves: int  # solves of one contact, by "gs" or by the sweeps over the last few contacts under "auto"
    rescued: int  # of these, what only the fail-safe solved
    unsolved: int  # and that nothing did
    immovable: int  # contacts that no impulse moves: left out
    jammed: int  # contacts that no impulse keeps apart
    islands: int  # parts of the problem that do not feel each other

    @property
    def converged(self) -> bool:
        return self.status == "converged"


def solve(
    *,
    W=None,
    b=None,
    M_blocks=None,
    inverses=False,
    H=None,
    f=None,
    w=None,
    mu=None,
    joints=None,
    solver="auto",
    tolerance=1e-3,
    max_sweeps=None,
    effort="full",
    r0=None,
    local=None,
    fail_safe=True,
    freezing=True,
) -> Solution:
    """Solves u = W r + b, or M v = f + H'r with u = H v + w, for r and u that obey Coulomb's law.

    W, b        dense or a sparse matrix of SciPy, (3n, 3n), and 3n numbers
    M_blocks    a list of symmetric positive definite arrays; f has as many numbers as they have rows together
    inverses    True: M_blocks holds the inverses of the blocks, which may be singular, and f their free velocities
    H, w        dense or sparse, (3n, unknowns), each contact on at most two blocks; 3n numbers (None: 0)
    mu          friction, one number or one per contact; 0: none
    joints      a bool per contact, True: both of its sides are tied together, u = 0; None: there are no joints
    solver      "auto", "gs" (Gauss-Seidel), "apgd" (accelerated projected gradients), "newton" (proximal Newton),
                "path" (follows a curve of solutions from a convex problem); to compare "newton-mfb", "newton-ac",
                "newton-jm", "admm"; without friction "active-set"
    tolerance   on Solution.error
    max_sweeps  or iterations; None: as many as is usual for the solver
    effort      of "auto", for tolerances below 1e-4: "full", all it knows, up to two minutes for a thousand contacts; or
                "limited", as in steps of a simulation
    r0          impulses to start from
    local       of "gs", to compare: "mfb", "enum", "pac", "dac", "duriez06", "duriez08", "4sides"; None: the closed form
    fail_safe   False: `local` is left alone where it fails
    freezing    of "gs", False to compare: contacts that hardly change do not sleep for ten sweeps

    A problem that cannot be solved raises nothing: the status says what happened, and r is the best that was found. What is
    wrong with an argument raises ValueError.
    """
    _arrays.among(solver, _SOLVERS, "solver")
    _arrays.among(effort, _EFFORTS, "effort")
    if local is not None:
        _arrays.among(local, _LOCAL, "local")
    options = {
        "solver": solver,
        "tolerance": _arrays.positive(tolerance, "tolerance"),
        "max_sweeps": 0 if max_sweeps is None else _arrays.at_least_one(max_sweeps, "max_sweeps"),
        "effort": effort,
        "local": local,
        "fail_safe": bool(fail_safe),
        "freezing": bool(freezing),
        "inverses": bool(inverses),
    }
    given_by_w, problem = _problem(W, b, M_blocks, H, f, w, mu, joints)
    arguments = [*problem, _rows(r0, len(problem[-1]), "r0"), options]
    return Solution(**(_tendril.contact_w(*arguments) if given_by_w else _tendril.contact_blocks(*arguments)))


def read(path, problem=None) -> Dict[str, Any]:
    """Reads a problem from .json, or from .h5 or .hdf5 in the layout of FCLIB: what solve() takes, as in
    solve(**read(path)).

    problem     which one of a collection (a .json file with the key "problems"), counted from 0; None: the only one

    That is W, b, mu and joints, or M_blocks, H, f, w, mu and joints. W and H are sparse matrices of SciPy; dense ones if it is not there.
    """
    which = None if problem is None else _arrays.at_least(problem, 0, "problem")
    found = _tendril.contact_read(os.fspath(path), which)
    for name in {"W", "H"} & set(found):
        found[name] = _matrix(*found[name])
    return found


def write(
    path, *, W=None, b=None, M_blocks=None, H=None, f=None, w=None, mu=None, joints=None, solution=None
) -> None:
    """Writes a problem, given as to solve(), as .json by M_blocks, H, f and w, or as .h5 or .hdf5 of FCLIB by W and b.

    FCLIB has no place for joints.

    solution    what solve() found: an .h5 file holds its r and u, too
    """
    given_by_w, problem = _problem(W, b, M_blocks, H, f, w, mu, joints)
    found = (None, None) if solution is None else (solution.r, solution.u)
    arguments = [os.fspath(path), *problem, *(_rows(rows, len(problem[-1]), "solution") for rows in found)]
    if given_by_w:
        _tendril.contact_write_w(*arguments)
    else:
        _tendril.contact_write_blocks(*arguments)


def _matrix(shape, values, rows, starts):
    """From compressed columns."""
    try:
        from scipy.sparse import csc_matrix  # type: ignore[import]

        return csc_matrix((values, rows, starts), shape)
    except ImportError:
        dense = np.zeros(shape)
        dense[rows, np.repeat(np.arange(shape[1]), np.diff(starts))] = values
        return dense


def _problem(W, b, M_blocks, H, f, w, mu, joints):
    """Whether it is given by W, and what the core takes: the last of it has one entry per contact."""
    if (W is None) == (M_blocks is None):
        raise ValueError("W: give W and b, or M_blocks, H and f")
    if mu is None:
        raise ValueError("mu: is missing")
    if W is not None:
        return True, _by_w(W, b, mu, joints)
    return False, _by_blocks(M_blocks, H, f, w, mu, joints)


def _by_w(W, b, mu, joints):
    right = _flat(b, "b")
    contacts = _contacts(len(right), "b")
    return *_triplets(W, (len(right), len(right)), "W"), right, _friction(mu, contacts), _joints(joints, contacts)


def _by_blocks(M_blocks, H, f, w, mu, joints):
    blocks = [_square(block, f"M_blocks[{i}]") for i, block in enumerate(M_blocks)]
    right = _flat(f, "f")
    unknowns = sum(len(block) for block in blocks)
    if len(right) != unknowns:
        raise ValueError(f"f: has {len(right)} numbers; M_blocks have {unknowns} rows")
    if H is None:
        raise ValueError("H: is missing")
    contacts = _contacts(np.shape(H)[0] if np.ndim(H) == 2 or hasattr(H, "tocsc") else -1, "H")
    rows = _triplets(H, (3 * contacts, unknowns), "H")
    drift = np.zeros(3 * contacts) if w is None else _flat(w, "w")
    if len(drift) != 3 * contacts:
        raise ValueError(f"w: has {len(drift)} numbers; {contacts} contacts need {3 * contacts}")
    return blocks, right, *rows, drift, _friction(mu, contacts), _joints(joints, contacts)


def _flat(values, name):
    if values is None:
        raise ValueError(f"{name}: is missing")
    return _arrays.numbers(values, name).ravel()


def _contacts(rows, name):
    if rows < 0 or rows % 3:
        raise ValueError(f"{name}: must have three rows per contact")
    if rows >= 2**31:
        raise ValueError(f"{name}: has {rows} rows; there may be at most {2**31 - 1}")
    return rows // 3


def _square(values, name):
    matrix = _arrays.numbers(values, name)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{name}: has shape {matrix.shape}; give a square matrix")
    return matrix


def _triplets(matrix, shape, name):
    found, rows, columns, values = _arrays.triplets(matrix, name)
    if found != shape:
        raise ValueError(f"{name}: has shape {found}; it must be {shape}")
    return rows, columns, values


def _friction(mu, contacts):
    array = _arrays.numbers(mu, "mu")
    if array.ndim == 0:
        return np.full(contacts, float(array))
    if array.shape != (contacts,):
        raise ValueError(f"mu: has shape {array.shape}; give one number, or one for each of {contacts} contacts")
    return array


def _joints(joints, contacts):
    if joints is None:
        return np.zeros(contacts, bool)
    array = np.asarray(joints)
    if array.dtype != bool or array.shape != (contacts,):
        raise ValueError(f"joints: must be {contacts} bools, one for each contact")
    return array


def _rows(values, contacts, name):
    """Three numbers per contact; none at all if there are no values."""
    if values is None:
        return np.zeros(0)
    rows = _flat(values, name)
    if len(rows) != 3 * contacts or not np.isfinite(rows).all():
        raise ValueError(f"{name}: must be {3 * contacts} finite numbers, three per contact")
    return rows

