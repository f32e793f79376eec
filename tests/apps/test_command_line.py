"""The command line: exit codes, one-line complaints, --help and --version, and what the commands write to disk."""

import json
import os
import pathlib
import struct
import subprocess
import tempfile

PROGRAM = pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril")

SCENE = """
[run]
name = "curls"
frames = 3
fps = 60
substeps = 2

[[strands]]
name = "hair"
source = { generator = "curly", count = 3, vertices = 8 }
"""


def tendril(*arguments, **environment):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, env={**os.environ, **environment})


def succeed(*arguments):
    done = tendril(*arguments)
    assert done.returncode == 0, done
    return done


def one_line_complaint(done, code, *words):
    assert done.returncode == code and done.stderr.count("\n") == 1 and not done.stdout, done
    assert all(word in done.stderr for word in words), done


def has_keys(table, *keys):
    assert not set(keys) - set(table), (sorted(set(keys) - set(table)), sorted(table))


def top_level():
    version = tendril("--version")
    assert version.returncode == 0 and version.stdout.startswith("tendril ") and "instruction set" in version.stdout, version

    for arguments in (["--help"], []):
        help_text = tendril(*arguments)
        assert help_text.returncode == 0 and "Example:" in help_text.stdout and not help_text.stderr, help_text

    for arguments in (["--no-such-option"], ["no-such-command"]):
        one_line_complaint(tendril(*arguments), 2, arguments[0])

    wrong_set = tendril("--version", TENDRIL_ISA="mmx")
    assert wrong_set.returncode == 2 and "mmx" in wrong_set.stderr and wrong_set.stderr.count("\n") == 1, wrong_set
    assert "instruction set v2" in tendril("--version", TENDRIL_ISA="v2").stdout


def frames_in(cache):
    """Number, time in sixtieths of a second, strands and vertices of each frame, by the layout of io/frame_file.hpp."""
    frames = []
    for path in sorted(cache.glob("frame_*")):
        data = path.read_bytes()
        magic, version, order, number, _, time, strands, vertices = struct.unpack_from("<8sIIiIdII", data)
        assert (magic, version, order) == (b"TENDRIL\0", 1, 0x01020304), path
        assert path.name == f"frame_{number:04}.tendril" and len(data) > 7 * 4 * vertices, path
        frames.append((number, round(60 * time, 9), strands, vertices))
    return frames


def run_writes_frames_and_a_report(folder):
    scene, cache, report_file = folder / "scene.toml", folder / "cache", folder / "report.json"
    scene.write_text(SCENE)

    done = succeed("run", scene, "--out", cache, "--threads", "1", "--report", report_file)
    assert [number for number, *_ in frames_in(cache)] == [1, 2, 3, 4], frames_in(cache)
    report = json.loads(report_file.read_text())
    has_keys(
        report, "command", "name", "version", "commit", "compiler", "isa", "lanes", "threads", "strands", "vertices", "dt",
        "steps", "usable_steps", "retries", "clamped_pivots", "newton_iterations_max", "force_residual_max",
        "stretch_max", "seconds", "seconds_per_frame", "stage_seconds", "io_wait_seconds", "energy", "repairs", "retries", "error_max", "penetration_max",
        "seconds_first_frame", "ns_per_vertex_step", "bytes_per_vertex", "hash", "outcome", "frames",
    )
    for frame in report["frame_records"]:
        has_keys(
            frame, "frame", "time", "energy_kinetic", "energy_stretch", "energy_bend", "energy_twist", "energy_external",
            "energy_total", "force_residual", "stretch", "usable",
        )
    counts = {"name": "curls", "strands": 3, "vertices": 24, "steps": 6, "threads": 1, "outcome": "finished"}
    assert counts.items() <= report.items(), report
    assert [frame["frame"] for frame in report["frame_records"]] == [1, 2, 3, 4], report
    assert report["hash"] in done.stdout and f"4 frames in {cache}" in done.stdout, done

    # A cache is replaced only with --force, and then no frame of the old one is left.
    before = frames_in(cache)
    one_line_complaint(tendril("run", scene, "--out", cache, "--quiet"), 1, str(cache), "--force")
    assert frames_in(cache) == before
    done = succeed(
        "run", scene, "--out", cache, "--force", "--frames", "3:4", "--report", report_file,
        "--set", "run.frames=5", "--set", "strands.0.source.count=5", "--set", 'run.name="more"',
    )
    assert frames_in(cache) == [(3, 2, 5, 40), (4, 3, 5, 40)], frames_in(cache)
    index, report = json.loads((cache / "cache.json").read_text()), json.loads(report_file.read_text())
    expected = {"name": "more", "first_frame": 3, "last_frame": 4, "frames": 2, "sets": [{"name": "hair", "strands": 5}]}
    assert expected.items() <= index.items(), index
    # The report has what was simulated, and that ends with the last frame asked for; only two of them were written.
    assert {"name": "more", "strands": 5, "vertices": 40, "steps": 6}.items() <= report.items(), report
    assert [frame["frame"] for frame in report["frame_records"]] == [1, 2, 3, 4], report
    assert f"2 frames in {cache}" in done.stdout, done

    quiet = succeed("run", scene, "--out", cache, "--force", "--quiet")
    assert not quiet.stdout and not quiet.stderr, quiet


