"""kill -9 in the middle of runs: nothing torn, nothing lost, and every resumed run ends with the bits of an unbroken one.

20 kills; TENDRIL_KILLS sets another number."""

import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

PROGRAM = pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril")
KILLS = int(os.environ.get("TENDRIL_KILLS", "20"))

SCENE = """
[run]
frames = 60
substeps = 2
integrator = "bdf2"
[[strands]]
source = { generator = "curly", count = 40, vertices = 30 }
motion = { sine = [0.02, 0, 0], frequency = "3 Hz" }
[[strands]]
name = "still"
source = { generator = "curly", count = 30, vertices = 20 }
guides = "every 3"
[[probes]]
name = "clamp"
kind = "clamp"
strands = "still"
[output]
checkpoint = "0.02 s"
shutter = 0.5
"""


def command(scene, out, *more):
    return [PROGRAM, "run", scene, "--out", out, "-q", *more]


def report_of(out):
    return json.loads((out / "report.json").read_text())


def frames_in(out):
    """With the shutter poses."""
    return {path.name: path.read_bytes() for path in out.glob("*.tendril")}


def kill_once(scene, out, threads, delay, *more):
    """Starts the run, kills it after a while, and tells whether it was still alive then."""
    process = subprocess.Popen(command(scene, out, "--threads", threads, *more))
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL


def main():
    chance = random.Random(11)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        scene = folder / "swing.toml"
        scene.write_text(SCENE)
        begin = time.monotonic()
        subprocess.run(command(scene, folder / "whole"), check=True)
        duration = time.monotonic() - begin
        whole, frames = report_of(folder / "whole"), frames_in(folder / "whole")
        killed = 0
        while killed < KILLS:
            out = folder / "broken"
            subprocess.run(["rm", "-rf", out], check=True)
            alive = kill_once(scene, out, chance.choice("12"), chance.uniform(0.0, duration))
            for _ in range(chance.choice((0, 0, 1))):  # sometimes twice
                alive = kill_once(scene, out, chance.choice("12"), chance.uniform(0.0, duration), "--resume") or alive
            killed += alive
            before = frames_in(out)
            for file, data in before.items():
                assert data == frames[file], f"{file} is torn"
            subprocess.run(command(scene, out, "--resume", "--threads", chance.choice("12")), check=True)
            resumed = report_of(out)
            assert resumed["hash"] == whole["hash"] and resumed["frames"] == whole["frames"], (resumed, whole)
            assert frames_in(out) == frames
            assert (out / "probes/clamp.csv").read_bytes() == (folder / "whole/probes/clamp.csv").read_bytes()
            assert not list(out.rglob("*.part")), list(out.rglob("*.part"))


if __name__ == "__main__":
    main()
