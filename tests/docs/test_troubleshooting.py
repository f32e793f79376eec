"""docs/troubleshooting.md quotes what the program says: its messages are provoked again and looked for on the page."""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

SOURCE = pathlib.Path(os.environ["TENDRIL_SOURCE"])
PROGRAM = pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril")
PAGE = " ".join((SOURCE / "docs" / "troubleshooting.md").read_text().split())

SCENE = """
[run]
name = "curls"
frames = 3
[[strands]]
name = "hair"
source = { generator = "curly", count = 3, vertices = 8 }
"""


def tendril(*arguments, **environment):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, env={**os.environ, **environment})


def is_quoted(text, place):
    assert " ".join(text.split()) in PAGE, f"docs/troubleshooting.md does not quote {text!r} ({place})"


def refused(*arguments, code=1, **environment):
    done = tendril(*arguments, **environment)
    assert done.returncode == code, done
    complaint = [line for line in done.stderr.splitlines() if line.startswith("tendril: ")]
    assert len(complaint) == 1, done
    is_quoted(complaint[0], arguments)
    return done


def set_to(*overrides):
    return [word for override in overrides for word in ("--set", override)]


def scenes():
    check = ["scene", "--check", "scene.toml"]
    refused(*check, *set_to('contact.friction={ "hair/haed" = 0.5 }'))
    refused(*check, *set_to('contact.solver="active-set"'))
    refused(*check, *set_to("output.shutter=0.3"))
    refused(*check, *set_to("strands.0.source={points=[[0,0,0],[0,1,0],[0,0,0]]}"))
    refused("scene", "--check", SOURCE / "examples/shaken-head/scene.toml", *set_to("run.frames=60"))
    if "set avx2" in tendril("--version").stdout:
        refused("info", "scene.toml", code=2, TENDRIL_ISA="mmx")
    refused("runn", code=2)
    noted = tendril(*check, *set_to('probes=[{name="clamp",kind="clamp"}]'))
    is_quoted(noted.stdout.splitlines()[0], "a probe of forces")


def runs():
    run = ["run", "scene.toml", "--out", "out/a", "-q"]
    assert tendril(*run).returncode == 0
    refused(*run, "--resume", *set_to("run.seed=5"))
    refused(*run, "--resume", "--start-frame", "1001")
    if "set avx2" in tendril("--version").stdout:
        refused(*run, "--resume", TENDRIL_ISA="v2")

    fast = 'strands.0.motion={move=["100 m/s",0,0],ramp=0}'
    stopped = ["run", "scene.toml", "--out", "out/stopped", "-q"]
    refused(*stopped, *set_to('run.newton="converge"', 'run.on_tolerance="stop"', fast))
    wild = tendril(*stopped, "--force", *set_to("run.gravity=[0,-1e300,0]"))
    assert wild.returncode == 1, wild
    is_quoted(re.search(r"strand 0(?:, vertex \d+)?: (.*); more substeps", wild.stderr)[1], wild)
    pulled = tendril(
        "run", "scene.toml", "--out", "out/pulled", *set_to("strands.0.source={points=[[0,0,0],[0.1,0,0],[0.2,0,0]]}"),
        *set_to('strands.0.name="rope"', 'strands.0.model="chain"', 'strands.0.clamp={root="point",tip="point"}'),
        *set_to('strands.0.tip_motion={move=["10 cm/s",0,0],ramp=0}'),
    )
    is_quoted(re.search(r"rope, strand 0, first at .*", pulled.stdout)[0], pulled)
    loose = [
        "run", "scene.toml", "--out", "out/static", "-q", *set_to('run.mode="static"', 'strands.0.clamp="free"'),
        *set_to('strands.0.source={generator="horizontal",vertices=20,length="10 cm"}', "run.frames=1"),
    ]
    refused(*loose)

    # A colour that was not written.
    assert tendril("run", "scene.toml", "--out", "out/bare", "-q", *set_to("output.channels=[]")).returncode == 0
    refused("render", "out/bare", "--color", "strain", "--out", "a.png")


def two_runs_at_once():
    first = subprocess.Popen(
        [PROGRAM, "run", "scene.toml", "--out", "out/a", "--force", "-q", *set_to("run.frames=1000000")], stderr=subprocess.PIPE
    )
    try:
        log = pathlib.Path("out/a/run.log")
        before = log.read_text()
        for _ in range(600):  # until it has begun
            if log.read_text() != before:
                break
            time.sleep(0.05)
        refused("run", "scene.toml", "--out", "out/a", "--resume", "-q")
    finally:
        first.send_signal(signal.SIGINT)
        message = first.communicate(timeout=60)[1].decode()
    assert first.returncode == 130 and "interrupted at " in message, message
    is_quoted("interrupted at ", "SIGINT")


def files():
    strands = "".join(f"v {s} {-2.5 * i} {0.1 * i * i}\n" for s in range(4) for i in range(10))
    lines = "".join(f"l {10 * s + i + 1} {10 * s + i + 2}\n" for s in range(4) for i in range(9))
    pathlib.Path("cm.obj").write_text(strands + lines)
    for note in tendril("convert", "cm.obj", "cm.ply").stdout.splitlines()[:2]:
        is_quoted(note, "cm.obj")
    pathlib.Path("rep.obj").write_text("v 0 0 0\nv 0 1 0\nl 1 1\n")
    refused("convert", "rep.obj", "rep.ply")
    for frame in (1, 2):
        pathlib.Path(f"head_000{frame}.obj").write_text("v 0 0 9\nv 1 0 9\nv 0 1 9\nf 1 2 3\n")
    noted = tendril("scene", "--check", "scene.toml", *set_to('strands.0.motion={mesh="head_####.obj"}'))
    assert noted.returncode == 0, noted
    is_quoted(re.search(r" mm off the mesh .*", noted.stdout)[0], noted)
    pathlib.Path("x.hair").write_text("hello")
    refused("info", "x.hair")
    pathlib.Path("s.toml").write_text(SCENE)
    refused("convert", "s.toml", "a.ply")

    many = ["run", "scene.toml", "--out", "out/many", "-q", "--frames", "1", *set_to("strands.0.source.count=500")]
    assert tendril(*many).returncode == 0
    assert tendril("convert", "out/many", "whole.hair", "--frames", "1").returncode == 0
    pathlib.Path("cut.hair").write_bytes(pathlib.Path("whole.hair").read_bytes()[:1000])
    refused("info", "cut.hair")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("scene.toml").write_text(SCENE)
        scenes()
        runs()
        two_runs_at_once()
        files()
        os.chdir("/")


main()
