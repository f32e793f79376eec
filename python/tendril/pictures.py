"""Pictures of runs and grooms, and pages of their reports."""

import os
from typing import Optional, Sequence, Tuple, Union

import numpy as np

from . import _arrays, _tendril

__all__ = ["plot", "render"]


def render(
    path,
    frame: Optional[int] = None,
    out=None,
    size: Tuple[int, int] = (1280, 720),
    samples: int = 16,
    camera: Union[str, Sequence[float]] = "three-quarter",
    target: Optional[Sequence[float]] = None,
    fov: float = 26.0,
    zoom: float = 1.0,
    color: str = "strand",
    range: Optional[Tuple[float, float]] = None,
    hair: str = "brown",
    dark: bool = False,
    ground: bool = True,
    bodies: bool = True,
    thickness: Optional[float] = None,
    meshes: Sequence = (),
    scale: Optional[float] = None,
    up: Optional[str] = None,
) -> np.ndarray:
    """Draws a frame of a run, or a groom file, and returns it as levels from 0 to 255, (height, width, 3).

    path        folder of a run, a frame of one, or a groom file
    frame       its number; default: the first
    out         also writes the picture there, .png
    samples     paths per pixel: 4 is a sketch, 16 usual, 256 fine
    camera      "three-quarter", "front", "side", "back", "top", "back-quarter", or a point [m]
    target      the point to look at [m]; default: the middle
    fov         field of view over the height, in degrees; zoom above 1 goes nearer than where all fits
    color       "strand" (as it is) or a quantity such as "strain", with a legend; range: the values its colours span
    hair        "black", "dark-brown", "brown", "auburn", "red", "dark-blond", "blond", "grey", "white"
    thickness   factor on radii; default: so that few strands look like many
    meshes      further surfaces; #### in a name is the frame's number
    scale, up   of a groom file: metres per unit, and "y" or "z"
    """
    width, height = (_arrays.whole(n, "size") for n in size)
    if not (16 <= width <= 16384 and 16 <= height <= 16384):
        raise ValueError(f"size: is {width} x {height}; a side has 16 to 16384 pixels")
    samples = _arrays.whole(samples, "samples")
    if not 1 <= samples <= 65536:
        raise ValueError(f"samples: is {samples}; it must be from 1 to 65536")
    fov, zoom = _arrays.number(fov, "fov"), _arrays.number(zoom, "zoom")
    if not 1.0 <= fov <= 150.0:
        raise ValueError(f"fov: is {fov:g}; it must be from 1 to 150 degrees")
    for name, factor in (("zoom", zoom), ("thickness", thickness), ("scale", scale)):
        if factor is not None and not _arrays.number(factor, name) > 0.0:
            raise ValueError(f"{name}: is {factor:g}; it must be positive")
    if range is not None:
        low, high = (_arrays.number(n, "range") for n in range)
        if not low < high:
            raise ValueError(f"range: {low:g} is not below {high:g}")
        range = (low, high)
    if up is not None and str(up).lower() not in ("y", "z"):
        raise ValueError(f'up: is {up!r}; it must be "y" or "z"')
    if out is not None and not os.fspath(out).endswith(".png"):
        raise ValueError(f"out: {os.fspath(out)!r} must end in .png")
    return _tendril.render(
        os.fspath(path),
        None if frame is None else _arrays.whole(frame, "frame"),
        "" if out is None else os.fspath(out),
        (width, height),
        samples,
        camera if isinstance(camera, str) else _point(camera, "camera"),
        None if target is None else _point(target, "target"),
        fov,
        zoom,
        str(color),
        range,
        str(hair),
        bool(dark),
        bool(ground),
        bool(bodies),
        thickness,
        [os.fspath(mesh) for mesh in meshes],
        scale,
        "" if up is None else str(up).lower(),
    )


def plot(reports, out) -> None:
    """Writes a page of charts from a folder of a run or a report file; from several of them a comparison."""
    several = isinstance(reports, (list, tuple))
    _tendril.plot([os.fspath(report) for report in (reports if several else [reports])], os.fspath(out))


def _point(values, name):
    point = tuple(_arrays.number(value, name) for value in values)
    if len(point) != 3:
        raise ValueError(f"{name}: has {len(point)} numbers; a point has three")
    return point
