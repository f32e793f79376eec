"""Chains of points with links of given lengths: the closest ones to where points were predicted to be."""

from typing import NamedTuple, Union

import numpy as np

from . import _arrays, _tendril

__all__ = ["Projection", "project"]

_GENERAL = ("hybrid", "newton", "kkt")  # methods that take joints, compliance and slack


class Projection(NamedTuple):
    """What project() found, and how. Of one chain or tree status, iterations, residual and certified are single values."""

    positions: np.ndarray  # as p was given
    multipliers: np.ndarray  # [kg] per link, positive where it is pulled: times length / dt**2 the tension [N]
    status: Union[str, np.ndarray]  # "ok", "round_off", "not_converged", "stalled", "taut", "overstretched", ...
    iterations: Union[int, np.ndarray]
    residual: Union[float, np.ndarray]  # how far points would still go, over the mean link; of rivals: of the lengths
    certified: Union[bool, np.ndarray]  # no other chain with these lengths is closer


def project(
    p,
    inverse_mass,
    length,
    start=None,
    parents=None,
    method="hybrid",
    tolerance=1e-6,
    max_iterations=None,
    *,
    offsets=None,
    bending=None,
    rest=None,
    compliance=None,
    slack=False,
    single=False,
) -> Projection:
    """Moves points as little as possible, each counted by its mass, until all links have their lengths.

    p               predicted points [m]: (n, 3), one chain; (chains, n, 3); or (N, 3) with `offsets`, where chain c has
                    the points offsets[c] to offsets[c + 1] - 1
    inverse_mass    [1/kg], one number or one per point; 0: held at its prediction
    length          [m], one number, or one per link: chain after chain, n - 1 each; of a tree one per point, that of the
                    link to its parent
    start           where to start from, shaped as p; None: from p. With method="shake" links act along those of it
    parents         of a tree: the parent of each point, -1 for a root. Only roots may be held
    method          "hybrid"; "two-stage" and "newton", its two parts; to compare "kkt" (the same by a banded
                    factorisation), and "fast", "pbd", "xpbd" and "shake", which end at other points
    tolerance       on Projection.residual
    max_iterations  None: 1000; 10000 of "pbd" and "xpbd"
    bending         [kg] k of joints, one number or one per point (those of a chain's ends are left out): adds
                    k/2 |x[i-1] - 2 x[i] + x[i+1] - rest[i]|**2 to what is made small, k being dt**2 times a stiffness [N/m].
                    In a tree i-1 and i+1 are the parent and the first child, seen from the root, or from what is held
    rest            of joints, shaped as p; None: straight
    compliance      of links [1/kg], m/N over dt**2, one number or one per link; of a tree one per point, as length
    slack           True: links may become shorter. There is then one solution, and it is always certified
    single          True: in single precision, which reaches a tolerance of 1e-5; joints, compliant and slack links are
                    in double precision always

    Lengths that cannot be had raise nothing: the status says so, and the shape is the closest there is. Chains with numbers
    that cannot be used (NaN, lengths that are not positive) have the status "bad_input". What is wrong with the shape of an
    argument raises ValueError.
    """
    _arrays.among(method, tuple(_tendril.chain_methods()), "method")
    options = {
        "method": method,
        "tolerance": _arrays.positive(tolerance, "tolerance"),
        "max_iterations": 0 if max_iterations is None else _arrays.at_least_one(max_iterations, "max_iterations"),
        "single": bool(single),
        "slack": bool(slack),
    }
    if rest is not None and bending is None:
        raise ValueError("rest: belongs to bending, which is not given")
    for name, given, takes in (
        ("bending", bending is not None, _GENERAL),
        ("compliance", compliance is not None, (*_GENERAL, "xpbd")),
        ("slack", slack, _GENERAL),
    ):
        if given and method not in takes:
            raise ValueError(f"{name}: not for method {method!r}; use one of {', '.join(takes)}")
    if parents is not None:
        return _project_tree(p, inverse_mass, length, start, parents, options, offsets, bending, rest, compliance)
    points, ends = _arrays.curves(p, offsets)
    if ends[-1] >= 2**31:
        raise ValueError(f"p: has {ends[-1]} points; there may be at most {2**31 - 1}")
    if (np.diff(ends) == 0).any():
        raise ValueError("offsets: a chain has no point; give each at least one")
    links = len(points) - (len(ends) - 1)
    stiffness = np.zeros(0) if bending is None else _inner(_spread(bending, len(points), "bending", "point"), ends)
    found = _tendril.chain_project(
        points,
        _spread(inverse_mass, len(points), "inverse_mass", "point"),
        _spread(length, links, "length", "link"),
        ends,
        np.zeros((0, 3)) if start is None else _like(start, points, p, "start"),
        np.zeros(0) if compliance is None else _spread(compliance, links, "compliance", "link"),
        stiffness,
        np.zeros((len(stiffness), 3)) if rest is None else _like(rest, points, p, "rest"),
        options,
    )
    shape = np.shape(p) if not isinstance(p, (list, tuple)) else points.shape
    found["positions"] = found["positions"].reshape(shape if len(shape) == 3 else points.shape)
    if offsets is None and len(ends) == 2 and len(shape) == 2:
        return _single(found)
    found["status"] = np.array(found["status"])
    return Projection(**found)


