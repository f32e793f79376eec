"""Rest states with which strands keep their drawn shape under gravity."""

import math
from typing import List, NamedTuple

import numpy as np

from . import _arrays, _tendril
from .der import GRAVITY, Strands

_MODES = ("sweep", "full", "penalty", "rest-shape", "naive")
_STARTS = ("drawn", "sweep")
_BOUNDS = ("disc", "box")
_SHARES = ("element", "strand", "group")
_MATRICES = ("banded", "sparse")


class Optimum(NamedTuple):
    """What `optimise` found. Arrays per strand, per edge (at its first vertex) or per joint (at its vertex)."""

    status: List[str]  # per strand: "balanced", "unstable", "bounded", "stopped", "not-held" or "sagging"
    mu: np.ndarray  # per strand: largest change of rest curvature that was allowed
    imbalance_before: np.ndarray  # per strand: net force over load, as drawn
    imbalance: np.ndarray  # per strand: the same afterwards
    stiffness_factor: np.ndarray  # per strand: the largest of its elements
    vertex_stiffness_factor: np.ndarray  # per vertex: the larger one of its edge and its joint
    negative_modes: np.ndarray  # per strand: 0 if the equilibrium is stable
    newton_iterations: np.ndarray  # per strand, of the general optimiser; 0 for the sweep
    qp_iterations: np.ndarray  # per strand and Newton iteration, of the same
    rest_strain: np.ndarray  # per edge
    rest_curvature: np.ndarray  # per joint (N, 4)
    rest_twist: np.ndarray  # per joint [rad]
    stretch_modulus: np.ndarray  # per edge [Pa]
    bend_modulus: np.ndarray  # per joint [Pa]
    twist_modulus: np.ndarray  # per joint [Pa]
    seconds: float


def optimise(
    strands: Strands,
    mode="sweep",
    mu="auto",
    *,
    gravity=GRAVITY,
    bound="disc",
    start="drawn",
    twist_share=0.25,
    shortest=0.1,
    longest=2.0,
    max_stiffness=math.inf,
    share="element",
    groups=None,
    smooth=0.0,
    tolerance=1e-6,
    growth=False,
    max_iterations=300,
    matrix="banded",
    curvature_variables=2,
) -> Optimum:
    """Gives `strands` a rest state, and stiffness where that does not suffice, with which they are in equilibrium where
    they are now, under gravity and their loads.

    mode           "sweep": direct, and the general optimiser for strands that are held at more than their root; "full":
                   that optimiser for all; "penalty" and "rest-shape": less than it, to compare with; "naive" only measures
    start          of the general optimiser: the "drawn" shape, or the outcome of the "sweep"
    mu             largest change of rest curvature per vertex, or "auto": the largest one up to 1 for which the strand is
                   stable
    bound          what mu bounds: the norm of the change ("disc") or each of its components ("box"), as the general
                   optimiser always does
    twist_share    largest change of rest twist [rad], over mu
    shortest, longest  rest length over the present length
    max_stiffness  largest factor by which an element may become stiffer
    share          which elements become stiffer by the same factor: each its own ("element"), those of a "strand", or those
                   of a "group" of strands
    groups         for share="group": an integer per strand; None: all strands are one group
    smooth         weight of differences between the stiffness of neighbours, over that of changes
    tolerance      on the net force over the load: what counts as balanced
    growth         let the penalty of the general optimiser grow: faster, but it may stall
    max_iterations of the general optimiser
    matrix, curvature_variables
                   of the general optimiser, to compare with: "banded" or "sparse" matrices, 2 or 4 components of rest
                   curvature that vary
    """
    if not isinstance(strands, Strands):
        raise ValueError("strands: give a tendril.der.Strands")
    _arrays.among(mode, _MODES, "mode")
    _arrays.among(bound, _BOUNDS, "bound")
    _arrays.among(start, _STARTS, "start")
    _arrays.among(share, _SHARES, "share")
    _arrays.among(matrix, _MATRICES, "matrix")
    _arrays.among(curvature_variables, (2, 4), "curvature_variables")
    if smooth and share != "element":
        raise ValueError("smooth: stiffness that is shared has nothing to smooth; give share or smooth")
    if groups is not None and share != "group":
        raise ValueError('groups: needs share="group"')
    options = {
        "mode": mode,
        "bound": bound,
        "start": start,
        "gravity": [float(g) for g in _arrays.vector(gravity, "gravity")],
        "mu": None if isinstance(mu, str) and mu == "auto" else _within(mu, "mu", 0.0, 1e6),
        "twist_share": _within(twist_share, "twist_share", 0.0, 1e3),
        "shortest": _within(shortest, "shortest", 1e-6, 1.0),
        "longest": _within(longest, "longest", 1.0, 1e6),
        "max_stiffness": _within(max_stiffness, "max_stiffness", 1.0, math.inf),
        "share": share,
        "groups": [] if groups is None else _whole_numbers(groups, "groups"),
        "smooth": _within(smooth, "smooth", 0.0, 1e6),
        "growth": bool(growth),
        "max_iterations": int(_within(max_iterations, "max_iterations", 1, 100000)),
        "matrix": matrix,
        "curvature_variables": curvature_variables,
        "tolerance": _within(tolerance, "tolerance", 0.0, 1.0),
    }
    if not all(map(math.isfinite, options["gravity"])):
        raise ValueError("gravity: is not finite")
    return Optimum(**_tendril.sagfree(strands, options))


def _whole_numbers(values, name):
    numbers = np.asarray(values)
    if numbers.ndim != 1 or not np.issubdtype(numbers.dtype, np.integer):
        raise ValueError(f"{name}: must be one integer per strand")
    if len(numbers) and not (0 <= numbers.min() and numbers.max() < 2**31):
        raise ValueError(f"{name}: integers must be from 0 to 2147483647")
    return numbers.tolist()


def _within(value, name, least, most):
    number = _arrays.number(value, name)
    if not least <= number <= most:
        raise ValueError(f"{name}: is {number:g}; it must be from {least:g} to {most:g}")
    return number
