"""What the calls of tendril.der.Strands hand back."""

from typing import List, NamedTuple, Optional

import numpy as np


class Energy(NamedTuple):
    """Energies in joules; numbers, or arrays with one entry per strand."""

    stretch: float
    bend: float
    twist: float
    kinetic: float
    external: float  # of gravity and loads; it counts from the origin

    @property
    def elastic(self):
        return self.stretch + self.bend + self.twist

    @property
    def total(self):
        return self.elastic + self.kinetic + self.external


class StepReport(NamedTuple):
    """How the steps of one call went; where they differ, the worst."""

    outcome: str  # "converged", "usable" (committed, but above tolerance) or "failed"
    trouble: Optional[str]  # what went wrong, or None
    strand: Optional[int]  # the first strand in trouble
    troubled: int  # how many strands are in trouble
    iterations: int  # most Newton iterations
    residual: float  # largest force residual over the largest vertex load; only with newton="converge"
    clamped_pivots: int  # pivots that had to be raised to factorise a step's matrix
    steps: int  # how many steps were committed
    usable: int  # how many of them stayed above the tolerance


class StepFailed(RuntimeError):
    """A step could not be done. The state is as it was before that step; a smaller dt may help.

    `report` is the StepReport; its `steps` counts the steps of the call that were committed before.
    """

    def __init__(self, report: StepReport):
        super().__init__(
            f"strand {report.strand}: {report.trouble}; the state is as it was before this step "
            f"(after {report.steps} of the call), a smaller dt may help"
        )
        self.report = report
        self.strand = report.strand

    def __reduce__(self):  # pickled by its report, not by its message
        return StepFailed, (self.report,)


class StaticReport(NamedTuple):
    """The search for equilibrium: arrays with one entry per strand."""

    converged: np.ndarray  # bool
    residual: np.ndarray  # norm of the net force on what is free, over that of the load
    iterations: np.ndarray
    load_steps: np.ndarray  # 1: the whole load at once
    stable: np.ndarray  # bool: converged, and the energy has a minimum there
    negative_modes: np.ndarray  # negative eigenvalues of the exact Hessian there
    status: List[str]


class Reactions(NamedTuple):
    """What clamps and holds do to the strands, and what goes on inside them.

    Arrays over strands (`root_...`, `tip_...`) or over vertices; of one strand, if only one was asked for. An entry
    about an edge stands at its first vertex.
    """

    root_force: np.ndarray  # [N] by the clamp on the strand; zero where the end is free
    root_moment: np.ndarray  # [N m] about the end vertex
    tip_force: np.ndarray
    tip_moment: np.ndarray
    tension: np.ndarray  # [N] per edge
    moment: np.ndarray  # [N m] per joint, three columns: in the direction of m1, of m2, twisting
    bend_radius: np.ndarray  # [m] per joint; infinite where straight
    holds: np.ndarray  # four columns: force [N] and torque [N m] by single holds
