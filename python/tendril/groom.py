"""Groom files: strands from other tools, and back to them."""

import os
from dataclasses import dataclass, field
from typing import Dict, List, Optional

import numpy as np

from . import _arrays, _tendril

__all__ = ["Groom", "read_groom", "write_groom"]


@dataclass
class Groom:
    """Strands as a file holds them, in metres with y up.

    points (N, 3), strand after strand, root first; offsets (S + 1), where each strand starts, then N; radius (N) [m] or
    None; attributes, a dict of arrays with one row per vertex or per strand. `repairs` counts what had to be mended when
    the groom was read, `assumptions` says what the file left open.
    """

    points: np.ndarray
    offsets: np.ndarray
    radius: Optional[np.ndarray] = None
    attributes: Dict[str, np.ndarray] = field(default_factory=dict)
    repairs: Dict[str, int] = field(default_factory=dict)
    assumptions: List[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def strand(self, index: int) -> np.ndarray:
        """The points of one strand, as a view."""
        return self.points[self.offsets[index] : self.offsets[index + 1]]


def read_groom(path, scale=None, up=None, subsample=1, resample=0) -> Groom:
    """Reads .hair, .data, .tfx, .usda, .ply, .obj or a frame of a run.

    scale       metres per unit; default: what the file says, or else 1
    up          "y" or "z"; default: what the file says, or else "y"
    subsample   takes every n-th strand
    resample    vertices that every strand gets, at equal distances; 0: as they are
    """
    if scale is not None:
        scale = _arrays.number(scale, "scale")
        if not scale > 0.0:
            raise ValueError(f"scale: is {scale:g}; it must be positive")
    if up is not None and str(up).lower() not in ("y", "z"):
        raise ValueError(f'up: is {up!r}; it must be "y" or "z"')
    subsample, resample = _arrays.whole(subsample, "subsample"), _arrays.whole(resample, "resample")
    if subsample < 1 or resample < 0 or resample == 1:
        raise ValueError("subsample must be 1 or more, resample 0 or 2 and more")
    return Groom(**_tendril.read_groom(os.fspath(path), scale, None if up is None else str(up).lower(), subsample, resample))


def write_groom(path, groom: Groom) -> None:
    """Writes .hair, .data, .usda, .ply, .obj or .vtp. `groom` is a Groom, or anything with points and offsets."""
    points, offsets = _arrays.curves(groom.points, groom.offsets)
    radius = getattr(groom, "radius", None)
    if radius is not None:
        radius = np.ascontiguousarray(radius, float)
        if radius.shape != (len(points),):
            raise ValueError(f"radius: has shape {radius.shape}; {len(points)} vertices need one each")
    attributes = {}
    for name, values in getattr(groom, "attributes", {}).items():
        values = np.asarray(values, float)
        if values.ndim not in (1, 2) or len(values) not in (len(points), len(offsets) - 1):
            raise ValueError(f"attribute {name}: must have one row per vertex or per strand")
        attributes[str(name)] = values
    _tendril.write_groom(os.fspath(path), points, offsets, radius, attributes)
