"""Discrete elastic rods."""

from typing import Optional

import numpy as np

from . import _arrays, _tendril
from ._reports import Energy, Reactions, StaticReport, StepFailed, StepReport

__all__ = ["GRAVITY", "Strands"]

GRAVITY = (0.0, -9.81, 0.0)  # [m/s^2]

_COMPONENTS = "xyzt"  # of a hold; t is the twist angle


class Strands(_tendril.DerStrands):
    """A set of elastic strands with its state.

    points      (N, 3) with `offsets` (S + 1) that say where each strand starts and ends; (N, 3) alone is one strand;
                (S, V, 3); or a list of (n, 3). Vertex 0 of a strand is its root.
    radius      [m] a number, an array over vertices or edges, or a tuple (r1, r2) of these: an ellipse with semi-axes
                along m1 and m2.
    density     [kg/m^3]    young  [Pa], of bending and, unless `stretch_young` is given, of stretching
    shear       [Pa], of twisting; young / 3 if not given (a material that keeps its volume)
    damping     [s] stiffness-proportional, a number or one per strand
    curvature   "4d" (default), "2d-averaged", "2d-slerped" or "2d-slerped-approximate"
    clamp       "edge" (the first edge is held), "point" (the first vertex and the tangent there), "free"; a tuple
                (root, tip); or a list with one of these per strand
    holds       a list of dict(vertex=, strand=, components="xyz"): single things held. Components are letters of
                "xyzt", where t is the twist angle of the edge that starts there; without `strand` it holds in every
                strand; vertices may be negative.
    director    where semi-axis r1 points at the root, one direction or one per strand (S, 3); what of it lies along
                the first edge is taken off. Without it m1 is any normal.
    rest        None: at rest as drawn; "straight"; or a dict of
                reference_length [m] and strain (per edge; the rest length is reference_length / (1 + strain)),
                curvature (N, 4) (per joint, integrated), twist [rad] (per joint). What is not in it is as drawn.
    mass        [kg] per vertex and inertia [kg m^2] per edge, if they shall not follow from the density.
    isa         "reference" runs plain doubles, one strand at a time; the default is tendril.isa().

    Arrays have one entry per vertex, strand after strand. An entry about an edge stands at the edge's first vertex, one
    about a joint (the bend between two edges) at its vertex. Material arrays may also have one entry per strand, and
    those about edges one per edge.

    Arrays that are properties are read-only: writing goes through the setters. `positions` is a live view: it shows the
    new state after every call, at the same place in memory, and keeps the strands alive; copy it to keep a pose. All
    others are as they were when they were asked for. Entries without an owner are 0, in `directors` and `frames` NaN.

    State: positions, velocities (N, 3); theta, theta_velocity [rad, rad/s] per edge; frames (N, 3, 3) per edge, with
    columns m1, m2, tangent; directors (N, 3) per edge, from which theta counts; reference_twist [rad] per joint;
    time [s]; hash, 64 bits over the state. Model: mass, reference_length, rest_strain, rest_curvature, rest_twist,
    offsets; held (N, 4), True where x, y, z or theta are held.

    Any thread may call anything at any time. Calls that compute let other Python threads run. What is wrong with an
    argument raises ValueError.
    """

    def __init__(
        self,
        points,
        offsets=None,
        radius=40e-6,
        density=1300.0,
        young=3.9e9,
        shear=None,
        rest=None,
        clamp="edge",
        *,
        stretch_young=None,
        damping=0.0,
        curvature="4d",
        director=None,
        holds=(),
        mass=None,
        inertia=None,
        isa: Optional[str] = None,
    ):
        points, ends = _arrays.curves(points, offsets)
        _tendril.check_geometry(points, ends)

        def joints(values, name):
            return _arrays.spread(values, name, ends, strands=True)

        def edges(values, name):
            return _arrays.spread(values, name, ends, strands=True, edges=True)

        radius1, radius2 = radius if isinstance(radius, tuple) and len(radius) == 2 else (radius, radius)
        bend = joints(young, "young")
        description = {
            "semi_axis1": edges(radius1, "radius"),
            "semi_axis2": edges(radius2, "radius"),
            "density": edges(density, "density"),
            "stretch_modulus": bend if stretch_young is None else edges(stretch_young, "stretch_young"),
            "bend_modulus": bend,
            "twist_modulus": bend / 3.0 if shear is None else joints(shear, "shear"),
            "mass": None if mass is None else _arrays.spread(mass, "mass", ends),
            "inertia": None if inertia is None else _arrays.spread(inertia, "inertia", ends, edges=True),
            "damping": _damping(damping),
            "curvature": str(curvature),
            "root_director": None if director is None else np.atleast_2d(np.asarray(director, float)),
            "clamps": _clamps(clamp),
            **_rest(rest, ends),
        }
        super().__init__(points, ends, description, _holds(holds, ends), isa)

    def copy(self) -> "Strands":
        """Another set in the same state, with the same loads and poses."""
        twin = type(self).__new__(type(self))
        _tendril.DerStrands.__init__(twin, self)
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def __repr__(self):
        return f"<tendril.der.Strands: {len(self)} strands, {self.offsets[-1]} vertices, at {self.time:g} s>"

    # The state ------------------------------------------------------------------------------------------------------

    def set_positions(self, positions) -> None:
        """New positions (N, 3). The frames follow without twisting; velocities stay. Clamps stay where they are: at the
        next step a clamped end goes back to its pose."""
        self._set_positions(self._rows(positions, "positions", 3))

    def set_velocities(self, velocities) -> None:
        """New velocities (N, 3) [m/s]."""
        self._set_velocities(self._rows(velocities, "velocities", 3))

    def set_theta(self, theta) -> None:
        """New twist angles of the edges [rad]."""
        self._set_theta(_arrays.spread(theta, "theta", self.offsets, edges=True))

    def set_theta_velocity(self, theta_velocity) -> None:
        """New rates of the twist angles [rad/s]."""
        self._set_theta_velocity(_arrays.spread(theta_velocity, "theta_velocity", self.offsets, edges=True))

    def set_directors(self, directors, reference_twist=None) -> None:
        """New reference directors (N, 3): unit vectors across their edges, from which `theta` counts. The reference
        twists follow; `reference_twist` tells which turn is meant (default: the turn nearest to the one they have)."""
        near = self.reference_twist if reference_twist is None else reference_twist
        near = _arrays.spread(near, "reference_twist", self.offsets)
        self._set_directors(self._rows(directors, "directors", 3), near)

    # What drives and loads it ---------------------------------------------------------------------------------------

    @property
    def holds(self):
        """The holds, as a list of dict(strand=, vertex=, components=): what `set_hold` counts."""
        return [
            {"strand": s, "vertex": v, "components": "".join(c for c, is_held in zip(_COMPONENTS, held) if is_held)}
            for s, v, held in self._holds()
        ]

    def set_pose(self, strand, pose, end="root") -> None:
        """Where a clamped end goes: a point x of the drawn clamp goes to R x + t.

        `pose` is a 4 x 4 matrix, or a pair (rotation, translation) whose rotation is 3 x 3 or a quaternion
        (w, x, y, z); `strand` is an index, or None for all. The next call of `step` takes it there along a screw, in
        equal parts over its steps, and reaches it exactly; `solve_static` goes there at once.
        """
        rotation, translation = _arrays.pose(pose)
        for s in range(len(self)) if strand is None else [self._strand(strand)]:
            self._set_pose(s, str(end), rotation, translation)

    def set_hold(self, hold, pose=None, angle=None) -> None:
        """Where a hold goes: its vertex by a pose as in `set_pose`, its edge by an angle [rad]; None leaves it."""
        hold = _arrays.index(hold, len(self._holds()), "hold")
        angle = None if angle is None else _arrays.number(angle, "angle")
        self._set_hold(hold, None if pose is None else _arrays.pose(pose), angle)

    def add_load(self, strand, vertex, force=(0.0, 0.0, 0.0), torque=0.0) -> None:
        """Adds a dead load: a force [N] on a vertex and a torque [N m] about the edge that starts there."""
        vertex = _arrays.whole(vertex, "vertex")
        force, torque = _arrays.vector(force, "force"), _arrays.number(torque, "torque")
        self._add_load(self._strand(strand), vertex, force, torque)

    # What it is made of ---------------------------------------------------------------------------------------------

    def set_rest(self, strain=None, curvature=None, twist=None) -> None:
        """New rest strains (per edge), curvatures (N, 4) and twists (per joint); None leaves them as they are."""
        if strain is not None:
            strain = _arrays.spread(strain, "rest strain", self.offsets, edges=True)
        if curvature is not None:
            curvature = self._rows(curvature, "rest curvature", 4)
        if twist is not None:
            twist = _arrays.spread(twist, "rest twist", self.offsets)
        self._set_rest(strain, curvature, twist)

    # What it computes -----------------------------------------------------------------------------------------------

    def energy(self, gravity=GRAVITY, strand=None) -> Energy:
        """Energies [J] of all strands together, or of one."""
        begin, end = self._range(strand)
        rows = self._energy(begin, end, _arrays.vector(gravity, "gravity"))
        return Energy(*(float(row.sum()) for row in rows))

    def force(self, gravity=GRAVITY) -> np.ndarray:
        """Elastic force plus gravity and loads, (N, 4): forces [N] on x, y, z and the torque [N m] on theta.

        On held unknowns too. Without gravity and loads it is minus the gradient of the elastic energy.
        """
        return self._force(_arrays.vector(gravity, "gravity"))

    def hessian(self, strand=0, kind="step", dt=1.0 / 240.0, banded=False) -> np.ndarray:
        """A symmetric matrix over the unknowns x_0, theta_0, x_1, ..., x_{n-1} of one strand: 4 n - 1 of them.

        "step": mass / dt^2 plus the stiffness that a step uses, positive definite (dt = 0: that stiffness alone).
        "exact": second derivatives of the elastic energy, held unknowns included; `held` says which ones are.
        banded: the lower band instead, (11, 4 n - 1), entry (j + r, j) in row r and column j, as LAPACK and
        scipy.linalg.solveh_banded(..., lower=True) take it.
        """
        return self._hessian(self._strand(strand), str(kind), _arrays.number(dt, "dt"), bool(banded))

    def reactions(self, strand=None, gravity=GRAVITY) -> Reactions:
        """Clamp wrenches, tension, moments and bend radii, from the forces at this pose; inertia is not in it."""
        begin, end = self._range(strand)
        found = Reactions(**self._reactions(begin, end, _arrays.vector(gravity, "gravity")))
        if strand is None:
            return found
        ends = {name: getattr(found, name)[0] for name in ("root_force", "root_moment", "tip_force", "tip_moment")}
        return found._replace(**ends)

    def step(
        self,
        dt,
        gravity=GRAVITY,
        newton=1,
        *,
        integrator="euler",
        wind=(0.0, 0.0, 0.0),
        air=None,
        steps=1,
        tolerance=1e-8,
        max_iterations=50,
    ) -> StepReport:
        """Goes on by `steps` steps of `dt` [s].

        newton      iterations per step, or "converge": until the residual is below `tolerance` of the largest load of
                    a vertex
        integrator  "euler" (robust, damps) or "bdf2" (second order, damps little)
        air         density [kg/m^3], or dict(density=, normal=1.0, tangential=0.02) with drag coefficients across the
                    strand (on its diameter) and along it (on its circumference); `wind` [m/s] is the air's velocity
        Raises StepFailed if a step cannot be done; the state is then as it was before that step. Ctrl-C ends the call
        after a whole step.
        """
        wind = _arrays.vector(wind, "wind")
        if air is None and wind.any():
            raise ValueError("wind: has no effect without air; give its density too, such as air=1.2")
        if newton == "converge":
            iterations = None
        else:
            iterations = _arrays.whole(newton, "newton")
        done = self._step(
            _arrays.number(dt, "dt"),
            _arrays.vector(gravity, "gravity"),
            iterations,
            str(integrator),
            wind,
            _air(air),
            _arrays.whole(steps, "steps", 64),
            _arrays.number(tolerance, "tolerance"),
            _arrays.whole(max_iterations, "max_iterations"),
        )
        report = StepReport(**done)
        if report.outcome == "failed":
            raise StepFailed(report)
        return report

    def solve_static(self, gravity=GRAVITY, tolerance=1e-10, max_iterations=200) -> StaticReport:
        """Moves every strand to equilibrium, to a residual of `tolerance` of its load; velocities become zero.

        Does not raise when a strand does not get there: the report has `converged` and `stable` for each.
        """
        found = self._solve_static(
            _arrays.vector(gravity, "gravity"),
            _arrays.number(tolerance, "tolerance"),
            _arrays.whole(max_iterations, "max_iterations"),
        )
        return StaticReport(**found)

    # ----------------------------------------------------------------------------------------------------------------

    def _strand(self, strand):
        return _arrays.index(strand, len(self), "strand")

    def _range(self, strand):
        if strand is None:
            return 0, len(self)
        s = self._strand(strand)
        return s, s + 1

    def _rows(self, values, name, width):
        return _arrays.rows(values, name, self.offsets, width)


