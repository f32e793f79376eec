"""The page in a real browser: playing, scrubbing, picking, colours, comparison, runs in progress, live runs, errors."""

import contextlib
import pathlib
import shutil
import subprocess
import tempfile
import time

import viewer_tools as tools

CURLS = """
[run]
name = "curls"
frames = 20
fps = 30
substeps = 2

[[strands]]
name = "hair"
source = { generator = "curly", count = 300, vertices = 20, length = "25 cm" }
material = { preset = "human-hair" }
"""
MOTION = 'motion = { sine = ["5 cm", 0, 0], frequency = "2 Hz" }\n'

# Straight rods side by side, 10 cm apart, so that a place on the screen belongs to one of them.
RODS = """
[run]
name = "rods"
frames = 4
fps = 30

[[strands]]
name = "rods"
source = { points = [%s] }
material = { radius = "3 mm", young = "50 MPa", poisson = 0.4, density = "1.1 g/cm3" }

[[probes]]
name = "grip"
kind = "clamp"
strands = "rods"
strand = 0
"""


def rods():
    def rod(k):
        return [[0.1 * k, -0.04 * i, 0.0] for i in range(11)]

    return RODS % ", ".join(str(rod(k)) for k in range(5))


def scene(folder, name, text):
    path = folder / f"{name}.toml"
    path.write_text(text)
    return path


def wait_for_frames(folder, count):
    for _ in range(400):
        if len(list(folder.glob("frame_*.tendril"))) >= count:
            return
        time.sleep(0.05)
    raise AssertionError("the run in progress writes no frames")


def main():
    tools.need_tools()
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        curls = scene(folder, "curls", CURLS + MOTION)
        run = folder / "curls"
        tools.simulate(curls, run)
        slower = ["--set", "run.fps=12", "--set", "run.frames=5", "--set", "run.gravity=[0, -2, 0]"]
        tools.simulate(curls, folder / "slow", *slower)
        tools.simulate(scene(folder, "rods", rods()), folder / "rods")

        no_rest = shutil.copytree(run, folder / "no-rest")
        (no_rest / "rest.tendril").unlink()
        damaged = shutil.copytree(run, folder / "damaged")
        frame = damaged / "frame_0005.tendril"
        frame.write_bytes(frame.read_bytes()[:3000])

        def serve(*arguments):
            return stack.enter_context(tools.serving(*arguments))

        damaged_address, damaged_server = serve(damaged)
        tools.drive(
            "drive.mjs",
            parts=["oneRun", "picking", "comparing", "withoutRest", "failing"],
            frames=21,
            curls=serve(run)[0],
            rods=serve(folder / "rods")[0],
            compare=serve(run, folder / "slow")[0],
            noRest=serve(no_rest)[0],
            damaged=damaged_address,
            damagedServer=damaged_server.pid,
        )

        # Apart, because they keep the processor busy.
        with tools.serving("--live", scene(folder, "live", CURLS)) as (address, _):
            tools.drive("drive.mjs", parts=["live"], live=address)
        growing = folder / "growing"
        long = ["--set", "run.frames=100000", "--set", "run.substeps=40", "--threads", "1"]
        simulation = subprocess.Popen([tools.PROGRAM, "run", curls, "--out", growing, "-q", *long])
        stack.callback(simulation.wait)
        stack.callback(simulation.kill)
        wait_for_frames(growing, 2)

        tools.drive("drive.mjs", parts=["inProgress"], growing=serve(growing)[0])


main()
