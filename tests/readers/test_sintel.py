"""The judges of .usda and .vtp on a run of a real groom: every twentieth strand of Sintel's hair, for 0.1 s."""

import pathlib
import tempfile

import judges
import vtp_judge


def main():
    judges.need_data()
    vtp_judge.need_vtk()
    judges.node_folder()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run = judges.sintel(folder)
        assert len(run.frames) == 7 and len(run.offset) > 500, (list(run.frames), len(run.offset))
        vtp_judge.judge_pvd(run, folder)
        judges.judge_usda(run, "sintel", ["hair"], folder)


main()
