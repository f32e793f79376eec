"""Every real groom, whole, for one second on two threads; the judges of .usda and .vtp read what comes out."""

import pathlib
import os
import tempfile

import judges
import vtp_judge

# Two frames per second with the time step of 60 frames and 4 steps each: the files of three frames can be read at once.
SCENE = """
[run]
name = "{name}"
threads = 2
duration = "1 s"
fps = 2
substeps = 120

[[strands]]
name = "hair"
source = {{ file = "{file}", scale = {scale}, up = "Y" }}
motion = {{ sine = ["2 cm", 0, 0], frequency = "2 Hz" }}
"""


def main():
    judges.need_data()
    vtp_judge.need_vtk()
    judges.node_folder()
    grooms = pathlib.Path(os.environ["TENDRIL_DATA"], "grooms")
    files = sorted(f for kind in ("hair", "tfx", "data") for f in grooms.glob(f"*/*.{kind}"))
    assert len(files) >= 7, files
    for file in files:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            scale = 0.003 if "ponytail" in file.parent.name else 1
            run = judges.Run(SCENE.format(name="groom", file=file, scale=scale), folder)
            assert list(run.frames) == [1, 2, 3] and len(run.offset) > 400, (file, list(run.frames), len(run.offset))
            vtp_judge.judge_pvd(run, folder)
            judges.judge_usda(run, "groom", ["hair"], folder)
            print(f"{file.name}: {len(run.offset) - 1} strands, {run.offset[-1]} vertices")


main()