def _damping(damping):
    array = np.atleast_1d(_arrays.numbers(damping, "damping"))
    if array.ndim != 1:
        raise ValueError(f"damping: has shape {array.shape}; give a number or one per strand")
    return array


def _clamps(clamp):
    def pair(entry):
        if isinstance(entry, str):
            return entry, "free"
        if isinstance(entry, tuple) and len(entry) == 2 and all(isinstance(end, str) for end in entry):
            return entry
        raise ValueError(f"clamp: {entry!r} is neither a name nor a pair (root, tip) of names")

    return [pair(entry) for entry in clamp] if isinstance(clamp, list) else [pair(clamp)]


def _holds(holds, ends):
    flat = []
    for h, hold in enumerate(holds):
        name = f"hold {h}"
        if not isinstance(hold, dict) or not {"vertex"} <= set(hold) <= {"vertex", "strand", "components"}:
            raise ValueError(f"{name}: must be a dict with vertex and, if wanted, strand and components")
        letters = hold.get("components", "xyz")
        if not isinstance(letters, str) or not letters or set(letters) - set(_COMPONENTS):
            raise ValueError(f'{name}: components are {letters!r}; they must be letters of "{_COMPONENTS}"')
        strand = hold.get("strand")
        count = len(ends) - 1
        for s in range(count) if strand is None else [_arrays.index(strand, count, f"{name}: strand")]:
            flat.append((s, _arrays.whole(hold["vertex"], f"{name}: vertex"), [c in letters for c in _COMPONENTS]))
    return flat


