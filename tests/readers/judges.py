"""What the tests of this folder share: files to be judged, the numbers that should be in them, and the judges of USD."""

import fcntl
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ["TENDRIL_BUILD"])

# Names that USD cannot have as they are, strands of different lengths and widths, a moving and a resting set.
SCENE = """
[run]
name = "two sets"
frames = 4
fps = 24
substeps = 2

[[strands]]
name = "curls"
source = { generator = "curly", count = 3, vertices = 8 }
material = { preset = "human-hair", radius = { root = "45 um", tip = "20 um" } }
motion = [{ sine = ["3 cm", 0, 0], frequency = "2 Hz" }]

[[strands]]
name = "2 threads"
source = { generator = "straight", count = 2, vertices = 5 }
"""

SINTEL = """
[run]
name = "sintel"
duration = "0.1 s"

[[strands]]
name = "hair"
source = {{ file = "{}", subsample = 20 }}
"""


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def tendril(*arguments):
    done = subprocess.run([BUILD / "tendril", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done
    return done


class Run:
    """A scene's run: its index and its frames by number, read by the layout of docs/cache.md."""

    def __init__(self, scene, folder):
        (folder / "scene.toml").write_text(scene)
        self.cache = folder / "cache"
        tendril("run", folder / "scene.toml", "--out", self.cache, "--quiet")
        self.index = json.loads((self.cache / "cache.json").read_text())
        numbers = range(self.index["first_frame"], self.index["last_frame"] + 1)
        self.frames = {n: read_frame(self.cache / (self.index["file_pattern"] % n)) for n in numbers}
        assert [frame["number"] for frame in self.frames.values()] == list(numbers)
        self.offset = self.frames[1]["offset"]

    def sets(self):
        """Name, strands and vertices of each set, the latter two as slices."""
        strand = 0
        for entry in self.index["sets"]:
            end = strand + entry["strands"]
            yield entry["name"], slice(strand, end), slice(self.offset[strand], self.offset[end])
            strand = end


def two_sets(folder):
    return Run(SCENE, folder)


def need_data():
    if "TENDRIL_DATA" not in os.environ:
        skip("TENDRIL_DATA is not set")


def sintel(folder):
    return Run(SINTEL.format(pathlib.Path(os.environ["TENDRIL_DATA"], "grooms/sintel/sintel.hair")), folder)


def read_frame(path):
    data = pathlib.Path(path).read_bytes()
    magic, version, order, number, flags, time, S, V, C, _ = struct.unpack_from("<8sIIiId4I", data)
    assert magic == b"TENDRIL\0" and version == 1 and order == 0x01020304
    frame = {"number": number, "time": time, "usable": bool(flags & 1)}
    for c in range(C):
        name, kind, width, per, own, start = struct.unpack_from("<24s4IQ", data, 48 + 48 * c)
        count = {1: S, 2: V, 3: V - S, 4: S + 1, 5: own}[per]
        values = np.frombuffer(data, {1: "<f4", 2: "<f8", 3: "<u4"}[kind], width * count, start)
        frame[name.rstrip(b"\0").decode()] = values.reshape(-1, width) if width > 1 else values
    return frame


# ---- USD: three.js and tinyusdz, in node ----

JUDGES = ("read_with_three.mjs", "read_with_tinyusdz.mjs")


def node_folder():
    """A copy of the scripts in the build folder, with the packages that they need."""
    for command in ("node", "npm"):
        if not shutil.which(command):
            skip(f"{command} is not installed")
    folder = BUILD / "tests" / "readers"
    folder.mkdir(parents=True, exist_ok=True)
    lock = open(folder / "lock", "w")  # other tests may be doing the same
    fcntl.flock(lock, fcntl.LOCK_EX)
    for script in HERE.glob("*.mjs"):
        shutil.copyfile(script, folder / script.name)
    wanted, module = (HERE / "package-lock.json").read_bytes(), folder / "node_modules/tinyusdz/tinyusdz.mjs"
    if not module.exists() or (folder / "package-lock.json").read_bytes() != wanted:
        module.unlink(missing_ok=True)
        shutil.copyfile(HERE / "package.json", folder / "package.json")
        (folder / "package-lock.json").write_bytes(wanted)
        command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if any(word in done.stderr for word in ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ENETUNREACH", "ETIMEDOUT")):
            skip("the packages three and tinyusdz are not installed, and npm cannot reach its registry")
        assert done.returncode == 0, done.stderr
        shutil.copyfile(module.with_suffix(".js"), module)  # the last step: its file says that all is there
    return folder


def ask(judge, *files):
    return subprocess.run(["node", node_folder() / judge, *files], capture_output=True, text=True)


def read_usda(judge, *files):
    """What a judge reads in each of the files."""
    for file in files:
        text = pathlib.Path(file).read_text()
        assert all(text.count(a) == text.count(b) for a, b in ("{}", "[]", "()")), file  # neither judge minds the end
    done = ask(judge, *files)
    assert done.returncode == 0 and not done.stderr, (judge, done.stderr[:2000])
    return [json.loads(line) for line in done.stdout.splitlines()]


def equal(found, expected, what):
    """Single precision survives text to the last bit."""
    found, expected = np.asarray(found, np.float32).ravel(), np.asarray(expected, np.float32).ravel()
    assert found.shape == expected.shape, (what, found.shape, expected.shape)
    assert (found == expected).all(), (what, found[found != expected][:5], expected[found != expected][:5])


def usda_holds_curves(prim, counts, ids, radius, what):
    """A prim's part that is the same in all frames."""
    attributes = prim["attributes"]
    assert prim["type"] == "BasisCurves", (what, prim["type"])
    values = {name: attribute.get("value") for name, attribute in attributes.items()}
    assert values["type"] == "linear" and values["wrap"] == "nonperiodic", what
    assert values["curveVertexCounts"] == list(counts), what
    assert values["primvars:groom_id"] == list(ids), what
    types = {name: attribute["type"] for name, attribute in attributes.items()}
    expected = {"curveVertexCounts": "int[]", "primvars:groom_id": "int[]", "points": "point3f[]", "extent": "float3[]"}
    assert expected.items() <= types.items(), (what, types)
    assert attributes["primvars:groom_id"]["metadata"] == {"interpolation": '"uniform"'}, what
    if radius is None:
        assert not {"widths", "primvars:groom_width"} & set(values), what
        return
    for name in ("widths", "primvars:groom_width"):
        equal(values[name], 2 * radius, f"{what}: {name}")
        assert types[name] == "float[]" and attributes[name]["metadata"] == {"interpolation": '"vertex"'}, (what, name)


def extent_fits(extent, points, radius, widest, what):
    """It holds the points with their radius, and is no larger than the widest strand of the file makes it."""
    low, high = np.reshape(extent, (2, 3))
    rounding = 1e-6 * max(np.abs(points).max(), widest)
    for outer, inner in ((low, points - radius[:, None]), (-high, -points - radius[:, None])):
        assert (outer <= inner.min(0) + rounding).all(), what
    for outer, inner in ((low, points), (-high, -points)):
        assert (outer >= inner.min(0) - widest - rounding).all(), what


def usda_holds_run(read, run, root, prims, what):
    """All that a judge read is what the cache has; `prims` are the names of the sets in USD."""
    numbers, fps = list(run.frames), run.index["fps"]
    header = {name: read["header"].get(name) for name in ("defaultPrim", "upAxis")}
    assert header == {"defaultPrim": root, "upAxis": "Y"}, (what, header)
    for name, value in {
        "metersPerUnit": 1, "startTimeCode": numbers[0], "endTimeCode": numbers[-1], "timeCodesPerSecond": fps,
        "framesPerSecond": fps,
    }.items():
        assert float(read["header"][name]) == value, (what, name, read["header"])
    paths = [f"/{root}/{prim}" for prim in prims]
    assert set(read["prims"]) == {f"/{root}", *paths} and read["prims"][f"/{root}"]["type"] == "Xform", (what, paths)
    if "nodes" in read:
        assert set(read["nodes"]) == {f"/{root}", *paths}, (what, read["nodes"])

    counts, radius = np.diff(run.offset), run.frames[1]["radius"]
    for path, (name, strands, vertices) in zip(paths, run.sets(), strict=True):
        prim = read["prims"][path]
        usda_holds_curves(
            prim, counts[strands], range(strands.start, strands.stop), radius[vertices], f"{what}: {name}")
        attributes = prim["attributes"]
        assert attributes["velocities"]["type"] == "vector3f[]", what
        for attribute in ("points", "velocities", "extent"):
            assert attributes[attribute]["times"] == numbers, (what, name, attribute)
        for i, frame in enumerate(run.frames.values()):
            where = f"{what}: {name}, frame {frame['number']}"
            equal(attributes["points"]["samples"][i], frame["position"][vertices], where)
            equal(attributes["velocities"]["samples"][i], frame["velocity"][vertices], where)
            extent_fits(
                attributes["extent"]["samples"][i], frame["position"][vertices], radius[vertices], radius.max(), where)


def judge_usda(run, root, prims, folder):
    file = folder / "run.usda"
    tendril("convert", run.cache, file, "--quiet")
    for judge in JUDGES:
        usda_holds_run(*read_usda(judge, file), run, root, prims, judge)
    return file
