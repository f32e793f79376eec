"""Tendril: a simulator of elastic strands.

    import numpy as np
    import tendril

    points = np.linspace((0.0, 0.0, 0.0), (0.2, 0.0, 0.0), 50)   # one strand of 20 cm
    hair = tendril.der.Strands(points)                           # human hair, its first edge clamped
    hair.step(1 / 240, steps=240)                                # one second
    print(hair.positions[-1])

Units are SI throughout: metres, kilograms, seconds, newtons, pascals, radians.
"""

from . import _arrays, bcqp, chain, contact, der, sagfree
from ._reports import Energy, Reactions, StaticReport, StepFailed, StepReport
from ._tendril import __commit__, __version__
from ._tendril import isa as _isa
from ._tendril import set_threads as _set_threads
from ._tendril import threads as _threads
from .groom import Groom, read_groom, write_groom
from .pictures import plot, render
from .simulation import SetReactions, Simulation, SimulationStep, SimulationStopped


def isa() -> str:
    """The instruction set of the kernels: "avx512", "avx2" or "v2" (x86-64-v2).

    It is the widest that the machine has; the environment variable TENDRIL_ISA asks for another one.
    """
    return _isa()


def threads() -> int:
    """How many threads compute."""
    return _threads()


def set_threads(count: int) -> None:
    """Sets how many threads compute; 0: one per core, which is the default. Results do not depend on it.

    Waits for calls under way in other Python threads.
    """
    _set_threads(_arrays.whole(count, "threads"))


__all__ = [
    "Energy",
    "Groom",
    "Reactions",
    "SetReactions",
    "Simulation",
    "SimulationStep",
    "SimulationStopped",
    "StaticReport",
    "StepFailed",
    "StepReport",
    "__commit__",
    "__version__",
    "bcqp",
    "chain",
    "contact",
    "der",
    "isa",
    "plot",
    "read_groom",
    "render",
    "sagfree",
    "set_threads",
    "threads",
    "write_groom",
]