def _rest(rest, ends):
    n = int(ends[-1])
    if rest is None:
        return {}
    if isinstance(rest, str) and rest == "straight":
        return {"rest_curvature": np.zeros((n, 4)), "rest_twist": np.zeros(n)}
    if not isinstance(rest, dict) or set(rest) - {"reference_length", "strain", "curvature", "twist"}:
        raise ValueError(
            'rest: must be None (as drawn), "straight" or a dict of reference_length, strain, curvature and twist'
        )
    given = {key: value for key, value in rest.items() if value is not None}
    out = {}
    if "reference_length" in given:
        out["reference_length"] = _arrays.spread(given["reference_length"], "reference length", ends, edges=True)
    if "strain" in given:
        out["rest_strain"] = _arrays.spread(given["strain"], "rest strain", ends, edges=True)
    if "curvature" in given:
        out["rest_curvature"] = _arrays.rows(given["curvature"], "rest curvature", ends, 4)
    if "twist" in given:
        out["rest_twist"] = _arrays.spread(given["twist"], "rest twist", ends)
    return out


def _air(air):
    if air is None:
        return 0.0, 1.0, 0.0
    if not isinstance(air, dict):
        return _arrays.number(air, "air"), 1.0, 0.02
    if "density" not in air or set(air) - {"density", "normal", "tangential"}:
        raise ValueError("air: must be a density, or a dict of density, normal and tangential")
    full = {"normal": 1.0, "tangential": 0.02, **air}
    return tuple(_arrays.number(full[key], f"air: {key}") for key in ("density", "normal", "tangential"))
