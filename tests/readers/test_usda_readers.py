"""three.js and tinyusdz read what we write as .usda: a run, grooms, value clips and samples of the shutter."""

import os
import pathlib
import re
import struct
import subprocess
import tempfile

import judges
import numpy as np


def a_run(folder):
    file = judges.judge_usda(judges.two_sets(folder), "two_sets", ["curls", "_2_threads"], folder)

    # The judges do judge: they refuse, each by its own measure, files with a single fault.
    text = file.read_text()
    for judge, pattern, fault in (
        ("read_with_tinyusdz.mjs", r"\(0, 0, 0\)", "(0, 0)"),
        ("read_with_tinyusdz.mjs", r"point3f\[\]", "point9f[]"),
        ("read_with_tinyusdz.mjs", r"1: \[", "1 ["),
        ("read_with_tinyusdz.mjs", r"\), \(", ") ("),
        ("read_with_three.mjs", r"\), \(", ") ("),
        ("read_with_three.mjs", r"8, 8, 8\]", "8, nan, 8]"),
    ):
        spoilt = folder / "spoilt.usda"
        spoilt.write_text(re.sub(pattern, fault, text, count=1))
        assert spoilt.read_text() != text and judges.ask(judge, spoilt).returncode == 1, (judge, fault)

    one = folder / "one.usda"
    judges.tendril("convert", folder / "cache", one, "--frames", "3", "--quiet")
    for judge in judges.JUDGES:
        (read,) = judges.read_usda(judge, one)
        assert [float(read["header"][key]) for key in ("startTimeCode", "endTimeCode")] == [3, 3], read["header"]
        for prim in ("curls", "_2_threads"):  # one pose needs no samples
            attributes = read["prims"][f"/two_sets/{prim}"]["attributes"]
            assert all("value" in attributes[name] for name in ("points", "velocities", "extent")), (judge, attributes)


def a_groom_in_centimetres(folder):
    """A .hair file with thickness and colour, z up."""
    counts = np.array([4, 2, 3])
    total = counts.sum()
    random = np.random.default_rng(5)
    points = (10 * random.random((total, 3))).astype("<f4")
    thickness = (0.001 + 0.01 * random.random(total)).astype("<f4")
    colour = random.random((total, 3)).astype("<f4")
    head = struct.pack("<4s4I5f88s", b"HAIR", len(counts), total, 1 | 2 | 4 | 16, 0, 1, 0, 1, 1, 1, b"")
    arrays = ((counts - 1).astype("<u2"), points, thickness, colour)
    (folder / "groom.hair").write_bytes(head + b"".join(array.tobytes() for array in arrays))
    judges.tendril(
        "convert", folder / "groom.hair", folder / "groom.usda", "--scale", "0.01", "--up", "Z", "--quiet")

    x, y, z = 0.01 * points.astype(float).T
    expected, radius = np.stack([x, z, -y], 1), 0.5 * 0.01 * thickness.astype(float)
    for judge in judges.JUDGES:
        (read,) = judges.read_usda(judge, folder / "groom.usda")
        assert read["header"]["upAxis"] == "Y" and float(read["header"]["metersPerUnit"]) == 1, read["header"]
        (path,) = [path for path, prim in read["prims"].items() if prim["type"] == "BasisCurves"]
        prim = read["prims"][path]
        judges.usda_holds_curves(prim, counts, range(len(counts)), radius, judge)
        attributes = prim["attributes"]
        assert "velocities" not in attributes and "times" not in attributes["points"], (judge, attributes)
        judges.equal(attributes["points"]["value"], expected, judge)
        judges.extent_fits(attributes["extent"]["value"], expected, radius, radius.max(), judge)
        judges.equal(attributes["primvars:color"]["value"], colour, judge)
        assert attributes["primvars:color"]["metadata"] == {"elementSize": "3", "interpolation": '"vertex"'}, attributes


GUIDED = """#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Y"
)
def BasisCurves "hair"
{
    uniform token type = "linear"
    int[] curveVertexCounts = [2, 3]
    point3f[] points = [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0), (1, 2, 0.5)]
    int[] primvars:groom_id = [17, 4] (interpolation = "uniform")
    int[] primvars:groom_guide = [1, 0] (interpolation = "uniform")
    int[] primvars:groom_closest_guides = [0, 1, 2, 2, 1, 0] (
        elementSize = 3
        interpolation = "uniform"
    )
    float[] primvars:groom_guide_weights = [0.5, 0.25, 0.25, 1, 0, 0] (
        elementSize = 3
        interpolation = "uniform"
    )
}
"""


def a_groom_with_guides(folder):
    (folder / "guided.usda").write_text(GUIDED)
    judges.tendril("convert", folder / "guided.usda", folder / "again.usda", "--quiet")
    for judge in judges.JUDGES:
        (read,) = judges.read_usda(judge, folder / "again.usda")
        (prim,) = [prim for prim in read["prims"].values() if prim["type"] == "BasisCurves"]
        judges.usda_holds_curves(prim, [2, 3], [17, 4], None, judge)
        primvars = {
            name: (attribute["type"], attribute["value"], attribute["metadata"].get("elementSize", "1"))
            for name, attribute in prim["attributes"].items() if name.startswith("primvars:")
        }
        assert primvars == {
            "primvars:groom_id": ("int[]", [17, 4], "1"),
            "primvars:groom_guide": ("int[]", [1, 0], "1"),
            "primvars:groom_closest_guides": ("int3[]", [0, 1, 2, 2, 1, 0], "1"),
            "primvars:groom_guide_weights": ("float3[]", [0.5, 0.25, 0.25, 1, 0, 0], "1"),
        }, (judge, primvars)
        points = [0, 0, 0, 0, 0.01, 0, 0.01, 0, 0, 0.01, 0.01, 0, 0.01, 0.02, 0.005]
        judges.equal(prim["attributes"]["points"]["value"], points, judge)


