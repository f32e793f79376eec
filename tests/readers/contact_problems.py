"""The nine reference problems of contact with friction (tests/data/coulomb-contact_onestep.json), as dense arrays."""

import json
import os
import pathlib
from typing import NamedTuple

import numpy as np

DATA = pathlib.Path(os.environ["TENDRIL_SOURCE"], "tests", "data", "coulomb-contact_onestep.json")


class Problem(NamedTuple):
    kind: str
    M: np.ndarray
    H: np.ndarray  # (3 per contact, unknowns)
    f: np.ndarray
    w: np.ndarray
    mu: np.ndarray

    @property
    def W(self):
        W = self.H @ np.linalg.solve(self.M, self.H.T)
        return 0.5 * (W + W.T)

    @property
    def b(self):
        return self.H @ np.linalg.solve(self.M, self.f) + self.w


def _from_blocks(data):
    blocks, contacts = data["M"], len(data["mu"])
    size = blocks.shape[1]
    M, H = np.zeros((size * len(blocks),) * 2), np.zeros((3 * contacts, size * len(blocks)))
    for i, block in enumerate(blocks):
        M[size * i : size * (i + 1), size * i : size * (i + 1)] = block
    for i in range(contacts):
        for block, side in ((data["oa"][i], data["Ha"][i]), (data["ob"][i], data["Hb"][i])):
            if block >= 0:
                H[3 * i : 3 * i + 3, size * block : size * (block + 1)] += side
    return M, H


def problems():
    for entry in json.loads(DATA.read_text())["problems"]:
        data = {key: np.asarray(value, float if key not in ("oa", "ob") else int) for key, value in entry["data"].items()}
        M, H = (data["M"], data["H"]) if "H" in data else _from_blocks(data)
        yield Problem(entry["kind"], M, H, data["f"].ravel(), data["w"].ravel(), data["mu"].ravel())
