"""docs/commands has a page for every command: its help as the program prints it, its examples with options that exist, and
every key of its --report."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile

SOURCE = pathlib.Path(os.environ["TENDRIL_SOURCE"])
PROGRAM = pathlib.Path(os.environ["TENDRIL_BUILD"], "tendril")
PAGES = SOURCE / "docs" / "commands"

SCENE = """
[run]
name = "curls"
frames = 1
substeps = 1

[[strands]]
name = "hair"
source = { generator = "curly", count = 3, vertices = 8 }
"""

# Keys of reports that need what a quick test has not: ffmpeg, LAPACK, grooms, or minutes.
NOT_MADE_HERE = {
    "render": {"movie"},
    "bench": {
        "lapack", "lapack_ns_per_vertex", "lapack_ns_per_vertex_spread", "ratio_to_lapack", "ratio_to_lapack_spread",
        "speedup_two_threads", "speedup_two_threads_of_medians", "sizes", "size_factor", "bytes_per_vertex", "sintel", "ponytail",
        "batch", "batch_easy", "batch_hard", "single", "long_strands", "shaken", "head", "detection", "shaken_head",
    },
    "info": {"triangles", "tetrahedra", "points"},
}


def help_of(*words):
    return subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=True).stdout


def subcommands(help_text):
    listed = re.search(r"^Subcommands:\n((?:  .*\n)+)", help_text, re.M)
    return re.findall(r"^  (\S+)", listed[1], re.M) if listed else []


def check_help(command, page):
    for words in [[command], *([command, sub] for sub in subcommands(help_of(command)))]:
        assert f"```text\n{help_of(*words)}```" in page, f"put the output of `tendril {' '.join(words)} --help` into the page"


def examples(page):
    """Lines that begin with `tendril `, outside of the blocks with the help."""
    return re.findall(r"^ *(tendril [a-z].*)$", re.sub(r"^```text\n.*?^```$", "", page, flags=re.M | re.S), re.M)


def check_examples(name, page, commands):
    found = examples(page)
    assert len([line for line in found if line.startswith(f"tendril {name}")]) >= 1, f"{name} has no example"
    for line in found:
        words = shlex.split(line, comments=True)[1:]
        assert words[0] in commands, line
        path = [words[0]]
        if len(words) > 1 and words[1] in subcommands(help_of(words[0])):
            path.append(words[1])
        known = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", help_of(*path)))
        for word in words:
            # Negative numbers, as in --range -1:1, are values.
            if re.match(r"--?[a-z]", word):
                assert word.partition("=")[0] in known, f"{line}: tendril {' '.join(path)} has no {word}"
            elif word.startswith("examples/"):
                assert (SOURCE / word).exists(), f"{line}: there is no {word}"


def reports(folder):
    """Small reports of every command, with all keys that can be made quickly."""
    run, scene, number = folder / "run", folder / "scene.toml", 0
    scene.write_text(SCENE)

    def report(*arguments, code=0):
        nonlocal number
        number += 1
        file = folder / f"{number}.json"
        done = subprocess.run([PROGRAM, *arguments, "--report", file, "-q"], capture_output=True, text=True)
        assert done.returncode == code, done
        return arguments[0], json.loads(file.read_text())

    yield report("run", scene, "--out", run)
    yield report("run", SOURCE / "examples/cantilever/scene.toml", "--out", folder / "static")
    # Too much gravity for numbers of this kind: the run stops.
    yield report("run", scene, "--out", folder / "stopped", "--set", "run.gravity=[0,-1e300,0]", code=1)
    yield report("run", scene, "--out", folder / "kept", "--set", "strands.0.rest=sag-free")
    yield report("run", scene, "--out", folder / "touching", "--set", 'contact.law="coulomb"')
    yield report("sagfree", run / "frame_0001.tendril", "--check")
    yield report("scene", "--check", scene)
    yield report("presets")
    yield report("info", run)
    yield report("convert", run, folder / "hair.usda")
    yield report("render", run, "--out", folder / "a.png", "--size", "16x16", "--samples", "1", "--colour", "strain")
    yield report("plot", run, "--out", folder / "a.html")
    yield report("bench", "der", "--quick", "--strands", "8", "--vertices", "8", "--rounds", "5")
    yield report("bench", "sagfree", "--strands", "8", "--vertices", "8", "--rounds", "1")
    yield report("bench", "contact", "--quick", "--rounds", "1", "--only", "bundles")
    yield report("bench", "chain", "--quick", "--chains", "100", "--points", "8")
    yield report("validate", "--case", "B3-euler")
    yield report("reproduce", "sagfree/fig-2")
    problem = folder / "problem.json"
    problem.write_text(json.dumps({"M": [[1.0]], "f": [-1.0], "H": [[1.0], [0.0], [0.0]], "w": [0, 0, 0], "mu": [0.3]}))
    yield report("contact", problem)


def documented_keys(page):
    """The first column of the first table of the section Report."""
    section = re.search(r"^## Report\n(.*?)(?=^## |\Z)", page, re.M | re.S)
    if not section:
        return None
    table = re.search(r"(?:^\|.*\n)+", section[1], re.M)[0].splitlines()[2:]
    return {key for row in table for key in re.findall(r"`(\w+)`", row.split("|")[1])}


def check_reports(pages):
    made = {}
    with tempfile.TemporaryDirectory() as name:
        for command, report in reports(pathlib.Path(name)):
            for part in report if isinstance(report, list) else [report]:
                made.setdefault(command, set()).update(part)
    for command, keys in made.items():
        documented = documented_keys(pages[command])
        assert not keys - documented, f"docs/commands/{command}.md lacks the report keys {sorted(keys - documented)}"
        gone = documented - keys - NOT_MADE_HERE.get(command, set())
        assert not gone, f"docs/commands/{command}.md has report keys that are not written: {sorted(gone)}"


def main():
    commands = subcommands(help_of())
    assert len(commands) >= 9, commands
    missing = [command for command in commands if not (PAGES / f"{command}.md").exists()]
    assert not missing, f"docs/commands has no page for {missing}"
    pages = {path.stem: path.read_text() for path in sorted(PAGES.glob("*.md"))}
    assert not set(pages) - set(commands), f"pages of commands that do not exist: {sorted(set(pages) - set(commands))}"
    for command, page in pages.items():
        check_help(command, page)
        check_examples(command, page, commands)
    check_reports(pages)


main()