def _project_tree(p, inverse_mass, length, start, parents, options, offsets, bending, rest, compliance):
    if options["method"] not in ("hybrid", "two-stage", "newton"):
        raise ValueError(f"method: {options['method']!r} does not take trees; use 'hybrid', 'two-stage' or 'newton'")
    for name, given in (("offsets", offsets is not None), ("single", options["single"])):
        if given:
            raise ValueError(f"{name}: not for a tree")
    points = _arrays.numbers(p, "p")
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(f"p: has shape {points.shape}; a tree is an array of (points, 3)")
    above = np.asarray(parents)
    if above.shape != (len(points),) or above.dtype.kind not in "iu":
        raise ValueError(f"parents: must be {len(points)} whole numbers, one per point")
    if (above < -1).any() or (above >= len(points)).any():
        raise ValueError(f"parents: must be points, 0 to {len(points) - 1}, or -1 for a root")
    stiffness = np.zeros(0) if bending is None else _spread(bending, len(points), "bending", "point")
    found = _tendril.chain_project_tree(
        points,
        _spread(inverse_mass, len(points), "inverse_mass", "point"),
        _spread(length, len(points), "length", "point"),
        above.astype(np.int64).astype(np.uint32),
        np.zeros((0, 3)) if start is None else _like(start, points, p, "start"),
        np.zeros(0) if compliance is None else _spread(compliance, len(points), "compliance", "point"),
        stiffness,
        np.zeros((len(stiffness), 3)) if rest is None else _like(rest, points, p, "rest"),
        options,
    )
    return _single(found)


def _single(found):
    for name in ("status", "iterations", "residual", "certified"):
        value = found[name][0]
        found[name] = value if isinstance(value, str) else value.item()
    return Projection(**found)


def _spread(values, count, name, of):
    array = _arrays.numbers(values, name)
    if array.ndim == 0:
        return np.full(count, float(array))
    if array.size != count:
        raise ValueError(f"{name}: has shape {array.shape}; give one number, or one for each {of}, {count}")
    return array.reshape(-1)


def _inner(stiffness, ends):
    """Without the ends of the chains, which are no joints."""
    inner = stiffness.copy()
    inner[ends[:-1]] = inner[np.asarray(ends[1:]) - 1] = 0.0
    return inner


def _like(values, points, p, name):
    array = _arrays.numbers(values, name)
    if array.shape not in (points.shape, np.shape(p)):
        raise ValueError(f"{name}: has shape {array.shape}; give one as of p")
    return array.reshape(-1, 3)