def written_by_test_readers(folder):
    """Files of the C++ test beside this one."""
    program = judges.BUILD / "tests" / "test_readers"
    done = subprocess.run(
        [program, "--gtest_filter=ValueClips.*"], capture_output=True, text=True,
        env={**os.environ, "TENDRIL_CLIPS": str(folder)})
    assert done.returncode == 0, done.stdout


def value_clips(folder, plain_name, name, times, described):
    """The same frames in one file and as clips. No judge composes clips, so each layer is read by itself; `times` are
    those of the samples by layer."""
    clips = sorted(path for path in (folder / f"{name}_clips").iterdir() if path.name.startswith("frame."))
    assert [clip.name for clip in clips] == [f"frame.{n:04}.usda" for n in times], clips
    for judge in judges.JUDGES:
        plain, root, manifest, *layers = judges.read_usda(
            judge, folder / f"{plain_name}.usda", folder / f"{name}.usda", folder / f"{name}_clips/manifest.usda",
            *clips)
        assert root["header"] == plain["header"] and set(root["prims"]) == set(plain["prims"]), judge
        texts = {key.split()[-1]: text for key, text in root["prims"]["/falling_strands"]["clips"].items()}
        assert texts.pop("primPath") == '"/falling_strands"', (judge, texts)
        assert texts.pop("manifestAssetPath") == f"@./{name}_clips/manifest.usda@", (judge, texts)
        described(texts, judge)
        curves = [path for path, prim in plain["prims"].items() if prim["type"] == "BasisCurves"]
        assert len(curves) == 2, curves
        for path in curves:
            whole, still = plain["prims"][path]["attributes"], root["prims"][path]["attributes"]
            moving = {key for key, attribute in whole.items() if "times" in attribute}
            assert moving == {"points", "velocities", "extent"}, moving
            assert still == {key: attribute for key, attribute in whole.items() if key not in moving}, judge
            for key in moving:
                assert whole[key]["times"] == sum(times.values(), []), (judge, key, whole[key]["times"])
                samples = iter(whole[key]["samples"])
                for layer, expected in zip(layers, times.values(), strict=True):
                    clip = layer["prims"][path]["attributes"][key]
                    assert clip["type"] == whole[key]["type"] and clip["times"] == expected, (judge, key, clip)
                    assert clip["samples"] == [next(samples) for _ in expected], (judge, key)
            # Attributes without values, which the manifest consists of, neither judge has: they are only parsed.
            assert path in manifest["prims"], (judge, manifest)


def by_template(texts, judge):
    assert texts.pop("templateAssetPath") == '"./clipped_clips/frame.####.usda"', (judge, texts)
    numbers = {key: float(text) for key, text in texts.items()}
    assert numbers == {"templateStartTime": 2, "templateEndTime": 8, "templateStride": 2}, (judge, numbers)


def by_list(texts, judge):
    assets = ", ".join(f"@./blurred_clipped_clips/frame.{n:04}.usda@" for n in (2, 4, 8))
    assert texts.pop("assetPaths") == f"[{assets}]", (judge, texts)
    pairs = {key: re.findall(r"[\d.]+", text) for key, text in texts.items()}
    assert {key: [float(number) for number in numbers] for key, numbers in pairs.items()} == {
        "active": [2, 0, 4, 1, 8, 2], "times": [2, 2, 4, 4, 8, 8, 8.3, 8.3],
    }, (judge, texts)


def a_cache_with_shutter_and_guides(folder):
    cache, times = folder / "guided", [1, 1.5, 2, 2.5, 3, 3.5]
    judges.tendril("convert", cache, folder / "all.usda", "--quiet")
    judges.tendril("convert", cache, folder / "late.usda", "--frames", "2:3", "--quiet")
    names = [f"{kind}_{n:04}.tendril" for n in (1, 2, 3) for kind in ("frame", "shutter")]
    frames = [judges.read_frame(cache / name) for name in names]
    assert np.allclose([frame["time"] * 24 + 1 for frame in frames], times)
    for judge in judges.JUDGES:
        for file, first in (("all", 0), ("late", 2)):
            (read,) = judges.read_usda(judge, folder / f"{file}.usda")
            attributes = read["prims"]["/guided/strands"]["attributes"]
            for key, channel in (("points", "position"), ("velocities", "velocity"), ("extent", None)):
                assert attributes[key]["times"] == times[first:], (judge, key, attributes[key]["times"])
                for sample, frame in zip(attributes[key]["samples"], frames[first:], strict=True):
                    if channel:
                        judges.equal(sample, frame[channel], f"{judge}: {key} at {frame['time']}")
                    else:
                        judges.extent_fits(sample, frame["position"], frame["radius"], 5e-5, judge)
            for key, kind in (("guide", "int[]"), ("closest_guides", "int3[]"), ("guide_weights", "float3[]")):
                primvar = attributes[f"primvars:groom_{key}"]
                assert primvar["type"] == kind, (judge, primvar)
                assert primvar["metadata"] == {"interpolation": '"uniform"'}, (judge, primvar)
                judges.equal(primvar["value"], frames[0][key], f"{judge}: {key}")


def main():
    judges.node_folder()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        a_run(folder)
        a_groom_in_centimetres(folder)
        a_groom_with_guides(folder)
        written_by_test_readers(folder)
        value_clips(folder, "plain", "clipped", {2: [2], 4: [4], 8: [8]}, by_template)
        value_clips(folder, "blurred", "blurred_clipped", {2: [2, 2.3], 4: [4], 8: [8, 8.3]}, by_list)
        a_cache_with_shutter_and_guides(folder)


main()
