"""Scenes that Python steps: poses and wrenches in, positions and reactions out."""

import json
import math
import os
from typing import Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _arrays, _tendril
from ._reports import Energy

__all__ = ["Simulation", "SimulationStopped", "SimulationStep", "SetReactions"]

SimulationStopped = _tendril.SimulationStopped
SimulationStopped.__doc__ = "A step could not be done, however small. The state is as it was before that step."
SimulationStopped.__module__ = "tendril"


class SimulationStep(NamedTuple):
    """How the steps of one call went."""

    steps: int  # taken; more than asked for if some had to be cut
    usable: int  # of them, committed above the tolerance
    iterations: int  # most of any strand
    residual: float  # largest, of statics or with newton = "converge"
    contacts: int  # most of any step
    contact_error: float  # largest: how far the worst contact was from Coulomb's law


class SetReactions(NamedTuple):
    """What clamps do to the strands of a set, and what goes on inside: arrays over its simulated strands."""

    root_force: np.ndarray  # (strands, 3) [N], by the clamp on the strand
    root_moment: np.ndarray  # (strands, 3) [N m], about the root
    tip_force: np.ndarray
    tip_moment: np.ndarray
    tension: np.ndarray  # (vertices) [N], of the edge that starts there
    moment: np.ndarray  # (vertices, 3) [N m]: towards m1, towards m2, twisting
    bend_radius: np.ndarray  # (vertices) [m]; infinite where straight


class Simulation:
    """A scene, from a file or from a dict with the keys of the scene format.

        sim = tendril.Simulation("examples/pendulum/scene.toml")
        sim.run(lambda sim: print(sim.time, sim.positions[-1]))

    `overrides` are as for `--set`: {"strands.0.material.young": "2 GPa"}. The number of threads is that of
    tendril.set_threads(), whatever the scene says.
    """

    def __init__(self, scene: Union[str, "os.PathLike[str]", Mapping], overrides: Optional[Mapping] = None):
        assignments = [f"{key}={_toml_value(value, key)}" for key, value in (overrides or {}).items()]
        if isinstance(scene, Mapping):
            text, path = "# from Python\n" + _toml(scene), os.path.join(os.getcwd(), "(scene given as a dict)")
        elif isinstance(scene, (str, os.PathLike)):
            text, path = "", os.fspath(scene)
        else:
            raise ValueError(f"scene: {type(scene).__name__} is neither a path nor a dict")
        self._adopt(_tendril.Simulation.from_text(text, path, assignments))

    @classmethod
    def load(cls, path) -> "Simulation":
        """Goes on from a file of save(), or from a checkpoint of a run, bit for bit."""
        simulation = cls.__new__(cls)
        simulation._adopt(_tendril.Simulation.load(os.fspath(path)))
        return simulation

    def save(self, path) -> None:
        """Writes all that load() needs, with the scene. Files that the scene names are not in it."""
        self._core.save(os.fspath(path))

    def _adopt(self, core) -> None:
        self._core = core
        facts = core.describe()
        self._names: List[str] = facts["sets"]
        self._strands: List[int] = facts["strands"]
        self._facts = facts

    # What never changes.

    @property
    def name(self) -> str:
        return self._facts["name"] or "scene"

    @property
    def dt(self) -> float:
        """Length of a time step [s]; of a static scene the time from frame to frame."""
        return self._facts["dt"]

    @property
    def frames(self) -> int:
        """How many frames the scene has; the first is the start pose."""
        return self._facts["frames"]

    @property
    def offsets(self) -> np.ndarray:
        """Where each strand starts in `positions`, then their total."""
        return self._facts["offsets"].copy()

    @property
    def radius(self) -> np.ndarray:
        """(vertices) [m]"""
        return self._facts["radius"].copy()

    @property
    def sets(self) -> Dict[str, range]:
        """The strands of each set by its name, as indices into `offsets`."""
        out, first = {}, 0
        for name, count in zip(self._names, self._strands):
            out[name] = range(first, first + count)
            first += count
        return out

    @property
    def probes(self) -> List[str]:
        return list(self._facts["probes"])

    @property
    def notes(self) -> List[str]:
        """What was repaired or assumed, a sentence each."""
        return list(self._facts["notes"])

    # What does.

    @property
    def time(self) -> float:
        """Simulated time [s]."""
        return self._core.time()

    @property
    def frame(self) -> int:
        """The last frame that is complete, counted from 1."""
        return self._core.frame()

    @property
    def positions(self) -> np.ndarray:
        """(vertices, 3) [m], of all strands, also those that guides carry."""
        return self._core.positions()

    @property
    def velocities(self) -> np.ndarray:
        """(vertices, 3) [m/s]"""
        return self._core.velocities()

    @property
    def contact_forces(self) -> np.ndarray:
        """(vertices, 3) [N], what contacts and joints pushed every vertex with in the last step."""
        return self._core.contact_forces()

    @property
    def hash(self) -> str:
        """64 bits over positions, velocities and frames: the same for any number of threads."""
        return self._core.hash()

    def step(self, steps: int = 1) -> SimulationStep:
        """Takes time steps; of a static scene, frames. Raises SimulationStopped if one cannot be done."""
        count = _arrays.whole(steps, "steps", 64)
        if count < 0:
            raise ValueError(f"steps: {count} is negative")
        return SimulationStep(**self._core.step(count))

    def run(self, callback: Optional[Callable[["Simulation"], object]] = None) -> None:
        """Steps to the scene's last frame, and calls `callback(simulation)` after each frame.

        If the callback returns False, the run ends there. If it raises, the exception goes on to the caller, and the
        state is that of the last whole step: run() may be called again to go on.
        """
        while self.frame < self.frames:
            target = self.frame + 1
            while self.frame < target:
                self.step()
            if callback is not None and callback(self) is False:
                return

    def set_pose(self, name: str, pose) -> None:
        """Moves the roots of a set to `pose`, a 4 x 4 matrix that carries them from where they were drawn.

        They leave the motion of the scene, go there within the next time step, and stay.
        """
        matrix = _arrays.numbers(pose, "pose")
        if matrix.shape != (4, 4) or not np.allclose(matrix[3], (0, 0, 0, 1), atol=1e-9):
            raise ValueError("pose: give a 4 x 4 matrix with the last row 0, 0, 0, 1")
        rotation = matrix[:3, :3]
        if not np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-6) or np.linalg.det(rotation) < 0:
            raise ValueError("pose: its upper left 3 x 3 is not a rotation")
        self._core.set_pose(str(name), _quaternion(rotation), list(matrix[:3, 3]))

    def set_gravity(self, gravity: Sequence[float]) -> None:
        """Changes gravity [m/s2] from the next time step on."""
        self._core.set_gravity(list(_arrays.vector(gravity, "gravity")))

    def set_wind(self, wind: Sequence[float]) -> None:
        """Changes the wind [m/s] from the next time step on; the scene must have air."""
        self._core.set_wind(list(_arrays.vector(wind, "wind")))

    def scale_stiffness(self, factor: float) -> None:
        """Makes all strands `factor` times as stiff as the scene has them; 1 gives its bits back."""
        self._core.scale_stiffness(_arrays.number(factor, "factor"))

    def set_damping(self, seconds: Optional[float]) -> None:
        """Changes the damping [s] of all strands; None gives back the scene's."""
        self._core.set_damping(None if seconds is None else _arrays.number(seconds, "damping"))

    def scale_friction(self, factor: float) -> None:
        """Makes all coefficients of friction `factor` times those of the scene, which must have contact with friction."""
        self._core.scale_friction(_arrays.number(factor, "factor"))

    def reset(self) -> None:
        """Goes back to the start, or to what was loaded. What was set of the scene (gravity, friction, ...) stays so."""
        self._core.reset()

    def apply_wrench(
        self,
        name: str,
        force: Sequence[float] = (0.0, 0.0, 0.0),
        moment: Sequence[float] = (0.0, 0.0, 0.0),
        strand: int = 0,
        vertex: int = -1,
    ) -> None:
        """Pulls a vertex with a force [N] and turns its edge with a moment [N m] during the next time step.

        What is measured at its end is measured under it. Several wrenches add up. Negative vertices count from the tip.
        """
        index = _arrays.whole(strand, "strand", 64)
        if index < 0:
            raise ValueError(f"strand: {index} is negative")
        self._core.apply_wrench(
            str(name),
            index,
            _arrays.whole(vertex, "vertex"),
            list(_arrays.vector(force, "force")),
            list(_arrays.vector(moment, "moment")),
        )

    def reactions(self, name: Optional[str] = None) -> SetReactions:
        """Reactions and inner forces of a set (the first one if no name is given), at the present state.

        They hold the strand against its elastic forces, gravity and the scene's loads; the inertia of what is clamped
        is not in them.
        """
        return SetReactions(**self._core.reactions(self._names[0] if name is None else str(name)))

    def probe(self, name: str) -> Dict[str, float]:
        """What a probe of the scene shows now, by the names of its columns."""
        return self._core.probe(str(name))

    def energy(self) -> Energy:
        """Energies [J] of all simulated strands together."""
        return Energy(**self._core.energy())

    def __repr__(self) -> str:
        strands = len(self._facts["offsets"]) - 1
        return f"<tendril.Simulation '{self.name}': {strands} strands, frame {self.frame} of {self.frames}>"