def run_refuses_what_it_does_not_understand(folder):
    scene, cache = folder / "scene.toml", folder / "refused"
    scene.write_text(SCENE)
    for wrong, words in {
        ("--frames", "4:3"): ("--frames", "4:3"),
        ("--frames", "0:3"): ("--frames", "0:3"),
        ("--set", "run.fames=3"): ("fames", "frames"),
        ("--set", "run.frames=many"): ("run.frames",),
    }.items():
        refused = tendril("run", scene, "--out", cache, *wrong)
        assert refused.returncode in (1, 2), refused
        one_line_complaint(refused, refused.returncode, *words)
    one_line_complaint(tendril("run", folder / "no-scene.toml", "--out", cache), 1, "no-scene.toml")
    assert not cache.exists()


def validate_writes_a_report(folder):
    report_file = folder / "validation.json"
    done = succeed("validate", "--case", "B3-euler", "--report", report_file)
    report = json.loads(report_file.read_text())
    has_keys(report, "model", "cases", "passed", "failed")
    assert report["model"] == "der" and report["cases"] and report["failed"] == 0, report
    assert report["passed"] == len(report["cases"]) == done.stdout.count("B3-euler"), (report, done)
    for case in report["cases"]:
        has_keys(
            case, "case", "quantity", "unit", "exact", "ours", "error", "error_relative", "order", "expected_order",
            "tolerance", "pass", "refinements",
        )
        assert case["case"] == "B3-euler" and case["pass"] is True, case
        assert case["error_relative"] <= case["tolerance"], case
        for refinement in case["refinements"]:
            has_keys(refinement, "n", "value", "error")
    one_line_complaint(tendril("validate", "--case", "B99"), 2, "B99")


def bench_writes_a_report(folder):
    """Which numbers there are, never how large they are: the machine may be busy."""
    report_file = folder / "bench.json"
    done = succeed("bench", "der", "--quick", "--strands", "32", "--vertices", "20", "--rounds", "5", "--report", report_file)
    report = json.loads(report_file.read_text())
    has_keys(
        report, "benchmark", "version", "commit", "compiler", "isa", "machine_load", "strands", "vertices_per_strand",
        "lanes", "rounds", "ns_per_vertex_step", "ns_per_vertex_step_spread", "hash", "anisotropic_factor", "bars",
    )
    assert {"benchmark": "der", "strands": 32, "vertices_per_strand": 20, "rounds": 5}.items() <= report.items(), report
    assert report["lanes"] >= 1 and f"instruction set {report['isa']})" in tendril("--version").stdout, report
    assert not {"sizes", "speedup_two_threads"} & set(report), report  # not in the quick benchmark
    bars = {bar["name"]: bar for bar in report["bars"]}
    assert len(bars) == len(report["bars"]), report
    for name, bar in bars.items():
        assert set(bar) == {"name", "value", "bound", "holds"} and name in done.stdout, bar
        assert bar["value"] == report[name] and isinstance(bar["holds"], bool), bar
        assert bar["holds"] == (bar["value"] <= bar["bound"]), bar  # all bars of the quick benchmark are upper bounds
    assert "anisotropic_factor" in bars, report
    if "lapack" not in report:
        assert "LAPACK" in done.stdout and "not installed" in done.stdout, done
        return print("no LAPACK here: the ratio to it was not tested")
    has_keys(
        report, "lapack_ns_per_vertex", "lapack_ns_per_vertex_spread", "ratio_to_lapack", "ratio_to_lapack_spread"
    )
    assert "ratio_to_lapack" in bars, report


def main():
    top_level()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run_refuses_what_it_does_not_understand(folder)
        validate_writes_a_report(folder)
        bench_writes_a_report(folder)
        run_writes_frames_and_a_report(folder)


main()
