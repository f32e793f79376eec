"""Blender, without its window, as a judge of .obj lines that a .pc2 moves."""

import json
import shutil
import subprocess

import judges
import numpy as np


def need_blender():
    if not shutil.which("blender"):
        judges.skip("Blender is not installed (Debian package blender)")


def judge_pc2(run, folder):
    lines, cache, out = folder / "lines.obj", folder / "points.pc2", folder / "blender.json"
    judges.tendril("convert", run.cache, lines, "--frames", "1", "--quiet")
    judges.tendril("convert", run.cache, cache, "--quiet")
    numbers = list(run.frames)
    asked = [numbers[0], numbers[len(numbers) // 2], numbers[-1]]
    assert len(set(asked)) == 3 and (run.frames[asked[0]]["position"] != run.frames[asked[2]]["position"]).any()
    done = subprocess.run(
        ["blender", "--background", "--factory-startup", "--python-exit-code", "1", "--python",
         judges.HERE / "play_pc2.py", "--", lines, cache, str(numbers[0]), *map(str, asked), out],
        capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout[-2000:], done.stderr[-2000:])
    found = json.loads(out.read_text())

    inner = np.setdiff1d(np.arange(run.offset[-1]), run.offset[1:] - 1)  # all but the tips
    edges = sorted(tuple(sorted(edge)) for edge in found["edges"])
    assert edges == [(int(v), int(v) + 1) for v in inner], edges[:10]
    for number in asked:
        points, frame = run.frames[number]["position"], found["frames"][str(number)]
        judges.equal(frame["local"], points, f"frame {number}")
        world = np.stack([points[:, 0], -points[:, 2], points[:, 1]], 1)
        difference = np.abs(np.array(frame["world"]) - world).max()
        assert difference < 1e-6 * np.abs(points).max(), (number, difference)  # a turn by 90 degrees, rounded
