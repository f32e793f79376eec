"""VTK reads what we write as .pvd and .vtp: a run and a groom."""

import pathlib
import tempfile

import judges
import numpy as np
import vtp_judge


def a_groom(folder):
    (folder / "groom.obj").write_text("v 0 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 1 2 0.5\nl 1 2\nl 3 4 5\n")
    judges.tendril("convert", folder / "groom.obj", folder / "groom.vtp", "--scale", "0.01", "--quiet")
    read = vtp_judge.read(folder / "groom.vtp")
    judges.equal(read["points"], 0.01 * np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 2, 0.5]]), "points")
    assert read["offsets"] == [0, 2, 5] and read["connectivity"] == [0, 1, 2, 3, 4], read
    assert read["cell"]["groom_id"].tolist() == [0, 1] and "velocity" not in read["point"], read


def main():
    vtp_judge.need_vtk()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        vtp_judge.judge_pvd(judges.two_sets(folder), folder)
        a_groom(folder)


main()