def _quaternion(rotation: np.ndarray) -> List[float]:
    """(w, x, y, z) of a rotation matrix, by the largest of its four squares."""
    m = rotation
    squares = np.array([m[0, 0] + m[1, 1] + m[2, 2], m[0, 0], m[1, 1], m[2, 2]])
    i = int(np.argmax(squares))
    if i == 0:
        q = [1.0 + squares[0], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]]
    else:
        a, b, c = i - 1, i % 3, (i + 1) % 3
        q = [0.0] * 4
        q[0] = m[c, b] - m[b, c]
        q[1 + a] = 1.0 + m[a, a] - m[b, b] - m[c, c]
        q[1 + b] = m[a, b] + m[b, a]
        q[1 + c] = m[a, c] + m[c, a]
    return [float(x) for x in np.array(q) / np.linalg.norm(q)]


def _toml(value, path: str = "scene") -> str:
    """A dict as TOML text: every table inline, so that no order of keys matters."""
    return "".join(f"{_key(k)} = {_toml_value(v, f'{path}.{k}')}\n" for k, v in value.items() if v is not None)


def _key(key) -> str:
    if not isinstance(key, str):
        raise ValueError(f"scene: the key {key!r} is not a text")
    return _text(key)


def _text(text: str) -> str:
    """As a JSON string, which TOML reads the same but for one character that must not stand as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_value(value, path: str) -> str:
    if isinstance(value, np.generic) or isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return repr(value) if any(c in repr(value) for c in ".e") else repr(value) + ".0"
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, (str, os.PathLike)):
        return _text(os.fspath(value))
    if isinstance(value, Mapping):
        inner = (f"{_key(k)} = {_toml_value(v, f'{path}.{k}')}" for k, v in value.items() if v is not None)
        return "{ " + ", ".join(inner) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml_value(v, path) for v in value) + "]"
    raise ValueError(f"{path}: {type(value).__name__} has no place in a scene")
