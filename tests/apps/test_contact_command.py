"""tendril contact: what it prints, writes and reports."""

import json
import os
import pathlib
import subprocess
import tempfile

PROGRAM = pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril")
DATA = pathlib.Path(os.environ["TENDRIL_SOURCE"], "tests", "data", "coulomb-contact_onestep.json")


def tendril(*arguments, code=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done
    return done


def check_solves(folder, problem, entry):
    report, out = folder / "report.json", folder / "solution.json"
    for solver in ("auto", "gs", "apgd"):
        done = tendril(
            "contact", problem, "--solver", solver, "--tolerance", "1e-7", "--max-sweeps", "20000", "--report", report, "--out", out
        )
        assert "contacts" in done.stdout and "converged" in done.stdout and "slide" in done.stdout, done.stdout
        numbers, solution = json.loads(report.read_text()), json.loads(out.read_text())
        assert numbers["status"] == "converged" and numbers["error"] <= 1e-7, numbers
        assert numbers["contacts"] == len(entry["u"]) == len(solution["r"]), numbers
        assert numbers["take_off"] + numbers["stick"] + numbers["slide"] == numbers["contacts"], numbers
        worst = max(abs(a - b) for x, y in zip(solution["u"], entry["u"]) for a, b in zip(x, y))
        assert worst < 1e-4, (solver, worst)
    tendril("contact", problem, "--solver", "gs", "--local", "pac", "--no-fail-safe", "-q")


def check_formats(folder, problem):
    """What is written as .h5 is solved like what it was written from, and the solved file is a problem again."""
    by_w, solved, report = folder / "problem.h5", folder / "solved.hdf5", folder / "report.json"
    assert tendril("contact", problem, "--write", by_w).stdout == ""
    tendril("contact", by_w, "--tolerance", "1e-7", "--out", solved, "--report", report)
    numbers = json.loads(report.read_text())
    assert (numbers["blocks"], numbers["unknowns"]) == (0, 0) and numbers["contacts"] == 10, numbers
    tendril("contact", solved, "--out", folder / "solution.json", "-q")
    assert len(json.loads((folder / "solution.json").read_text())["r"]) == 10
    copy = folder / "copy.json"
    tendril("contact", problem, "--write", copy)
    tendril("contact", copy, "-q")
    for arguments, words in (
        ((by_w, "--write", copy), "the problem is given by W"),
        ((problem, "--write", folder / "problem.txt"), "'.txt' is not a format of contact problems"),
        ((folder / "problem.txt",), "'.txt' is not a format of contact problems"),
        ((folder / "missing.h5",), "missing.h5"),
    ):
        done = tendril("contact", *arguments, code=1)
        assert words in done.stderr and done.stderr.count("\n") == 1, done
    by_w.write_bytes(by_w.read_bytes()[:3000])
    done = tendril("contact", by_w, code=1)
    assert "problem.h5: " in done.stderr and done.stderr.count("\n") == 1, done


SCENE = """
[run]
frames = 2
substeps = 2
gravity = [2, -9.81, 0]
[[strands]]
source = { generator = "horizontal", vertices = 5, length = "10 cm", origin = [0, "2 mm", 0] }
material = { preset = "cotton-rope", radius = "2 mm" }
clamp = "free"
[contact]
friction = 0.3
[[colliders]]
name = "ground"
shape = { plane = true }
"""


def check_problems_of_runs(folder):
    """What a run has written down is a problem, in both formats the same."""
    scene = folder / "scene.toml"
    scene.write_text(SCENE)
    found = {}
    for form in ("json", "h5"):
        problems = folder / form
        tendril("run", scene, "--out", folder / f"run-{form}", "--dump-problems", problems, "--dump-format", form, "-q")
        assert sorted(path.name for path in problems.iterdir()) == [
            f"problem_{frame:04}_{substep}.{form}" for frame in (2, 3) for substep in (1, 2)
        ]
        out = folder / "solution.json"
        tendril("contact", problems / f"problem_0003_1.{form}", "--tolerance", "1e-8", "--out", out, "-q")
        found[form] = json.loads(out.read_text())["u"]
    assert len(found["json"]) == 5, found
    assert all(abs(a - b) < 1e-8 for x, y in zip(found["json"], found["h5"]) for a, b in zip(x, y)), found
    tendril("run", scene, "--out", folder / "other", "--dump-problems", folder, "--dump-format", "xml", code=2)


def check_collections(folder):
    """All problems with a line each, or one of them."""
    report = folder / "report.json"
    done = tendril("contact", DATA, "--report", report)
    numbers = json.loads(report.read_text())
    assert len(numbers) == 9 and all(one["status"] == "converged" for one in numbers), numbers
    assert len(done.stdout.splitlines()) == 9 and done.stdout.startswith("0: 1 contacts, converged by "), done.stdout
    done = tendril("contact", DATA, "--problem", "2", "--report", report)
    assert json.loads(report.read_text())["contacts"] == 10 and "  converged by " in done.stdout, done.stdout
    for arguments, words in (
        (("--out", folder / "s.json"), "holds 9 problems; choose one by --problem"),
        (("--problem", "9"), "holds 9 problems, counted from 0; 9 is not one of them"),
        (("--solver", "gs", "--max-sweeps", "1", "-q"), "of 9 problems are not solved to 0.001"),
    ):
        done = tendril("contact", DATA, *arguments, code=1)
        assert words in done.stderr and done.stderr.count("\n") == 1, done
    bad = folder / "bad.json"
    bad.write_text('{"problems": [{"M": [[1]], "f": [1], "mu": [], "w": [], "H": []}, {"data": {"M": [[1]]}}]}')
    done = tendril("contact", bad, code=1)
    assert "bad.json: problem 1: f: is missing" in done.stderr, done


def check_freezing(folder):
    """Contacts that hardly change sleep, unless they are kept awake."""
    report = folder / "report.json"
    solves = []
    for arguments in ((), ("--no-freezing",)):
        given = ("--problem", "8", "--solver", "gs", "--max-sweeps", "100", "--tolerance", "1e-5", "-q", "--report", report)
        tendril("contact", DATA, *given, *arguments, code=1)
        solves.append(json.loads(report.read_text())["local_solves"])
    assert solves[0] < solves[1], solves


def check_refusals(folder, problem):
    hard = tendril("contact", problem, "--solver", "gs", "--max-sweeps", "1", "--tolerance", "1e-12", "-q", code=1)
    assert "not solved to 1e-12" in hard.stderr and hard.stderr.count("\n") == 1, hard
    tendril("contact", problem, "--no-fail-safe", code=2)
    tendril("contact", problem, "--write", folder / "p.h5", "--out", folder / "s.json", code=2)
    for text, words in (
        ("[]", "is not a JSON object"),
        ("{", "is not a JSON object"),
        ("{}", "f: is missing"),
        ('{"M": [[1, 2], [3]], "f": [1, 2]}', "row 1 must have 2 numbers"),
        ('{"M": [[1]], "f": [1, 2], "mu": [], "w": [], "H": []}', "f: has 2 numbers"),
        ('{"M": [[1]], "f": [1], "mu": [0.3], "w": [0, 0], "H": []}', "w: has 2 numbers"),
        ('{"M": [[1]], "f": [1], "mu": [-1], "w": [0, 0, 0], "H": [[1], [1], [1]]}', "mu: of contact 0 is -1"),
        ('{"M": [["a"]], "f": [1], "mu": [], "w": [], "H": []}', "must hold numbers alone"),
        ('{"M": [[[1]]], "f": [[1]], "mu": [0], "w": [0, 0, 0], "oa": [4], "ob": [-1], "Ha": [[[1], [1], [1]]], "Hb": [[]]}', "oa: must name a block"),
    ):
        bad = folder / "bad.json"
        bad.write_text(text)
        done = tendril("contact", bad, code=1)
        assert words in done.stderr and done.stderr.count("\n") == 1, (text, done)


def main():
    entry = json.loads(DATA.read_text())["problems"][2]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        problem = folder / "problem.json"
        problem.write_text(json.dumps(entry["data"]))
        check_solves(folder, problem, entry)
        check_formats(folder, problem)
        check_problems_of_runs(folder)
        check_collections(folder)
        check_freezing(folder)
        check_refusals(folder, problem)


main()
