"""tendril.render and tendril.plot."""

import pathlib
import tempfile
import unittest

import numpy as np
import tendril


class Pictures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        line = np.linspace((0.0, 0.0, 0.0), (0.0, -0.2, 0.0), 10)
        points = np.concatenate([line + (0.01 * i, 0.0, 0.0) for i in range(20)])
        self.file = self.folder / "groom.ply"
        tendril.write_groom(self.file, tendril.Groom(points, np.arange(0, 201, 10), np.full(200, 1e-3)))

    def test_a_picture_is_an_array_and_a_file(self):
        out = self.folder / "picture.png"
        picture = tendril.render(self.file, out=out, size=(64, 48), samples=2, camera="front")
        self.assertEqual((picture.shape, picture.dtype), ((48, 64, 3), np.uint8))
        self.assertTrue(out.read_bytes().startswith(b"\x89PNG"))
        self.assertGreater(int(picture.max()) - int(picture.min()), 50)
        other = tendril.render(self.file, size=(64, 48), samples=2, camera="front")
        np.testing.assert_array_equal(picture, other)
        coloured = tendril.render(self.file, size=(64, 48), samples=2, color="radius", range=(0, 2e-3), camera=(0, 0, 1))
        self.assertTrue((coloured != picture).any())

    def test_wrong_values_are_named(self):
        for words, options in (
            ("size", {"size": (3, 3)}),
            ("samples", {"samples": 0}),
            ("camera", {"camera": "behind"}),
            ("camera", {"camera": (1.0, 2.0)}),
            ("hair", {"hair": "green"}),
            ("is not in this run", {"color": "strain"}),
            ("range", {"color": "radius", "range": (1, 0)}),
            ("has no frame 7", {"frame": 7}),
            ("out", {"out": "x.jpg"}),
        ):
            with self.assertRaisesRegex(ValueError, words):
                tendril.render(self.file, **{"size": (16, 16), "samples": 1, **options})
        with self.assertRaisesRegex(ValueError, "does not exist"):
            tendril.render(self.folder / "nothing")

    def test_a_page_of_a_report(self):
        report, page = self.folder / "report.json", self.folder / "page.html"
        report.write_text('{"command": "run", "name": "swing", "steps": 3, "frame_records": [{"time": 0, "energy_total": 1}]}')
        tendril.plot(report, page)
        self.assertIn("<svg", page.read_text())
        with self.assertRaisesRegex(ValueError, "nothing.json"):
            tendril.plot(self.folder / "nothing.json", page)


if __name__ == "__main__":
    unittest.main()
