"""tendril sagfree: what it prints, writes and reports; prepared grooms in scenes, pictures and conversions."""

import json
import os
import pathlib
import subprocess
import tempfile

PROGRAM = pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril")

CURLS = """
[run]
frames = 1
[[strands]]
name = "hair"
source = { generator = "curly", count = 12, vertices = 16 }
"""


def tendril(*arguments, code=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done
    return done


def check_prepare(folder, groom):
    out, report = folder / "curls.h5", folder / "curls.json"
    done = tendril("sagfree", groom, "--scale", "1", "--up", "Y", "--out", out, "--check", "--report", report)
    for words in ("12 strands", "balanced", "imbalance", "stiffness", "drift", 'prepared = "curls.h5"'):
        assert words in done.stdout, (words, done.stdout)
    numbers = json.loads(report.read_text())
    assert numbers["strands"] == numbers["converged"] == 12 and numbers["failed"] == numbers["unstable"] == 0, numbers
    assert numbers["imbalance_max"] < 1e-9 and numbers["imbalance_median"] < 1e-12, numbers
    assert numbers["drift_max_relative"] < 1e-6, numbers
    assert numbers["stiffness_factor_median"] >= 0.99 and numbers["stiffness_factor_max"] >= 1.0, numbers
    assert numbers["seconds"] > 0 and numbers["newton_mean"] == numbers["qp_iterations_mean"] == 0, numbers
    return out


def check_uses(folder, prepared):
    scene = folder / "scene.toml"
    scene.write_text("[run]\nframes = 20\n[[strands]]\nname = 'hair'\nsource = { prepared = 'curls.h5' }\n")
    report = folder / "run.json"
    tendril("run", scene, "--out", folder / "run", "--report", report, "-q")
    numbers = json.loads(report.read_text())
    assert numbers["sag_free"][0]["set"] == "hair" and numbers["sag_free"][0]["converged"] == 12, numbers["sag_free"]
    assert max(numbers["energy"]["kinetic"]) < 1e-18, numbers["energy"]
    picture = folder / "mu.png"
    tendril("render", prepared, "--color", "stiffness-factor", "--size", "64x48", "--samples", "1", "--out", picture, "-q")
    tendril("render", folder / "run", "--frame", "1", "--color", "mu", "--size", "64x48", "--samples", "1", "--out", picture, "-q")
    assert picture.stat().st_size > 100
    tendril("convert", prepared, folder / "again.ply", "-q")
    assert "strands           12\n" in tendril("info", prepared).stdout


def check_general(folder, groom):
    report = folder / "general.json"

    def numbers(*arguments):
        tendril("sagfree", groom, *arguments, "--report", report, "-q")
        return json.loads(report.read_text())

    swept = numbers("--mu", "3", "--bound", "box")
    assert swept["stiffness_factor_max"] > 1.5, swept
    for way in ([], ["--growth"], ["--matrix", "sparse"], ["--start", "sweep"]):
        full = numbers("--mode", "full", "--mu", "3", *way)
        assert full["converged"] == 12 and full["newton_mean"] > 0 and full["qp_iterations_mean"] > 0, (way, full)
        assert abs(full["stiffness_factor_max"] - swept["stiffness_factor_max"]) < 1e-6, (way, full, swept)
    assert numbers("--mode", "full", "--mu", "3", "--curvature-variables", "four")["converged"] == 12
    assert numbers("--mode", "full", "--mu", "0.1", "--max-iterations", "3")["newton_mean"] == 3
    own = numbers("--mu", "0.1")
    shared = numbers("--mu", "0.1", "--share", "group")
    assert shared["stiffness_factor_median"] == shared["stiffness_factor_max"], shared
    assert abs(shared["stiffness_factor_max"] - own["stiffness_factor_max"]) < 1e-6, (shared, own)
    assert numbers("--mu", "0.1", "--smooth", "5")["converged"] == 12
    shown = tendril("sagfree", groom, "--mode", "full", "--mu", "3").stderr
    assert "strand" in shown and "12/12" in shown, shown


def check_refusals(folder, groom, prepared):
    for words, arguments, code in (
        ("exists already", ["--out", prepared], 1),
        ("is an .h5 file", ["--out", folder / "curls.hair"], 2),
        ("there is no 'human-hare' (did you mean 'human-hair'?)", ["--material", "human-hare"], 2),
        ("must be auto, or a number", ["--mu", "much"], 2),
        ("has nothing to smooth", ["--share", "strand", "--smooth", "1"], 2),
    ):
        done = tendril("sagfree", groom, *arguments, code=code)
        assert words in done.stderr and done.stderr.count("\n") == 1, done
    strict = tendril("sagfree", groom, "--mu", "1e-3", "--max-stiffness", "1.01", "--strict", "-q", code=3)
    assert "out of balance" in strict.stderr, strict
    tendril("sagfree", groom, "--mu", "1e-3", "--max-stiffness", "1.01", "-q")
    naive = folder / "naive.json"
    tendril("sagfree", groom, "--mode", "naive", "--report", naive, "-q")
    numbers = json.loads(naive.read_text())
    assert numbers["failed"] == 12 and len(numbers["problems"]) == 12, numbers


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "curls.toml").write_text(CURLS)
        tendril("run", folder / "curls.toml", "--out", folder / "curls", "-q")
        groom = folder / "curls.hair"
        tendril("convert", folder / "curls", groom, "--frames", "1", "-q")
        prepared = check_prepare(folder, groom)
        check_uses(folder, prepared)
        check_general(folder, groom)
        check_refusals(folder, groom, prepared)


main()
