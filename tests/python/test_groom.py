"""Groom files from Python."""

import os
import pathlib
import tempfile
import unittest

import numpy as np

import tendril
from tendril import Groom, read_groom, write_groom


def comb():
    points = np.array([(s, 0.1 * i, 0.0) for s in range(4) for i in range(3 + s)], float)
    offsets = np.cumsum([0] + [3 + s for s in range(4)])
    return Groom(points, offsets, np.linspace(1e-4, 2e-4, len(points)))


class Grooms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def test_come_back_as_they_were_written(self):
        groom = comb()
        for name in ("a.hair", "a.usda", "a.ply", "a.data", "a.obj"):
            write_groom(self.path / name, groom)
            back = read_groom(self.path / name)
            np.testing.assert_array_equal(back.offsets, groom.offsets)
            np.testing.assert_array_equal(back.points.astype(np.float32), groom.points.astype(np.float32))
            if name in ("a.hair", "a.usda", "a.ply"):
                np.testing.assert_allclose(back.radius, groom.radius, rtol=1e-6)
            self.assertEqual(len(back), 4)
            self.assertEqual(sum(back.repairs.values()), 0)
        self.assertEqual(back.strand(1).shape, (4, 3))
        self.assertIn("metres were assumed", " ".join(read_groom(self.path / "a.data").assumptions))
        self.assertEqual(read_groom(self.path / "a.usda").assumptions, [])

    def test_keep_attributes(self):
        groom = comb()
        groom.attributes = {"age": np.arange(4.0), "heat": np.arange(18.0)}
        write_groom(self.path / "a.usda", groom)
        back = read_groom(self.path / "a.usda")
        np.testing.assert_array_equal(back.attributes["age"], np.arange(4.0))
        np.testing.assert_array_equal(back.attributes["heat"], np.arange(18.0))

    def test_are_scaled_thinned_and_resampled(self):
        write_groom(self.path / "a.data", comb())
        back = read_groom(self.path / "a.data", scale=0.01, up="z", subsample=2, resample=5)
        self.assertEqual(list(back.offsets), [0, 5, 10])
        np.testing.assert_allclose(back.strand(1)[0], (0.02, 0.0, 0.0), atol=1e-9)
        np.testing.assert_allclose(back.strand(1)[-1], (0.02, 0.0, -0.004), atol=1e-9)

    def test_tell_their_repairs(self):
        groom = comb()
        groom.points[1] = groom.points[0]
        write_groom(self.path / "a.data", groom)
        self.assertEqual(read_groom(self.path / "a.data").repairs["points_merged"], 1)

    def test_go_into_strands(self):
        write_groom(self.path / "a.hair", comb())
        groom = read_groom(self.path / "a.hair")
        strands = tendril.der.Strands(groom.points, groom.offsets, radius=groom.radius)
        strands.step(1 / 240)
        self.assertTrue(np.isfinite(strands.positions).all())

    def test_bad_files_and_arguments_are_refused(self):
        (self.path / "bad.hair").write_bytes(b"HAIRY")
        groom = comb()
        for message, call in (
            ("bad.hair", lambda: read_groom(self.path / "bad.hair")),
            ("cannot be opened", lambda: read_groom(self.path / "none.hair")),
            ("not a format", lambda: read_groom(self.path / "a.fbx")),
            ("not a format", lambda: write_groom(self.path / "a.abc", groom)),
            ("^scale", lambda: read_groom("a.hair", scale=-1)),
            ("^up", lambda: read_groom("a.hair", up="x")),
            ("resample", lambda: read_groom("a.hair", resample=1)),
            ("^radius", lambda: write_groom("a.hair", Groom(groom.points, groom.offsets, np.ones(3)))),
            ("^attribute heat", lambda: write_groom("a.hair", Groom(groom.points, groom.offsets, None, {"heat": [1.0]}))),
            ("^offsets", lambda: write_groom("a.hair", Groom(groom.points, [0, 5]))),
        ):
            with self.assertRaisesRegex(ValueError, message):
                call()

    @unittest.skipUnless("TENDRIL_DATA" in os.environ, "TENDRIL_DATA is not set")
    def test_of_real_tools_are_read(self):
        sintel = read_groom(pathlib.Path(os.environ["TENDRIL_DATA"], "grooms/sintel/sintel.hair"))
        self.assertEqual((len(sintel), len(sintel.points)), (11400, 182400))


if __name__ == "__main__":
    unittest.main()
