"""tendril render as a user calls it: pictures, names, false colours, films, errors."""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

TENDRIL = pathlib.Path(os.environ["TENDRIL_BUILD"]) / "tendril"

SCENE = """
[run]
name = "few"
frames = 4
fps = 24
[[strands]]
name = "hair"
source = { generator = "straight", count = 300, vertices = 8, length = "12 cm" }
motion = [ { sine = ["3 cm", 0, 0], frequency = "3 Hz" } ]
[output]
shutter = 0.5
"""


def tendril(*arguments, env=None):
    return subprocess.run([TENDRIL, *map(str, arguments)], capture_output=True, text=True, env=env)


def pixels(path):
    """Width, height and rows of an 8-bit RGB PNG, its filters undone."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, body = 8, b""
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        chunk = data[at + 8 : at + 8 + length]
        assert zlib.crc32(kind + chunk) == struct.unpack_from(">I", data, at + 8 + length)[0]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack_from(">IIBB", chunk)
            assert (depth, colour) == (8, 2)
        body += chunk if kind == b"IDAT" else b""
        at += 12 + length
    raw, stride, rows, before = zlib.decompress(body), 3 * width, [], bytes(3 * width)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for i in range(stride):
            a, b, c = line[i - 3] if i >= 3 else 0, before[i], before[i - 3] if i >= 3 else 0
            p = a + b - c
            paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[i] = (line[i] + [0, a, b, (a + b) // 2, paeth][kind]) & 255
        rows.append(bytes(line))
        before = bytes(line)
    return width, height, rows


class Render(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tendril_render_"))
        (cls.folder / "scene.toml").write_text(SCENE)
        cls.run_folder = cls.folder / "run"
        done = tendril("run", cls.folder / "scene.toml", "--out", cls.run_folder, "-q")
        assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def draw(self, *options, code=0):
        done = tendril("render", self.run_folder, "--size", "96x64", "--samples", 2, *options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_a_picture_shows_the_hair(self):
        out, report = self.folder / "one.png", self.folder / "one.json"
        self.draw("--out", out, "--report", report)
        width, height, rows = pixels(out)
        self.assertEqual((width, height), (96, 64))
        middle, corner = rows[28][3 * 48 : 3 * 48 + 3], rows[2][6:9]
        self.assertLess(sum(middle), 0.8 * sum(corner), "hair is darker than the backdrop")
        told = json.loads(report.read_text())
        for key in ("images", "strands", "seconds", "seconds_per_image", "samples", "width", "height", "threads"):
            self.assertIn(key, told)
        self.assertEqual(told["strands"], 300)

    def test_threads_do_not_change_a_bit(self):
        names = [self.folder / f"t{threads}.png" for threads in (1, 2, 3)]
        for threads, name in zip((1, 2, 3), names):
            self.draw("--out", name, "--threads", threads, "--frame", 3)
        self.assertEqual(len({name.read_bytes() for name in names}), 1)

    def test_a_range_has_a_name_for_each_frame(self):
        self.draw("--frame", "2:4", "--out", self.folder / "f_####.png")
        names = sorted(path.name for path in self.folder.glob("f_*.png"))
        self.assertEqual(names, ["f_0002.png", "f_0003.png", "f_0004.png"])
        self.assertNotEqual((self.folder / names[0]).read_bytes(), (self.folder / names[2]).read_bytes())
        refused = self.draw("--frame", "2:4", "--out", self.folder / "f.png", code=2)
        self.assertIn("write #### where the number goes", refused.stderr)

    def test_false_colours_have_a_legend(self):
        plain, named = self.folder / "plain.png", self.folder / "legend.png"
        self.draw("--frame", 3, "--color", "speed", "--out", named, "--report", self.folder / "c.json")
        self.draw("--frame", 3, "--color", "speed", "--no-legend", "--out", plain)
        _, _, with_legend = pixels(named)
        _, _, without = pixels(plain)
        self.assertNotEqual(with_legend[30], without[30])
        self.assertEqual(with_legend[2], without[2])
        told = json.loads((self.folder / "c.json").read_text())["range"]
        self.assertEqual(told["unit"], "m/s")
        self.assertGreater(told["high"], told["low"])
        for quantity in ("curvature", "strain", "tension", "stiffness", "radius"):
            self.draw("--frame", 3, "--color", quantity, "--out", plain)

    def test_errors_are_one_sentence(self):
        out = self.folder / "never.png"
        for options, words in (
            (["--color", "stran"], "is not in this run (did you mean 'strand'?)"),
            (["--frame", "99"], "has no frame 99; there are 1 to 5"),
            (["--frame", "x"], "'x' is not a range"),
            (["--size", "12"], "is not a size of 16 to 16384 pixels a side"),
            (["--camera", "frnt"], "did you mean 'front'?"),
            (["--hair", "blonde"], "did you mean 'blond'?"),
            (["--range", "3:1"], "is not a range"),
            (["--mesh", "nowhere.obj"], "nowhere.obj"),
            (["--samples", "0"], "--samples"),
        ):
            done = tendril("render", self.run_folder, "--out", out, *options)
            self.assertNotEqual(done.returncode, 0, options)
            self.assertIn(words, done.stderr, options)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertFalse(out.exists())
        done = tendril("render", self.run_folder, "--out", self.folder / "x.jpg")
        self.assertIn("must end in .png", done.stderr)
        done = tendril("render", self.folder / "nothing", "--out", out)
        self.assertIn("does not exist", done.stderr)
        done = tendril("render", self.run_folder)
        self.assertIn("--out: is missing", done.stderr)
        done = tendril("render", self.run_folder, "--out", self.folder / "no/such/folder.png", "--size", "16x16", "-q")
        self.assertIn("cannot be written", done.stderr)

    def test_a_film(self):
        film = self.folder / "film.mp4"
        if shutil.which("ffmpeg") is None:
            done = self.draw("--movie", film, code=1)
            self.assertIn("needs the program ffmpeg", done.stderr)
            return
        self.draw("--movie", film)
        self.assertEqual(film.read_bytes()[4:8], b"ftyp")
        self.assertEqual([p.name for p in self.folder.glob("film.mp4*")], ["film.mp4"], "nothing else is left behind")
        lost = self.draw("--movie", self.folder / "none.mp4", "--frame", "77", code=1)
        self.assertIn("has no frame", lost.stderr)

    def test_without_ffmpeg_it_says_so_before_the_work(self):
        done = subprocess.run(
            [TENDRIL, "render", self.run_folder, "--movie", self.folder / "x.mp4"],
            capture_output=True, text=True, env={**os.environ, "PATH": "/nonexistent"},
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("needs the program ffmpeg", done.stderr)

    def test_motion_blur_and_views(self):
        sharp, blurred = self.folder / "sharp.png", self.folder / "blurred.png"
        self.draw("--frame", 2, "--out", blurred)
        self.draw("--frame", 2, "--no-blur", "--out", sharp)
        self.assertNotEqual(sharp.read_bytes(), blurred.read_bytes())
        for view in ("front", "side", "back", "top", "back-quarter", "0.5,0.2,0.6"):
            self.draw("--camera", view, "--zoom", 1.5, "--dark", "--hair", "red", "--out", sharp)
        self.draw("--no-bodies", "--no-ground", "--look", "rod", "--thickness", 4, "--out", sharp)

    def test_a_groom_file(self):
        groom = self.folder / "groom.ply"
        self.assertEqual(tendril("convert", self.run_folder, self.folder / "g_####.ply").returncode, 0)
        (self.folder / "g_0001.ply").rename(groom)
        done = tendril("render", groom, "--size", "64x64", "--samples", 1, "--out", self.folder / "groom.png")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
